//! What the shell takes of a command's time, and what is left without it.
//!
//! The shell's time cannot be measured apart: an empty shell does almost what a shell in front of a
//! command does, but not quite. So everything that is judged has the shell's time in it. What is
//! left without it is an estimate, whose interval holds the noise of the empty shells, measured in
//! the same blocks, and an allowance for what such shells do differently.
//!
//! It is about means, as they are printed: the mean of the runs less that of the empty shells. So a
//! slow mode of a command is in the estimate as it is in the mean beside it.

use std::collections::BTreeMap;

use perflab_stats::mean::mean_interval;
use perflab_stats::ratio_of_means::{RatioInterval, ratio_of_means, ratio_of_paired_means};
use perflab_stats::{Summary, summary};

use super::measured::Measured;

/// How far an empty shell's time may be from what a shell adds to a command, as a share of it. With
/// dash and bash, and commands of 0 to 5 ms, what a shell added was 0.84 to 1.13 times the former
/// (November 2026).
const ALLOWANCE: f64 = 0.25;

/// Confidence of the intervals, that of the report.
const CONFIDENCE: f64 = 0.95;

/// Share of a time from which on the shell is worth a word.
const WORTH_A_WORD: f64 = 0.01;

/// An estimate with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// The shell beside one command.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// Seconds that the shell takes of a run.
    pub shell_s: f64,
    /// The same as a share of the run.
    pub share: f64,
    /// Seconds that the command takes without it; none for a single block.
    pub alone_s: Option<Estimate>,
}

impl Share {
    /// Whether the command takes any time that can be told from the shell's. That an interval of few blocks reaches 0
    /// says nothing yet, where the shell is a small part.
    pub fn is_part(&self) -> bool {
        let is_small = self.share * (1.0 + ALLOWANCE) < 1.0;
        is_small || self.share < 1.0 && self.alone_s.is_none_or(|alone| alone.low > 0.0)
    }
}

/// What the shell takes of a command's time; nothing without a shell, or where it is not worth a
/// word.
pub fn share(measured: &Measured) -> Option<Share> {
    let (whole, shells): (Vec<f64>, Vec<f64>) = blocks(measured).into_values().unzip();
    let shell_s = summary::mean(&shells).ok()?;
    let share = shell_s / summary::mean(&whole).ok()?;
    let alone: Vec<f64> = whole.iter().zip(&shells).map(|(a, b)| a - b).collect();
    let alone = Summary::of(&alone).ok()?;
    let interval = mean_interval(alone.n, alone.mean, alone.sd.unwrap_or(0.0), CONFIDENCE);
    let alone_s = interval.map(|(low, high)| Estimate {
        value: alone.mean.max(0.0),
        low: (low - ALLOWANCE * shell_s).max(0.0),
        high: (high + ALLOWANCE * shell_s).max(0.0),
    });
    (share >= WORTH_A_WORD).then_some(Share {
        shell_s,
        share,
        alone_s,
    })
}

/// The relative difference of two commands' means without the shell, as 0.02 for 2 % more; none
/// where the baseline takes too little beside the shell to divide by, and for a single block.
pub fn difference(base: &Measured, candidate: &Measured) -> Option<Estimate> {
    let (base, candidate) = (blocks(base), blocks(candidate));
    // Commands that ran one after the other may have other numbers of blocks, which are no pairs.
    let are_pairs = base.keys().eq(candidate.keys());
    let without = |factor: f64| {
        let left = |blocks: &BTreeMap<u32, (f64, f64)>| -> Vec<f64> {
            let blocks = blocks.values();
            blocks
                .map(|(whole, shell)| whole - factor * shell)
                .collect()
        };
        let (a, b) = (left(&base), left(&candidate));
        let is_positive = a.iter().sum::<f64>() > 0.0;
        let ratio = match are_pairs {
            true => ratio_of_paired_means(&a.into_iter().zip(b).collect::<Vec<_>>(), CONFIDENCE),
            false => ratio_of_means(&a, &b, CONFIDENCE),
        };
        let ratio = ratio.ok()?;
        match ratio.interval {
            RatioInterval::Bounded { low, high } if is_positive => Some(Estimate {
                value: ratio.ratio - 1.0,
                low: low - 1.0,
                high: high - 1.0,
            }),
            _ => None,
        }
    };
    let (less, more) = (without(1.0 - ALLOWANCE)?, without(1.0 + ALLOWANCE)?);
    // A time falls by no more than all of it.
    Some(Estimate {
        value: without(1.0)?.value.max(-1.0),
        low: less.low.min(more.low).max(-1.0),
        high: less.high.max(more.high).max(-1.0),
    })
}

/// For each block that has both: its number, and the means of the command's runs and of the
/// shell's.
fn blocks(measured: &Measured) -> BTreeMap<u32, (f64, f64)> {
    let shells = means(measured.shells.iter().copied());
    let runs = measured.runs.iter();
    means(runs.map(|(block, timing)| (*block, timing.time_s)))
        .into_iter()
        .filter_map(|(block, whole)| Some((block, (whole, *shells.get(&block)?))))
        .collect()
}

/// The mean of each block.
///
/// A block with fewer runs than others, as the last one may be, counts less: its mean is moved
/// towards that of all runs by as much. So the mean over blocks is that of all runs, and its error
/// that of a weighted mean.
fn means(values: impl Iterator<Item = (u32, f64)>) -> BTreeMap<u32, f64> {
    let mut blocks: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for (block, value) in values {
        blocks.entry(block).or_default().push(value);
    }
    let all: Vec<f64> = blocks.values().flatten().copied().collect();
    let Ok(mean) = summary::mean(&all) else {
        return BTreeMap::new();
    };
    let each = all.len() as f64 / blocks.len() as f64;
    let of_block = |(block, values): (u32, Vec<f64>)| {
        let weight = values.len() as f64 / each;
        let own = summary::mean(&values).ok()?;
        Some((block, mean + weight * (own - mean)))
    };
    blocks.into_iter().filter_map(of_block).collect()
}
