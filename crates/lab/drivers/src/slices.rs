//! A run in slices: how the work of a command line is cut, and how the values of slices become one.
//!
//! All slices of a run do the same amount of work, or take the same time. So a rate over all of them is the harmonic
//! mean of their rates in the one case (all work over all time), and the arithmetic mean in the other.

use std::sync::Arc;

use perflab_experiment::{Combine, Metric, Sample};

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

/// What several slices make of a metric.
#[derive(Debug, Clone, PartialEq)]
struct Gathered {
    benchmark: Option<String>,
    metric: Arc<Metric>,
    values: Vec<f64>,
    /// How many the first slice gave: several where several of its executions measure the same.
    of_a_slice: usize,
}

/// The samples of a run from those of its slices. Metrics for which `rule` gives nothing are left out.
///
/// # Errors
/// In words, when slices do not have the same metrics, equally often.
pub fn combined(
    slices: &[Vec<Sample>],
    alike: Alike,
    rule: &dyn Fn(&str) -> Option<Combine>,
) -> Result<Vec<Sample>, String> {
    let mut all: Vec<Gathered> = Vec::new();
    for (number, slice) in (1..).zip(slices) {
        for sample in slice {
            let same = |known: &&mut Gathered| {
                known.benchmark == sample.benchmark && known.metric == sample.metric
            };
            match all.iter_mut().find(same) {
                Some(known) => known.values.push(sample.value),
                None => all.push(Gathered {
                    benchmark: sample.benchmark.clone(),
                    metric: Arc::clone(&sample.metric),
                    values: vec![sample.value],
                    of_a_slice: 0,
                }),
            }
        }
        if number == 1 {
            all.iter_mut()
                .for_each(|known| known.of_a_slice = known.values.len());
        }
        let expected = |known: &Gathered| number * known.of_a_slice;
        if let Some(other) = all
            .iter()
            .find(|known| known.values.len() != expected(known))
        {
            let name = &other.metric.name;
            let of = other.benchmark.as_ref();
            let of = of.map_or_else(String::new, |benchmark| format!(" of {benchmark}"));
            return Err(format!(
                "expected the same number of values of `{name}`{of} in each slice, found {} in the first {number}",
                other.values.len()
            ));
        }
    }
    let combined = all.into_iter().filter_map(|gathered| {
        let rule = rule(&gathered.metric.name)?;
        Some(Sample {
            benchmark: gathered.benchmark,
            metric: gathered.metric,
            value: value(&gathered.values, rule, alike),
            // Roundings of many slices leave no steps, but a little noise.
            step: None,
        })
    });
    Ok(combined.collect())
}

fn value(values: &[f64], rule: Combine, alike: Alike) -> f64 {
    let count = values.len() as f64;
    match (rule, alike) {
        (Combine::Rate, Alike::Work) => count / values.iter().map(|rate| 1.0 / rate).sum::<f64>(),
        (Combine::Rate, Alike::Time) | (Combine::Mean, _) => values.iter().sum::<f64>() / count,
        (Combine::Median, _) => median(values),
        (Combine::Sum, _) => values.iter().sum(),
        (Combine::Max, _) => values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        (Combine::Min, _) => values.iter().copied().fold(f64::INFINITY, f64::min),
    }
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
mod tests {
    use super::*;
    use crate::choice::tool;
    use crate::command_lines::args;
    use crate::driver::Driver;
    use perflab_experiment::Better;

    fn tool_of(name: &str) -> &'static dyn Driver {
        tool(name).unwrap()
    }

    fn slice(values: &[(&str, f64)]) -> Vec<Sample> {
        let sample = |&(name, value): &(&str, f64)| Sample {
            benchmark: Some("GET".to_owned()),
            metric: Metric::new(name, "", Better::Higher).into(),
            value,
            step: None,
        };
        values.iter().map(sample).collect()
    }

    #[test]
    fn each_rule_combines_in_its_own_way() {
        let slices = [
            slice(&[("a", 2.0), ("dropped", 1.0)]),
            slice(&[("a", 6.0), ("dropped", 1.0)]),
        ];
        for (rule, alike, expected) in [
            // 1 of work takes 1/2 and 1/6: 2 take 2/3.
            (Combine::Rate, Alike::Work, 3.0),
            (Combine::Rate, Alike::Time, 4.0),
            (Combine::Mean, Alike::Work, 4.0),
            (Combine::Sum, Alike::Work, 8.0),
            (Combine::Max, Alike::Work, 6.0),
            (Combine::Min, Alike::Work, 2.0),
        ] {
            let rule = |name: &str| (name == "a").then_some(rule);
            let samples = combined(&slices, alike, &rule).unwrap();
            assert_eq!(samples.len(), 1);
            assert!((samples[0].value - expected).abs() < 1e-12);
            assert_eq!(samples[0].benchmark.as_deref(), Some("GET"));
        }
    }

    #[test]
    fn a_median_passes_over_what_interrupts_few_slices() {
        let rule = |_: &str| Some(Combine::Median);
        for (values, expected) in [
            (&[5.0, 1.0, 90.0][..], 5.0),
            (&[90.0, 4.0, 1.0, 6.0], 5.0),
            (&[7.0], 7.0),
        ] {
            let slices: Vec<_> = values.iter().map(|value| slice(&[("a", *value)])).collect();
            let samples = combined(&slices, Alike::Time, &rule).unwrap();
            assert_eq!(samples[0].value, expected);
        }
    }

    #[test]
    fn slices_must_have_the_same_metrics() {
        let rule = |_: &str| Some(Combine::Mean);
        let (one, two) = (slice(&[("a", 1.0)]), slice(&[("a", 1.0), ("b", 1.0)]));
        for slices in [[one.clone(), two.clone()], [two, one.clone()]] {
            let error = combined(&slices, Alike::Work, &rule).unwrap_err();
            assert!(error.contains("`b` of GET"), "{error}");
        }
        let both = [one.clone(), one.clone()].concat();
        let samples = combined(&[both.clone(), both], Alike::Work, &rule).unwrap();
        assert_eq!(samples.len(), 1);
        let twice = [one.clone(), [one.clone(), one].concat()];
        let error = combined(&twice, Alike::Work, &rule).unwrap_err();
        assert!(error.contains("found 3 in the first 2"), "{error}");
    }

    #[test]
    fn tools_say_whether_their_executions_take_the_same_time() {
        for (tool, line, expected) in [
            ("wrk", "http://127.0.0.1/", Alike::Time),
            ("pgbench", "-t 100", Alike::Work),
            ("pgbench", "-T 5 bench", Alike::Time),
            ("memtier_benchmark", "-n 100", Alike::Work),
            ("memtier_benchmark", "--test-time 5", Alike::Time),
            ("sysbench", "cpu run", Alike::Time),
            ("sysbench", "cpu --events=0 run", Alike::Time),
            ("sysbench", "cpu --events=10 --time=0 run", Alike::Work),
            ("fio", "--time_based --runtime=1", Alike::Time),
            ("fio", "--size=1M", Alike::Work),
            ("redis-benchmark", "-n 100", Alike::Work),
        ] {
            let alike = tool_of(tool).alike(&args(line));
            assert_eq!(alike, expected, "{tool} {line}");
        }
        let keys = tool_of("memtier_benchmark").slices(&args("-n allkeys"), 2);
        assert!(keys.unwrap_err().to_string().contains("all keys"));
    }

    #[test]
    fn work_that_is_too_little_names_what_would_do() {
        assert_eq!(share("wrk", "-d", 90, 30, 1).unwrap(), 3);
        let error = share("wrk", "-d", 20, 30, 1).unwrap_err().to_string();
        assert!(error.contains("at most 20 slices"), "{error}");
        let error = share("wrk", "-d", 1, 30, 1).unwrap_err().to_string();
        assert!(error.contains("at least 30"), "{error}");
    }
}
