//! Any bytes as the output of redis-benchmark: standard output up to the first NUL, standard error
//! behind it.

use std::collections::HashSet;

use perflab_drivers::{Driver, Output, RedisBenchmark, Usage};

/// Whether the input is worth keeping in a corpus.
pub fn run(input: &[u8]) -> bool {
    let mut streams = input.splitn(2, |&byte| byte == 0);
    let stdout = streams.next().unwrap_or_default();
    let stderr = streams.next().unwrap_or_default();
    for exit_code in [0, 1] {
        let usage = Usage {
            exit_code,
            ..Usage::default()
        };
        let output = Output {
            stdout,
            stderr,
            usage,
        };
        match RedisBenchmark.read(&output) {
            Ok(samples) => {
                assert_eq!(exit_code, 0);
                assert!(!samples.is_empty());
                assert!(
                    samples
                        .iter()
                        .all(|sample| sample.value.is_finite() && sample.value >= 0.0)
                );
                let names: HashSet<_> = samples
                    .iter()
                    .map(|sample| (&sample.part, &sample.metric.name))
                    .collect();
                assert_eq!(names.len(), samples.len(), "each metric of each test once");
            }
            Err(error) => {
                let message = error.to_string();
                assert!(
                    !message.contains('\n') && message.len() < 2_000,
                    "{message}"
                );
            }
        }
    }
    true
}
