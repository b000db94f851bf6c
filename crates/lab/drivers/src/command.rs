//! Any command: what it cost, whatever it printed.

use perflab_experiment::{Better, Combine, Metric, Sample};

use crate::driver::Driver;
use crate::error::{Place, ReadError};
use crate::output::Output;

/// Measures a command from outside: `wall`, `user` and `system` in seconds, and `max_rss` in bytes
/// where it is known.
///
/// The arguments are the command line itself. The exit code is not looked at, because whether a
/// failed command counts is decided by whoever runs it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Command;

fn metric(name: &str, unit: &str) -> Metric {
    Metric::new(name, unit, Better::Lower)
}

impl Driver for Command {
    fn name(&self) -> &'static str {
        "command"
    }

    fn argv(&self, args: &[String]) -> Vec<String> {
        args.to_vec()
    }

    fn metrics(&self) -> Vec<Metric> {
        vec![
            metric("wall", "s"),
            metric("user", "s"),
            metric("system", "s"),
            metric("max_rss", "bytes"),
        ]
    }

    fn reads_output(&self) -> bool {
        false
    }

    fn combine(&self, metric: &str) -> Option<Combine> {
        Some(match metric {
            "max_rss" => Combine::Max,
            _ => Combine::Sum,
        })
    }

    fn read(&self, output: &Output<'_>) -> Result<Vec<Sample>, ReadError> {
        let usage = output.usage;
        let values = [
            Some(usage.wall_s),
            Some(usage.user_s),
            Some(usage.system_s),
            usage.max_rss_bytes.map(|bytes| bytes as f64),
        ];
        self.metrics()
            .into_iter()
            .zip(values)
            .filter_map(|(metric, value)| Some((metric, value?)))
            .map(|(metric, value)| {
                if value.is_finite() && value >= 0.0 {
                    Ok(Sample {
                        benchmark: None,
                        metric: metric.into(),
                        value,
                        step: None,
                    })
                } else {
                    Err(ReadError::new(
                        Place::Usage,
                        format!("a `{}` that is finite and not negative", metric.name),
                        value.to_string(),
                    ))
                }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Usage;

    fn read(usage: Usage) -> Result<Vec<Sample>, ReadError> {
        Command.read(&Output {
            stdout: b"",
            stderr: b"\xff",
            usage,
        })
    }

    #[test]
    fn each_metric_has_its_own_value() {
        let samples = read(Usage {
            wall_s: 1.5,
            user_s: 0.25,
            system_s: 0.125,
            max_rss_bytes: Some(4096),
            exit_code: 1,
        })
        .unwrap();
        let seen: Vec<_> = samples
            .iter()
            .map(|s| (s.metric.name.as_str(), s.metric.unit.as_str(), s.value))
            .collect();
        assert_eq!(
            seen,
            [
                ("wall", "s", 1.5),
                ("user", "s", 0.25),
                ("system", "s", 0.125),
                ("max_rss", "bytes", 4096.0)
            ]
        );
        assert!(
            samples
                .iter()
                .all(|s| s.metric.better == Better::Lower && s.benchmark.is_none())
        );
    }

    #[test]
    fn a_time_that_cannot_be_is_refused() {
        for wall_s in [f64::NAN, f64::INFINITY, -1.0] {
            let error = read(Usage {
                wall_s,
                ..Usage::default()
            })
            .unwrap_err();
            assert_eq!(error.place, Place::Usage);
            assert!(error.to_string().contains("`wall`"), "{error}");
        }
    }

    #[test]
    fn the_arguments_are_the_command() {
        let args = ["sleep".to_owned(), "1".to_owned()];
        assert_eq!(Command.argv(&args), args);
    }
}
