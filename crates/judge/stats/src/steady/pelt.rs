//! Where a series changes its mean or its variance: PELT.
//!
//! Splits the series so that the sum of the segments' costs plus a penalty for each change is
//! least. The cost of a segment of n values is twice its negative log-likelihood as normal values
//! with a mean and a variance of their own, apart from a constant:
//!
//! `n ln s^2 + SS / s^2`, `s^2 = max(SS / n, floor)`, `SS` the squared deviations from its mean.
//!
//! The floor is the variance of a value within one step of its own resolution, `q^2 / 12` with `q`
//! the smallest distance of two different values. Without it, two equal neighbours would have an
//! infinite likelihood.
//!
//! Source: Killick, Fearnhead and Eckley, *Journal of the American Statistical Association* 107
//! (2012). The answer is exact, not a search: see the pruning rule below.

use crate::check;
use crate::error::Error;
use crate::summary::{median_of_sorted, sorted};

/// Most values of a series: the cost grows with the square of their number where nothing changes.
pub const MOST_VALUES: usize = 20_000;

/// The smallest segment that has a variance.
const SHORTEST: usize = 2;

/// Ends of all segments but the last, ascending: a change at `i` says that value `i`, counted from
/// 0, is the first of a new segment.
///
/// `penalty` is what one more change must gain, on the scale of twice a log-likelihood. Barrett and
/// others take `15 ln n`, see [`super::steady`].
///
/// # Errors
/// Fewer than two values, more than [`MOST_VALUES`], an unusable value, or a penalty that is not
/// positive.
pub fn changes(values: &[f64], penalty: f64) -> Result<Vec<usize>, Error> {
    check::sample("series", values, SHORTEST)?;
    check::between("penalty", penalty, 0.0, f64::INFINITY)?;
    if values.len() > MOST_VALUES {
        return Err(Error::TooMany {
            what: "values of a series",
            most: MOST_VALUES,
            found: values.len(),
            instead: "take the means of a few neighbours each, or a shorter series",
        });
    }
    match Sums::of(values) {
        Some(sums) => Ok(search(&sums, values.len(), penalty)),
        None => Ok(Vec::new()),
    }
}

/// Least cost for each beginning of the series, from what is known of shorter ones.
///
/// A last change at `s` can be forgotten once some later `t` is at least as good without any
/// penalty: every further segment costs no more when it is cut at `t`. A cut at `t` leaves a
/// segment that is long enough only from `t + SHORTEST` on, so it is forgotten then.
fn search(sums: &Sums, n: usize, penalty: f64) -> Vec<usize> {
    let mut best = vec![f64::INFINITY; n + 1];
    best[0] = -penalty;
    let mut from = vec![0; n + 1];
    let mut candidates: Vec<(usize, usize)> = Vec::new();
    let mut costs = Vec::new();
    for end in SHORTEST..=n {
        let newest = end - SHORTEST;
        if best[newest].is_finite() {
            candidates.push((newest, usize::MAX));
        }
        candidates.retain(|(_, until)| end < *until);
        costs.clear();
        for (start, _) in &candidates {
            let cost = best[*start] + sums.cost(*start, end);
            if cost + penalty < best[end] {
                best[end] = cost + penalty;
                from[end] = *start;
            }
            costs.push(cost);
        }
        for ((_, until), cost) in candidates.iter_mut().zip(&costs) {
            if *cost > best[end] {
                *until = (*until).min(end + SHORTEST);
            }
        }
    }
    let mut changes = Vec::new();
    let mut at = from[n];
    while at > 0 {
        changes.push(at);
        at = from[at];
    }
    changes.reverse();
    changes
}

/// Running sums, from which the cost of any segment follows at once.
struct Sums {
    /// Of the values less their median, and of the squares of that.
    running: Vec<(f64, f64)>,
    /// Least variance of a segment.
    floor: f64,
}

impl Sums {
    /// None where all values are equal.
    fn of(values: &[f64]) -> Option<Self> {
        let sorted = sorted(values);
        // Without the common part, and on the scale of their range, squares lose no digits.
        let centre = median_of_sorted(&sorted);
        let range = sorted.last()? - sorted.first()?;
        let resolution = sorted
            .windows(2)
            .map(|pair| pair[1] - pair[0])
            .filter(|step| *step > 0.0)
            .fold(range, f64::min);
        if range <= 0.0 {
            return None;
        }
        let mut running = Vec::with_capacity(values.len() + 1);
        let (mut sum, mut squares) = (0.0, 0.0);
        running.push((sum, squares));
        for value in values {
            let scaled = (value - centre) / range;
            sum += scaled;
            squares += scaled * scaled;
            running.push((sum, squares));
        }
        // What the rounding of the running sums can amount to must not look like a variance.
        let rounding = 16.0 * f64::EPSILON * squares;
        let step = resolution / range;
        Some(Self {
            running,
            floor: (step * step / 12.0).max(rounding),
        })
    }

    fn cost(&self, start: usize, end: usize) -> f64 {
        let n = (end - start) as f64;
        let (before, upto) = (self.running[start], self.running[end]);
        let sum = upto.0 - before.0;
        let squares = (upto.1 - before.1 - sum * sum / n).max(0.0);
        let variance = (squares / n).max(self.floor);
        n * variance.ln() + squares / variance
    }
}
