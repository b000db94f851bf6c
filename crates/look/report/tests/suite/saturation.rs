//! Load generators that had nothing left to give, or took more than the system.

use perflab_compare::{Comparison, add_saturation};
use perflab_experiment::Experiment;
use perflab_report::report_warnings;
use perflab_store::RunRecord;
use serde_json::json;

const SERVER: &str = "start = ['server']\nready = { tcp = '127.0.0.1:1' }";
const COMMAND: &str = "driver = 'command'\ncommand = ['client']";
const REDIS: &str = "driver = 'redis-benchmark'\nargs = ['-t', 'get']";
const REDIS_THREADS: &str = "driver = 'redis-benchmark'\nargs = ['--threads', '{threads}']";

/// One run of the workload, of 1 s of wall time.
fn record(user_s: f64, argv: &[&str]) -> RunRecord {
    serde_json::from_value(json!({
        "schema": 2, "run": 1, "block": 1, "cell": "a/w", "variant": "a", "workload": "w",
        "parameters": {}, "unit": 1, "started": "2026-03-01T12:00:00Z", "status": "PASS",
        "argv": argv, "exit_code": 0, "usage": {"wall_s": 1.0, "user_s": user_s, "system_s": 0.25, "voluntary_switches": 0,
            "involuntary_switches": 0}, "environment_padding_bytes": 0,
        "load1": 0.0, "samples": [], "evidence": {},
    }))
    .unwrap()
}

fn empty() -> Comparison {
    serde_json::from_value(json!({
        "name": "test", "question": null, "baseline": "a", "control": null,
        "confidence": 0.95, "margin": null, "rows": [], "pooled": [], "tests": 0,
        "design": {
            "blocks": 1, "planned": 1, "recorded": 1, "failed": {}, "seed": null,
            "randomised": true,
        },
    }))
    .unwrap()
}

fn said(
    [cpus, start, workload]: [&str; 3],
    records: &[RunRecord],
    machine: Option<usize>,
) -> Vec<String> {
    let parameters = match workload.contains("{threads}") {
        true => "[parameters]\nthreads = [2]",
        false => "",
    };
    let text = format!("{cpus}\n{parameters}\n[variants.a]\n{start}\n[workloads.w]\n{workload}\n");
    let experiment = Experiment::parse(&text, "test").unwrap();
    let mut report = empty();
    add_saturation(&mut report, &experiment, records, machine);
    report_warnings(&report)
}

/// The median is 97 % of a CPU.
fn busy(argv: &[&str]) -> [RunRecord; 3] {
    [0.72, 0.9, 0.1].map(|user_s| record(user_s, argv))
}

#[test]
fn a_client_that_has_nothing_left_to_give() {
    let runs = busy(&["client"]);
    let found = said(["cpus = { load = '1' }", SERVER, COMMAND], &runs, Some(4));
    assert_eq!(found.len(), 1);
    assert!(
        found[0].contains("of w used 97% of its 1 CPU against a"),
        "{found:?}"
    );
    // With a second CPU it had half of its time left.
    assert!(said(["cpus = { load = '1-2' }", SERVER, COMMAND], &runs, Some(4)).is_empty());
}

#[test]
fn a_single_thread_has_enough_with_one_cpu_of_many() {
    let runs = busy(&["redis-benchmark", "--csv", "-t", "get"]);
    for cpus in [
        "",
        "cpus = { load = '1-2' }",
        "cpus = { load = '1-2', system = '0' }",
    ] {
        for machine in [Some(2), Some(64), None] {
            let found = said([cpus, SERVER, REDIS], &runs, machine);
            assert_eq!(found.len(), 1, "{cpus} {machine:?}");
            assert!(
                found[0].contains("97% of the time of its 1 thread against a"),
                "{found:?}"
            );
        }
    }
    let found = said(["", SERVER, REDIS], &runs, Some(1));
    assert!(found[0].contains("97% of the machine's 1 CPU"), "{found:?}");
    let idle = [record(0.69, &["redis-benchmark", "--csv", "-t", "get"])];
    assert!(said(["", SERVER, REDIS], &idle, Some(2)).is_empty());
}

#[test]
fn threads_are_those_of_the_run_and_not_of_the_template() {
    let argv = ["taskset", "1", "redis-benchmark", "--csv", "--threads", "2"];
    let runs = [record(1.7, &argv)];
    let found = said(["", SERVER, REDIS_THREADS], &runs, Some(4));
    assert!(
        found[0].contains("98% of the time of its 2 threads"),
        "{found:?}"
    );
    assert!(said(["", SERVER, REDIS_THREADS], &busy(&argv), Some(4)).is_empty());
    // Words are missing: nothing is known of the threads, and there are CPUs left.
    assert!(said(["", SERVER, REDIS], &busy(&["get"]), Some(4)).is_empty());
}

#[test]
fn configurations_are_judged_one_by_one() {
    let argv = ["redis-benchmark", "--csv", "-t", "get"];
    let mut runs = busy(&argv).to_vec();
    for record in &mut runs {
        record.parameters = [("clients".to_owned(), "8".to_owned())].into();
    }
    runs.extend((0..9).map(|_| record(0.1, &argv)));
    let found = said(["", SERVER, REDIS], &runs, Some(4));
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("of w clients=8 used"), "{found:?}");
}

#[test]
fn on_shared_cpus_only_the_share_is_said() {
    let shared = "cpus = { load = '0', system = '0-1' }";
    let argv = ["redis-benchmark", "--csv", "-t", "get"];
    let with_system = |user_s: f64| {
        let mut runs = busy(&argv);
        for run in &mut runs {
            run.evidence = [("system_user_s", user_s), ("system_system_s", 0.1)]
                .map(|(name, value)| (name.to_owned(), value))
                .into();
        }
        runs
    };
    let found = said([shared, SERVER, REDIS], &with_system(0.3), Some(2));
    assert_eq!(found.len(), 1);
    // 0.97 of 0.97 + 0.4.
    assert!(found[0].contains("71% for w against a"), "{found:?}");
    assert!(said([shared, SERVER, REDIS], &with_system(2.0), Some(2)).is_empty());
    // The system was kept: its time is known for the last run only.
    let mut kept = with_system(0.1);
    kept[0].evidence.clear();
    assert!(said([shared, SERVER, REDIS], &kept, Some(2)).is_empty());
}

#[test]
fn where_nothing_can_be_said() {
    let runs = [record(0.75, &["client"])];
    let pinned = "cpus = { load = '1' }";
    assert_eq!(said([pinned, SERVER, COMMAND], &runs, None).len(), 1);
    assert!(said(["", SERVER, COMMAND], &runs, None).is_empty());
    assert!(said(["", SERVER, COMMAND], &runs, Some(2)).is_empty());
    assert!(said([pinned, "", COMMAND], &runs, Some(2)).is_empty());
    let mut failed = [record(0.75, &["client"]), record(0.0, &["client"])];
    failed[0].status = perflab_experiment::Status::Fail;
    failed[1].usage = None;
    assert!(said([pinned, SERVER, COMMAND], &failed, Some(2)).is_empty());
}

#[test]
fn at_a_place_load_and_system_share_the_cpus() {
    let text = "[design]\nslices = 2\ntogether = true\n[variants.a]\nstart = ['server']\n[variants.b]\nstart = ['other']\n\
                [workloads.w]\ndriver = 'command'\ncommand = ['client', '{slice}']\n";
    let mut run = record(0.72, &["client"]);
    run.evidence.insert("system_user_s".to_owned(), 0.3);
    run.evidence.insert("system_system_s".to_owned(), 0.0);
    let mut report = empty();
    let experiment = Experiment::parse(text, "test").unwrap();
    add_saturation(&mut report, &experiment, &[run], Some(1));
    let found = report_warnings(&report);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("76% for w against a"), "{found:?}");
}
