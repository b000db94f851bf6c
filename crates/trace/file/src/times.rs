//! The times of all processes of a trace, converted alike.

use std::collections::BTreeMap;

use perflab_abi::{Clock, ClockSnapshotContent};

use crate::clock::ClockConversion;
use crate::contents::Process;

/// The conversions of both clocks, each by the clock snapshots of all processes that use it.
#[derive(Debug)]
pub struct Times {
    counter: ClockConversion,
    monotonic: ClockConversion,
    /// The largest of all processes, for each clock.
    skews: [u64; 2],
}

impl Times {
    /// By the clock snapshots of these processes.
    pub fn new(processes: &BTreeMap<u32, Process>) -> Self {
        let of = |clock| processes.values().filter(move |each| each.clock == clock);
        let conversion = |clock| {
            let snapshots: Vec<ClockSnapshotContent> = of(clock)
                .flat_map(|each| &each.snapshots)
                .copied()
                .collect();
            ClockConversion::new(clock, &snapshots)
        };
        let skew = |clock| of(clock).map(|each| each.skew).max().unwrap_or(0);
        Self {
            counter: conversion(Clock::TimeStampCounter),
            monotonic: conversion(Clock::Monotonic),
            skews: [skew(Clock::TimeStampCounter), skew(Clock::Monotonic)],
        }
    }

    /// That of a clock.
    pub fn of(&self, clock: Clock) -> &ClockConversion {
        match clock {
            Clock::TimeStampCounter => &self.counter,
            Clock::Monotonic => &self.monotonic,
        }
    }

    /// How far the clocks of two processors may be apart, in units of the clock.
    pub fn skew(&self, clock: Clock) -> u64 {
        let [counter, monotonic] = self.skews;
        match clock {
            Clock::TimeStampCounter => counter,
            Clock::Monotonic => monotonic,
        }
    }
}
