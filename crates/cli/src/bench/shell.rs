//! What the shell takes of a command's time, and what is left without it.
//!
//! The shell's time cannot be measured apart: an empty shell does almost what a shell in front of a
//! command does, but not quite. So everything that is judged has the shell's time in it. What is
//! left without it is an estimate, whose interval holds the noise of the empty shells, measured in
//! the same blocks, and an allowance for what such shells do differently.

use std::collections::BTreeMap;

use perflab_stats::mean::mean_interval;
use perflab_stats::ratio_of_means::{RatioInterval, ratio_of_paired_means};
use perflab_stats::{Summary, summary};

use super::Measured;

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

/// What the shell takes of a command's time; nothing without a shell, or where it is not worth a
/// word.
pub fn share(measured: &Measured) -> Option<Share> {
    let blocks = blocks(measured);
    let (whole, shells): (Vec<f64>, Vec<f64>) = blocks.into_values().unzip();
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

/// The relative difference of two commands without the shell, as 0.02 for 2 % more; none where the
/// baseline takes too little beside the shell to divide by, and for a single block.
pub fn difference(base: &Measured, candidate: &Measured) -> Option<Estimate> {
    let candidates = blocks(candidate);
    let pairs: Vec<[f64; 4]> = blocks(base)
        .into_iter()
        .filter_map(|(block, (a, own))| {
            let (b, other) = candidates.get(&block)?;
            Some([a, own, *b, *other])
        })
        .collect();
    let without = |factor: f64| {
        let pairs: Vec<(f64, f64)> = pairs
            .iter()
            .map(|[a, own, b, other]| (a - factor * own, b - factor * other))
            .collect();
        let ratio = ratio_of_paired_means(&pairs, CONFIDENCE).ok()?;
        let is_positive = pairs.iter().map(|(a, _)| a).sum::<f64>() > 0.0;
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

/// For each block that has both: its number, and the medians of the command's runs and of the
/// shell's.
fn blocks(measured: &Measured) -> BTreeMap<u32, (f64, f64)> {
    let shells = medians(measured.shells.iter().copied());
    let runs = measured.runs.iter();
    medians(runs.map(|(block, timing)| (*block, timing.wall_s)))
        .into_iter()
        .filter_map(|(block, whole)| Some((block, (whole, *shells.get(&block)?))))
        .collect()
}

/// The median of each block.
fn medians(values: impl Iterator<Item = (u32, f64)>) -> BTreeMap<u32, f64> {
    let mut blocks: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for (block, value) in values {
        blocks.entry(block).or_default().push(value);
    }
    blocks
        .into_iter()
        .filter_map(|(block, values)| Some((block, summary::median(&values).ok()?)))
        .collect()
}
