//! Series with a step in them, and how much likelier they are than without.
//!
//! The values are uniform. A step tilts their density by `exp(a x)` before its place and by
//! `exp(-b x)` behind it, so the ratio of the densities follows from the CUSUM of the values; and
//! that is close to the CUSUM of their ranks.

use std::collections::BTreeMap;
use std::ops::Range;

use perflab_stats::changes::layers;

use crate::simulated::Random;

/// Twice the sizes of the steps, in standard deviations of their CUSUM.
const SIZES: [i32; 6] = [6, 8, 10, 13, 16, 20];

/// Share of series that have none.
const WITHOUT: f64 = 0.2;

/// Intervals that are shorter cannot reach a statistic of 3.
const SHORTEST: usize = 12;

pub struct Steps {
    intervals: Vec<Range<usize>>,
    /// All places of all intervals.
    places: usize,
    ranked: usize,
    /// For each length and place, half of one over the mean of what each size of step multiplies
    /// the density by.
    halves: BTreeMap<usize, Vec<[f64; SIZES.len()]>>,
}

impl Steps {
    pub fn of(n: usize) -> Self {
        let all: Vec<Range<usize>> = layers(n).into_iter().flatten().collect();
        let ranked = all.iter().map(Range::len).sum();
        let long = all.iter().filter(|interval| interval.len() >= SHORTEST);
        let mut intervals: Vec<_> = long.cloned().collect();
        if intervals.is_empty() {
            intervals = all;
        }
        let places = intervals.iter().map(|interval| interval.len() - 1).sum();
        let lengths = intervals.iter().map(Range::len);
        let halves = lengths.map(|l| (l, (1..l).map(|k| halves(k, l)).collect()));
        Self {
            halves: halves.collect(),
            intervals,
            places,
            ranked,
        }
    }

    /// Values that are looked at for one series.
    pub fn cost(&self) -> u64 {
        (self.ranked + self.places) as u64
    }

    /// Draws a series with a step, or with none.
    pub fn draw(&self, values: &mut [f64], random: &mut Random) {
        for value in values.iter_mut() {
            *value = random.uniform() - 0.5;
        }
        if random.uniform() < WITHOUT {
            return;
        }
        let size = 0.5 * f64::from(SIZES[random.below(SIZES.len())]);
        let size = if random.uniform() < 0.5 { size } else { -size };
        let mut place = random.below(self.places);
        for interval in &self.intervals {
            if place < interval.len() - 1 {
                let (before, behind) = tilts(size, place + 1, interval.len());
                for (index, value) in values[interval.clone()].iter_mut().enumerate() {
                    let tilt = if index <= place { before } else { -behind };
                    // The uniform value as the quantile of the tilted density.
                    *value = ((*value + 0.5) * tilt.exp_m1()).ln_1p() / tilt - 0.5;
                }
                return;
            }
            place -= interval.len() - 1;
        }
    }

    /// Density of the series as drawn here, over that of uniform values.
    pub fn ratio(&self, values: &[f64]) -> f64 {
        let mut sum = 0.0;
        for interval in &self.intervals {
            let part = &values[interval.clone()];
            let l = part.len() as f64;
            let mean = part.iter().sum::<f64>() / l;
            let mut running = 0.0;
            for (index, (value, halves)) in part.iter().zip(&self.halves[&part.len()]).enumerate() {
                running += value - mean;
                let k = (index + 1) as f64;
                let cusum = running * (12.0 * l / (k * (l - k))).sqrt();
                let up = (0.5 * cusum).exp();
                let down = up.recip();
                for (size, half) in SIZES.into_iter().zip(halves) {
                    sum += half * (up.powi(size) + down.powi(size));
                }
            }
        }
        let steps = sum / (self.places * SIZES.len()) as f64;
        WITHOUT + (1.0 - WITHOUT) * steps
    }
}

/// Exponents of the densities before and behind a step in front of the value at `k` of `l`.
fn tilts(size: f64, k: usize, l: usize) -> (f64, f64) {
    let (k, l) = (k as f64, l as f64);
    let unit = size * (12.0 / l).sqrt();
    (unit * ((l - k) / k).sqrt(), unit * (k / (l - k)).sqrt())
}

fn halves(k: usize, l: usize) -> [f64; SIZES.len()] {
    SIZES.map(|size| {
        let (before, behind) = tilts(0.5 * f64::from(size), k, l);
        // Mean of exp(tilt x) over uniform x.
        let ln_mean = |tilt: f64| 0.5 * tilt + (-(-tilt).exp_m1() / tilt).ln();
        0.5 * (-(k as f64) * ln_mean(before) - (l - k) as f64 * ln_mean(behind)).exp()
    })
}
