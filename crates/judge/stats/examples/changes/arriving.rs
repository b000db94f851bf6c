//! Values that arrive one by one: how late a step is noticed, and how often there is none.
//!
//! For comparison, the method for whole series repeated with each value: an alarm is raised when its
//! p-value is at most one over the limit, which spends the error evenly on all looks.

use perflab_stats::changes::arrivals::arrivals;
use perflab_stats::changes::{p_value, strongest};

use crate::Promise;
use crate::noise::{Noise, whole};
use crate::none::percent;
use crate::simulated::Random;

/// Mean number of values up to a false alarm.
const LIMIT: f64 = 500.0;

/// Values without a change that are waited for.
const QUIET: usize = 100;

/// Prints how often alarms are false and how late true ones are; whether as promised.
pub fn table(trials: u64, seed: u64) -> bool {
    println!(
        "limit {LIMIT} values; false: an alarm within {QUIET} values without a change, at most 20 \
         promised;\nthen a step: values up to the alarm, and alarms within 10 and 50 values\n\
         repeated: the method for whole series at 1 / limit with each value\n"
    );
    println!(
        "{:22} {:>5} | {:>6} {:>6} {:>6} {:>6} | {:>6} {:>6} {:>6} {:>6}  promise",
        "noise", "step", "false", "median", "10", "50", "false", "median", "10", "50"
    );
    let mut kept = true;
    let trials = trials / 4;
    let noises = [
        (Noise::Normal, true),
        (Noise::HeavyTails, true),
        (Noise::SlowMode, true),
        (Noise::Rounded, true),
        (Noise::Ones(0.1), true),
        (Noise::Autocorrelated(0.3), true),
        (Noise::Autocorrelated(0.6), false),
    ];
    for (noise, is_promised) in noises {
        for size in [1.0, 2.0, 4.0] {
            let mut ours = Delays::default();
            let mut repeated = Delays::default();
            for trial in 0..trials {
                let mut random = Random::of(seed, trial);
                let values = noise.series(2 * QUIET, &[(QUIET, size)], &mut random);
                let alarm = arrivals(&whole(&values), LIMIT)
                    .ok()
                    .and_then(|found| found.alarm);
                ours.add(alarm.map(|alarm| alarm.at));
                repeated.add(by_repetition(&values));
            }
            let promise = if is_promised {
                Promise::AtMost(100.0 * QUIET as f64 / LIMIT)
            } else {
                Promise::None
            };
            let (text, holds) = promise.check(percent(ours.early, trials), trials);
            kept &= holds;
            println!(
                "{:22} {size:>5} | {} | {}  {text}",
                noise.name(),
                ours.text(),
                repeated.text()
            );
        }
    }
    kept
}

/// Alarms before the step, and values from the step to the alarm.
#[derive(Default)]
struct Delays {
    early: u64,
    late: Vec<usize>,
}

impl Delays {
    fn add(&mut self, at: Option<usize>) {
        match at {
            Some(at) if at < QUIET => self.early += 1,
            Some(at) => self.late.push(at - QUIET + 1),
            None => self.late.push(usize::MAX),
        }
    }

    fn text(&mut self) -> String {
        self.late.sort_unstable();
        let all = self.late.len() as u64;
        let within = |values: usize| {
            percent(
                self.late.iter().filter(|late| **late <= values).count() as u64,
                all,
            )
        };
        let median = self
            .late
            .get(self.late.len() / 2)
            .filter(|late| **late < usize::MAX);
        format!(
            "{:>6.1} {:>6} {:>6.1} {:>6.1}",
            percent(self.early, all + self.early),
            median.map_or("-".to_owned(), usize::to_string),
            within(10),
            within(50)
        )
    }
}

fn by_repetition(values: &[f64]) -> Option<usize> {
    (8..=values.len()).find_map(|n| {
        let statistic = strongest(&values[..n]).ok()?;
        (p_value(n, statistic) <= 1.0 / LIMIT).then(|| n - 1)
    })
}
