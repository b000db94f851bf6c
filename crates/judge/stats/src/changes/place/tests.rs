use super::*;
use crate::changes::scan::scores;
use crate::resampling::Resampling;

/// All orders of some scores.
fn orders(scores: &[i64]) -> Vec<Vec<i64>> {
    let Some((first, rest)) = scores.split_first() else {
        return vec![Vec::new()];
    };
    let mut all = Vec::new();
    for order in orders(rest) {
        for place in 0..=order.len() {
            let mut longer = order.clone();
            longer.insert(place, *first);
            all.push(longer);
        }
    }
    all
}

/// Share of all orders of both parts that reach the largest CUSUM.
fn share(tests: &Tests, k: usize) -> f64 {
    let (before, behind) = tests.scores.split_at(k);
    let (before, behind) = (orders(before), orders(behind));
    let goal = tests.largest * (1.0 - 1e-12);
    let all = before
        .iter()
        .flat_map(|one| behind.iter().map(move |other| (one, other)));
    let goals = tests.goals(goal);
    let reaching =
        all.filter(|(one, other)| tests.reaches(&[one.as_slice(), other].concat(), &goals));
    reaching.count() as f64 / (before.len() * behind.len()) as f64
}

#[test]
fn places_are_kept_that_all_orders_would_keep() {
    let values = [3.0, 1.0, 4.0, 1.5, 7.2, 2.6, 6.0, 8.0, 5.0, 7.5];
    let tests = Tests::of(scores(&values), 6);
    let search = Search {
        confidence: 0.8,
        draws: 9999,
        factor: 1.0,
    };
    let mut random = Resampling { draws: 1, seed: 5 }.random().unwrap();
    let mut seen = [0, 0];
    for k in 1..values.len() {
        let share = share(&tests, k);
        // Those that are close to the level are left to chance.
        if (share - CAUTION * 0.2).abs() > 0.02 {
            let kept = share > CAUTION * 0.2;
            assert_eq!(tests.is_kept(k, search, &mut random), kept, "{k}: {share}");
            seen[usize::from(kept)] += 1;
        }
    }
    assert!(seen[0] >= 2 && seen[1] >= 2, "{seen:?}");
}

#[test]
fn scores_count_pairs_that_differ_enough() {
    let values: Vec<f64> = (0..60).map(|k| f64::from(k * 37 % 23)).collect();
    for least in [0.0, 0.5, 3.0, 30.0] {
        let count = |value: &f64| -> i64 {
            let above = |by: f64| i64::from(by > least) + i64::from(by >= least);
            values
                .iter()
                .map(|other| above(value - other) - above(other - value))
                .sum()
        };
        let expected: Vec<i64> = values.iter().map(count).collect();
        assert_eq!(scores_apart(&values, least).of, expected);
    }
    let ranks = scores(&values);
    let pairs = scores_apart(&values, 0.0);
    assert!(
        ranks
            .of
            .iter()
            .zip(&pairs.of)
            .all(|(rank, pair)| 2 * rank == *pair)
    );
}

#[test]
fn goals_are_the_least_sums_that_reach_them() {
    let values: Vec<f64> = (0..200).map(|k| f64::from(k * 37 % 101)).collect();
    let tests = Tests::of(scores(&values), 80);
    for goal in [1e-9, tests.largest / 3.0, tests.largest] {
        for (k, least) in (1..).zip(tests.goals(goal)) {
            assert!(least > 0 && weighed(least, k, 200) >= goal);
            assert!(least == 1 || weighed(least - 1, k, 200) < goal);
        }
    }
}

#[test]
fn an_interval_stays_between_the_neighbours() {
    let mut random = Resampling { draws: 1, seed: 5 }.random().unwrap();
    let search = Search {
        confidence: 0.95,
        draws: 199,
        factor: 1.5,
    };
    for values in [
        vec![1.0, 2.0],
        vec![2.0, 2.0, 2.0],
        vec![1.0, 1.0, 2.0, 1.0],
    ] {
        for place in 1..values.len() {
            let all = 0..values.len();
            let sample = Sample::alone(values.clone());
            let (low, high) = interval(&sample, all.clone(), place, search, &mut random);
            assert!(0 < low && low <= place && place <= high && high < values.len());
            let (first, last) = bounds(&sample, all, place, search);
            assert!(0 < first && first <= low && high <= last && last < values.len());
        }
    }
}
