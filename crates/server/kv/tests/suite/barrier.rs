//! `rcu barrier`: each kind is timed, or says why it cannot be.

use perflab_testing::{not_checked, test_name};
use serde_json::Value;

use crate::rcu;

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
        ("expedited", "1000"),
        ("global-expedited", "1000"),
        ("global", "3"),
    ] {
        for others in ["idle", "busy"] {
            let said = rcu(&["barrier", kind, "--calls", calls, "--others", others]);
            if said.code == Some(5) {
                let is_known = ["membarrier", "MEMBARRIER", "one CPU"]
                    .iter()
                    .any(|word| said.err.contains(word));
                assert!(is_known && said.out.is_empty(), "{}", said.err);
                not_checked(&format!("{}, {kind}, {others}", test_name()), &said.err);
                continue;
            }
            let cost = said.code(0).json();
            check(&cost, kind, others, calls.parse().unwrap(), 1.0);
        }
    }
}

#[test]
fn mistakes_are_told() {
    rcu(&["barrier", "expedited", "--calls", "0"]).code(2);
    let said = rcu(&["barrier", "fence"]).code(2);
    assert!(said.err.contains("global-expedited"), "{}", said.err);
}
