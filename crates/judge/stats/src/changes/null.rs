//! The largest rank CUSUM of a series without changes: its distribution.
//!
//! Without ties it depends on the number of values only. The table holds the logarithm of its tail
//! for lengths up to 10 000 and statistics from 1 to 9 in steps of 1/8, by simulation (`cargo run
//! --release -p perflab-stats --example extremes`). Its relative errors are below 1 % where the tail
//! is 0.01 or more, below 5 % down to 1e-4, and below 15 % down to 1e-6.
//!
//! Between two lengths the logarithm of the tail goes in a line over the logarithm of the length. A
//! series that is longer than the last line counts as `(n / 10 000)^1.25` times as likely to reach a
//! statistic: the number of intervals grows in proportion to `n`, and the tail does not grow faster.
//! P-values below 1e-12 are not told apart, which no length has above a statistic of 9.

use std::sync::OnceLock;

use super::intervals::SHORTEST;

/// First statistic of the table.
const FIRST: f64 = 1.0;

/// Statistics in a unit.
const PER_UNIT: f64 = 8.0;

/// Up to here each length has a line, and the distribution is so coarse that a statistic counts as
/// the next smaller one of the table.
const COARSE: usize = 32;

/// How fast the tail grows with the length, beyond the last line.
const GROWTH: f64 = 1.25;

/// Smallest p-value that is told apart.
const LEAST: f64 = 1e-12;

struct Line {
    length: usize,
    /// Logarithms of the tail; minus infinity where it was never reached.
    tail: Vec<f64>,
}

fn table() -> &'static [Line] {
    static TABLE: OnceLock<Vec<Line>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let lines = include_str!("null/table.txt").lines();
        lines.filter_map(line).collect()
    })
}

fn line(text: &str) -> Option<Line> {
    let mut words = text.split('#').next()?.split_whitespace();
    let length = words.next()?.parse().ok()?;
    let tail = words.map(|word| word.parse().unwrap_or(f64::NEG_INFINITY));
    Some(Line {
        length,
        tail: tail.collect(),
    })
}

/// Probability that the largest statistic of `n` values in random order is this large or larger.
pub(super) fn p(n: usize, statistic: f64) -> f64 {
    if n < SHORTEST || statistic <= FIRST {
        return 1.0;
    }
    ln_tail(n, statistic).exp().clamp(LEAST, 1.0)
}

/// The smallest statistic, to 1e-9, of which [`p`] is at most this level.
pub(super) fn critical(n: usize, level: f64) -> f64 {
    let (mut low, mut high) = (FIRST, 64.0);
    while high - low > 1e-9 {
        let middle = 0.5 * (low + high);
        if p(n, middle) <= level {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

fn ln_tail(n: usize, statistic: f64) -> f64 {
    let table = table();
    let above = table.partition_point(|line| line.length < n);
    let Some(upper) = table.get(above) else {
        let last = table.last();
        let grown = |line: &Line| {
            let times = n as f64 / line.length as f64;
            line.at(statistic, true) + GROWTH * times.ln()
        };
        return last.map_or(0.0, grown);
    };
    if upper.length == n {
        return upper.at(statistic, n > COARSE);
    }
    let Some(lower) = above.checked_sub(1).and_then(|index| table.get(index)) else {
        return upper.at(statistic, true);
    };
    let ln = |n: usize| (n as f64).ln();
    let share = (ln(n) - ln(lower.length)) / (ln(upper.length) - ln(lower.length));
    // A shorter series cannot reach the largest statistics.
    let [from, to] = [lower, upper].map(|line| line.at(statistic, true).max(LEAST.ln()));
    from + share * (to - from)
}

impl Line {
    fn at(&self, statistic: f64, between: bool) -> f64 {
        let place = ((statistic - FIRST) * PER_UNIT).max(0.0);
        let below = place.floor() as usize;
        let from = self.tail.get(below).copied();
        let from = from.unwrap_or(f64::NEG_INFINITY);
        match self.tail.get(below + 1) {
            // Where the simulation reached no further it counts as what it reached last.
            Some(to) if between && to.is_finite() => from + (place - below as f64) * (to - from),
            _ => from,
        }
    }
}
