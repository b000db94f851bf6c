//! Are values autocorrelated, as iterations inside a process are?
//!
//! Bartels' rank version of von Neumann's ratio (Journal of the American Statistical Association
//! 77, 1982): RVN = sum of squared differences of neighbouring ranks / sum of squared deviations of
//! ranks. For values in random order its mean is 2 and its variance
//! 4 (n-2) (5n^2 - 2n - 9) / (5 n (n+1) (n-1)^2); the smaller it is, the more alike neighbours are.
//!
//! That variance is the one without ties. Where most values are equal the ratio is far from normal: a lone other value
//! at an end halves it, once in n/2 files. So what the normal approximation calls dependent is confirmed by random
//! orders of the same ranks, of which one in two thousand may have as small a ratio.

mod orders;

use std::collections::BTreeMap;

use crate::error::Error;
use crate::rank::midranks;
use crate::summary::{median_of_sorted, sorted, squared_deviations};

/// Fewest values for which the normal approximation is used.
const FEWEST: usize = 20;

/// Standard deviations below the mean from which values may count as dependent: one in two thousand
/// samples of independent values without ties gets there.
const LIMIT: f64 = 3.29;

/// How many standard deviations neighbouring ranks are more alike than in random order; nothing for equal ones.
fn deviations(ranks: &[f64]) -> Option<f64> {
    let n = ranks.len() as f64;
    let ratio = von_neumann_ratio(ranks).ok()?;
    let variance = 4.0 * (n - 2.0) * (5.0 * n * n - 2.0 * n - 9.0)
        / (5.0 * n * (n + 1.0) * (n - 1.0) * (n - 1.0));
    Some((2.0 - ratio) / variance.sqrt())
}

/// Von Neumann's ratio, `sum (x_(t+1) - x_t)^2 / sum (x_t - mean)^2` (*Annals of Mathematical
/// Statistics* 12, 1941): 2 for independent values, less where neighbours are alike, more where
/// they alternate.
pub(crate) fn von_neumann_ratio(values: &[f64]) -> Result<f64, Error> {
    let deviations = squared_deviations(values);
    if deviations <= 0.0 {
        return Err(Error::NoVariation);
    }
    let steps = values.windows(2).map(|pair| pair[1] - pair[0]);
    Ok(steps.map(|step| step * step).sum::<f64>() / deviations)
}

/// Whether values are so much alike from one to the next that they cannot pass as separate runs.
pub fn looks_dependent(values: &[f64]) -> bool {
    if values.len() < FEWEST {
        return false;
    }
    midranks(values).is_ok_and(|ranks| {
        deviations(&ranks).is_some_and(|deviations| deviations > LIMIT)
            && orders::are_rare(&ranks) == Ok(true)
    })
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

    fn neighbours_alike(values: &[f64]) -> Option<f64> {
        deviations(&midranks(values).unwrap())
    }

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
        // By hand: steps 29, deviations (30^3 - 30) / 12 = 2247.5, variance 0.123 862 ...
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
    fn independent_values_that_are_mostly_equal_are_believed() {
        for equal in [44, 59] {
            let values = [vec![11.0], vec![10.0; equal]].concat();
            assert!(neighbours_alike(&values).unwrap() > LIMIT);
            assert!(!looks_dependent(&values), "{equal}");
        }
        let rare = |share: f64, length: usize| {
            let of = move |seed: u64| -> Vec<f64> {
                let values = noise(seed).skip(5).take(length);
                values.map(|u| f64::from(u8::from(u < share))).collect()
            };
            (0..4000).filter(|seed| looks_dependent(&of(*seed))).count()
        };
        for (share, length) in [(0.02, 60), (0.02, 100), (0.05, 60), (0.05, 100)] {
            // 2 are expected of 4000 at most, and 3 standard errors more.
            let refused = rare(share, length);
            assert!(refused <= 6, "{share} {length}: {refused}");
        }
    }

    #[test]
    fn a_step_of_mostly_equal_values_is_seen() {
        let few = [vec![11.0; 6], vec![10.0; 54]].concat();
        assert!(looks_dependent(&few));
        // A long file whose values in the middle are of another process.
        let mut long = vec![10.0; 200_000];
        long[100_000..100_020].fill(11.0);
        assert!(looks_dependent(&long));
        let scattered: Vec<f64> = (0..200_000_u32)
            .map(|place| f64::from(u8::from(place % 10_007 == 0)))
            .collect();
        assert!(!looks_dependent(&scattered));
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
        assert!(!looks_dependent(&[1.0, 2.0]));
    }
}
