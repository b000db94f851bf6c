//! How uneven the numbers of runs of both sides are.

use crate::stratum::Stratum;

/// How many times more runs one side may have before the check is made.
pub(super) const EVEN: f64 = 1.5;

/// Runs of a side below which it is always made.
const ALWAYS_CHECKED: usize = 3;

/// Whether the numbers of runs are so uneven that Welch's test needs the check.
pub(super) fn is_uneven(strata: &[Stratum]) -> bool {
    let [a, b] = runs(strata);
    let (fewer, more) = (a.min(b), a.max(b));
    fewer < ALWAYS_CHECKED || more as f64 > EVEN * fewer as f64
}

/// The runs of both sides that have others to be compared with.
pub(super) fn runs(strata: &[Stratum]) -> [usize; 2] {
    let usable = || strata.iter().filter(|stratum| stratum.has_pairs());
    [
        usable().map(|stratum| stratum.a.len()).sum(),
        usable().map(|stratum| stratum.b.len()).sum(),
    ]
}
