//! From which iteration on is a process steady, if ever?
//!
//! The iterations of one process, in order, are split where their mean or variance changes
//! (PELT); single spikes are left out of that search. What follows the last change is the
//! state that the process ended in. A segment is *equivalent* to it if their medians differ by no
//! more than a margin. From the last segment back to the first, equivalent segments belong to the
//! steady state; the first one that does not decides the class:
//!
//! | Class | When |
//! |---|---|
//! | [`Class::Flat`] | all segments are equivalent |
//! | [`Class::Warmup`] | before the steady state the process was worse |
//! | [`Class::Slowdown`] | before the steady state the process was better |
//! | [`Class::NoSteadyState`] | it changed within its last quarter, at most its last 500 iterations |
//!
//! Source: Barrett, Bolz-Tereick, Killick, Mount and Tratt, *Virtual Machine Warmup Blows Hot and
//! Cold*, OOPSLA 2017: the penalty `15 ln n`, the rule for spikes, the classes. There, segments are
//! equivalent if their means differ by at most a millisecond or by the variance in square seconds;
//! that depends on the unit. Medians within a relative margin do not, and a few slow iterations do
//! not move them. There, nothing in the first hundred iterations is a spike; then a process with 2 %
//! of slow iterations, which is flat, passes for a warm-up in 3 of 10 cases.

pub(crate) mod pelt;
mod spikes;

use pelt::changes;

use crate::better::Better;
use crate::check;
use crate::error::Error;
use crate::summary::{median_of_sorted, raw_mean, sorted};

/// Fewest iterations that are classified.
pub const FEWEST: usize = 20;

/// What one more change must gain, per logarithm of the number of iterations.
const PENALTY: f64 = 15.0;

/// Most iterations at the end that must be steady.
const LAST: usize = 500;

/// How to classify.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    /// Which way the values are better.
    pub better: Better,
    /// Largest difference of two medians, relative to that of the last segment, that does not
    /// matter: above 0 and below 1.
    pub margin: f64,
}

/// What the iterations of a process did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// As at the end from the first iteration on.
    Flat,
    /// Worse at first, and never better.
    Warmup,
    /// Better at some time before.
    Slowdown,
    /// Still changing at the end.
    NoSteadyState,
}

/// Iterations between two changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    /// First iteration, from 0.
    pub start: usize,
    /// The one behind the last.
    pub end: usize,
    /// Mean without spikes, in the unit of the values.
    pub mean: f64,
    /// Median without spikes, in the unit of the values.
    pub median: f64,
}

/// The analysis of one process.
#[derive(Debug, Clone, PartialEq)]
pub struct Steady {
    /// What it did.
    pub class: Class,
    /// First iteration of the steady state, from 0; none if there is no steady state.
    pub from: Option<usize>,
    /// All segments, in order.
    pub segments: Vec<Segment>,
    /// Iterations that were left out as spikes.
    pub spikes: Vec<usize>,
}

/// Classifies the iterations of one process, in order of execution.
///
/// ```
/// use perflab_stats::Better;
/// use perflab_stats::steady::{Class, Terms, steady};
///
/// // Thirty slow iterations, then a hundred and seventy that are steady.
/// let noise = |i: u32| f64::from(i * 37 % 11) / 10.0;
/// let series: Vec<f64> = (0..200).map(|i| noise(i) + if i < 30 { 150.0 } else { 100.0 }).collect();
/// let found = steady(&series, &Terms { better: Better::Lower, margin: 0.01 })?;
/// assert_eq!((found.class, found.from), (Class::Warmup, Some(30)));
/// # Ok::<(), perflab_stats::Error>(())
/// ```
///
/// # Errors
/// Fewer than [`FEWEST`] or more than 20 000 values, one that is not positive, or a margin
/// outside (0, 1).
pub fn steady(values: &[f64], terms: &Terms) -> Result<Steady, Error> {
    check::positive("iterations of a process", values, FEWEST)?;
    check::probability("margin", terms.margin)?;
    let spikes = spikes::spikes(values);
    let kept: Vec<usize> = (0..values.len())
        .filter(|index| spikes.binary_search(index).is_err())
        .collect();
    let series: Vec<f64> = kept.iter().map(|index| values[*index]).collect();
    let penalty = PENALTY * (series.len() as f64).ln();
    let mut cuts = vec![0];
    cuts.extend(changes(&series, penalty)?);
    cuts.push(series.len());
    let segments: Vec<Segment> = cuts
        .windows(2)
        .map(|cut| Segment {
            start: if cut[0] == 0 { 0 } else { kept[cut[0]] },
            end: kept.get(cut[1]).copied().unwrap_or(values.len()),
            mean: raw_mean(&series[cut[0]..cut[1]]),
            median: median_of_sorted(&sorted(&series[cut[0]..cut[1]])),
        })
        .collect();
    let (class, from) = classify(&segments, values.len(), terms);
    Ok(Steady {
        class,
        from,
        segments,
        spikes,
    })
}

fn classify(segments: &[Segment], n: usize, terms: &Terms) -> (Class, Option<usize>) {
    let Some(last) = segments.last() else {
        return (Class::Flat, Some(0));
    };
    let differs =
        |segment: &&Segment| (segment.median - last.median).abs() > terms.margin * last.median;
    let Some(before) = segments.iter().rev().find(differs) else {
        return (Class::Flat, Some(0));
    };
    if before.end > n - (n / 4).min(LAST) {
        return (Class::NoSteadyState, None);
    }
    let better = |segment: &Segment| match terms.better {
        Better::Lower => segment.median < last.median,
        Better::Higher => segment.median > last.median,
    };
    let class = if segments.iter().filter(differs).any(better) {
        Class::Slowdown
    } else {
        Class::Warmup
    };
    (class, Some(before.end))
}

/// What several processes did together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Together {
    /// All the same.
    Same(Class),
    /// Flat ones and warm-ups: all of them get as good as they started or better.
    GoodInconsistent,
    /// Another mixture: what is measured depends on which process it is.
    BadInconsistent,
}

/// The class of several processes; none of no process.
pub fn together(classes: &[Class]) -> Option<Together> {
    let first = *classes.first()?;
    Some(if classes.iter().all(|class| *class == first) {
        Together::Same(first)
    } else if classes
        .iter()
        .all(|class| matches!(class, Class::Flat | Class::Warmup))
    {
        Together::GoodInconsistent
    } else {
        Together::BadInconsistent
    })
}
