//! Units of time.

use std::collections::HashMap;
use std::sync::Arc;

use perflab_experiment::Metric;

use crate::run::Run;

/// How many seconds a unit of time is; nothing for other units. `ns/op` and the like are times too.
pub(crate) fn seconds(unit: &str) -> Option<f64> {
    let unit = unit.strip_suffix("/op").unwrap_or(unit);
    match unit {
        "s" | "sec" | "seconds" | "second" => Some(1.0),
        "ms" => Some(1e-3),
        "us" | "µs" | "μs" => Some(1e-6),
        "ns" => Some(1e-9),
        "min" => Some(60.0),
        _ => None,
    }
}

/// Gives times of one name the unit that they have first, where tools wrote some in another one: else what is the same
/// would look like two things.
pub fn unify_times(runs: &mut [Run]) {
    let mut units: HashMap<(Option<String>, Option<String>, String), Arc<Metric>> = HashMap::new();
    for run in runs {
        for sample in &mut run.samples {
            let key = (
                run.workload.clone(),
                sample.benchmark.clone(),
                sample.metric.name.clone(),
            );
            let first = units
                .entry(key)
                .or_insert_with(|| Arc::clone(&sample.metric));
            let is_per = |unit: &str| unit.ends_with("/op");
            let (from, to) = (&sample.metric.unit, &first.unit);
            if from == to || sample.metric.better != first.better || is_per(from) != is_per(to) {
                continue;
            }
            if let (Some(from), Some(to)) = (seconds(from), seconds(to)) {
                sample.value *= from / to;
                sample.metric = Arc::clone(first);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use perflab_experiment::{Better, Sample};

    use super::*;

    fn run(value: f64, unit: &str) -> Run {
        let metric = Metric::new("time", unit, Better::Lower);
        let sample = Sample {
            metric: Arc::new(metric),
            value,
            benchmark: Some("x".to_owned()),
            step: None,
        };
        Run {
            samples: vec![sample],
            ..Run::default()
        }
    }

    #[test]
    fn times_of_one_name_have_one_unit() {
        let mut runs = [
            run(900.0, "us"),
            run(9.0, "ms"),
            run(1.0, "ns/op"),
            run(3.0, "bytes"),
        ];
        unify_times(&mut runs);
        let found = runs.map(|run| {
            let sample = &run.samples[0];
            (sample.value.round(), sample.metric.unit.clone())
        });
        let expected = [
            (900.0, "us"),
            (9000.0, "us"),
            (1.0, "ns/op"),
            (3.0, "bytes"),
        ];
        assert_eq!(
            found,
            expected.map(|(value, unit)| (value, unit.to_owned()))
        );
    }
}
