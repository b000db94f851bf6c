//! What runs cost in time, as the record of an experiment shows it.

use std::collections::HashSet;

use perflab_store::RunRecord;

/// A gap so many times the median of its kind is an interruption, not a cost.
const INTERRUPTION: f64 = 10.0;

/// Times in seconds, preparation and waiting included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Costs {
    /// From the start of a run to that of the next one.
    pub run_s: f64,
    /// What it takes more where the next run has another unit (a restart, a build); absent where
    /// every run or none has.
    pub unit_s: Option<f64>,
    /// A run with its share of that: the mean over all runs.
    pub mean_s: f64,
}

impl Costs {
    /// From the times at which runs were started. Nothing from fewer than two runs.
    pub fn of(records: &[RunRecord]) -> Option<Self> {
        let mut seen = HashSet::new();
        let mut last = None;
        let (mut kept, mut renewed) = (Vec::new(), Vec::new());
        for record in records {
            let started: jiff::Timestamp = record.started.parse().ok()?;
            let fresh = seen.insert((&record.variant, record.unit));
            if let Some(before) = last.replace(started) {
                let gap = started.duration_since(before).as_secs_f64();
                if gap > 0.0 {
                    if fresh { &mut renewed } else { &mut kept }.push(gap);
                }
            }
        }
        let (kept, renewed) = (typical(kept), typical(renewed));
        let run_s = kept.or(renewed)?;
        let unit_s = kept.and(renewed).map(|unit| unit - run_s);
        let unit_s = unit_s.filter(|extra| *extra > 0.0);
        let units = seen.len() as f64 / records.len() as f64;
        Some(Self {
            run_s,
            unit_s,
            mean_s: run_s + units * unit_s.unwrap_or(0.0),
        })
    }
}

/// Mean without interruptions.
fn typical(mut gaps: Vec<f64>) -> Option<f64> {
    let median = perflab_stats::summary::median(&gaps).ok()?;
    gaps.retain(|gap| *gap <= INTERRUPTION * median);
    perflab_stats::summary::mean(&gaps).ok()
}

#[cfg(test)]
mod tests {
    use super::typical;

    #[test]
    fn a_night_between_two_runs_is_no_cost() {
        assert_eq!(typical(vec![1.0, 2.0, 3.0, 40_000.0]), Some(2.0));
        assert_eq!(typical(Vec::new()), None);
    }
}
