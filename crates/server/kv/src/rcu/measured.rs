//! The output of `perflab-kv rcu run`.

use perflab_rcu::{BUCKETS, Counts, Durations, Facts};
use serde::Serialize;
use serde_json::{Map, Value};

/// The result of a measurement. What was not measured is absent.
#[derive(Debug, Serialize)]
pub struct Measured {
    pub flavour: String,
    pub readers: usize,
    pub writers: usize,
    pub seconds: f64,
    pub reads: u64,
    pub writes: u64,
    pub reads_per_s: f64,
    pub writes_per_s: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grace_periods: Option<GracePeriods>,
    /// Counters of the grace period that proved the flavour.
    pub proof: Map<String, Value>,
    pub evidence: Map<String, Value>,
}

/// How long grace periods took.
#[derive(Debug, Serialize)]
pub struct GracePeriods {
    count: u64,
    #[serde(flatten)]
    quantiles: Option<Quantiles>,
    histogram: Vec<Bucket>,
}

/// Times in ns, each interpolated within its bucket.
#[derive(Debug, Serialize)]
struct Quantiles {
    mean_ns: f64,
    p50_ns: f64,
    p99_ns: f64,
    max_ns: u64,
}

/// Those that took at least this long, and less than the next bucket says. The first has all that are shorter as well.
#[derive(Debug, Serialize)]
struct Bucket {
    from_ns: u64,
    count: u64,
}

impl GracePeriods {
    /// From what a histogram counted.
    pub fn new(durations: &Durations) -> Self {
        let count = durations.count();
        let buckets = durations.buckets.iter().enumerate();
        Self {
            count,
            quantiles: quantiles(durations),
            histogram: buckets
                .filter(|(_, count)| **count > 0)
                .map(|(bucket, count)| Bucket {
                    from_ns: Durations::lower_bound_ns(bucket),
                    count: *count,
                })
                .collect(),
        }
    }
}

/// Nothing without a grace period.
fn quantiles(durations: &Durations) -> Option<Quantiles> {
    let last = durations.buckets.iter().rposition(|count| *count > 0)?;
    // The longest of all times may have been one that came before the measurement.
    let highest = if last + 1 < BUCKETS {
        Durations::lower_bound_ns(last + 1)
    } else {
        u64::MAX
    };
    Some(Quantiles {
        mean_ns: durations.total_ns as f64 / durations.count() as f64,
        p50_ns: durations.quantile_ns(0.5)?,
        p99_ns: durations.quantile_ns(0.99)?,
        max_ns: durations.longest_ns.min(highest),
    })
}

/// Shows that the flavour was at work: its counters, and facts on its library.
pub fn evidence(counts: &Counts, facts: &Facts) -> Map<String, Value> {
    let facts = facts
        .each()
        .map(|(name, text)| (name.to_owned(), text.into()));
    counters(counts).into_iter().chain(facts).collect()
}

/// The counters by their names.
pub fn counters(counts: &Counts) -> Map<String, Value> {
    let counts = counts.each();
    counts
        .map(|(name, count)| (name.to_owned(), count.into()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn durations(longest_ns: u64, counted: &[(usize, u64)]) -> Durations {
        let mut buckets = [0; BUCKETS];
        for (bucket, count) in counted {
            buckets[*bucket] = *count;
        }
        Durations {
            buckets,
            total_ns: 1000,
            longest_ns,
        }
    }

    #[test]
    fn without_a_grace_period_there_are_no_quantiles() {
        let shown = serde_json::to_value(GracePeriods::new(&durations(77, &[]))).unwrap();
        assert_eq!(shown, serde_json::json!({"count": 0, "histogram": []}));
    }

    #[test]
    fn the_longest_is_not_one_that_came_before() {
        let shown = GracePeriods::new(&durations(1 << 40, &[(4, 3), (6, 1)]));
        let shown = serde_json::to_value(shown).unwrap();
        assert_eq!(shown["max_ns"], 768);
        assert_eq!(shown["mean_ns"], 250.0);
        assert_eq!(
            shown["histogram"],
            serde_json::json!([{"from_ns": 256, "count": 3}, {"from_ns": 512, "count": 1}])
        );
        let shown = GracePeriods::new(&durations(600, &[(6, 1)]));
        let shown = serde_json::to_value(shown).unwrap();
        assert_eq!(shown["max_ns"], 600);
        assert_eq!(shown["count"], 1);
    }

    #[test]
    fn evidence_has_each_counter_as_a_number_and_each_fact_as_text() {
        let counts = Counts {
            grace_periods: 3,
            ..Counts::default()
        };
        let facts = Facts {
            generation: Some("0.13".to_owned()),
            ..Facts::default()
        };
        let shown = evidence(&counts, &facts);
        assert_eq!(shown["grace_periods"], 3);
        assert_eq!(shown["membarrier_expedited"], 0);
        assert_eq!(shown["generation"], "0.13");
        assert!(!shown.contains_key("library"));
    }
}
