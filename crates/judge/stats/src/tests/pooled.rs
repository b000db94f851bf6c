//! Several subjects as one, whatever each of them measures in a run.

use crate::pooled::typical_runs;
use crate::verdict::{Cache, Comparison, Sides, Terms, compare};
use crate::{Better, Observation};
use proptest::prelude::*;

type Runs = Vec<Observation>;

/// The subjects of one side.
fn slices(subjects: &[Runs]) -> Vec<&[Observation]> {
    subjects.iter().map(Vec::as_slice).collect()
}

fn terms() -> Terms {
    Terms {
        better: Better::Lower,
        confidence: 0.95,
        margin: None,
        in_turns: false,
    }
}

fn pooled(base: &[Runs], candidate: &[Runs]) -> Comparison {
    let sides = Sides::pooled(&slices(base), &slices(candidate)).unwrap();
    compare(sides.unwrap(), &terms(), &mut Cache::default()).unwrap()
}

/// One run of a subject for each list, with these samples, three runs to a block.
fn runs(samples: &[Vec<f64>]) -> Runs {
    let observe = |(run, own): (usize, &Vec<f64>)| {
        let (block, unit) = ((run / 3) as u32, run as u32);
        let own = own.clone();
        own.into_iter()
            .map(move |value| Observation { block, unit, value })
    };
    samples.iter().enumerate().flat_map(observe).collect()
}

/// Both sides of each subject: six runs, each with its own number of samples.
fn subjects() -> impl Strategy<Value = Vec<[Runs; 2]>> {
    let side = || {
        let run = prop::collection::vec(50.0..150.0_f64, 1..8);
        prop::collection::vec(run, 6).prop_map(|samples| runs(&samples))
    };
    let subject = (side(), side(), 0.01..100.0_f64).prop_map(|(base, candidate, scale)| {
        [base, candidate].map(|side| {
            let scaled = |run: Observation| Observation {
                value: run.value * scale,
                ..run
            };
            side.into_iter().map(scaled).collect()
        })
    });
    prop::collection::vec(subject, 2..5)
}

fn sides(subjects: &[[Runs; 2]]) -> (Vec<Runs>, Vec<Runs>) {
    subjects.iter().cloned().map(|[a, b]| (a, b)).unzip()
}

proptest! {
    #[test]
    fn a_pooled_mean_is_the_geometric_mean_of_its_rows(subjects in subjects()) {
        let rows = subjects.iter().map(|[base, candidate]| {
            let sides = Sides::of(base, candidate).unwrap();
            compare(sides, &terms(), &mut Cache::default()).unwrap().mean.difference
        });
        let logs: Vec<f64> = rows.map(f64::ln_1p).collect();
        let (base, candidate) = sides(&subjects);
        let found = pooled(&base, &candidate).mean.difference.ln_1p();
        let expected = logs.iter().sum::<f64>() / logs.len() as f64;
        prop_assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }

    #[test]
    fn neither_the_order_of_subjects_nor_the_number_of_samples_counts(subjects in subjects()) {
        let (base, candidate) = sides(&subjects);
        let found = pooled(&base, &candidate);
        let reversed = |subjects: &[Runs]| subjects.iter().rev().cloned().collect::<Vec<_>>();
        let other = pooled(&reversed(&base), &reversed(&candidate));
        prop_assert!((found.typical.p - other.typical.p).abs() < 1e-9);
        prop_assert!((found.mean.p - other.mean.p).abs() < 1e-9);
        // The same samples three times over say no more.
        let tripled = |subjects: &[Runs]| -> Vec<Runs> {
            let triple = |run: &Observation| [*run; 3];
            let mut subjects = subjects.to_vec();
            subjects[0] = subjects[0].iter().flat_map(triple).collect();
            subjects
        };
        let other = pooled(&tripled(&base), &tripled(&candidate));
        prop_assert!((found.typical.p - other.typical.p).abs() < 1e-9);
        prop_assert!((found.mean.p - other.mean.p).abs() < 1e-9);
    }
}

fn one_each(units: &[u32], value: f64) -> Runs {
    let observe = |unit: &u32| Observation {
        block: 0,
        unit: *unit,
        value: value + f64::from(*unit),
    };
    units.iter().map(observe).collect()
}

#[test]
fn runs_are_matched_by_their_unit_else_by_their_order() {
    let values = |subjects: &[Runs]| -> Vec<(u32, f64)> {
        let found = typical_runs(&slices(subjects)).unwrap();
        found
            .iter()
            .map(|run| (run.unit, run.value.powi(2).round()))
            .collect()
    };
    // The second lacks run 2, so the first's is left out, and 3 meets 3.
    let shared = [one_each(&[1, 2, 3], 10.0), one_each(&[3, 1], 20.0)];
    assert_eq!(values(&shared), [(1, 11.0 * 21.0), (3, 13.0 * 23.0)]);
    let apart = [one_each(&[1, 4, 5], 10.0), one_each(&[2, 3], 20.0)];
    assert_eq!(values(&apart), [(1, 11.0 * 22.0), (4, 14.0 * 23.0)]);
    assert!(values(&[one_each(&[1], 10.0), Vec::new()]).is_empty());
}

#[test]
fn without_complete_runs_of_both_there_is_no_pool() {
    let (some, none) = ([one_each(&[1, 2], 10.0)], [Vec::new()]);
    assert!(
        Sides::pooled(&slices(&some), &slices(&none))
            .unwrap()
            .is_none()
    );
    assert!(
        Sides::pooled(&slices(&some), &slices(&some))
            .unwrap()
            .is_some()
    );
    let elsewhere = [vec![Observation {
        block: 7,
        unit: 1,
        value: 1.0,
    }]];
    assert!(
        Sides::pooled(&slices(&some), &slices(&elsewhere))
            .unwrap()
            .is_none()
    );
}
