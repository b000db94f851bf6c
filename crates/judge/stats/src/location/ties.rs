//! Null distribution of the stratified Mann-Whitney statistic given the ties.

use super::null::{self, Sizes};
use super::ranks::StratumRanks;
use super::side::Side;
use crate::distribution::normal_cdf;

/// Most additions spent on one exact conditional distribution.
const EXACT_WORK: u128 = 1 << 26;

/// Distribution of twice `U` when the labels are shuffled within blocks, given the values.
///
/// Twice, because equal pairs count one half.
pub(super) enum TiedNull {
    Exact(Vec<f64>),
    Normal { pairs: f64, sd: f64 },
}

impl TiedNull {
    pub(super) fn new(ranks: &[StratumRanks]) -> Self {
        let (tied, untied): (Vec<_>, Vec<_>) = ranks.iter().partition(|r| r.has_ties());
        let untied: Vec<Sizes> = untied.iter().map(|r| (r.n, r.m)).collect();
        if work(&tied, &untied) > EXACT_WORK || !null::is_exact(&untied) {
            let variance: f64 = ranks.iter().map(StratumRanks::variance).sum();
            return Self::Normal {
                pairs: ranks.iter().map(|r| r.n as f64 * r.m as f64).sum(),
                sd: variance.sqrt(),
            };
        }
        let without_ties = null::pmf(&untied);
        let mut start = vec![0.0; 2 * without_ties.len() - 1];
        for (u, p) in without_ties.into_iter().enumerate() {
            start[2 * u] = p;
        }
        let blocks = tied.iter().map(|r| conditional_pmf(r));
        Self::Exact(blocks.fold(start, |f, g| convolve(&f, &g)))
    }

    pub(super) fn is_exact(&self) -> bool {
        matches!(self, Self::Exact(_))
    }

    pub(super) fn p(&self, doubled_u: u64, side: Side) -> f64 {
        match self {
            Self::Exact(pmf) => {
                let u = doubled_u as usize;
                // The largest value of twice U is twice the number of pairs, its middle the mean.
                let middle = (pmf.len() - 1) / 2;
                let distance = u.abs_diff(middle);
                let p: f64 = match side {
                    Side::Less => pmf[..=u].iter().sum(),
                    Side::Greater => pmf[u..].iter().sum(),
                    Side::TwoSided if distance == 0 => 1.0,
                    Side::TwoSided => {
                        let below: f64 = pmf[..=middle - distance].iter().sum();
                        let above: f64 = pmf[middle + distance..].iter().sum();
                        below + above
                    }
                };
                p.min(1.0)
            }
            Self::Normal { pairs, sd } => {
                let u = 0.5 * doubled_u as f64;
                match side {
                    Side::Less => tail(u - 0.5 * pairs, *sd),
                    Side::Greater => tail(0.5 * pairs - u, *sd),
                    Side::TwoSided => (2.0 * tail(-(u - 0.5 * pairs).abs(), *sd)).min(1.0),
                }
            }
        }
    }
}

/// `P(U - mean <= distance)` in the normal approximation with continuity correction.
fn tail(distance: f64, sd: f64) -> f64 {
    // Without any variation (all values equal) U cannot be anything but its mean.
    if sd > 0.0 {
        normal_cdf((distance + 0.5) / sd)
    } else {
        1.0
    }
}

/// Additions that the exact distribution would take.
fn work(tied: &[&StratumRanks], untied: &[Sizes]) -> u128 {
    let mut length: u128 = 2 * untied
        .iter()
        .map(|&(n, m)| n as u128 * m as u128)
        .sum::<u128>()
        + 1;
    let mut work = 0;
    for r in tied {
        let block = 2 * r.n as u128 * r.m as u128 + 1;
        let table = (r.n + r.m) as u128 * r.n.min(r.m) as u128 * block;
        work += table + length * block;
        length += block;
    }
    work
}

/// Probabilities of twice `U` in one block, over all ways of choosing which runs are the
/// candidate's.
///
/// Groups of equal values are taken in ascending order; `ways[j][s]` counts the choices with `j`
/// runs of the smaller side among the groups so far and twice `U` (as seen from that side) equal
/// to `s`.
fn conditional_pmf(ranks: &StratumRanks) -> Vec<f64> {
    let side = ranks.n.min(ranks.m);
    let largest = 2 * ranks.n * ranks.m;
    let mut ways = vec![vec![0.0; largest + 1]; side + 1];
    ways[0][0] = 1.0;
    let mut seen = 0;
    for &size in &ranks.groups {
        // From the most runs down: a choice of none changes nothing, and any other leads to rows that were done.
        for j in (0..=seen.min(side)).rev() {
            let (rows, done) = ways.split_at_mut(j + 1);
            let reached = (2 * j * (seen - j)).min(largest);
            let row = &rows[j][..=reached];
            let mut choices = 1.0;
            for chosen in 1..=size.min(side - j) {
                choices *= (size - chosen + 1) as f64 / chosen as f64;
                // Each run chosen lies above all others seen before, and ties with those of its
                // own group that were not chosen.
                let gain = chosen * (2 * (seen - j) + (size - chosen));
                // Choices that leave more runs to the other side than it has lead nowhere.
                if gain <= largest {
                    for (t, w) in done[chosen - 1][gain..].iter_mut().zip(row) {
                        *t += choices * w;
                    }
                }
            }
        }
        seen += size;
    }
    let mut pmf = ways.swap_remove(side);
    let total: f64 = pmf.iter().sum();
    for p in &mut pmf {
        *p /= total;
    }
    if ranks.n < ranks.m {
        // Seen from the baseline: what it wins, the candidate loses.
        pmf.reverse();
    }
    pmf
}

fn convolve(f: &[f64], g: &[f64]) -> Vec<f64> {
    let mut h = vec![0.0; f.len() + g.len() - 1];
    for (i, x) in f.iter().enumerate().filter(|(_, x)| **x != 0.0) {
        for (t, y) in h[i..].iter_mut().zip(g) {
            *t += x * y;
        }
    }
    h
}
