//! The share of slow runs.

use std::collections::HashMap;

use super::{SlowRuns, Terms, Warning};
use crate::Error;
use crate::modes::{CommonSplit, Mode, SplitSource, common_split};
use crate::observation::Strata;
use crate::proportion::{Proportion, boschloo, newcombe};

/// Both sides split into their modes, if either has a slow one.
pub(crate) fn slow_split(
    strata: &Strata,
    terms: &Terms,
    warnings: &mut Vec<Warning>,
) -> Result<Option<CommonSplit>, Error> {
    let Some(split) = common_split(&strata.base(), &strata.candidate(), terms.better)? else {
        return Ok(None);
    };
    if main_mode(&split) == Mode::Slow {
        warnings.push(Warning::FastMode);
        return Ok(None);
    }
    warnings.push(Warning::SlowMode);
    Ok(Some(split))
}

/// The mode that most runs are in, on the side that has a gap (the baseline's, if both have).
fn main_mode(split: &CommonSplit) -> Mode {
    match split.source {
        SplitSource::Own | SplitSource::Baseline => split.a.main(),
        SplitSource::Candidate => split.b.main(),
    }
}

pub(super) fn slow(
    strata: &Strata,
    terms: &Terms,
    known: &mut HashMap<[usize; 4], f64>,
    warnings: &mut Vec<Warning>,
) -> Result<Option<SlowRuns>, Error> {
    let Some(split) = slow_split(strata, terms, warnings)? else {
        return Ok(None);
    };
    let a = Proportion::new(split.a.slow, split.a.slow + split.a.fast)?;
    let b = Proportion::new(split.b.slow, split.b.slow + split.b.fast)?;
    let shares = newcombe(a, b, terms.confidence)?;
    Ok(Some(SlowRuns {
        base: split.a.slow,
        candidate: split.b.slow,
        difference: shares.difference,
        low: shares.low,
        high: shares.high,
        p: *known
            .entry([a.successes(), a.trials(), b.successes(), b.trials()])
            .or_insert_with(|| boschloo(a, b).p),
    }))
}
