//! What a metric tells of a load: how much was done, or how long single requests took.

/// What a metric tells of a load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// How much was done per time. Always better higher.
    Throughput,
    /// How long a typical request took, or a slow one. Always better lower.
    Latency(Latency),
    /// Anything else: use of CPUs, errors, extremes and deviations of latencies.
    Other,
}

/// Which latency of a run's requests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Latency {
    /// Their mean.
    Mean,
    /// That which this share of the requests, from 0 to 1, did not exceed.
    Quantile(f64),
}

/// The kind of a latency from the end of its name, as drivers write it: `avg`, or `p99.9` for the
/// quantile 0.999.
pub(crate) fn latency(what: &str) -> Kind {
    let percent = what.strip_prefix('p').and_then(|percent| {
        let number = percent.parse::<f64>().ok()?;
        (0.0..=100.0).contains(&number).then_some(number)
    });
    match (what, percent) {
        ("avg", _) => Kind::Latency(Latency::Mean),
        // 99.9 / 100.0 would not be 0.999.
        (_, Some(percent)) => Kind::Latency(Latency::Quantile((percent * 1e6).round() / 1e8)),
        _ => Kind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::DRIVERS;
    use perflab_experiment::Better;

    #[test]
    fn the_end_of_a_name_says_which_latency() {
        let quantile = |share| Kind::Latency(Latency::Quantile(share));
        for (what, kind) in [
            ("avg", Kind::Latency(Latency::Mean)),
            ("p50", quantile(0.5)),
            ("p99.9", quantile(0.999)),
            ("p100", quantile(1.0)),
            ("p101", Kind::Other),
            ("pNaN", Kind::Other),
            ("p", Kind::Other),
            ("max", Kind::Other),
            ("stddev", Kind::Other),
            ("", Kind::Other),
        ] {
            assert_eq!(latency(what), kind, "{what}");
        }
    }

    #[test]
    fn kinds_fit_what_drivers_say_of_their_metrics() {
        let mut with_latencies = Vec::new();
        for driver in DRIVERS {
            for metric in driver.metrics() {
                let name = format!("{} {}", driver.name(), metric.name);
                match driver.kind(&metric.name) {
                    Kind::Throughput => {
                        assert_eq!(metric.better, Better::Higher, "{name}");
                        assert!(metric.unit.ends_with("/s"), "{name}: {}", metric.unit);
                    }
                    Kind::Latency(_) => {
                        assert_eq!(metric.better, Better::Lower, "{name}");
                        assert!(["ms", "us"].contains(&metric.unit.as_str()), "{name}");
                        with_latencies.push(driver.name());
                    }
                    Kind::Other => {}
                }
            }
            assert_eq!(driver.kind("no such metric"), Kind::Other);
        }
        with_latencies.dedup();
        let expected = [
            "fio",
            "memtier_benchmark",
            "pgbench",
            "redis-benchmark",
            "sysbench",
            "wrk",
        ];
        assert_eq!(with_latencies, expected);
        for name in expected {
            let driver = crate::tool(name).unwrap();
            let headline = driver.metrics().remove(0).name;
            assert_eq!(driver.kind(&headline), Kind::Throughput, "{name}");
        }
    }
}
