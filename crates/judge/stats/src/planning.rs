//! How many runs does it take to show a difference of a given size?
//!
//! To be asked before measuring, from the relative standard deviation of runs: known, or estimated from a pilot.
//! The number is that of the two-sided t test at the deviation that
//! the verdict's own method sees:
//!
//! - typical run: `tau = sd / sqrt(e)`, `e = 3 / pi * 2 b / (2 b + 1)`, the efficiency of ranks
//!   within blocks of `b + b` runs relative to means, for normal values (van Elteren 1960; Lehmann,
//!   *Nonparametrics*, 1975, section 3.3). From a pilot `tau` is read off the width of its
//!   Hodges-Lehmann interval of logarithms, `h / (z sqrt(1/n + 1/m))` (Lehmann, *Annals of
//!   Mathematical Statistics* 34 (1963) 1507): so slow runs, which that interval does not mind, do
//!   not ask for more runs. The robustness check, which must agree, costs another 6 % of runs.
//! - mean: `sd / mean`, pooled within blocks and sides. Slow runs count in full.
//!
//! Both are relative, so the candidate's deviation grows with its mean: beside a baseline of 1, a candidate of `q = 1 +
//! difference` has `q` times the baseline's. The difference is taken in units of the pooled deviation, `sd
//! sqrt((1 + q^2) / 2)`, and the test has Welch's degrees of freedom. A candidate of `1 / q` takes the same runs, as
//! the sides change places; one of `1 - difference` differs by more, and takes fewer.
//!
//! In pairs, blocks of `1 + 1`, the typical run's test is the sign test. It has no robustness
//! check, but so few levels that its own power is asked as well. Where runs were executed in turns, it is that of the
//! signed ranks of the pairs' differences (Wilcoxon 1945): `tau = sd sqrt(pi / 3)`, or is read off the width of
//! its interval.
//!
//! The deviation of the mean is that of runs within the sides of blocks. Blocks of `1 + 1` do not show it, so there it is
//! that of the pairs' differences, by the root of 2: what both runs of a block have in common does not count.
//!
//! The deviation of a small pilot is often too small by chance. So the upper end of its one-sided 80 %
//! interval is taken, `s sqrt(df / x)` with `x` the 20 % quantile of chi-squared; for `tau` that is
//! an approximation.

use crate::check;
use crate::detectable::{MOST_RUNS, runs_needed, smallest_difference, t_test_power};
use crate::distribution::{binomial, chi_squared_quantile, normal_cdf, normal_upper_quantile};
use crate::error::Error;
use crate::location::{Scale, hodges_lehmann, min_blocks, spread_interval};
use crate::signed_rank::{SignedRank, attained};
use crate::stratum::Stratum;
use crate::summary::{mean, squared_deviations};
use crate::verdict::Sides;

/// Confidence of the interval that `tau` is read off: its ends must lie well inside the pilot.
const PILOT_CONFIDENCE: f64 = 0.8;

/// Efficiency that is left when the robustness check ([`crate::robustness`]) must agree, found by simulation.
const CHECKED: f64 = 0.94;

/// The sign test of this number of pairs has levels enough that its approximation by the t test holds.
const MANY_PAIRS: usize = 1000;

/// The signed ranks of this number of pairs have levels so close that the one asked for is as good as one of them.
const FEW_PAIRS: usize = 50;

/// Chance that the upper end of a pilot's deviation is not below the true one.
const UPPER: f64 = 0.8;

/// The relative standard deviation of runs, as a question sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RelativeSd {
    /// The best guess.
    pub estimate: f64,
    /// The upper end of its one-sided 80 % interval; equal to the estimate if that is no estimate.
    pub upper: f64,
}

/// The relative standard deviation of a pilot's runs, as each question sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pilot {
    /// For the typical run.
    pub typical: RelativeSd,
    /// For the mean.
    pub mean: RelativeSd,
    /// The relative differences of the typical run and of the mean that no number of runs is sure to show, as the
    /// pilot's values lie in steps; 0 where they are fine.
    pub hidden: [f64; 2],
}

impl Pilot {
    /// From a known standard deviation of runs, relative to their mean, in blocks of `block` runs
    /// of each side; `block` 0 is a single block.
    ///
    /// # Errors
    /// A deviation that is not positive.
    pub fn known(sd: f64, block: usize) -> Result<Self, Error> {
        check::between("relative standard deviation", sd, 0.0, f64::INFINITY)?;
        let size = 2.0 * block as f64;
        let within = if block == 0 { 1.0 } else { size / (size + 1.0) };
        let tau = sd / (3.0 / std::f64::consts::PI * within).sqrt();
        let exactly = |sd| RelativeSd {
            estimate: sd,
            upper: sd,
        };
        Ok(Self {
            typical: exactly(tau),
            mean: exactly(sd),
            hidden: [0.0; 2],
        })
    }

    /// From a known standard deviation of runs in turns, relative to their mean, without what both of a block have in
    /// common.
    ///
    /// # Errors
    /// A deviation that is not positive.
    pub fn known_in_turns(sd: f64) -> Result<Self, Error> {
        let mut pilot = Self::known(sd, 0)?;
        let tau = sd * (std::f64::consts::PI / 3.0).sqrt();
        pilot.typical = RelativeSd {
            estimate: tau,
            upper: tau,
        };
        Ok(pilot)
    }

    /// From the runs of a pilot, both sides of it; `in_turns` where those of a block were executed in turns.
    ///
    /// # Errors
    /// Too few runs for an interval, values that are not positive, or values that do not vary.
    pub fn of(sides: &Sides, in_turns: bool) -> Result<Self, Error> {
        let (typical, average) = (&sides.middle.strata, &sides.average.strata);
        for (side, values) in [
            ("baseline", sides.average.base()),
            ("candidate", sides.average.candidate()),
        ] {
            check::positive(side, &values, 2)?;
        }
        let rounding = sides.rounding();
        let pairs = match in_turns {
            true => SignedRank::of(typical, Scale::Ratio)?,
            false => None,
        };
        let width = match pairs {
            Some(pairs) => pairs
                .interval(PILOT_CONFIDENCE)
                .map(|(low, high)| high - low),
            None => {
                let location = hodges_lehmann(typical, Scale::Ratio, PILOT_CONFIDENCE)?;
                match location.k {
                    None => None,
                    // Of values in steps the interval may have no width.
                    Some(_) if rounding.step > 0.0 => {
                        let interval =
                            spread_interval(typical, Scale::Ratio, &location, rounding.step)?;
                        Some(interval.1 - interval.0)
                    }
                    Some(_) => Some((location.high / location.low).ln()),
                }
            }
        };
        let Some(width) = width else {
            return Err(Error::TooFew {
                what: "pilot".to_owned(),
                needed: 4,
                found: sides
                    .middle
                    .base()
                    .len()
                    .min(sides.middle.candidate().len()),
            });
        };
        let (n, m) = counts(typical);
        let half = 0.5 * width;
        let z = normal_upper_quantile(0.5 * (1.0 - PILOT_CONFIDENCE));
        let tau = half / (z * (1.0 / n + 1.0 / m).sqrt());
        let (cv, df) = within(average)?;
        // What is rounded alike varies by as much as rounding does, for all that is known.
        let rounded = rounding.step / 12.0_f64.sqrt();
        let (tau, cv) = (tau.max(rounded), cv.max(rounded));
        if tau <= 0.0 || cv <= 0.0 {
            return Err(Error::NoVariation);
        }
        let factor = (df / chi_squared_quantile(1.0 - UPPER, df)).sqrt();
        let bounded = |estimate| RelativeSd {
            estimate,
            upper: estimate * factor,
        };
        Ok(Self {
            typical: bounded(tau),
            mean: bounded(cv),
            hidden: rounding.hidden().map(f64::exp_m1),
        })
    }
}

/// Runs of both sides, in blocks that have both.
fn counts(strata: &[Stratum]) -> (f64, f64) {
    let with = strata.iter().filter(|stratum| stratum.has_pairs());
    let (n, m) = with.fold((0, 0), |(n, m), s| (n + s.a.len(), m + s.b.len()));
    (n as f64, m as f64)
}

/// Coefficient of variation within sides of blocks, where blocks repeat; that of the differences of pairs by the root of
/// 2, where all blocks are pairs; else within sides. And its degrees of freedom.
fn within(strata: &[Stratum]) -> Result<(f64, f64), Error> {
    let is_pair = |stratum: &Stratum| stratum.a.len() == 1 && stratum.b.len() == 1;
    if strata.len() > 1 && strata.iter().all(is_pair) {
        let side = |of: fn(&Stratum) -> &Vec<f64>| strata.iter().flat_map(of).copied().collect();
        let [a, b]: [Vec<f64>; 2] = [side(|s| &s.a), side(|s| &s.b)];
        let (mean_a, mean_b) = (mean(&a)?, mean(&b)?);
        let pairs = a.iter().zip(&b);
        let differences: Vec<f64> = pairs.map(|(a, b)| b / mean_b - a / mean_a).collect();
        let df = differences.len() as f64 - 1.0;
        return Ok(((0.5 * squared_deviations(&differences) / df).sqrt(), df));
    }
    let sides = |of: fn(&Stratum) -> &Vec<f64>| -> Vec<Vec<f64>> {
        let cells: Vec<Vec<f64>> = strata.iter().map(|stratum| of(stratum).clone()).collect();
        if cells.iter().any(|cell| cell.len() > 1) {
            cells
        } else {
            vec![cells.concat()]
        }
    };
    let (mut squares, mut df) = (0.0, 0.0);
    for cells in [sides(|s| &s.a), sides(|s| &s.b)] {
        let centre = mean(&cells.concat())?;
        for cell in cells.iter().filter(|cell| cell.len() > 1) {
            squares += squared_deviations(cell) / (centre * centre);
            df += cell.len() as f64 - 1.0;
        }
    }
    Ok(((squares / df).sqrt(), df))
}

/// What is to be shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Goal {
    /// The relative difference, as 0.01.
    pub difference: f64,
    /// Chance that it is shown if it is there, from 0.5 to 1.
    pub power: f64,
    /// Confidence of the test; that left by the other tests of the report if there are any.
    pub confidence: f64,
}

/// What of a relative difference is left to be shown where steps of the values hide a part of it.
///
/// # Errors
/// When they hide all of it, so that no number of runs is sure to show it.
pub fn beyond_steps(difference: f64, hidden: f64) -> Result<f64, Error> {
    if difference > hidden {
        // Without steps it is the difference itself, to its last digit.
        return Ok(match hidden > 0.0 {
            true => (1.0 + difference) / (1.0 + hidden) - 1.0,
            false => difference,
        });
    }
    Err(Error::Steps { difference, hidden })
}

/// Runs of each side that show a difference of the typical run, as a multiple of `block` (0: a
/// single block).
///
/// # Errors
/// A goal outside its range, or one that takes more than a million runs.
pub fn typical_runs(sd: f64, goal: &Goal, block: usize) -> Result<usize, Error> {
    check::between("difference", goal.difference, 0.0, f64::INFINITY)?;
    let mut runs = needed(goal, sd / CHECKED.sqrt(), false)?;
    while block == 1 && runs < MANY_PAIRS && sign_test_power(runs, sd, goal) < goal.power {
        runs += 1;
    }
    if block == 0 {
        // The smallest single block that can prove anything.
        let least = (2..).find(|&n| matches!(min_blocks(n, goal.confidence), Ok(1)));
        return Ok(runs.max(least.unwrap_or(2)));
    }
    Ok(runs
        .div_ceil(block)
        .max(min_blocks(block, goal.confidence)?)
        * block)
}

/// Runs of each side in turns, one in each block, that show a difference of the typical run.
///
/// # Errors
/// As [`typical_runs`].
pub fn typical_runs_in_turns(sd: f64, goal: &Goal) -> Result<usize, Error> {
    check::between("difference", goal.difference, 0.0, f64::INFINITY)?;
    let mut runs = needed(goal, sd, true)?.max(min_blocks(1, goal.confidence)?);
    let difference = (pooled(goal.difference) / sd).min(1e3);
    while runs < FEW_PAIRS {
        let confidence = 1.0 - attained(runs, 1.0 - goal.confidence);
        if power(
            runs,
            difference,
            &Goal {
                confidence,
                ..*goal
            },
            true,
        )? >= goal.power
        {
            break;
        }
        runs += 1;
    }
    Ok(runs)
}

/// Power of the sign test of so many pairs, of normal values whose `tau` is `sd`. Few pairs have few levels, so
/// that the level used may be far below that which is left.
fn sign_test_power(pairs: usize, sd: f64, goal: &Goal) -> f64 {
    // The deviation of a pair's difference is that of a run, `tau sqrt(2 / pi)`, times the root of 2.
    let deviation = 2.0 * sd / std::f64::consts::PI.sqrt();
    let wrong = normal_cdf(-pooled(goal.difference) / deviation);
    let mut level = 0.0;
    let both = binomial(pairs, 0.5).into_iter().zip(binomial(pairs, wrong));
    both.take_while(|(null, _)| {
        level += null;
        2.0 * level <= (1.0 - goal.confidence) * (1.0 + 1e-11)
    })
    .map(|(_, found)| found)
    .sum()
}

/// Runs of each side that show a difference of the mean, as a multiple of `block` (0: a single
/// block).
///
/// # Errors
/// As [`typical_runs`].
pub fn mean_runs(sd: f64, goal: &Goal, block: usize) -> Result<usize, Error> {
    check::between("difference", goal.difference, 0.0, f64::INFINITY)?;
    let runs = needed(goal, sd, block == 1)?;
    Ok(runs.next_multiple_of(block.max(1)))
}

/// Runs for a difference where either side has this relative standard deviation; `paired` where the test is that of
/// the pairs' differences.
fn needed(goal: &Goal, sd: f64, paired: bool) -> Result<usize, Error> {
    check::between("relative standard deviation", sd, 0.0, f64::INFINITY)?;
    check::probability("confidence", goal.confidence)?;
    check::between("power", goal.power, 0.5, 1.0)?;
    let difference = pooled(goal.difference) / sd;
    let smallest = smallest_difference(goal.confidence, goal.power);
    if difference <= smallest {
        return Err(Error::TooSmall {
            difference: goal.difference,
            most: MOST_RUNS,
            smallest: unpooled(smallest * sd),
        });
    }
    // Differences beyond any noise need no more precision than this.
    let difference = difference.min(1e3);
    let mut runs = runs_needed(difference, goal.confidence, goal.power)?;
    // Uneven deviations and pairs cost degrees of freedom, and so a few runs more.
    while power(runs, difference, goal, paired)? < goal.power {
        runs += 1;
    }
    Ok(runs)
}

/// A relative difference in units of the deviation that both sides have together, per `sd`.
fn pooled(difference: f64) -> f64 {
    let candidate = 1.0 + difference;
    difference / (0.5 * (1.0 + candidate * candidate)).sqrt()
}

/// The relative difference that [`pooled`] makes this of; infinite where none does.
fn unpooled(units: f64) -> f64 {
    let rest = 1.0 - 0.5 * units * units;
    if rest <= 0.0 {
        return f64::INFINITY;
    }
    // The candidate q solves rest (q^2 + 1) = 2 q. The root is that of 1 - rest^2, of which no digits are lost so.
    let root = units * (1.0 - 0.25 * units * units).sqrt();
    (root + 0.5 * units * units) / rest
}

/// Power of Welch's test with so many runs on each side, of a difference in units of the pooled deviation.
fn power(runs: usize, difference: f64, goal: &Goal, paired: bool) -> Result<f64, Error> {
    let n = runs as f64;
    let squared = (1.0 + goal.difference) * (1.0 + goal.difference);
    let welch = (1.0 + squared).powi(2) / (2.0 * (1.0 + squared * squared));
    let sides = if paired { 1.0 } else { 2.0 * welch };
    let df = ((n - 1.0) * sides).max(1.0);
    let noncentrality = difference * (0.5 * n).sqrt();
    // One run beside the others gives a test of any whole number of degrees of freedom.
    let with = |df: f64| {
        let scale = (1.0 + 1.0 / (df + 1.0)).sqrt();
        t_test_power(1, df as usize + 1, noncentrality * scale, goal.confidence)
    };
    let (fewer, more) = (with(df.floor())?, with(df.floor() + 1.0)?);
    Ok(fewer + (more - fewer) * df.fract())
}
