//! From the runs of both sides to all answers.

use std::collections::HashMap;

use super::comparison::Comparison;
use super::in_turns::typical_in_turns;
use super::mean::{Average, mean};
use super::sides::Sides;
use super::slow::Split;
use super::terms::{Terms, same_within};
use super::typical::{Typical, least};
use crate::error::Error;
use crate::location::NullCache;

/// What is computed once for many comparisons: the same designs and the same counts come again.
#[derive(Debug, Default)]
pub struct Cache {
    /// Null distributions.
    pub null: NullCache,
    shares: HashMap<[usize; 4], f64>,
}

/// Compares a candidate with the baseline.
///
/// # Errors
/// When a side has no runs, or a value is not finite.
pub fn compare(mut sides: Sides, terms: &Terms, cache: &mut Cache) -> Result<Comparison, Error> {
    let (relative, scale, rounding) = (sides.relative(), sides.scale, sides.rounding);
    let warnings = &mut sides.warnings;
    let (middle, average) = (&sides.middle, &sides.average);
    let split = Split::of(middle, terms.better)?;
    let main_runs = split.as_ref().and_then(|split| split.main_runs.as_deref());
    let null = &mut cache.null;
    let in_turns = match terms.in_turns {
        true => typical_in_turns(&middle.strata, scale, rounding.typical, terms, warnings)?,
        false => None,
    };
    let typical = match in_turns {
        Some(answer) => answer,
        None => Typical {
            strata: &middle.strata,
            main_runs,
            scale,
            rounding,
        }
        .answer(terms, null, warnings)?,
    };
    let runs = Average {
        strata: &average.strata,
        scale,
        rounding: rounding.mean,
    };
    let typical = same_within(typical, terms, scale)?;
    let mean = same_within(mean(runs, terms, &typical, warnings)?, terms, scale)?;
    let slow = match &split {
        None => None,
        Some(split) => {
            warnings.extend(split.warning());
            split.compared(scale, terms, rounding, null, &mut cache.shares)?
        }
    };
    let [base, candidate] = sides.summaries()?;
    Ok(Comparison {
        base,
        candidate,
        relative,
        typical,
        mean,
        slow,
        least: least(&middle.strata),
        rounding,
        warnings: sides.warnings,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::better::Better;
    use crate::observation::Observation;
    use crate::stratum::Stratum;
    use crate::verdict::comparison::Warning;

    /// The two modes of the redis-like runs of the documents: thirty runs a side, one block.
    const A: &str = include_str!("../../tests/data/redis-like-a.txt");
    const B: &str = include_str!("../../tests/data/redis-like-b.txt");

    fn observations(values: &[f64], each: usize) -> Vec<Observation> {
        let observe = |(run, value): (usize, &f64)| Observation {
            block: (run / each) as u32,
            unit: run as u32,
            value: *value,
        };
        values.iter().enumerate().map(observe).collect()
    }

    fn parsed(text: &str) -> Vec<f64> {
        text.split_whitespace()
            .map(|word| word.parse().unwrap())
            .collect()
    }

    fn compared(a: &[f64], b: &[f64], each: usize, margin: Option<f64>) -> Comparison {
        let terms = Terms {
            better: Better::Higher,
            confidence: 0.95,
            margin,
            in_turns: false,
        };
        let (a, b) = (observations(a, each), observations(b, each));
        compare(Sides::of(&a, &b).unwrap(), &terms, &mut Cache::default()).unwrap()
    }

    fn near(got: f64, expected: f64) -> bool {
        (got - expected).abs() < 1e-6
    }

    #[test]
    fn questions_are_answered_apart() {
        let whole = compared(&parsed(A), &parsed(B), 30, None);
        assert!(near(whole.typical.difference, 0.023_048_758));
        // The rank test's interval begins at 0.020584287; its robustness check excludes one pair of runs less.
        assert!(near(whole.typical.low, 0.020_540_541) && near(whole.typical.high, 0.025_701_581));
        assert!(whole.typical.p < 0.001);
        assert!(near(whole.mean.difference, 0.011_549_098));
        assert!((whole.mean.low + 0.047).abs() < 5e-4 && (whole.mean.high - 0.073).abs() < 5e-4);
        assert!(whole.mean.p > 0.7);
        let slow = whole.slow.unwrap();
        assert_eq!((slow.base, slow.candidate), (4, 5));
        assert!(slow.p > 0.05);
        assert!(whole.warnings.contains(&Warning::SlowMode));
        let blocked = compared(&parsed(A), &parsed(B), 3, None);
        assert!(
            near(blocked.typical.low, 0.020_428_532) && near(blocked.typical.high, 0.025_605_036)
        );
    }

    /// Most samples of a run are 10 % less than those of the baseline, and some are far more.
    #[test]
    fn the_median_is_that_of_what_a_typical_run_goes_by() {
        let run = |unit: u32, samples: [f64; 5]| {
            let factor = 1.0 + f64::from(unit) / 1000.0;
            samples.map(|value| Observation {
                block: unit / 3,
                unit,
                value: factor * value,
            })
        };
        let of = |samples| {
            (0..9)
                .flat_map(|unit| run(unit, samples))
                .collect::<Vec<_>>()
        };
        let (a, b) = (of([1.0; 5]), of([0.9, 0.9, 0.9, 5.0, 6.0]));
        let terms = Terms {
            better: Better::Lower,
            confidence: 0.95,
            margin: None,
            in_turns: false,
        };
        let found = compare(Sides::of(&a, &b).unwrap(), &terms, &mut Cache::default()).unwrap();
        assert!(near(found.typical.difference, -0.1));
        assert!(near(found.base.median, 1.004) && near(found.candidate.median, 0.9 * 1.004));
        assert!(
            near(found.candidate.mean, 2.74 * 1.004),
            "{}",
            found.candidate.mean
        );
    }

    #[test]
    fn a_single_run_of_a_side_proves_nothing() {
        let many = parsed(A);
        let lone = compared(&[10.0], &many, 30, Some(0.01));
        assert_eq!((lone.mean.p, lone.mean.p_same), (1.0, Some(1.0)));
        assert!(lone.typical.p > 0.05);
        let pair = compared(&[5.0], &[5.0], 1, Some(0.01));
        assert!(pair.mean.p_same.unwrap() > 0.05 && pair.typical.p_same.unwrap() > 0.05);
    }

    #[test]
    fn values_that_never_vary_are_compared_exactly() {
        let differing = compared(&[5.0; 9], &[6.0; 9], 3, Some(0.01));
        assert!(differing.typical.p < 0.001 && differing.mean.p < 0.001);
        assert!(near(differing.mean.difference, 0.2));
        let equal = compared(&[5.0; 9], &[5.0; 9], 3, Some(0.01));
        assert_eq!((equal.typical.p, equal.mean.p), (1.0, 1.0));
        assert!(equal.mean.p_same.unwrap() < 0.001 && equal.typical.p_same.unwrap() < 0.001);
        assert!(equal.warnings.contains(&Warning::Exact));
    }

    #[test]
    fn exact_means_are_of_the_same_blocks() {
        let terms = Terms {
            better: Better::Lower,
            confidence: 0.95,
            margin: Some(0.01),
            in_turns: false,
        };
        let exact = |blocks: &[Stratum], times: usize| {
            let blocks = vec![blocks; times].concat();
            let side = |of: fn(&Stratum) -> &Vec<f64>| -> Vec<Observation> {
                let in_blocks = (0..).zip(&blocks).flat_map(|(block, stratum)| {
                    let values = of(stratum).iter();
                    values.map(move |value| (block, *value))
                });
                let observe = |(unit, (block, value))| Observation { block, unit, value };
                (0..).zip(in_blocks).map(observe).collect()
            };
            let (a, b) = (side(|stratum| &stratum.a), side(|stratum| &stratum.b));
            compare(Sides::of(&a, &b).unwrap(), &terms, &mut Cache::default()).unwrap()
        };
        // Less in every block, although the candidate has more runs where all take long.
        let low = Stratum::new([10.0; 3], [9.0]);
        let high = Stratum::new([20.0], [19.0; 3]);
        let levels = exact(&[low, high], 10);
        assert!(near(levels.mean.difference, -1.0 / 15.0));
        assert!(levels.typical.difference < 0.0 && levels.mean.p < 0.001);
        // One side has one run in each block, the other varies.
        for of_b in [[10.0, 11.0], [11.0, 10.0]] {
            let pairs = exact(&[Stratum::new([10.0], of_b)], 10);
            assert!(near(pairs.mean.difference, 0.05), "{:?}", pairs.mean);
        }
        // What most blocks show is not what their mean shows.
        let up = || Stratum::new([10.0; 3], [11.0; 3]);
        let down = Stratum::new([10.0; 3], [1.0; 3]);
        let opposed = exact(&[up(), up(), up(), up(), down], 4);
        assert!(opposed.typical.difference > 0.0 && opposed.mean.difference < 0.0);
        assert!(opposed.mean.p > 0.99 && opposed.mean.low == f64::NEG_INFINITY);
    }

    #[test]
    fn sameness_needs_a_margin_that_the_runs_can_resolve() {
        let noise = |phase: f64| -> Vec<f64> {
            (0..30)
                .map(|run| 100.0 + 0.3 * (f64::from(run) * 2.4 + phase).sin())
                .collect()
        };
        let (a, b) = (noise(0.0), noise(1.0));
        let wide = compared(&a, &b, 3, Some(0.01));
        assert!(wide.typical.p_same.unwrap() < 0.001 && wide.mean.p_same.unwrap() < 0.001);
        let narrow = compared(&a, &b, 3, Some(0.000_01));
        assert!(narrow.typical.p_same.unwrap() > 0.05 && narrow.mean.p_same.unwrap() > 0.05);
        assert_eq!(compared(&a, &b, 3, None).mean.p_same, None);
    }

    #[test]
    fn what_is_beyond_either_end_of_the_margin_is_not_the_same() {
        let a: Vec<f64> = (0..30)
            .map(|run| 100.0 + 0.3 * (f64::from(run) * 2.4).sin())
            .collect();
        for factor in [0.97, 1.03] {
            let b: Vec<f64> = a.iter().map(|value| value * factor).collect();
            let found = compared(&a, &b, 3, Some(0.01));
            let (typical, mean) = (found.typical.p_same.unwrap(), found.mean.p_same.unwrap());
            assert!(typical > 0.95 && mean > 0.95, "{factor}: {typical} {mean}");
        }
    }

    #[test]
    fn iterations_of_one_unit_count_once() {
        let terms = Terms {
            better: Better::Lower,
            confidence: 0.95,
            margin: None,
            in_turns: false,
        };
        let side = |shift: f64| -> Vec<Observation> {
            (0..4)
                .flat_map(|unit| (0..500).map(move |value| (unit, value)))
                .map(|(unit, value)| Observation {
                    block: 1,
                    unit,
                    value: 100.0 + f64::from(unit) + shift + f64::from(value) * 1e-6,
                })
                .collect()
        };
        let sides = Sides::of(&side(0.0), &side(0.5)).unwrap();
        let clustered = compare(sides, &terms, &mut Cache::default()).unwrap();
        assert_eq!((clustered.base.n, clustered.candidate.n), (4, 4));
        assert!(clustered.typical.p > 0.3 && clustered.mean.p > 0.3);
    }
}
