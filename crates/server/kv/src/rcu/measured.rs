//! The output of `perflab-kv rcu run`.

use perflab_rcu::{Counts, Durations, Facts};
use serde::Serialize;
use serde_json::{Map, Value};

/// The result of a measurement. A value that was not measured is absent.
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

/// How long writers waited for grace periods.
#[derive(Debug, Serialize)]
pub struct GracePeriods {
    /// Waits of writers, who may share a grace period.
    waits: u64,
    #[serde(flatten)]
    times: Option<Times>,
    histogram: Vec<Row>,
}

/// Times in ns.
#[derive(Debug, Serialize)]
struct Times {
    mean_ns: f64,
    min_ns: u64,
    p50_ns: u64,
    p99_ns: u64,
    max_ns: u64,
}

/// Waits that took at least this long, and less than the next row says.
#[derive(Debug, Serialize)]
struct Row {
    from_ns: u64,
    count: u64,
}

impl GracePeriods {
    /// From what a histogram counted.
    pub fn new(durations: &Durations) -> Self {
        let rows = durations.rows().into_iter();
        Self {
            waits: durations.count(),
            times: times(durations),
            histogram: rows
                .map(|(from_ns, count)| Row { from_ns, count })
                .collect(),
        }
    }
}

/// The times of the waits, or nothing if there was none.
fn times(durations: &Durations) -> Option<Times> {
    Some(Times {
        p50_ns: durations.quantile_ns(0.5)?,
        p99_ns: durations.quantile_ns(0.99)?,
        mean_ns: durations.total_ns as f64 / durations.count() as f64,
        min_ns: durations.shortest_ns,
        max_ns: durations.longest_ns,
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

    #[test]
    fn evidence_has_each_counter_as_a_number_and_each_fact_as_text() {
        let counts = Counts {
            waits: 3,
            ..Counts::default()
        };
        let facts = Facts {
            generation: Some("0.13".to_owned()),
            ..Facts::default()
        };
        let shown = evidence(&counts, &facts);
        assert_eq!(shown["waits"], 3);
        assert_eq!(shown["membarrier_expedited"], 0);
        assert_eq!(shown["generation"], "0.13");
        assert!(!shown.contains_key("library"));
    }
}
