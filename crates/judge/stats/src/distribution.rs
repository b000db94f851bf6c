//! The few probability distributions that the methods share.
//!
//! The special functions come from `statrs`; where they give fewer digits than the methods
//! promise, they are refined here.

use std::f64::consts::{FRAC_2_SQRT_PI, PI, SQRT_2};

use statrs::function::beta::beta_reg;
use statrs::function::erf::{erfc, erfc_inv};
use statrs::function::gamma::{gamma_lr, ln_gamma};

/// `P(Z <= z)` for a standard normal `Z`.
pub(crate) fn normal_cdf(z: f64) -> f64 {
    let x = -z / SQRT_2;
    let rough = erfc(x);
    // The library's erfc is good to ten digits, its inverse to all: one step along the tangent
    // from where the inverse says that the value belongs gives the rest.
    let back = erfc_inv(rough);
    if rough > 0.0 && back.is_finite() {
        0.5 * (rough - FRAC_2_SQRT_PI * (-x * x).exp() * (x - back))
    } else {
        0.5 * rough
    }
}

/// The `z` with `P(Z > z) = p`, for `0 < p < 1`.
pub(crate) fn normal_upper_quantile(p: f64) -> f64 {
    SQRT_2 * erfc_inv(2.0 * p)
}

/// `P(T > t)` for Student's `T` with `df` degrees of freedom (`df >= 1`, need not be whole).
///
/// Good to nine digits up to a million degrees of freedom.
pub(crate) fn t_upper_tail(t: f64, df: f64) -> f64 {
    let squared = t * t;
    let tail = if t.is_infinite() {
        0.0
    } else if squared < 1.0 {
        // Seen from the middle, where the other form loses digits.
        0.5 * (1.0 - beta_reg(0.5, 0.5 * df, squared / (df + squared)))
    } else {
        0.5 * beta_reg(0.5 * df, 0.5, df / (df + squared))
    };
    if t < 0.0 { 1.0 - tail } else { tail }
}

/// Probability of a value at least as far from zero as `t`, on either side.
pub(crate) fn t_two_sided(t: f64, df: f64) -> f64 {
    (2.0 * t_upper_tail(t.abs(), df)).min(1.0)
}

/// The `t` with `P(T > t) = p`, for `0 < p < 1`.
///
/// Newton's method on the logarithm of the tail as a function of `ln t`. That function is
/// concave, so after the first step the iteration comes down to the root from one side. It
/// converges quadratically: a step of 1e-9 leaves no error that a double could show.
pub(crate) fn t_upper_quantile(p: f64, df: f64) -> f64 {
    if p == 0.5 {
        return 0.0;
    }
    if p > 0.5 {
        return -t_upper_quantile(1.0 - p, df);
    }
    let ln_constant = ln_gamma(0.5 * (df + 1.0)) - ln_gamma(0.5 * df) - 0.5 * (df * PI).ln();
    let mut t = normal_upper_quantile(p);
    for _ in 0..100 {
        let tail = t_upper_tail(t, df);
        let density = (ln_constant - 0.5 * (df + 1.0) * (t * t / df).ln_1p()).exp();
        let step = (tail / p).ln() * tail / (t * density);
        t *= step.exp();
        if step.abs() < 1e-9 {
            break;
        }
    }
    t
}

/// The `x` with `P(X <= x) = p` for chi-squared `X` with `df` degrees of freedom, `0 < p < 1`.
pub(crate) fn chi_squared_quantile(p: f64, df: f64) -> f64 {
    let below = |x: f64| gamma_lr(0.5 * df, 0.5 * x);
    let (mut low, mut high) = (0.0, df.max(1.0));
    while below(high) < p && high < 1e12 {
        (low, high) = (high, 2.0 * high);
    }
    while high - low > 1e-14 * high {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if below(middle) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// The `x` with `P(X <= x) = p`, `0 < p < 1`, for F distributed `X` with these degrees of freedom.
pub(crate) fn f_quantile(p: f64, numerator: f64, denominator: f64) -> f64 {
    // From the end at which the quantile is, so that it keeps its digits.
    if p > 0.5 {
        return 1.0 / f_quantile(1.0 - p, denominator, numerator);
    }
    let (mut low, mut high) = (0.0, 1.0);
    while high - low > 1e-15 * high {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if beta_reg(0.5 * numerator, 0.5 * denominator, middle) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    denominator * high / (numerator * (1.0 - high))
}

/// The probabilities of a distribution on `0..=n` that is given by the ratios of neighbouring
/// probabilities, summed outwards from its mode and then divided by their total.
///
/// This needs no factorials, so it neither overflows nor loses digits for large `n`.
fn from_ratios(first: usize, last: usize, mode: usize, ratio: impl Fn(usize) -> f64) -> Vec<f64> {
    let mut pmf = vec![0.0; last - first + 1];
    pmf[mode - first] = 1.0;
    for k in mode..last {
        pmf[k + 1 - first] = pmf[k - first] * ratio(k);
    }
    for k in (first..mode).rev() {
        pmf[k - first] = pmf[k + 1 - first] / ratio(k);
    }
    let total: f64 = pmf.iter().sum();
    for p in &mut pmf {
        *p /= total;
    }
    pmf
}

/// Probabilities of 0..=n successes in `n` trials that succeed with probability `p`, `0 < p < 1`.
pub(crate) fn binomial(n: usize, p: f64) -> Vec<f64> {
    let odds = p / (1.0 - p);
    let mode = (((n + 1) as f64 * p) as usize).min(n);
    from_ratios(0, n, mode, |k| (n - k) as f64 / (k + 1) as f64 * odds)
}

/// Hypergeometric probabilities: of how many of `marked` items lie in a random draw of `drawn`
/// out of `total`. Returns the smallest possible count and the probabilities from there on.
pub(crate) fn hypergeometric(total: usize, marked: usize, drawn: usize) -> (usize, Vec<f64>) {
    let first = (marked + drawn).saturating_sub(total);
    let last = marked.min(drawn);
    let mode = ((marked + 1) as f64 * (drawn + 1) as f64 / (total + 2) as f64) as usize;
    let pmf = from_ratios(first, last, mode.clamp(first, last), |k| {
        let up = (marked - k) as f64 * (drawn - k) as f64;
        let down = (k + 1) as f64 * (total + k + 1 - marked - drawn) as f64;
        up / down
    });
    (first, pmf)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    /// Holds a function of one or two arguments against SciPy's values.
    fn compare(name: &str, function: impl Fn(f64, f64) -> f64) {
        let all: Value =
            serde_json::from_str(include_str!("../tests/vectors/vectors.json")).unwrap();
        for row in all[name].as_array().unwrap() {
            let row: Vec<f64> = row
                .as_array()
                .unwrap()
                .iter()
                .map(|v| v.as_f64().unwrap())
                .collect();
            let (expected, found) = (row[row.len() - 1], function(row[0], row[1]));
            let error = (found - expected).abs();
            assert!(
                error <= 1e-9 * expected.abs(),
                "{name}: {row:?}, found {found}"
            );
        }
    }

    #[test]
    fn agrees_with_scipy() {
        compare("normal_cdf", |z, _| normal_cdf(z));
        compare("normal_upper_quantile", |p, _| normal_upper_quantile(p));
        compare("t_upper_tail", t_upper_tail);
        compare("t_upper_quantile", t_upper_quantile);
    }

    /// Probabilities, degrees of freedom, and `scipy.stats.f.ppf`.
    const F_QUANTILES: [(f64, f64, f64, f64); 10] = [
        (0.025, 29.0, 120.0, 0.530_195_042_239_448_8),
        (0.975, 29.0, 120.0, 1.699_886_950_009_332),
        (0.5, 29.0, 120.0, 0.982_568_157_728_290_1),
        (0.005, 2.0, 3.0, 0.005_020_926_352_298_491),
        (0.995, 2.0, 3.0, 49.799_278_400_300_87),
        (0.025, 1.0, 1.0, 0.001_543_712_508_674_131),
        (0.975, 1.0, 1.0, 647.789_011_477_844_2),
        (0.975, 99.0, 900.0, 1.319_534_908_105_952_9),
        (0.025, 5.0, 54.0, 0.163_018_807_443_652_4),
        (1e-6, 4.0, 8.0, 0.000_632_855_832_694_261),
    ];

    #[test]
    fn quantiles_of_f_are_those_of_scipy() {
        for (p, above, below, expected) in F_QUANTILES {
            let found = f_quantile(p, above, below);
            assert!(
                (found - expected).abs() <= 1e-9 * expected,
                "{p} {above} {below}: {found}"
            );
        }
    }

    #[test]
    fn tails_at_the_ends() {
        assert_eq!(t_upper_tail(f64::INFINITY, 3.0), 0.0);
        assert_eq!(t_upper_tail(f64::NEG_INFINITY, 3.0), 1.0);
        assert_eq!(t_upper_quantile(0.5, 3.0), 0.0);
    }

    #[test]
    fn discrete_distributions_add_up_and_have_their_means() {
        for (n, p) in [(0, 0.3), (1, 0.5), (30, 0.999), (100_000, 1e-3)] {
            let pmf = binomial(n, p);
            let mean: f64 = pmf.iter().enumerate().map(|(k, q)| k as f64 * q).sum();
            assert!((pmf.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert!((mean - n as f64 * p).abs() <= 1e-10 * mean);
        }
        let (first, pmf) = hypergeometric(50, 30, 28);
        assert_eq!((first, pmf.len()), (8, 21));
        let mean: f64 = (first..).zip(&pmf).map(|(k, q)| k as f64 * q).sum();
        assert!((mean - 30.0 * 28.0 / 50.0).abs() < 1e-12);
        assert_eq!(hypergeometric(5, 0, 3), (0, vec![1.0]));
    }
}
