//! Is a typical run different, and by how much? The default question and its answer.
//!
//! The stratified Hodges-Lehmann estimate: within every block each run of the candidate is set
//! against each run of the baseline; the effect is the median of all these pairwise ratios (or
//! differences), its confidence interval is cut off by their order statistics, and the p-value
//! is that of the stratified Mann-Whitney statistic `U`, the number of pairs in which the
//! candidate is larger (pairs that are equal count one half).
//!
//! If the order of the runs was random within each block, the test is exact whatever drifts or
//! jumps between the blocks, and however the values are distributed. The interval is exact if
//! the candidate differs by a constant factor (or shift). With a single block this is the
//! classical Hodges-Lehmann and Mann-Whitney pair, with blocks of 1+1 it is the sign test.
//!
//! With ties the p-value is that of the permutation distribution given the ties, with midranks;
//! the interval keeps the untied null distribution, which makes it conservative. Without ties
//! the two agree: `p <= 1 - confidence` exactly if the interval leaves out "no difference".
//!
//! Designs too large for the exact distribution ([`NullCache`] says which) use the normal
//! approximation with continuity correction, and tie correction where there are ties.
//!
//! Sources: Hodges and Lehmann, *Annals of Mathematical Statistics* 34 (1963) 598; van Elteren,
//! *Bulletin de l'Institut International de Statistique* 37 (1960) 351; Lehmann,
//! *Nonparametrics: Statistical Methods Based on Ranks* (1975), sections 1.4, 2.5 and 3.3.

mod null;
mod pairs;
mod ranks;
mod scale;
mod side;
mod ties;

pub use null::NullCache;
pub use scale::Scale;
pub use side::Side;

use crate::check;
use crate::error::Error;
use crate::stratum::Stratum;
use pairs::Pairs;
use ranks::StratumRanks;
use ties::TiedNull;

/// Effect of the candidate on a typical run, with its interval and test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Location {
    /// Median of the pairwise effects, on the scale asked for.
    pub effect: f64,
    /// Lower end of the interval; 0 (ratio) or minus infinity (shift) if the design is too small.
    pub low: f64,
    /// Upper end of the interval; infinity if the design is too small.
    pub high: f64,
    /// Two-sided p-value of "no difference".
    pub p: f64,
    /// Pairs in which the candidate is larger; equal pairs count one half.
    pub u: f64,
    /// Number of pairs within blocks.
    pub pairs: usize,
    /// The interval runs from the pairwise effect with rank `k + 1` from below to that from
    /// above. None if the design is too small for an interval at this confidence.
    pub k: Option<usize>,
    /// Whether the p-value and the interval both come from exact null distributions.
    pub exact: bool,
    /// Confidence of the interval, between 0 and 1.
    pub confidence: f64,
}

/// Result of [`location_test`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LocationTest {
    /// The p-value.
    pub p: f64,
    /// Pairs in which the candidate is larger than the baseline under the null effect; equal
    /// pairs count one half.
    pub u: f64,
    /// Whether the p-value comes from the exact null distribution.
    pub exact: bool,
}

/// Effect, interval at `confidence` and two-sided test of no difference.
///
/// # Errors
/// Unusable values ([`Error::NotFinite`], [`Error::NotPositive`]), a confidence outside (0, 1),
/// or no block with runs of both sides ([`Error::NoPairs`]).
pub(crate) fn hodges_lehmann(
    strata: &[Stratum],
    scale: Scale,
    confidence: f64,
) -> Result<Location, Error> {
    hodges_lehmann_with(&mut NullCache::default(), strata, scale, confidence)
}

/// As [`hodges_lehmann`], for many analyses: `cache` keeps the null distributions of the designs
/// seen before.
pub(crate) fn hodges_lehmann_with(
    cache: &mut NullCache,
    strata: &[Stratum],
    scale: Scale,
    confidence: f64,
) -> Result<Location, Error> {
    check::probability("confidence", confidence)?;
    let pairs = Pairs::new(strata, scale)?;
    let test = test(cache, &pairs, scale.none(), Side::TwoSided);

    let null = cache.get(&pairs.sizes());
    let k = null.critical_value(0.5 * (1.0 - confidence));
    let interval_exact = null.is_exact();

    let m = pairs.count();
    // The two in the middle (the same one for an odd number), then the ends of the interval.
    let mut wanted = vec![m.div_ceil(2), m / 2 + 1];
    wanted.extend(k.iter().flat_map(|k| [k + 1, m - k]));
    let found = pairs.order_statistics(&wanted);
    let (low, high) = match found[..] {
        [_, _, low, high] => (low, high),
        _ => scale.limits(),
    };
    Ok(Location {
        effect: scale.midpoint(found[0], found[1]),
        low,
        high,
        p: test.p,
        u: test.u,
        pairs: m,
        k,
        exact: test.exact && interval_exact,
        confidence,
    })
}

/// The interval of [`hodges_lehmann`] on the line where effects are shifts, if values that are shown as equal lie
/// anywhere within `step`: the pairs within half a step of an end are spread evenly over that step, as in the median of
/// grouped data.
///
/// # Errors
/// As [`hodges_lehmann`].
pub(crate) fn spread_interval(
    strata: &[Stratum],
    scale: Scale,
    found: &Location,
    step: f64,
) -> Result<(f64, f64), Error> {
    let [low, high] = [found.low, found.high].map(|end| scale.on_line(end));
    let Some(k) = found.k else {
        return Ok((low, high));
    };
    let pairs = Pairs::new(strata, scale)?;
    let spread = |end: f64, rank: f64| {
        let up_to = |at: f64| pairs.count_up_to(scale.off_line(at)) as f64;
        let (below, through) = (up_to(end - 0.5 * step), up_to(end + 0.5 * step));
        let share = (rank - 0.5 - below) / (through - below).max(1.0);
        end + step * (share.clamp(0.0, 1.0) - 0.5)
    };
    Ok((
        spread(low, k as f64 + 1.0),
        spread(high, (pairs.count() - k) as f64),
    ))
}

/// Test of the hypothesis that the effect is `null_effect` (a ratio or a shift).
///
/// With [`Side::Greater`] a small p-value shows an effect above `null_effect`, with
/// [`Side::Less`] one below. Two such tests make a test of equivalence.
///
/// # Errors
/// Unusable values ([`Error::NotFinite`], [`Error::NotPositive`]), no block with runs of both sides
/// ([`Error::NoPairs`]), or an effect out of range: a ratio must be positive.
pub fn location_test(
    cache: &mut NullCache,
    strata: &[Stratum],
    scale: Scale,
    null_effect: f64,
    side: Side,
) -> Result<LocationTest, Error> {
    scale.check_effect(null_effect)?;
    Ok(test(cache, &Pairs::new(strata, scale)?, null_effect, side))
}

fn test(cache: &mut NullCache, pairs: &Pairs, null_effect: f64, side: Side) -> LocationTest {
    let ranks = pairs.ranks(null_effect);
    let doubled_u: u64 = ranks.iter().map(|r| r.doubled_u).sum();
    let u = 0.5 * doubled_u as f64;
    let (p, exact) = if ranks.iter().any(StratumRanks::has_ties) {
        let null = TiedNull::new(&ranks);
        (null.p(doubled_u, side), null.is_exact())
    } else {
        let null = cache.get(&pairs.sizes());
        (null.p((doubled_u / 2) as usize, side), null.is_exact())
    };
    LocationTest { p, u, exact }
}

/// Smallest number of blocks of `runs` + `runs` runs that gives an interval at `confidence` with
/// two finite ends: the smallest `K` with `C(2 runs, runs)^-K <= (1 - confidence) / 2`.
///
/// For 95 %: one block of 4+4, two of 3+3, three of 2+2, six of 1+1.
pub(crate) fn min_blocks(runs: usize, confidence: f64) -> Result<usize, Error> {
    check::probability("confidence", confidence)?;
    if runs == 0 {
        return Err(Error::TooFew {
            what: "runs of each side in a block".to_owned(),
            needed: 1,
            found: 0,
        });
    }
    let ln_arrangements: f64 = (1..=runs)
        .map(|i| ((runs + i) as f64 / i as f64).ln())
        .sum();
    let blocks = -(0.5 * (1.0 - confidence)).ln() / ln_arrangements;
    // A design that meets the level exactly must not be lost to rounding.
    Ok(((blocks - 1e-11).ceil() as usize).max(1))
}
