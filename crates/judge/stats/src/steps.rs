//! Values that an instrument shows in steps: how far their means and ranks may be from the truth.
//!
//! A clock of whole milliseconds shows 20 ms for everything from 19.5 to 20.5 ms. Where runs scatter by more than such a
//! step, rounding is one more noise, which averages out. Where they scatter by less, all runs may be rounded the same
//! way: their mean is off by up to half a step, however many runs there are. For normal noise of standard deviation `s`
//! and steps `q` it is off by about `q/pi exp(-2 pi^2 s^2 / q^2)` (Sheppard's corrections; Widrow and Kollar,
//! *Quantization Noise*, 2008, appendix G).
//!
//! How much they scatter is seen in pairs of runs that are at most one step apart. Let `R` be the share of equal ones
//! among them. Smooth noise of more than a step has `R = 1/3`; noise that is nothing beside a step shows at most two
//! neighbouring values, with shares `p` and `1 - p`, and `R = 1/2 + 2 (p - 1/2)^2`, while the mean is off by at most `p -
//! 1/2` steps, up to the border between both. So
//!
//! ```text
//! bias  at most sqrt((R - 1/2) / 2) steps, and nothing where R is 1/2 or less
//! ```
//!
//! For normal noise of any size and place this bound holds up to 1/200 of a step. Pairs that are further apart do not
//! count, so that it holds within each mode of a program, and within each block of a machine that drifts.

use crate::location::Scale;
use crate::observation::Observation;

/// Which values an instrument can show.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Grid {
    /// Multiples of a step, which is in the unit of the values.
    Even(f64),
    /// Reciprocals of multiples of a step, which is in the reciprocal unit: rates of a number of requests in a whole
    /// number of milliseconds.
    Reciprocal(f64),
}

/// The grids of the baseline and of the candidate; absent where values are fine.
pub type Grids = [Option<Grid>; 2];

/// Steps of which one is larger by a smaller share are equal.
const SAME: f64 = 0.01;

/// Whether both sides lie on the same grid.
fn are_equal(grids: Grids) -> bool {
    let near = |a: f64, b: f64| (a - b).abs() <= SAME * a.max(b);
    match grids {
        [Some(Grid::Even(a)), Some(Grid::Even(b))]
        | [Some(Grid::Reciprocal(a)), Some(Grid::Reciprocal(b))] => near(a, b),
        _ => false,
    }
}

/// How far the difference of two samples may be off at most, on the line of a scale.
pub(crate) fn bias_of_both(grids: Grids, scale: Scale, sides: [&[f64]; 2]) -> f64 {
    let off = |(grid, values): (&Option<Grid>, &[f64])| {
        grid.map_or(0.0, |grid| grid.bias(values) * grid.on_line(scale, values))
    };
    grids.iter().zip(sides).map(off).sum()
}

impl Grid {
    /// The distance of neighbouring values about a value, in its unit.
    pub fn step_at(self, value: f64) -> f64 {
        match self {
            Self::Even(step) => step,
            Self::Reciprocal(step) => value * value * step,
        }
    }

    /// How many steps a value is away from the first of them.
    fn place(self, value: f64) -> f64 {
        match self {
            Self::Even(step) => value / step,
            Self::Reciprocal(step) => -(value * step).recip(),
        }
    }

    fn places(self, values: impl Iterator<Item = f64>) -> Vec<f64> {
        let mut places: Vec<f64> = values.map(|value| self.place(value)).collect();
        places.sort_unstable_by(f64::total_cmp);
        places
    }

    /// The distance of neighbouring values about a value, on the line of a scale.
    fn on_line_at(self, scale: Scale, value: f64) -> f64 {
        match scale {
            Scale::Ratio => self.step_at(value) / value,
            Scale::Shift => self.step_at(value),
        }
    }

    /// The mean of these distances.
    fn on_line(self, scale: Scale, values: &[f64]) -> f64 {
        let steps = values.iter().map(|value| self.on_line_at(scale, *value));
        steps.sum::<f64>() / values.len().max(1) as f64
    }

    /// The upper quartile of these distances: of a program with a slow mode, that of its other runs, on which the
    /// typical run rests.
    fn on_line_of_most(self, scale: Scale, values: &[f64]) -> f64 {
        let mut steps: Vec<f64> = values
            .iter()
            .map(|value| self.on_line_at(scale, *value))
            .collect();
        steps.sort_unstable_by(f64::total_cmp);
        steps.get(3 * steps.len() / 4).copied().unwrap_or(0.0)
    }

    /// The least of these distances.
    fn least_on_line(self, scale: Scale, values: &[f64]) -> f64 {
        let steps = values.iter().map(|value| self.on_line_at(scale, *value));
        steps.fold(f64::INFINITY, f64::min)
    }

    /// The same values, those that are equal spread evenly over their step: what a quantile of them is made of.
    pub fn spread(self, values: &[f64]) -> Vec<f64> {
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let is_equal = |x: &f64, y: &f64| (self.place(*x) - self.place(*y)).abs() < EQUAL;
        let equal = sorted.chunk_by(is_equal);
        equal
            .flat_map(|own| {
                let share = |place: usize| (place as f64 + 0.5) / own.len() as f64 - 0.5;
                let own = own.iter().enumerate();
                own.map(move |(place, value)| value + share(place) * self.step_at(*value))
            })
            .collect()
    }

    /// How far the mean of a sample may be off at most, in steps: from 0 to 1/2.
    pub fn bias(self, values: &[f64]) -> f64 {
        bias(&self.places(values.iter().copied()))
    }
}

/// Steps within which two values are the same, and below which they are neighbours.
const EQUAL: f64 = 0.5;
const NEIGHBOURS: f64 = 1.5;

/// What is above half a step, and below a whole one.
const HALF: f64 = 0.51;

/// The share of equal runs among those at most one step apart, if they scatter by far more than a step.
const SMOOTH: f64 = 1.0 / 3.0;

/// How far the mean of places, in ascending order, may be off at most.
fn bias(places: &[f64]) -> f64 {
    let n = places.len() as f64;
    if places.len() < 2 {
        return 0.5;
    }
    let (mut equal, mut near) = (0, 0);
    let (mut of_equal, mut of_near) = (0, 0);
    for (index, place) in places.iter().enumerate() {
        while place - places[of_equal] >= EQUAL {
            of_equal += 1;
        }
        while place - places[of_near] >= NEIGHBOURS {
            of_near += 1;
        }
        equal += index - of_equal;
        near += index - of_near;
    }
    // Each pair counts twice, as each run is one of it.
    let (equal, near) = (2.0 * equal as f64, 2.0 * near as f64);
    // Of few runs hardly any are equal by chance, whatever they scatter: those that are near to all others are taken to
    // be equal to themselves, and those that are near to none to scatter smoothly.
    let nearness = near / (n * (n - 1.0));
    let own = n * (nearness + (1.0 - nearness) * SMOOTH);
    let share = (equal + own) / (near + n);
    (0.5 * (share - 0.5).max(0.0)).sqrt()
}

/// What steps do to a comparison. All is 0 where values are fine.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Rounding {
    /// Distance of neighbouring values on the line where effects are shifts: relative for ratios. 0 where what is
    /// compared lies in no steps itself, as the typical run over several benchmarks.
    pub(crate) step: f64,
    /// The least of these distances.
    least: f64,
    /// How far the difference of the typical run may be off at most, on the same line.
    pub typical: f64,
    /// How far that of the mean may be off.
    pub mean: f64,
    /// How far the mean of the baseline and that of the candidate may be off, in the unit of the values.
    pub means: [f64; 2],
}

impl Rounding {
    /// That of values on the grids of both sides, and of the middles of their units; none where no two values are
    /// equal.
    ///
    /// Rounding to one grid never changes the order of two runs. Rounding to two grids may, where they are no further
    /// apart than half a step of each: so the steps of different grids are added.
    pub(crate) fn of(
        grids: Grids,
        scale: Scale,
        all: [&[Observation]; 2],
        middles: [&[f64]; 2],
    ) -> Self {
        let values = all.map(|side| -> Vec<f64> { side.iter().map(|run| run.value).collect() });
        let is_shared = |grid: &Grid| {
            let places = grid.places(values.iter().flatten().copied());
            places
                .windows(2)
                .any(|pair| matches!(pair, [low, high] if high - low < EQUAL))
        };
        if !grids.iter().flatten().any(is_shared) {
            return Self::default();
        }
        let of_sides = |of: &dyn Fn(Grid, usize) -> f64| {
            [0, 1].map(|side| grids[side].map_or(0.0, |grid| of(grid, side)))
        };
        let steps = of_sides(&|grid, side| grid.on_line_of_most(scale, middles[side]));
        let least = of_sides(&|grid, side| grid.least_on_line(scale, middles[side]));
        let biases = of_sides(&|grid, side| grid.bias(middles[side]));
        let together = |[a, b]: [f64; 2], of_one: fn(f64, f64) -> f64| match are_equal(grids) {
            true => of_one(a, b),
            false => a + b,
        };
        Self {
            step: together(steps, f64::max),
            least: together(least, f64::min),
            typical: biases[0] * steps[0] + biases[1] * steps[1],
            mean: bias_of_both(grids, scale, [&values[0], &values[1]]),
            means: of_sides(&|grid, side| {
                grid.bias(&values[side]) * grid.on_line(Scale::Shift, &values[side])
            }),
        }
    }

    /// That of several subjects as one, whose logarithms are averaged.
    pub(crate) fn pooled(all: &[Self]) -> Self {
        let mean = |of: fn(&Self) -> f64| all.iter().map(of).sum::<f64>() / all.len() as f64;
        match all.is_empty() {
            true => Self::default(),
            false => Self {
                step: 0.0,
                least: 0.0,
                typical: mean(|one| one.typical),
                mean: mean(|one| one.mean),
                // These means are no values of an instrument.
                means: [0.0; 2],
            },
        }
    }

    /// Distance of neighbouring values: relative where differences are; 0 where they lie in no steps.
    pub fn step(&self) -> f64 {
        self.step
    }

    /// Whether there are any steps.
    pub fn is_any(&self) -> bool {
        self.step > 0.0 || self.typical > 0.0 || self.mean > 0.0
    }

    /// How far from no difference the ranks must be tested. Rounding never changes the order of two runs, only makes
    /// them equal: so no pair of runs must count that is equal, and every other counts. Medians of two samples may be
    /// equal and half a step apart.
    pub(crate) fn of_ranks(&self) -> f64 {
        match (self.typical > 0.0, self.step > 0.0) {
            (false, _) => 0.0,
            (true, true) => HALF * self.least,
            (true, false) => self.typical,
        }
    }

    /// How far inside of any other difference: there, rounding also changes the order of a run and one that was moved.
    pub(crate) fn of_moved_ranks(&self) -> f64 {
        match (self.step > 0.0, self.typical > 0.0) {
            (true, true) => (HALF + 0.5) * self.step,
            (true, false) => 0.5 * self.step,
            (false, _) => self.typical,
        }
    }

    /// The differences of the typical run and of the mean that no number of runs is sure to show, on the line. What is
    /// shown may be off by so much, and as much is asked for.
    pub fn hidden(&self) -> [f64; 2] {
        let typical = match self.of_ranks() > 0.0 {
            true => self.step.max(2.0 * self.typical),
            false => 0.0,
        };
        [typical, 2.0 * self.mean]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::normal_cdf;

    #[test]
    fn equal_runs_may_be_off_by_half_a_step_and_scattered_ones_are_not() {
        let ms = Grid::Even(1.0);
        assert_eq!(ms.bias(&[20.0; 8]), 0.5);
        assert_eq!(ms.bias(&[20.0]), 0.5);
        // Noise that is nothing beside a step, at the border and beside it: 3 of 4 are off by a quarter.
        assert_eq!(ms.bias(&[20.0, 20.0, 21.0, 21.0]), 0.0);
        assert!((ms.bias(&[20.0, 20.0, 20.0, 21.0]) - 0.25).abs() < 1e-12);
        // Each of two modes is off by as much as one would be.
        assert!(ms.bias(&[[20.0; 8], [29.0; 8]].concat()) > 0.45);
        let scattered: Vec<f64> = (0..40).map(|run| f64::from(run * 7 % 23)).collect();
        assert_eq!(ms.bias(&scattered), 0.0);
        // Few runs of which two are equal by chance.
        assert!(ms.bias(&[20.0, 20.0, 25.0, 31.0, 12.0]) < 0.25);
    }

    #[test]
    fn the_bound_holds_for_normal_noise_of_any_size_and_place() {
        for sd in [0.02, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0] {
            for place in 0..=20 {
                let mean = 0.5 * f64::from(place) / 20.0;
                let below = |border: f64| normal_cdf((border - mean) / sd);
                let shares: Vec<(f64, f64)> = (-8..=8)
                    .map(f64::from)
                    .map(|k| (k, below(k + 0.5) - below(k - 0.5)))
                    .collect();
                let shown: f64 = shares.iter().map(|(k, share)| k * share).sum();
                // A sample with these shares.
                let runs = |(k, share): (f64, f64)| vec![k; (share * 20_000.0).round() as usize];
                let sample: Vec<f64> = shares.into_iter().flat_map(runs).collect();
                let bound = Grid::Even(1.0).bias(&sample) + 0.006;
                assert!((shown - mean).abs() < bound, "{sd} {mean}: {shown} {bound}");
            }
        }
    }

    #[test]
    fn rates_of_whole_milliseconds_lie_in_steps_too() {
        // 1000 requests in 20, 20, 21 and 22 ms.
        let rates = Grid::Reciprocal(1e-6);
        let shown = [20.0, 20.0, 21.0, 22.0].map(|ms: f64| 1e6 / ms);
        assert!((rates.step_at(50_000.0) - 2500.0).abs() < 1e-9);
        assert_eq!(
            rates.bias(&shown),
            Grid::Even(1.0).bias(&[20.0, 20.0, 21.0, 22.0])
        );
        // At the border of what is seen as neighbours: 4 and 5 ms.
        assert_eq!(rates.bias(&[250_000.0, 200_000.0]), 0.0);
    }

    #[test]
    fn equal_values_are_spread_over_their_step() {
        let spread = Grid::Even(1.0).spread(&[3.0, 1.0, 3.0]);
        assert_eq!(spread, [1.0, 2.75, 3.25]);
    }

    #[test]
    fn values_of_which_no_two_are_equal_lie_in_no_steps() {
        let side = |values: [f64; 3]| {
            values.map(|value| Observation {
                block: 1,
                unit: value as u32,
                value,
            })
        };
        let of = |a, b| {
            let all = [&side(a)[..], &side(b)[..]];
            Rounding::of([Some(Grid::Even(1.0)); 2], Scale::Shift, all, [&a, &b])
        };
        assert!(!of([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]).is_any());
        assert!(of([1.0, 2.0, 3.0], [3.0, 5.0, 6.0]).is_any());
    }
}
