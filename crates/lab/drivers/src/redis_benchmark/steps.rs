//! The steps that the tool's values lie in. Read from the source of 7.0.15 and seen in its output.

use super::options::Options;
use crate::histogram::hdr_bucket_ms;

/// The clock, in seconds; with threads the end of a test is noticed by a timer.
const CLOCK_S: f64 = 0.001;
const TIMER_S: f64 = 0.25;

/// The distance of the values beside one.
pub(super) fn about(metric: &str, value: f64, options: &Options<'_>) -> Option<f64> {
    match metric {
        "rps" => {
            let tick = if options.is_threaded() {
                TIMER_S
            } else {
                CLOCK_S
            };
            let requests = options.requests();
            // All requests of a test, over whole ticks.
            (requests > 0).then(|| value * value * tick / requests as f64)
        }
        // The average is not taken from the histogram.
        "latency_avg" => None,
        _ if metric.starts_with("latency_") => Some(hdr_bucket_ms(value, options.figures())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_lines::args;

    #[test]
    fn rates_are_of_whole_milliseconds_over_all_requests() {
        let step = |line: &str, value| about("rps", value, &Options::of(&args(line)));
        let near = |found: Option<f64>, expected: f64| {
            assert!((found.unwrap() / expected - 1.0).abs() < 1e-9, "{found:?}");
        };
        // 1000 requests in 20 ms: 50000 and 47619 are neighbours.
        near(step("-n 1000", 50_000.0), 2500.0);
        near(step("-n 1000", 1e6 / 21.0), 1e6 / 441.0);
        near(step("-t get", 100_000.0), 100.0);
        near(step("--threads 2 -n 1000000", 1e6), 250_000.0);
        assert_eq!(step("-n 0", 50_000.0), None);
    }

    #[test]
    fn percentiles_are_edges_of_a_histogram_and_averages_are_not() {
        let step = |metric, value, line: &str| about(metric, value, &Options::of(&args(line)));
        assert_eq!(step("latency_p50", 0.391, ""), Some(0.008));
        assert_eq!(step("latency_p99", 20.0, ""), Some(0.016));
        assert_eq!(step("latency_p50", 0.391, "--precision 1"), Some(0.016));
        assert_eq!(step("latency_avg", 0.391, ""), None);
    }
}
