//! A run in slices: how the work of a command line is cut, and how the values of slices become one.
//!
//! All slices of a run do the same amount of work, or take the same time. So a rate over all of them is the harmonic
//! mean of their rates in the one case (all work over all time), and the arithmetic mean in the other.

use std::sync::Arc;

use perflab_experiment::{Combine, Metric, Sample};

use crate::driver::Driver;
use crate::error::ArgumentError;
use crate::kind::{Kind, Latency};

/// What executions of a tool with the same arguments have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alike {
    /// They do the same work.
    Work,
    /// They take the same time.
    Time,
}

/// The share that each of `count` slices has of an amount of work, of which a slice needs at least `least`.
///
/// # Errors
/// When there is too little for so many slices.
pub(crate) fn share(
    driver: &'static str,
    option: &str,
    amount: i64,
    count: u32,
    least: i64,
) -> Result<i64, ArgumentError> {
    let share = amount / i64::from(count.max(1));
    if share >= least.max(1) {
        return Ok(share);
    }
    let why = format!("a slice needs at least {least}, and {count} slices would have {share} each");
    let advice = match amount / least.max(1) {
        0 | 1 => format!(
            "ask for more, at least {}",
            least.saturating_mul(i64::from(count))
        ),
        most => format!("ask for more, or for at most {most} slices"),
    };
    Err(ArgumentError::new(
        driver,
        format!("{option} {amount}"),
        why,
        advice,
    ))
}

/// The largest number of slices, from `least` to `most`, of which `can_cut` says that work can be cut into so many;
/// `least` where it says so of none. It takes for granted that what can be cut into some slices can be cut into fewer.
pub fn most_slices(least: u32, most: u32, mut can_cut: impl FnMut(u32) -> bool) -> u32 {
    if can_cut(most) {
        return most;
    }
    let (mut found, mut too_many) = (least, most);
    while found + 1 < too_many {
        let count = found.midpoint(too_many);
        match can_cut(count) {
            true => found = count,
            false => too_many = count,
        }
    }
    found
}

/// How the values of a metric are combined, where the kind of the metric or the end of its name says so.
pub(crate) fn usual(kind: Kind, metric: &str) -> Option<Combine> {
    match kind {
        Kind::Throughput => Some(Combine::Rate),
        // The mean of the slices' quantiles is an estimate: the tools tell no distribution.
        Kind::Latency(Latency::Mean | Latency::Quantile(_)) => Some(Combine::Mean),
        Kind::Other if metric.ends_with("_max") => Some(Combine::Max),
        Kind::Other if metric.ends_with("_min") => Some(Combine::Min),
        Kind::Other => None,
    }
}

/// The values of a metric and benchmark in all slices of a run.
#[derive(Debug, Clone, PartialEq)]
struct Gathered {
    benchmark: Option<String>,
    metric: Arc<Metric>,
    rule: Combine,
    values: Vec<f64>,
    steps: Vec<Option<f64>>,
    /// The slice of each value.
    slices: Vec<usize>,
}

impl Gathered {
    /// Why its values cannot be combined, if slices do not have it equally often. They may have it several times, where
    /// several executions of a slice measure the same.
    fn unevenness(&self, slices: usize) -> Option<String> {
        let mut counts = vec![0_usize; slices];
        self.slices.iter().for_each(|slice| counts[*slice] += 1);
        let first = *counts.first()?;
        let other = counts.iter().position(|count| *count != first)?;
        Some(format!(
            "expected the same number of values of {} in each slice, found {first} in slice 1 and {} in slice {}",
            self.named(),
            counts[other],
            other + 1
        ))
    }

    /// The metric, and its benchmark.
    fn named(&self) -> String {
        let of = self.benchmark.as_ref();
        let of = of.map_or_else(String::new, |benchmark| format!(" of {benchmark}"));
        format!("`{}`{of}", self.metric.name)
    }

    /// The value of the run. `pace`: the rates at which each slice did its work, where that is another metric.
    fn value(&self, alike: Alike, pace: Option<&[f64]>) -> f64 {
        let values = &self.values;
        let count = values.len() as f64;
        match (self.rule, alike, pace) {
            (Combine::Rate, Alike::Work, None) => {
                count / values.iter().map(|rate| 1.0 / rate).sum::<f64>()
            }
            // A slice takes a time in proportion to the reciprocal of its pace.
            (Combine::Rate, Alike::Work, Some(pace)) => {
                let times: Vec<f64> = pace.iter().map(|pace| 1.0 / pace).collect();
                weighted(values, &times)
            }
            // In the same time, a slice does as many operations as its pace says.
            (Combine::Mean, Alike::Time, Some(pace)) => weighted(values, pace),
            (Combine::Rate | Combine::Mean, ..) => values.iter().sum::<f64>() / count,
            (Combine::Median, ..) => median(values),
            (Combine::Sum, ..) => values.iter().sum(),
            (Combine::Max, ..) => values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            (Combine::Min, ..) => values.iter().copied().fold(f64::INFINITY, f64::min),
        }
    }

    /// The step of that value: one that is a slice's own lies in the steps of slices. Of others roundings average out,
    /// but where slices all show the same value, as they may all be rounded the same way.
    fn step(&self) -> Option<f64> {
        let steps: Vec<f64> = self.steps.iter().copied().collect::<Option<_>>()?;
        let first = self.values.first()?;
        let is_same = self.values.iter().all(|value| value == first);
        match self.rule {
            Combine::Median | Combine::Max | Combine::Min => steps.into_iter().reduce(f64::max),
            Combine::Sum if is_same => Some(steps.iter().sum()),
            Combine::Rate | Combine::Mean if is_same => steps.into_iter().reduce(f64::max),
            _ => None,
        }
    }
}

/// The samples of a run from those of its slices, by the rules of their driver. Metrics without a rule are left out.
///
/// # Errors
/// In words: when a metric of the user's is not in each slice equally often, and when values have no combination.
pub fn combined(
    slices: &[Vec<Sample>],
    alike: Alike,
    driver: &dyn Driver,
) -> Result<Vec<Sample>, String> {
    let mut all: Vec<Gathered> = Vec::new();
    for (number, slice) in slices.iter().enumerate() {
        for sample in slice {
            let Some(rule) = driver.combine(&sample.metric.name) else {
                continue;
            };
            let same = |known: &Gathered| {
                known.benchmark == sample.benchmark && known.metric == sample.metric
            };
            let place = all.iter().position(same).unwrap_or_else(|| {
                all.push(Gathered {
                    benchmark: sample.benchmark.clone(),
                    metric: Arc::clone(&sample.metric),
                    rule,
                    values: Vec::new(),
                    steps: Vec::new(),
                    slices: Vec::new(),
                });
                all.len() - 1
            });
            if let Some(known) = all.get_mut(place) {
                known.values.push(sample.value);
                known.steps.push(sample.step);
                known.slices.push(number);
            }
        }
    }
    let mut even = Vec::new();
    for own in all {
        match own.unevenness(slices.len()) {
            None => even.push(own),
            Some(why) if !driver.knows_its_tool() => return Err(why),
            Some(_) => {}
        }
    }
    let combined = even.iter().map(|own| {
        let value = own.value(alike, pace(own, &even, alike, driver));
        // Work at a rate of less than nothing takes no time.
        let is_rate = own.rule == Combine::Rate && alike == Alike::Work;
        match value.is_finite() && !(is_rate && own.values.iter().any(|rate| *rate < 0.0)) {
            true => Ok(Sample {
                benchmark: own.benchmark.clone(),
                metric: Arc::clone(&own.metric),
                value,
                step: own.step(),
            }),
            false => Err(format!(
                "the values of {} in the slices come to {value}; expected a number, and of rates none below 0: \
                 choose another `combine`",
                own.named()
            )),
        }
    });
    combined.collect()
}

/// The rates at which the slices did their work, if a value counts by these: latencies of slices that take the same
/// time do, and rates of a part of the work in slices that do the same.
fn pace<'g>(
    own: &Gathered,
    all: &'g [Gathered],
    alike: Alike,
    driver: &dyn Driver,
) -> Option<&'g [f64]> {
    let is_by_pace = match (own.rule, alike) {
        (Combine::Mean, Alike::Time) => driver.knows_its_tool(),
        (Combine::Rate, Alike::Work) => driver.is_of_part(&own.metric.name),
        _ => false,
    };
    let is_pace = |other: &&Gathered| {
        other.rule == Combine::Rate
            && other.benchmark == own.benchmark
            && !driver.is_of_part(&other.metric.name)
    };
    let pace = all.iter().find(is_pace).filter(|_| is_by_pace)?;
    let is_usable = pace.slices == own.slices && pace.values.iter().all(|pace| *pace > 0.0);
    is_usable.then_some(&pace.values)
}

/// The mean of values with weights, of which one at least is positive.
fn weighted(values: &[f64], weights: &[f64]) -> f64 {
    let sum: f64 = values
        .iter()
        .zip(weights)
        .map(|(value, weight)| value * weight)
        .sum();
    sum / weights.iter().sum::<f64>()
}

/// The middle value, or the mean of the two in the middle. There is at least one.
fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().saturating_sub(1);
    let middle = sorted.get(last / 2..=sorted.len() / 2).unwrap_or_default();
    middle.iter().sum::<f64>() / middle.len() as f64
}

#[cfg(test)]
mod tests;
