//! From the times of pieces of work to what they mean.

use perflab_stats::allan::Series;
use perflab_stats::planning::{Goal, Pilot, typical_runs, typical_runs_in_turns};
use perflab_stats::turns::FEWEST_WINDOWS;
use perflab_stats::verdict::{MEAN_WEIGHT, SLOW_WEIGHT, TYPICAL_WEIGHT};
use perflab_stats::{Error, Resampling};

use super::{Scale, Slices, Wandering};

/// The shortest scale. Below it, a comparison in slices would measure the switches.
const SHORTEST_S: f64 = 1e-3;

/// Steps of the clock that a scale must be long, so that they do not count: a thousandth at most.
pub(super) const CLOCK_STEPS: f64 = 1e3;

/// The runs that are planned for.
pub(super) const RUN_S: f64 = 1.0;

/// What a slice costs beyond its work, in seconds: to stop one process and let another go on takes about 0.1 ms, and to
/// fill caches of a megabyte again about as long.
const SWITCH_S: f64 = 2e-4;

/// How much worse than the best a slice may be that is shorter.
const TOLERANCE: f64 = 0.05;

/// Orders drawn for each window. The windows are many where the orders are.
const ORDERS: Resampling = Resampling {
    draws: 8,
    seed: 1966,
};

/// The difference that runs are planned for, and the test that shows it: that of the typical run in a report on two
/// variants, which leaves it its share of the error.
pub(super) const GOAL: Goal = Goal {
    difference: 0.01,
    power: 0.8,
    confidence: 1.0 - 0.05 * TYPICAL_WEIGHT / (TYPICAL_WEIGHT + MEAN_WEIGHT + SLOW_WEIGHT),
};

impl Wandering {
    /// From the times of pieces of work, in seconds, that followed each other without gaps.
    ///
    /// # Errors
    /// Fewer than two pieces, or a clock that stood still.
    pub(super) fn of(times: &[f64], clock_step_s: f64) -> Result<Self, Error> {
        let series = Series::new(times)?;
        let piece_s = times.iter().sum::<f64>() / times.len() as f64;
        let pieces_in = |length_s: f64| (length_s / piece_s).round().max(1.0) as usize;
        let shortest_s = SHORTEST_S.max(CLOCK_STEPS * clock_step_s);
        let mut lengths: Vec<usize> = lengths_s()
            .filter(|length_s| *length_s >= shortest_s * (1.0 - 1e-9))
            .map(pieces_in)
            .take_while(|length| times.len() / (2 * length) >= FEWEST_WINDOWS)
            .collect();
        // Where a piece took longer than the shortest scales.
        lengths.dedup();
        let scales = lengths.iter().filter_map(|length| {
            Some(Scale {
                length_s: *length as f64 * piece_s,
                allan: series.deviation(*length)?,
                pairs: (times.len() / (2 * length)) as u64,
            })
        });
        let slices = lengths.iter().map(|length| {
            let slice_s = *length as f64 * piece_s;
            let rounds = (RUN_S / slice_s).round().max(1.0) as usize;
            let sd = series.in_turns(*length, rounds, ORDERS)?;
            Ok(sd.map(|sd| Slices::new(slice_s, rounds, sd)))
        });
        let slices: Vec<Option<Slices>> = slices.collect::<Result<_, Error>>()?;
        let slices: Vec<Slices> = slices.into_iter().flatten().collect();
        Ok(Self {
            piece_s,
            scales: scales.collect(),
            best_slice_s: best(&slices),
            slices,
        })
    }

    /// The standard deviation of the logarithm of the ratio of two variants' times, as a share, by what the CPU does
    /// alone: where each works for `run_s` seconds, in slices of `slice_s` that take turns, what switches cost included.
    /// Two whole runs, one after the other, are slices as long as the run. `None` beyond the scales that were measured.
    ///
    /// Where slices of that length were measured, it is the difference of their halves, by the root of the
    /// run's length. Between such lengths it is `explained` by the scales.
    pub fn sd_in_slices(&self, slice_s: f64, run_s: f64) -> Option<f64> {
        let Some(measured) = self.measured(slice_s).filter(|_| slice_s <= run_s) else {
            return self.explained(slice_s, run_s);
        };
        // Halves that were measured are of whole slices, and so of about a second.
        let longer = Some(run_s / measured.run_s).filter(|longer| (longer - 1.0).abs() >= 0.01);
        Some(measured.sd_with_switches / longer.unwrap_or(1.0).sqrt())
    }

    /// The slices that were measured of this length, which those of whole pieces have about.
    fn measured(&self, slice_s: f64) -> Option<&Slices> {
        let far = |slices: &Slices| (slices.slice_s - slice_s).abs();
        let near = (0.05 * slice_s).max(0.5 * self.piece_s);
        let all = self.slices.iter().filter(|slices| far(slices) <= near);
        all.min_by(|a, b| far(a).total_cmp(&far(b)))
    }

    /// What the scales say of a pair in slices: `allan(slice_s) sqrt(2 slice_s / run_s)`; between scales the Allan
    /// deviation is a power of the length.
    fn explained(&self, slice_s: f64, run_s: f64) -> Option<f64> {
        let allan = self.allan(slice_s).filter(|_| slice_s <= run_s)?;
        Some(allan * (2.0 * slice_s / run_s).sqrt() * with_switches(slice_s))
    }

    /// The standard deviation of a run of `run_s` seconds, as a share, by what the CPU does alone: that within a block of
    /// so many runs in random order, one after the other. Runs that are further apart differ by more where the speed
    /// wanders, and those of a larger block are. `None` beyond the scales that were measured, and for a single run.
    ///
    /// In a block of a power of two, `n`, the squares about the mean are those of the differences within pairs of runs,
    /// between pairs of pairs and so on. So the variance is `n / (2 (n - 1))` times the sum of `allan(length)^2` over the
    /// lengths of `1, 2, 4 ... n / 2` runs. Between two such numbers it is taken for linear in `n`, as it is for white
    /// noise and for a random walk.
    pub fn sd_in_blocks(&self, run_s: f64, runs: usize) -> Option<f64> {
        let variance = |n: usize| {
            let octaves = (0..n.ilog2()).map(|octave| self.allan(run_s * f64::from(1 << octave)));
            let squares = octaves.map(|allan| Some(allan?.powi(2)));
            let sum = squares.sum::<Option<f64>>()?;
            Some(sum * n as f64 / (2 * (n - 1)) as f64)
        };
        let above = (runs > 1).then(|| runs.next_power_of_two())?;
        let below = (above / 2).max(2);
        let (low, high) = (variance(below)?, variance(above)?);
        let share = (runs - below) as f64 / (above - below).max(1) as f64;
        Some((low + (high - low) * share).sqrt())
    }

    /// How long a CPU must work, in seconds, so that the scales reach stretches of this length. `None` beyond hours.
    pub fn time_for(length_s: f64) -> Option<f64> {
        let scale_s = lengths_s().find(|scale_s| *scale_s >= length_s * (1.0 - 1e-9))?;
        Some(2.0 * FEWEST_WINDOWS as f64 * scale_s)
    }

    /// The Allan deviation at any scale between two that were measured.
    fn allan(&self, length_s: f64) -> Option<f64> {
        // The longest scale is one of whole pieces, too.
        let last_s = self.scales.last()?.length_s;
        let is_last = (0.0..=0.5 * self.piece_s).contains(&(length_s - last_s));
        let length_s = if is_last { last_s } else { length_s };
        let within = self
            .scales
            .windows(2)
            .find(|scales| (scales[0].length_s..=scales[1].length_s).contains(&length_s))?;
        let [short, long] = [within[0], within[1]];
        let share = (length_s / short.length_s).ln() / (long.length_s / short.length_s).ln();
        Some(short.allan.powf(1.0 - share) * long.allan.powf(share))
    }
}

/// The longest stretch, in seconds, whose Allan deviation has a part in [`Wandering::sd_in_blocks`].
pub fn longest_in_blocks(run_s: f64, runs: usize) -> f64 {
    run_s * (runs.next_power_of_two() / 2) as f64
}

impl Slices {
    pub(super) fn new(slice_s: f64, rounds: usize, sd: f64) -> Self {
        let sd_with_switches = sd * with_switches(slice_s);
        // Each half has half the variance. Pairs cannot be drawn from a deviation of 0.
        let one = (sd_with_switches * 0.5_f64.sqrt()).max(1e-9);
        // Halves of a single slice are whole runs, in blocks of one of each variant.
        let runs = match rounds {
            1 => Pilot::known(one, 1).and_then(|of| typical_runs(of.typical.upper, &GOAL, 1)),
            _ => Pilot::known_in_turns(one)
                .and_then(|of| typical_runs_in_turns(of.typical.upper, &GOAL)),
        };
        Self {
            slice_s,
            run_s: slice_s * rounds as f64,
            sd,
            sd_with_switches,
            runs: runs.ok().map(|runs| runs as u64),
        }
    }

    /// Whether the halves are single slices: whole runs, one after the other.
    pub fn are_whole_runs(&self) -> bool {
        self.slice_s == self.run_s
    }

    /// Whether the halves are as long as those that the best length is chosen for.
    fn are_of_a_second(&self) -> bool {
        (self.run_s / RUN_S - 1.0).abs() < 0.25
    }
}

/// The factor by which the deviation is larger, as only a part of the machine's time is left for the work.
pub(super) fn with_switches(slice_s: f64) -> f64 {
    (1.0 + SWITCH_S / slice_s).sqrt()
}

/// The best of the slices that share a run of a second.
fn best(slices: &[Slices]) -> Option<f64> {
    let candidates = || slices.iter().filter(|slices| slices.are_of_a_second());
    let least = candidates()
        .map(|slices| slices.sd_with_switches)
        .min_by(f64::total_cmp)?;
    let is_good = |slices: &&Slices| slices.sd_with_switches <= least * (1.0 + TOLERANCE);
    candidates().find(is_good).map(|slices| slices.slice_s)
}

/// 1, 2, 5 ms and so on, in seconds, to hours.
pub(super) fn lengths_s() -> impl Iterator<Item = f64> {
    (-3..4).flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10_f64.powi(power)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PIECE_S: f64 = 1e-4;

    /// Pseudo-random numbers between -1 and 1 (xorshift).
    fn random() -> impl FnMut() -> f64 {
        let mut state = 1_u64;
        move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state as f64 / u64::MAX as f64 * 2.0 - 1.0
        }
    }

    /// Noise of a series of this many seconds, whose speed is given by a function of the last one and chance.
    fn noise(seconds: f64, mut next: impl FnMut(f64, f64) -> f64) -> Wandering {
        let mut random = random();
        let mut last = 0.0;
        let times: Vec<f64> = (0..(seconds / PIECE_S) as usize)
            .map(|_| {
                last = next(last, random());
                PIECE_S * (1.0 + last)
            })
            .collect();
        Wandering::of(&times, 2e-8).unwrap()
    }

    fn white() -> Wandering {
        noise(20.0, |_, chance| 0.05 * chance)
    }

    /// A random walk that comes back, with a memory of half a second.
    fn wandering() -> Wandering {
        noise(20.0, |last, chance| last * 0.9998 + 1e-3 * chance)
    }

    #[test]
    fn white_noise_is_alike_in_slices_of_any_length() {
        let seen = white();
        assert!((seen.piece_s / PIECE_S - 1.0).abs() < 1e-3);
        // 1, 2, 5 ms ... 2 s.
        assert_eq!(seen.scales.len(), 11);
        for slices in seen.slices.iter().filter(|slices| slices.are_of_a_second()) {
            // Uniform values have a variance of a third; each half has 10 000 of them.
            let expected = 0.05 / 3_f64.sqrt() * 0.01 * 2_f64.sqrt();
            assert!((slices.sd / expected - 1.0).abs() < 0.35, "{slices:?}");
        }
        let whole = seen.slices.iter().find(|slices| slices.are_whole_runs());
        assert!((whole.unwrap().slice_s - 1.0).abs() < 1e-2, "{whole:?}");
    }

    #[test]
    fn where_the_speed_wanders_short_slices_are_best_but_for_what_switches_cost() {
        let seen = wandering();
        let first = seen.slices.first().unwrap();
        let whole = seen.slices.iter().find(|slices| slices.are_whole_runs());
        let whole = whole.unwrap();
        assert!(first.sd * 5.0 < whole.sd, "{seen:#?}");
        assert!(first.runs < whole.runs);
        let best = seen.best_slice_s.unwrap();
        assert!((9e-4..6e-3).contains(&best), "{best}");
        // 0.2 ms of 1.2 ms are lost.
        let cost = first.sd_with_switches / first.sd;
        assert!((cost - 1.2_f64.sqrt()).abs() < 1e-3, "{cost}");
    }

    #[test]
    fn what_the_scales_explain_is_what_slices_have() {
        for seen in [white(), wandering()] {
            // Of the longer ones there are few, and the two estimates take different ones.
            for slices in seen.slices.iter().filter(|slices| slices.slice_s < 0.15) {
                let explained = seen.explained(slices.slice_s, slices.run_s);
                let ratio = slices.sd_with_switches / explained.unwrap();
                assert!((ratio - 1.0).abs() < 0.2, "{slices:?}: {explained:?}");
            }
            assert!(seen.sd_in_slices(1.5e-3, 1.0).is_some());
            assert_eq!(seen.sd_in_slices(1e-5, 1.0), None);
            assert_eq!(seen.sd_in_slices(60.0, 60.0), None);
            let best = seen.slices[1];
            // As measured, and of a run four times as long.
            let sd = best.sd_with_switches;
            assert_eq!(seen.sd_in_slices(2.02e-3, 1.0), Some(sd));
            let longer = seen.sd_in_slices(2e-3, 4.0).unwrap();
            assert!((longer / sd - 0.5).abs() < 1e-3, "{longer} {sd}");
            // Between the lengths that were measured.
            assert_eq!(seen.sd_in_slices(3e-3, 1.0), seen.explained(3e-3, 1.0));
            // A slice is no longer than its run.
            assert_eq!(seen.sd_in_slices(0.5, 0.1), None);
        }
    }

    #[test]
    fn a_coarse_clock_and_little_time_hide_scales() {
        let times = vec![1e-4; 20_000];
        let seen = Wandering::of(&times, 5e-5).unwrap();
        let scales: Vec<f64> = seen.scales.iter().map(|scale| scale.length_s).collect();
        assert_eq!(scales.len(), 3, "{scales:?}");
        assert!((scales[0] - 0.05).abs() < 1e-9, "{scales:?}");
        assert_eq!(seen.slices, []);
        assert_eq!(seen.best_slice_s, None);
        assert_eq!(Wandering::of(&times, 1.0).unwrap().scales, []);
        assert!(Wandering::of(&[0.0; 10], 1.0).is_err());
    }

    #[test]
    fn the_shortest_of_those_that_are_nearly_best() {
        let of = |deviations: &[f64]| {
            let lengths = lengths_s().zip(deviations);
            let slices: Vec<Slices> = lengths
                .map(|(slice_s, sd)| Slices {
                    sd_with_switches: *sd,
                    ..Slices::new(slice_s, (1.0 / slice_s).round() as usize, *sd)
                })
                .collect();
            best(&slices).unwrap()
        };
        assert_eq!(of(&[1.2, 1.04, 1.0, 1.5]), 2e-3);
        assert_eq!(of(&[1.2, 1.06, 1.0, 1.5]), 5e-3);
        assert_eq!(best(&[]), None);
    }
}
