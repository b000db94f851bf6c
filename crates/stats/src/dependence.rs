//! Do values hang together from one to the next, as iterations inside a process do?
//!
//! Bartels' rank version of von Neumann's ratio (Journal of the American Statistical Association
//! 77, 1982): RVN = sum of squared differences of neighbouring ranks / sum of squared deviations of
//! ranks. For values in random order its mean is 2 and its variance
//! 4 (n-2) (5n^2 - 2n - 9) / (5 n (n+1) (n-1)^2); the smaller it is, the more alike neighbours are.

use std::collections::BTreeMap;

use crate::rank::midranks;
use crate::serial::raw_von_neumann_ratio;
use crate::summary::{median_of_sorted, sorted};

/// Fewest values for which the normal approximation is used.
const FEWEST: usize = 20;

/// Standard deviations below the mean from which values count as dependent: one in two thousand
/// samples of independent values gets there.
const LIMIT: f64 = 3.29;

/// How many standard deviations the neighbours are more alike than in random order; nothing for
/// fewer than 20 values or equal ones.
pub fn neighbours_alike(values: &[f64]) -> Option<f64> {
    if values.len() < FEWEST {
        return None;
    }
    let n = values.len() as f64;
    let ratio = raw_von_neumann_ratio(&midranks(values).ok()?).ok()?;
    let variance = 4.0 * (n - 2.0) * (5.0 * n * n - 2.0 * n - 9.0)
        / (5.0 * n * (n + 1.0) * (n - 1.0) * (n - 1.0));
    Some((2.0 - ratio) / variance.sqrt())
}

/// Whether values are so much alike from one to the next that they cannot pass as separate runs.
pub fn looks_dependent(values: &[f64]) -> bool {
    neighbours_alike(values).is_some_and(|deviations| deviations > LIMIT)
}

/// Runs of several variants in the order of execution, each as its variant and its value, less the
/// median of their variant: what is left of a machine that changes meanwhile.
///
/// The values should be finite; where differences are relative, their logarithms.
pub fn without_medians(runs: &[(usize, f64)]) -> Vec<f64> {
    let mut sides: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for (side, value) in runs {
        sides.entry(*side).or_default().push(*value);
    }
    let medians: BTreeMap<usize, f64> = sides
        .into_iter()
        .map(|(side, values)| (side, median_of_sorted(&sorted(&values))))
        .collect();
    runs.iter()
        .map(|(side, value)| value - medians.get(side).copied().unwrap_or_default())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small generator: these tests need many values, not good ones.
    fn noise(seed: u64) -> impl Iterator<Item = f64> {
        let mut state = seed;
        std::iter::repeat_with(move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        })
    }

    #[test]
    fn a_ramp_is_dependent_and_noise_is_not() {
        let ramp: Vec<f64> = (0..30).map(f64::from).collect();
        // By hand: steps 29, spread (30^3 - 30) / 12 = 2247.5, variance 0.123 862 ...
        let expected =
            (2.0 - 29.0 / 2247.5) / (4.0 * 28.0 * 4431.0 / (5.0 * 30.0 * 31.0 * 841.0_f64)).sqrt();
        assert!((neighbours_alike(&ramp).unwrap() - expected).abs() < 1e-12);
        assert!(looks_dependent(&ramp));
        let refused = (0..4000)
            .filter(|seed| looks_dependent(&noise(*seed).skip(5).take(40).collect::<Vec<_>>()))
            .count();
        assert!(refused <= 8, "{refused}");
    }

    #[test]
    fn a_slow_wave_in_noise_is_seen() {
        let mut last = 0.0;
        let wave: Vec<f64> = noise(7)
            .take(200)
            .map(|step| {
                last = 0.8 * last + step - 0.5;
                last
            })
            .collect();
        assert!(looks_dependent(&wave));
    }

    #[test]
    fn variants_that_differ_do_not_hang_together_for_it() {
        // A step between the halves is a difference of variants if the halves are variants.
        let runs: Vec<(usize, f64)> = noise(3)
            .take(60)
            .enumerate()
            .map(|(run, noise)| (run / 30, noise + 5.0 * (run / 30) as f64))
            .collect();
        let values: Vec<f64> = runs.iter().map(|(_, value)| *value).collect();
        assert!(looks_dependent(&values));
        assert!(!looks_dependent(&without_medians(&runs)));
        assert_eq!(
            without_medians(&[(7, 2.0), (7, 4.0), (1, 9.0)]),
            [-1.0, 1.0, 0.0]
        );
        assert!(without_medians(&[]).is_empty());
    }

    #[test]
    fn few_or_equal_values_say_nothing() {
        assert_eq!(neighbours_alike(&[1.0; 50]), None);
        assert_eq!(neighbours_alike(&[1.0, 2.0]), None);
    }
}
