//! Fisher's randomisation test of placements: their signs exchanged in all ways, and the sides that need it.

use super::uneven::{EVEN, runs};
use crate::distribution::normal_cdf;
use crate::location::{Scale, Side};
use crate::robustness::placements;
use crate::stratum::Stratum;
use crate::summary::{median_of_sorted, sorted};

/// Runs of a side from which its scatter can be judged.
const SCATTER_KNOWN: usize = 6;

/// Runs of a side from which the check for all numbers is good enough, but for its far tail.
const ENOUGH: usize = 15;

/// How many times more a side scatters that is far from the other; and the side that has fewer runs by more than
/// [`EVEN`], as every test is more liberal then.
const LOOSE: f64 = 3.0;
const LOOSE_AND_FEWER: f64 = 2.0;

/// Whether the placements of the baseline and of the candidate are tested by exchanging their signs.
pub(super) fn exchanged(strata: &[Stratum], scale: Scale) -> [bool; 2] {
    let usable = || strata.iter().filter(|stratum| stratum.has_pairs());
    let runs = runs(strata);
    let linear =
        |values: &[f64]| -> Vec<f64> { values.iter().map(|value| scale.on_line(*value)).collect() };
    let scatters = [
        scatter(usable().map(|stratum| linear(&stratum.a))),
        scatter(usable().map(|stratum| linear(&stratum.b))),
    ];
    [0, 1].map(|side| {
        let is_fewer = runs[1 - side] as f64 > EVEN * runs[side] as f64;
        let loose = if is_fewer { LOOSE_AND_FEWER } else { LOOSE };
        let is_loose = scatters[side] > loose * scatters[1 - side];
        runs[side] < SCATTER_KNOWN || (runs[side] < ENOUGH && is_loose)
    })
}

/// Median of the distances from the median of the block.
fn scatter(blocks: impl Iterator<Item = Vec<f64>>) -> f64 {
    let distances: Vec<f64> = blocks
        .flat_map(|values| {
            let middle = median_of_sorted(&sorted(&values));
            values.into_iter().map(move |value| (value - middle).abs())
        })
        .collect();
    match distances.is_empty() {
        true => 0.0,
        false => median_of_sorted(&sorted(&distances)),
    }
}

/// Largest common denominator of placements with which sums are exact.
const FINEST: usize = 1000;

/// Most additions for the exact distribution of a sum. Beyond, there are at least 32 placements, and the normal tail is
/// larger than the exact one.
const MOST_ADDITIONS: usize = 2_000_000;

/// One-sided p-value of the signs of those sides' placements.
pub(super) fn signs(shifted: &[Stratum], sides: [bool; 2], side: Side) -> f64 {
    let of_side = |which: usize| {
        let of_block = |stratum: &Stratum| {
            let (of_a, of_b) = placements(&stratum.a, &stratum.b);
            match which {
                0 => (of_a, stratum.b.len()),
                _ => (of_b, stratum.a.len()),
            }
        };
        // The baseline's are the lower, the larger the candidate's runs are.
        let direction = match (which, side) {
            (0, Side::Less) | (1, Side::Greater) => 1.0,
            _ => -1.0,
        };
        exchange(shifted.iter().map(of_block), direction)
    };
    let tested = (0..2).filter(|which| sides[*which]);
    tested.map(of_side).fold(0.0, f64::max)
}

/// Fisher's randomisation test of one side's placements: the share of all choices of signs for which the sum of
/// (placement - 1/2), times `direction`, is at least the observed one. Each block comes with the other side's number of
/// runs, the denominator of its placements.
fn exchange(blocks: impl Iterator<Item = (Vec<f64>, usize)>, direction: f64) -> f64 {
    let blocks: Vec<(Vec<f64>, usize)> = blocks.collect();
    let common = blocks.iter().try_fold(1, |common, (_, of)| {
        let least = least_common_multiple(common, *of);
        (least <= FINEST).then_some(least)
    });
    // Halves of a share count as well: of equal values.
    let steps = 2.0 * common.unwrap_or(FINEST) as f64;
    let all = blocks.iter().flat_map(|(placements, _)| placements);
    let sizes: Vec<i64> = all
        .map(|placement| (direction * (placement - 0.5) * steps).round() as i64)
        .collect();
    // Each rounded size is off by at most 1/2 in the observed sum, and by as much in any other: so much less is asked
    // for, and the p-value can only be too large.
    let rounded = match common {
        Some(_) => 0,
        None => sizes.len() as i64,
    };
    let observed = sizes.iter().sum::<i64>() - rounded;
    let sizes: Vec<usize> = sizes
        .into_iter()
        .map(|size| size.unsigned_abs() as usize)
        .collect();
    let most: usize = sizes.iter().sum();
    match sizes.len().saturating_mul(2 * most) <= MOST_ADDITIONS {
        true => exact_tail(&sizes, most, observed),
        false => normal_tail(&sizes, observed),
    }
}

/// The share of all choices of signs whose sum is at least the observed one. `most` is the largest sum.
fn exact_tail(sizes: &[usize], most: usize, observed: i64) -> f64 {
    // The chance of each sum, from the smallest one possible on.
    let mut chances = vec![0.0; 2 * most + 1];
    let mut next = chances.clone();
    chances[most] = 1.0;
    let mut reached = 0;
    for size in sizes {
        let within = most - reached..=most + reached;
        reached += size;
        next[most - reached..=most + reached].fill(0.0);
        // One direction after the other, so that each loop is a vector operation.
        for start in [most - reached, most + size - (reached - size)] {
            let into = &mut next[start..];
            for (into, chance) in into.iter_mut().zip(&chances[within.clone()]) {
                *into += 0.5 * chance;
            }
        }
        std::mem::swap(&mut chances, &mut next);
    }
    let from = (most as i64 + observed).max(0) as usize;
    chances[from.min(chances.len())..].iter().sum()
}

/// The same for many sizes: their signed sum is close to normal, and in the tail a little less likely.
fn normal_tail(sizes: &[usize], observed: i64) -> f64 {
    let variance: f64 = sizes.iter().map(|size| (*size as f64).powi(2)).sum();
    normal_cdf(-(observed as f64) / variance.sqrt())
}

fn least_common_multiple(a: usize, b: usize) -> usize {
    let (mut larger, mut smaller) = (a.max(b), a.min(b).max(1));
    while larger % smaller != 0 {
        (larger, smaller) = (smaller, larger % smaller);
    }
    a / smaller * b.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_side_with_fewer_runs_is_loose_from_twice_the_scatter_on() {
        let spaced = |runs: usize, step: f64| -> Vec<f64> {
            (0..runs).map(|run| 100.0 + step * run as f64).collect()
        };
        let is_loose = |tight: Vec<f64>| {
            let strata = [Stratum::new(tight, spaced(8, 2.5))];
            exchanged(&strata, Scale::Shift)[1]
        };
        // Medians of the distances from the median: 5 beside 2, of 8 runs or of 32.
        assert!(!is_loose(spaced(8, 1.0)));
        assert!(is_loose(spaced(32, 0.25)));
    }

    #[test]
    fn signs_are_exchanged_in_all_ways() {
        let exchange = |blocks: &[(&[f64], usize)], direction| {
            let blocks = blocks.iter().map(|(own, of)| (own.to_vec(), *of));
            exchange(blocks, direction)
        };
        assert!((exchange(&[(&[1.0, 1.0, 1.0], 7)], 1.0) - 0.125).abs() < 1e-12);
        assert!((exchange(&[(&[1.0, 1.0, 1.0], 7)], -1.0) - 1.0).abs() < 1e-12);
        // Of 1, 2 and -3 sixths, 5 of 8 sums are at least 0.
        let sixths = [4.0 / 6.0, 5.0 / 6.0, 0.0];
        assert!((exchange(&[(&sixths, 6)], 1.0) - 0.625).abs() < 1e-12);
        assert!((exchange(&[(&sixths[..2], 6), (&[0.0], 2)], 1.0) - 0.625).abs() < 1e-12);
        assert!((exchange(&[(&[0.5; 3], 4)], 1.0) - 1.0).abs() < 1e-12);
        // A coin that falls on one side 40 times.
        let coins = exchange(&[(&[1.0; 40], 30)], 1.0);
        assert!((coins * 40_f64.exp2() - 1.0).abs() < 1e-9, "{coins}");
    }

    #[test]
    fn the_tail_of_many_signs_is_normal() {
        let sizes: Vec<usize> = (0..60).map(|run| run * 37 % 101).collect();
        let most = sizes.iter().sum();
        for share in [0.0, 0.1, 0.3, 0.5] {
            let observed = (share * most as f64) as i64;
            let [exact, normal] = [
                exact_tail(&sizes, most, observed),
                normal_tail(&sizes, observed),
            ];
            let above = normal / exact;
            assert!((0.97..4.0).contains(&above), "{share}: {exact} {normal}");
            assert!(share < 0.2 || above > 1.0, "{share}: {exact} {normal}");
        }
    }
}
