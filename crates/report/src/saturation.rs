//! Whether the load generator was the bottleneck.

use perflab_experiment::Experiment;
use perflab_store::RunRecord;

/// Share of its CPUs' time from which a load generator has nothing left to give.
const SATURATED: f64 = 0.95;

/// A sentence for each workload and variant whose load generator kept all its CPUs busy, in the
/// median of the runs that passed.
///
/// Only where a system of its own was measured, and where it is known which CPUs the generator may
/// use: a workload that is measured itself is meant to use them.
pub(crate) fn saturated(experiment: &Experiment, records: &[RunRecord]) -> Vec<String> {
    let Some(cpus) = experiment
        .cpus
        .load
        .as_ref()
        .map(|list| list.numbers().len())
    else {
        return Vec::new();
    };
    let mut sentences = Vec::new();
    for workload in experiment.workloads.keys() {
        let served = experiment
            .variants
            .iter()
            .filter(|(_, variant)| variant.start.is_some());
        for (variant, _) in served {
            let own = records.iter().filter(|record| {
                &record.workload == workload && &record.variant == variant && record.status.passed()
            });
            let shares = own.filter_map(|record| busy(record, cpus));
            let Ok(median) = perflab_stats::summary::median(&shares.collect::<Vec<f64>>()) else {
                continue;
            };
            if median >= SATURATED {
                let plural = if cpus == 1 { "CPU" } else { "CPUs" };
                sentences.push(format!(
                    "the load generator of {workload} used {:.0}% of its {cpus} {plural} against {variant}: \
                     it was the bottleneck, and the system may be faster than it could show",
                    100.0 * median
                ));
            }
        }
    }
    sentences
}

/// Share of the time of so many CPUs that a run's load generator used.
fn busy(record: &RunRecord, cpus: usize) -> Option<f64> {
    let available = record.wall_s * cpus as f64;
    let used = record.user_s + record.system_s;
    (available > 0.0).then_some((used / available).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn experiment(cpus: &str, start: &str) -> Experiment {
        let text = format!(
            "{cpus}\n[variants.a]\n{start}\n[workloads.w]\ndriver = 'command'\ncommand = ['client']\n"
        );
        Experiment::parse(&text, "test").unwrap()
    }

    fn record(wall_s: f64, user_s: f64, status: &str) -> RunRecord {
        serde_json::from_value(serde_json::json!({
            "schema": 1, "run": 1, "block": 1, "cell": "a/w", "variant": "a", "workload": "w",
            "parameters": {}, "unit": 1, "started": "2026-03-01T12:00:00Z", "status": status,
            "argv": ["client"], "exit_code": 0, "wall_s": wall_s, "user_s": user_s, "system_s": 0.25,
            "voluntary_switches": 0, "involuntary_switches": 0, "environment_padding_bytes": 0,
            "load1": 0.0, "samples": [], "evidence": {},
        }))
        .unwrap()
    }

    const SERVER: &str = "start = ['server']\nready = { tcp = '127.0.0.1:1' }";

    #[test]
    fn a_client_that_has_nothing_left_to_give() {
        let busy = [
            record(1.0, 0.72, "PASS"),
            record(1.0, 0.9, "PASS"),
            record(1.0, 0.1, "PASS"),
        ];
        let found = saturated(&experiment("cpus = { load = '1' }", SERVER), &busy);
        assert!(
            found
                .iter()
                .any(|text| text.contains("used 97% of its 1 CPU against a")),
            "{found:?}"
        );
        // With a second CPU it had half of its time left.
        assert!(saturated(&experiment("cpus = { load = '1-2' }", SERVER), &busy).is_empty());
    }

    #[test]
    fn where_nothing_can_be_said() {
        let busy = [record(1.0, 0.75, "PASS")];
        assert_eq!(
            saturated(&experiment("cpus = { load = '1' }", SERVER), &busy).len(),
            1
        );
        assert!(saturated(&experiment("", SERVER), &busy).is_empty());
        assert!(saturated(&experiment("cpus = { load = '1' }", ""), &busy).is_empty());
        let failed = [record(1.0, 0.75, "FAIL"), record(0.0, 0.0, "PASS")];
        assert!(saturated(&experiment("cpus = { load = '1' }", SERVER), &failed).is_empty());
    }
}
