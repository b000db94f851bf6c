//! A guard of the mean, for uneven numbers of runs: Welch's statistic with the labels rearranged.
//!
//! Where values are skewed, as slow runs make them, and one side has far fewer runs, its mean looks
//! more certain than it is: three runs that happen to have no slow one among them scatter little.
//! Welch's test then claims too much (11 % in place of 1 % for 3 and 30 runs, of which 15 % are
//! slow). Rearranging labels within blocks gives the statistic's own distribution: exact where both
//! sides have the same distribution, and right for many runs where only the means are the same
//! (Janssen, *Statistics & Probability Letters* 36, 1997; Chung and Romano, *Annals of Statistics*
//! 41, 2013).

use crate::summary::sorted;
use crate::{Error, Resampling, Stratum};

/// How many times more runs one side may have before the guard is asked.
pub(super) const EVEN: f64 = 1.5;

/// Runs of a side below which it is always asked.
const FEW: usize = 3;

/// Runs of a side that show how skewed they are. With fewer, the p-value is raised by [`RAISED`] over their number, as
/// the means alone may be the same and not the distributions: simulated with 15 % of slow runs and another spread.
const SHOWN: f64 = 6.0;
const RAISED: f64 = 15.0;

/// Always the same draws: the same runs give the same report.
const DRAWS: Resampling = Resampling {
    draws: 9999,
    seed: 1,
};

/// Share of draws beyond which nothing will be proven, so that no more are made.
const HOPELESS: f64 = 0.1;

/// Draws from which it may be plain on which side of a level a share is, and standard errors that it must be off.
const LEAST: f64 = 200.0;
const PLAIN: f64 = 4.0;

/// One side of a block, as far as it counts: runs, sum, sum of squares.
#[derive(Clone, Copy, Default)]
struct Part {
    runs: f64,
    sum: f64,
    squares: f64,
}

impl Part {
    fn of(values: &[f64]) -> Self {
        Self {
            runs: values.len() as f64,
            sum: values.iter().sum(),
            squares: values.iter().map(|value| value * value).sum(),
        }
    }

    fn without(self, other: Self) -> Self {
        Self {
            runs: self.runs - other.runs,
            sum: self.sum - other.sum,
            squares: self.squares - other.squares,
        }
    }
}

/// Whether the numbers of runs are so uneven that Welch's test needs the guard.
pub(super) fn is_uneven(strata: &[Stratum]) -> bool {
    let [a, b] = runs(strata);
    let (fewer, more) = (a.min(b), a.max(b));
    fewer < FEW || more as f64 > EVEN * fewer as f64
}

/// The runs of both sides that have others to be compared with.
pub(super) fn runs(strata: &[Stratum]) -> [usize; 2] {
    let usable = || strata.iter().filter(|stratum| stratum.has_pairs());
    [
        usable().map(|stratum| stratum.a.len()).sum(),
        usable().map(|stratum| stratum.b.len()).sum(),
    ]
}

/// Two-sided p-value of equal means by rearranged labels, where the numbers of runs are so uneven
/// that Welch's needs it; nothing elsewhere, and where nothing varies.
pub(super) fn rearranged(strata: &[Stratum]) -> Result<Option<f64>, Error> {
    if !is_uneven(strata) {
        return Ok(None);
    }
    let hopeless = HOPELESS * DRAWS.draws as f64;
    let share = share(strata, |extreme, _| extreme as f64 >= hopeless)?;
    Ok(share.map(|share| (share * raised(strata)).min(1.0)))
}

/// Whether equal means are excluded at a two-sided level, as 0.05; draws end as soon as that is plain.
pub(super) fn excludes(strata: &[Stratum], level: f64) -> Result<bool, Error> {
    let level = level / raised(strata);
    let is_plain = |extreme: usize, draws: usize| {
        let draws = draws as f64;
        draws >= LEAST && (extreme as f64 - level * draws).abs() > PLAIN * (level * draws).sqrt()
    };
    Ok(share(strata, is_plain)?.is_none_or(|p| p <= level))
}

/// By how much a share of rearrangements is raised.
fn raised(strata: &[Stratum]) -> f64 {
    let fewer = runs(strata).into_iter().min().unwrap_or(0) as f64;
    if fewer < SHOWN { RAISED / fewer } else { 1.0 }
}

/// The share of rearrangements that are at least as extreme, of as many as are enough.
fn share(
    strata: &[Stratum],
    is_enough: impl Fn(usize, usize) -> bool,
) -> Result<Option<f64>, Error> {
    let usable = || strata.iter().filter(|stratum| stratum.has_pairs());
    // Values about the mean of their block, so that squares lose no digits. In order of size, so that neither the order
    // of a file nor which side comes first changes what is drawn.
    let mut blocks: Vec<(usize, Vec<f64>)> = Vec::new();
    let mut sides: Vec<[Part; 2]> = Vec::new();
    for stratum in usable() {
        let all = sorted(&[&stratum.a[..], &stratum.b].concat());
        let centre = all.iter().sum::<f64>() / all.len() as f64;
        let about =
            |values: &[f64]| -> Vec<f64> { values.iter().map(|value| value - centre).collect() };
        let of = |values: &[f64]| Part::of(&about(&sorted(values)));
        sides.push([of(&stratum.a), of(&stratum.b)]);
        blocks.push((stratum.a.len(), about(&all)));
    }
    let Some(observed) = statistic(&sides) else {
        return Ok(None);
    };
    let wholes: Vec<Part> = blocks.iter().map(|(_, values)| Part::of(values)).collect();
    let mut random = DRAWS.random()?;
    let mut drawn: Vec<[Part; 2]> = vec![[Part::default(); 2]; blocks.len()];
    let (mut extreme, mut draws) = (1_usize, 1_usize);
    while draws <= DRAWS.draws && !is_enough(extreme, draws) {
        for ((of_a, values), (whole, drawn)) in blocks.iter_mut().zip(wholes.iter().zip(&mut drawn))
        {
            // The smaller side is drawn, the other is what is left.
            let fewer = (*of_a).min(values.len() - *of_a);
            for place in 0..fewer {
                let other = place + random.below(values.len() - place);
                values.swap(place, other);
            }
            let part = Part::of(&values[..fewer]);
            let rest = whole.without(part);
            *drawn = if fewer == *of_a {
                [part, rest]
            } else {
                [rest, part]
            };
        }
        let size = statistic(&drawn).unwrap_or(f64::INFINITY);
        extreme += usize::from(size >= observed * (1.0 - 1e-9));
        draws += 1;
    }
    Ok(Some(extreme as f64 / draws as f64))
}

/// The size of the statistic that the mean is tested with: Welch's within blocks, or that of pairs where a side has
/// never two runs in a block; none if nothing varies.
fn statistic(blocks: &[[Part; 2]]) -> Option<f64> {
    let has_replicates = |side: usize| blocks.iter().any(|block| block[side].runs > 1.0);
    if has_replicates(0) && has_replicates(1) {
        welch(blocks)
    } else {
        of_pairs(blocks)
    }
}

/// Student's statistic of the differences of the blocks' means; none for a single block.
fn of_pairs(blocks: &[[Part; 2]]) -> Option<f64> {
    let differences = || blocks.iter().map(|[a, b]| b.sum / b.runs - a.sum / a.runs);
    let count = blocks.len() as f64;
    let mean = differences().sum::<f64>() / count;
    let squares: f64 = differences()
        .map(|difference| (difference - mean).powi(2))
        .sum();
    let squared_error = squares / (count - 1.0) / count;
    (squared_error.is_finite() && squared_error > 0.0).then(|| mean.abs() / squared_error.sqrt())
}

/// The size of Welch's statistic within blocks ([`crate::blocked_mean::blocked_welch`]); none if
/// nothing varies.
fn welch(blocks: &[[Part; 2]]) -> Option<f64> {
    let weight = |[a, b]: &[Part; 2]| a.runs * b.runs / (a.runs + b.runs);
    let total: f64 = blocks.iter().map(weight).sum();
    let mut difference = 0.0;
    let mut sides = [(0.0, 0.0, 0.0); 2];
    for block in blocks {
        let weight = weight(block) / total;
        difference += weight * (block[1].sum / block[1].runs - block[0].sum / block[0].runs);
        for (part, (squares, freedom, factor)) in block.iter().zip(&mut sides) {
            *squares += (part.squares - part.sum * part.sum / part.runs).max(0.0);
            *freedom += part.runs - 1.0;
            *factor += weight * weight / part.runs;
        }
    }
    let squared_error: f64 = sides
        .iter()
        .map(|(squares, freedom, factor)| squares / freedom * factor)
        .sum();
    (squared_error.is_finite() && squared_error > 0.0)
        .then(|| difference.abs() / squared_error.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocked_mean::blocked_welch;

    #[test]
    fn the_statistic_is_welch_s_within_blocks() {
        let strata = [
            Stratum::new([1.0, 4.0, 2.5], [3.0, 8.0]),
            Stratum::new([2.0, 2.25], [7.0, 5.0, 6.0, 9.0]),
        ];
        let expected = blocked_welch(&strata, 0.95).unwrap().difference.t;
        let parts = strata.each_ref().map(|s| [Part::of(&s.a), Part::of(&s.b)]);
        assert!((statistic(&parts).unwrap() - expected.abs()).abs() < 1e-12);
    }

    #[test]
    fn neither_the_order_of_runs_nor_that_of_sides_matters() {
        let few: Vec<f64> = (0..9)
            .map(|run| 98.0 + 1.7 * f64::from(run * 5 % 9))
            .collect();
        let many: Vec<f64> = (0..31)
            .map(|run| 100.0 + 0.9 * f64::from(run * 7 % 31))
            .collect();
        let p = |a: &[f64], b: &[f64]| rearranged(&[Stratum::new(a, b)]).unwrap().unwrap();
        let expected = p(&few, &many);
        assert!((0.001..0.1).contains(&expected), "{expected}");
        let turned = |values: &[f64]| -> Vec<f64> { values.iter().rev().copied().collect() };
        for found in [
            p(&turned(&few), &turned(&many)),
            p(&sorted(&few), &many),
            p(&many, &few),
            p(&turned(&many), &sorted(&few)),
        ] {
            assert!((found - expected).abs() < 1e-15, "{found} {expected}");
        }
    }

    #[test]
    fn few_runs_without_a_slow_one_prove_nothing() {
        let few = [100.0, 100.5, 99.5];
        let many: Vec<f64> = (0..30)
            .map(|run| {
                if run % 5 == 0 {
                    70.0
                } else {
                    100.0 + 0.1 * f64::from(run % 7)
                }
            })
            .collect();
        let strata = [Stratum::new(few, many)];
        let welch = blocked_welch(&strata, 0.95).unwrap().difference.p;
        assert!(welch < 0.02, "{welch}");
        // Half of all choices of three have no slow run among them: C(24, 3) / C(30, 3) = 0.50.
        let found = rearranged(&strata).unwrap().unwrap();
        assert!(found > 0.1, "{found}");
        let even = [Stratum::new([1.0, 2.0, 3.0], [4.0, 5.0, 7.0, 8.0])];
        assert_eq!(rearranged(&even).unwrap(), None);
    }

    #[test]
    fn fewer_than_six_against_many_are_raised() {
        let many: Vec<f64> = (0..30).map(|run| 100.0 + f64::from(run % 7)).collect();
        let of = |few: &[f64]| [Stratum::new(few, many.clone())];
        let few = [106.5, 105.0, 107.0, 104.5, 106.0, 105.5];
        for (runs, factor) in [(3, 5.0), (5, 3.0), (6, 1.0)] {
            let strata = of(&few[..runs]);
            let bare = share(&strata, |_, _| false).unwrap().unwrap();
            let found = rearranged(&strata).unwrap().unwrap();
            assert!(
                (found - factor * bare).abs() < 1e-12,
                "{runs} runs: {found}, {bare}"
            );
            assert!(bare < 0.05, "{bare}");
            assert_eq!(excludes(&strata, 0.05).unwrap(), found <= 0.05);
            assert_eq!(found <= 0.05, runs > 3, "{found}");
        }
    }

    #[test]
    fn a_difference_that_is_there_is_still_proven() {
        let many: Vec<f64> = (0..30).map(|run| 100.0 + f64::from(run % 7)).collect();
        let strata = [Stratum::new([120.0, 123.0, 119.0, 121.0], many)];
        let found = rearranged(&strata).unwrap().unwrap();
        assert!(found < 0.001, "{found}");
    }
}
