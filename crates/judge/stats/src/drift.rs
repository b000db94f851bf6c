//! Did the level of two variants, and their difference, move from the first block to the last?
//!
//! Each block gives one point: the median of a variant's runs in it, and for the difference that of
//! the candidate's to the baseline's median in the same block. Through the points goes a line of
//! Theil and Sen: what the machine does to both variants moves both levels and leaves the
//! difference where it is; a difference that moves is a property of the variants.
//!
//! The test takes the points to be independent. For the difference, random order within blocks sees
//! to that: whatever hangs together from one block to the next hits both sides alike. For the levels
//! nothing does: a machine whose speed wanders with a memory longer than a block is called drifting
//! more often than the confidence says.

use std::collections::BTreeMap;

use crate::check;
use crate::error::Error;
use crate::location::Scale;
use crate::observation::{Observation, Strata};
use crate::summary::median;
use crate::trend::{mann_kendall, theil_sen};

/// Fewest blocks that have a direction.
const FEWEST_BLOCKS: usize = 3;

/// Most points of a series; of more blocks, neighbours make one point, as all pairs are looked at.
const MOST_POINTS: usize = 500;

/// A level or a difference over the blocks.
#[derive(Debug, Clone, PartialEq)]
pub struct Trend {
    /// The median of each block, by the block's number: levels in the unit of the values,
    /// differences as the effect less "no difference" (0.02 is 2 % more).
    pub medians: BTreeMap<u32, f64>,
    /// The line at the first block.
    pub start: f64,
    /// The line at the last block.
    pub end: f64,
    /// Change from start to end: relative to the start on the scale of ratios, else in the unit.
    pub change: f64,
    /// Lower end of its interval; absent where the blocks are too few to set one.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// Two-sided p-value of "no trend".
    pub p: f64,
}

/// Two variants over the blocks of an experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct Drift {
    /// The baseline's level.
    pub base: Trend,
    /// The candidate's level.
    pub candidate: Trend,
    /// The candidate's difference to the baseline, in the blocks that have both.
    pub difference: Trend,
}

/// The drift of two variants and of their difference.
///
/// # Errors
/// A series of fewer than 3 blocks, an unusable value (one that is not positive, on
/// the scale of ratios), a confidence outside of 0 to 1.
pub fn drift(
    base: &[Observation],
    candidate: &[Observation],
    scale: Scale,
    confidence: f64,
) -> Result<Drift, Error> {
    let [base, candidate] = [("baseline", base), ("candidate", candidate)]
        .map(|(name, observations)| block_medians(name, observations, scale));
    let (base, candidate) = (base?, candidate?);
    let difference: BTreeMap<u32, f64> = base
        .iter()
        .filter_map(|(block, base)| Some((*block, candidate.get(block)? - base)))
        .collect();
    let trend = |series, kind| trend(series, kind, scale, confidence);
    Ok(Drift {
        base: trend(base, Kind::Level)?,
        candidate: trend(candidate, Kind::Level)?,
        difference: trend(difference, Kind::Difference)?,
    })
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Level,
    Difference,
}

/// The median of each block; of logarithms on the scale of ratios.
fn block_medians(
    name: &str,
    observations: &[Observation],
    scale: Scale,
) -> Result<BTreeMap<u32, f64>, Error> {
    let values: Vec<f64> = observations.iter().map(|run| run.value).collect();
    match scale {
        Scale::Ratio => check::positive(name, &values, 0)?,
        Scale::Shift => check::sample(name, &values, 0)?,
    }
    let on_scale = |run: &Observation| Observation {
        value: match scale {
            Scale::Ratio => run.value.ln(),
            Scale::Shift => run.value,
        },
        ..*run
    };
    let mut blocks: BTreeMap<u32, Vec<Observation>> = BTreeMap::new();
    for run in observations {
        blocks.entry(run.block).or_default().push(on_scale(run));
    }
    blocks
        .into_iter()
        .map(|(block, runs)| {
            // Values of one unit count once.
            let units = Strata::of(&runs, &[], median)?.base();
            Ok((block, median(&units)?))
        })
        .collect()
}

fn trend(
    series: BTreeMap<u32, f64>,
    kind: Kind,
    scale: Scale,
    confidence: f64,
) -> Result<Trend, Error> {
    let series = condensed(series)?;
    let (Some(first), Some(last)) = (series.keys().next(), series.keys().last()) else {
        return Err(too_few(0));
    };
    if series.len() < FEWEST_BLOCKS {
        return Err(too_few(series.len()));
    }
    let line = theil_sen(&series, confidence)?;
    let values: Vec<f64> = series.values().copied().collect();
    let p = match mann_kendall(&values) {
        Ok(test) => test.p,
        Err(Error::NoVariation) => 1.0,
        Err(error) => return Err(error),
    };
    let span = f64::from(last - first);
    let effect = |moved: f64| match scale {
        Scale::Ratio => moved.exp_m1(),
        Scale::Shift => moved,
    };
    let shown = |value: f64| match (kind, scale) {
        (Kind::Level, Scale::Ratio) => value.exp(),
        (Kind::Difference, Scale::Ratio) => value.exp_m1(),
        (_, Scale::Shift) => value,
    };
    let at = |block: &u32| shown(line.intercept + line.slope * f64::from(*block));
    Ok(Trend {
        start: at(first),
        end: at(last),
        change: effect(line.slope * span),
        low: line.low.map(|slope| effect(slope * span)),
        high: line.high.map(|slope| effect(slope * span)),
        p,
        medians: series
            .iter()
            .map(|(block, value)| (*block, shown(*value)))
            .collect(),
    })
}

/// The series, or the medians of groups of neighbours where it is long.
fn condensed(series: BTreeMap<u32, f64>) -> Result<BTreeMap<u32, f64>, Error> {
    let together = series.len().div_ceil(MOST_POINTS);
    if together < 2 {
        return Ok(series);
    }
    let points: Vec<(u32, f64)> = series.into_iter().collect();
    points
        .chunks(together)
        .map(|group| {
            let values: Vec<f64> = group.iter().map(|(_, value)| *value).collect();
            Ok((group[group.len() / 2].0, median(&values)?))
        })
        .collect()
}

fn too_few(found: usize) -> Error {
    Error::TooFew {
        what: "blocks with runs".to_owned(),
        needed: FEWEST_BLOCKS,
        found,
    }
}
