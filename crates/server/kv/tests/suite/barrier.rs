//! `rcu barrier`: each kind is timed, or says why it cannot be.

use std::process::Command;

use perflab_testing::{needs, not_checked, test_name};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use serde_json::Value;

use crate::{KV, Said, rcu};

fn number(value: &Value, name: &str) -> f64 {
    value[name]
        .as_f64()
        .unwrap_or_else(|| panic!("{name} of {value}"))
}

fn check(cost: &Value, kind: &str, others: &str, calls: f64, together: f64) {
    assert_eq!(cost["kind"], kind);
    assert_eq!(cost["others"], others);
    assert_eq!(
        (number(cost, "calls"), number(cost, "calls_per_sample")),
        (calls, together)
    );
    let [p50, p99, max] = ["p50_ns", "p99_ns", "max_ns"].map(|name| number(cost, name));
    assert!(p50 <= p99 && p99 <= max, "{cost}");
    assert!(
        number(cost, "mean_ns") <= max && number(cost, "seconds") > 0.0,
        "{cost}"
    );
}

#[test]
fn instructions_are_timed_together() {
    for kind in ["mfence", "lock"] {
        let cost = rcu(&["barrier", kind, "--calls", "50500"]).code(0).json();
        check(&cost, kind, "idle", 50_000.0, 1000.0);
        assert!(number(&cost, "mean_ns") > 0.0, "{cost}");
    }
    let cost = rcu(&["barrier", "lock", "--calls", "5"]).code(0).json();
    check(&cost, "lock", "idle", 5.0, 5.0);
}

#[test]
fn calls_are_timed_one_by_one() {
    for (kind, calls) in [
        ("expedited", "200"),
        ("global-expedited", "200"),
        ("global", "3"),
    ] {
        for others in ["idle", "busy"] {
            let times = || rcu(&["barrier", kind, "--calls", calls, "--others", others]);
            let mut said = times();
            // Other tests may have had the CPU that was to be busy. In few calls they have it all the time, or never.
            for _ in 0..100 {
                if said.code == Some(4) && said.err.contains("interrupts of other CPUs") {
                    said = times();
                }
            }
            let possible = rcu(&["barrier", kind, "--others", others, "--possible"]);
            if said.code == Some(5) {
                let is_known = ["membarrier", "MEMBARRIER", "CPUs or more"]
                    .iter()
                    .any(|word| said.err.contains(word));
                assert!(is_known && said.out.is_empty(), "{}", said.err);
                assert_eq!(said.err, format!("error: {}", possible.code(77).out));
                not_checked(&format!("{}, {kind}, {others}", test_name()), &said.err);
                continue;
            }
            assert_eq!(possible.code(0).out, "");
            let cost = said.code(0).json();
            let calls: f64 = calls.parse().unwrap();
            check(&cost, kind, others, calls, 1.0);
            let evidence = |name: &str| number(&cost["evidence"], name);
            assert!(evidence("processors") >= 2.0, "{cost}");
            if kind == "global" {
                assert!(evidence("sleeps") >= calls, "{cost}");
            } else if others == "busy" {
                assert!(evidence("interrupts") >= calls * 0.9, "{cost}");
            }
        }
    }
}

/// As under `taskset`, or in a cpuset.
#[test]
fn a_process_with_one_cpu_has_no_busy_others() {
    let allowed = sched_getaffinity(None).unwrap();
    let first = (0..CpuSet::MAX_CPU)
        .find(|cpu| allowed.is_set(*cpu))
        .unwrap();
    let mut one = CpuSet::new();
    one.set(first);
    // The program inherits it from this thread.
    sched_setaffinity(None, &one).unwrap();
    let busy = ["barrier", "lock", "--others", "busy"];
    let said = rcu(&[&busy[..], &["--possible"]].concat()).code(77);
    let reason = "--others busy: expected 2 CPUs or more that this process may use, found 1\n";
    assert_eq!(said.out, reason);
    let said = rcu(&busy).code(5);
    assert_eq!(said.err, format!("error: {reason}"));
    rcu(&["barrier", "lock", "--possible"]).code(0);
}

#[test]
fn calls_without_memory_for_their_times_are_refused() {
    needs("bash", "bash");
    let possible = rcu(&["barrier", "expedited", "--possible"]);
    if possible.code == Some(77) {
        not_checked(&test_name(), &possible.out);
        return;
    }
    let limited = Command::new("bash")
        .args(["-c", "ulimit -v 400000; exec \"$@\"", "bash", KV])
        .args(["rcu", "barrier", "expedited", "--calls", "100000000"])
        .output();
    let said = Said::of(limited.unwrap()).code(5);
    assert!(
        said.err.starts_with("error: --calls 100000000: memory"),
        "{}",
        said.err
    );
}

#[test]
fn mistakes_are_told() {
    rcu(&["barrier", "expedited", "--calls", "0"]).code(2);
    rcu(&["barrier", "lock", "--calls", "10000000000"]).code(2);
    let said = rcu(&["barrier", "fence"]).code(2);
    assert!(said.err.contains("global-expedited"), "{}", said.err);
}
