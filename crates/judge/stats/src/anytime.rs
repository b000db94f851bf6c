//! The comparison of two variants when the measurement may have been stopped by its own results.
//!
//! Only verdicts that hold whenever one stops are made: about the typical run, by the rank e-process
//! ([`crate::sequential::RankEProcess`]). Everything else that a [`Comparison`] holds is either a
//! plain count or estimate, or says nothing: a p-value of 1, an interval without ends.

use crate::bounds::Bounds;
use crate::error::Error;
use crate::location::{NullCache, Scale, Side, hodges_lehmann_with};
use crate::sequential::RankEProcess;
use crate::steps::Rounding;
use crate::stratum::Stratum;
use crate::verdict::{
    Answer, Comparison, Sides, Split, Terms, Warning, least, same_within, two_sided,
};

/// Compares a candidate with the baseline, block after block.
///
/// The runs must be those of whole blocks: within a block that is not finished, the next
/// run's label is no longer a fair coin.
///
/// # Errors
/// When a side has no runs, or a value is not finite.
pub fn compare_anytime(
    mut sides: Sides,
    terms: &Terms,
    cache: &mut NullCache,
) -> Result<Comparison, Error> {
    let (relative, rounding) = (sides.relative(), sides.rounding());
    let split = Split::of(&sides.middle, terms.better)?;
    let main_runs = split.as_ref().and_then(|split| split.main_runs.as_deref());
    let warnings = &mut sides.warnings;
    let typical = typical(
        &sides.middle.strata,
        main_runs,
        (sides.scale, rounding),
        terms,
        cache,
        warnings,
    )?;
    let slow = match &split {
        None => None,
        Some(split) => {
            warnings.extend(split.warning());
            split.counted(sides.scale, terms, rounding, cache)?
        }
    };
    let least = least(&sides.middle.strata);
    let [base, candidate] = sides.summaries()?;
    let difference = candidate.mean - base.mean;
    Ok(Comparison {
        mean: Answer {
            difference: if relative {
                difference / base.mean
            } else {
                difference
            },
            low: f64::NEG_INFINITY,
            high: f64::INFINITY,
            p: 1.0,
            p_same: typical.p_same.map(|_| 1.0),
        },
        base,
        candidate,
        relative,
        typical,
        slow,
        least,
        rounding,
        warnings: sides.warnings,
    })
}

fn typical(
    strata: &[Stratum],
    main_runs: Option<&[Stratum]>,
    (scale, rounding): (Scale, Rounding),
    terms: &Terms,
    cache: &mut NullCache,
    warnings: &mut Vec<Warning>,
) -> Result<Answer, Error> {
    let all = observed(strata, scale)?;
    // What slow runs alone do to the typical run is no difference of it, so the main mode must agree.
    let main = main_runs.map(|runs| observed(runs, scale)).transpose()?;
    let none = scale.none();
    let estimate = hodges_lehmann_with(cache, strata, scale, terms.confidence)?.effect;
    let (mut low, mut high) = all.interval(terms.confidence)?;
    let mut p = all.evidence().p;
    if let Some(main) = &main {
        let ends = main.interval(terms.confidence)?;
        (low, high) = (low.min(ends.0), high.max(ends.1));
        let agreed =
            [Side::Less, Side::Greater].map(|side| 2.0 * all.p(none, side).max(main.p(none, side)));
        let agreed = agreed[0].min(agreed[1]).min(1.0);
        let alpha = 1.0 - terms.confidence;
        if p <= alpha && agreed > alpha {
            warnings.push(Warning::SlowRunsAlone { first: p });
        }
        p = p.max(agreed);
    }
    let p_at = |effect, side| {
        let main = main.as_ref().map_or(0.0, |main| main.p(effect, side));
        all.p(effect, side).max(main)
    };
    let inward = rounding.of_moved_ranks();
    let within = |bounds: Bounds| {
        let above = p_at(scale.moved(bounds.low(), inward), Side::Greater);
        above.max(p_at(scale.moved(bounds.high(), -inward), Side::Less))
    };
    let p_same = terms.bounds(scale)?.map(within).map(two_sided);
    let beyond = rounding.of_ranks();
    if beyond > 0.0 {
        let above = p_at(scale.moved(none, beyond), Side::Greater);
        p = p.max(two_sided(
            above.min(p_at(scale.moved(none, -beyond), Side::Less)),
        ));
    }
    if rounding.is_any() {
        (low, high) = (scale.moved(low, -inward), scale.moved(high, inward));
        // The interval leaves out no difference where a difference is proven, and only there.
        if p > 1.0 - terms.confidence {
            (low, high) = (low.min(none), high.max(none));
        } else if estimate > none {
            low = low.max(none);
        } else {
            high = high.min(none);
        }
    }
    let answer = Answer {
        difference: estimate - none,
        low: if low > scale.limits().0 {
            low - none
        } else {
            f64::NEG_INFINITY
        },
        high: high - none,
        p,
        p_same,
    };
    same_within(answer, terms, scale)
}

fn observed(strata: &[Stratum], scale: Scale) -> Result<RankEProcess, Error> {
    let mut process = RankEProcess::new(scale);
    for stratum in strata {
        process.observe(stratum)?;
    }
    Ok(process)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::better::Better;
    use crate::observation::Observation;
    use crate::steps::Grid;

    const TERMS: Terms = Terms {
        better: Better::Higher,
        confidence: 0.95,
        margin: None,
        in_turns: false,
    };

    fn side(values: impl Iterator<Item = f64>) -> Vec<Observation> {
        values
            .enumerate()
            .map(|(run, value)| Observation {
                block: (run / 3) as u32,
                unit: run as u32,
                value,
            })
            .collect()
    }

    fn sides(a: &[Observation], b: &[Observation]) -> Sides {
        Sides::of(a, b).unwrap()
    }

    fn wave(run: u32, level: f64) -> f64 {
        level + (f64::from(run) * 2.4 + level).sin()
    }

    fn compared(runs: u32, level: f64, margin: Option<f64>) -> Comparison {
        let base = side((0..runs).map(|run| wave(run, 1000.0)));
        let candidate = side((0..runs).map(|run| wave(run, level)));
        let terms = Terms { margin, ..TERMS };
        compare_anytime(sides(&base, &candidate), &terms, &mut NullCache::default()).unwrap()
    }

    #[test]
    fn only_the_typical_run_is_claimed() {
        let found = compared(12, 1010.0, None);
        assert!(found.typical.p < 0.01 && found.typical.low > 0.005 && found.typical.high < 0.015);
        assert!((found.mean.difference - 0.01).abs() < 0.002);
        assert_eq!((found.mean.p, found.mean.p_same), (1.0, None));
        assert!(found.mean.low.is_infinite() && found.mean.high.is_infinite());
    }

    #[test]
    fn sameness_takes_a_margin_and_patience() {
        let few = compared(3, 1000.0, Some(0.05));
        assert!(few.typical.p_same.unwrap() > 0.05);
        let many = compared(30, 1000.0, Some(0.05));
        assert!(many.typical.p_same.unwrap() <= 0.05 && many.typical.p > 0.05);
        assert!(many.typical.low > -0.05 && many.typical.high < 0.05);
        assert_eq!(many.mean.p_same, Some(1.0));
        let narrow = compared(30, 1000.0, Some(0.000_01));
        assert!(narrow.typical.p_same.unwrap() > 0.05);
    }

    #[test]
    fn slow_runs_are_counted_and_not_claimed() {
        let slow = |run: u32, level: f64| {
            if run % 5 == 4 {
                0.7 * level
            } else {
                wave(run, level)
            }
        };
        let base = side((0..30).map(|run| slow(run, 1000.0)));
        let candidate = side((0..30).map(|run| slow(run + 2, 1020.0)));
        let found =
            compare_anytime(sides(&base, &candidate), &TERMS, &mut NullCache::default()).unwrap();
        let slow = found.slow.unwrap();
        assert_eq!((slow.base, slow.candidate, slow.p), (6, 6, 1.0));
        assert!(found.typical.p < 0.05);
    }

    /// All runs of one side are shown a step above those of the other, which may lie at the border between both.
    #[test]
    fn the_interval_of_a_proven_difference_of_a_step_ends_at_none() {
        let [a, b] = [20.0, 21.0].map(|shown| side(std::iter::repeat_n(shown, 36)));
        let of = |a: &[Observation], b: &[Observation]| {
            let sides = sides(a, b).on_grids(a, b, [Some(Grid::Even(1.0)); 2]);
            let found = compare_anytime(sides, &TERMS, &mut NullCache::default());
            found.unwrap().typical
        };
        let (up, down) = (of(&a, &b), of(&b, &a));
        assert!(up.p < 0.05 && down.p < 0.05, "{up:?} {down:?}");
        assert_eq!((up.low, down.high), (0.0, 0.0));
    }

    #[test]
    fn values_without_ratios_and_sides_without_runs() {
        let (a, b) = (
            side((0..9).map(f64::from)),
            side((0..9).map(|v| f64::from(v) + 20.0)),
        );
        let found = compare_anytime(sides(&a, &b), &TERMS, &mut NullCache::default()).unwrap();
        assert!(!found.relative && found.typical.low > 0.0);
        assert!(compare_anytime(sides(&a, &[]), &TERMS, &mut NullCache::default()).is_err());
    }
}
