//! `rcu run`: numbers with their evidence, and no number without.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Instant;

use perflab_testing::{needs, not_checked, test_name};
use rustix::thread::{CpuSet, sched_getaffinity};
use serde_json::Value;

use crate::possible::{FAKE, library};
use crate::{KV, Said, is_here, rcu};

fn number(value: &Value, pointer: &str) -> f64 {
    let found = value.pointer(pointer).and_then(Value::as_f64);
    found.unwrap_or_else(|| panic!("{pointer} of {value}"))
}

fn measured(flavour: &str, more: &[&str]) -> Value {
    let base = [
        "run",
        flavour,
        "--readers",
        "2",
        "--writers",
        "1",
        "--milliseconds",
        "300",
    ];
    let result = rcu(&[&base[..], more].concat()).code(0).json();
    assert_eq!(result["flavour"], flavour);
    assert_eq!(result["readers"], 2);
    assert_eq!(result["writers"], 1);
    result
}

/// Measures a flavour; none of these counters moved, and if there was a grace period, each of those did.
fn at_work(flavour: &str, moved: &[&str], still: &[&str]) {
    if !is_here(flavour) {
        return;
    }
    let result = measured(flavour, &[]);
    let evidence = |name: &str| number(&result, &format!("/evidence/{name}"));
    let seconds = number(&result, "/seconds");
    assert!((0.3..10.0).contains(&seconds), "{result}");
    for name in ["reads", "writes"] {
        let (count, rate) = (
            number(&result, &format!("/{name}")),
            number(&result, &format!("/{name}_per_s")),
        );
        assert!((count / seconds - rate).abs() <= rate * 1e-9, "{result}");
    }
    assert!(number(&result, "/reads") > 1000.0, "{result}");
    let waits = evidence("waits");
    assert_eq!(waits, number(&result, "/grace_periods/waits"), "{result}");
    // One may have been under way at the end.
    let unfinished = waits - number(&result, "/writes");
    assert!(unfinished == 0.0 || unfinished == 1.0, "{result}");
    for name in still {
        assert_eq!(evidence(name), 0.0, "{name}: {result}");
    }
    if waits > 0.0 {
        for name in moved {
            assert!(evidence(name) >= 1.0, "{name}: {result}");
        }
        let times = ["min", "p50", "p99", "max"];
        let times = times.map(|name| number(&result, &format!("/grace_periods/{name}_ns")));
        assert!(0.0 < times[0] && times.is_sorted(), "{result}");
        let buckets = result["grace_periods"]["histogram"].as_array().unwrap();
        let total: f64 = buckets.iter().map(|bucket| number(bucket, "/count")).sum();
        assert_eq!(total, waits, "{result}");
    }
}

const EXPEDITED: &str = "membarrier_expedited";
const GLOBAL: &str = "membarrier_global";
const SIGNALS: &str = "signals_handled";

#[test]
fn flavours_of_memb() {
    at_work("memb", &[EXPEDITED], &[GLOBAL, SIGNALS]);
    at_work("memb-forced", &[EXPEDITED], &[GLOBAL, SIGNALS]);
    at_work("memb-without", &[], &[EXPEDITED, GLOBAL, SIGNALS]);
    at_work("memb-global", &[GLOBAL], &[EXPEDITED, SIGNALS]);
}

#[test]
fn other_flavours_of_liburcu() {
    at_work("bp", &[EXPEDITED], &[GLOBAL, SIGNALS]);
    at_work("mb", &[], &[EXPEDITED, GLOBAL, SIGNALS]);
    at_work("signal", &[SIGNALS, "signals_sent"], &[EXPEDITED, GLOBAL]);
    at_work("qsbr", &["quiescent_states"], &[EXPEDITED, GLOBAL, SIGNALS]);
}

#[test]
fn own_domains_and_the_lock() {
    at_work(
        "own-qsbr",
        &["quiescent_states"],
        &[EXPEDITED, GLOBAL, SIGNALS],
    );
    at_work("own-membarrier", &[EXPEDITED], &[GLOBAL, SIGNALS]);
    at_work("own-membarrier-global", &[GLOBAL], &[EXPEDITED, SIGNALS]);
    at_work("rwlock", &["write_locks"], &[EXPEDITED, GLOBAL, SIGNALS]);
}

#[test]
fn without_a_clock_grace_periods_are_counted_only() {
    let result = measured("own-qsbr", &["--unwatched", "--layout", "7"]);
    assert!(result.get("grace_periods").is_none(), "{result}");
    assert!(number(&result, "/evidence/waits") >= number(&result, "/writes"));
}

#[test]
fn without_writers_there_is_no_grace_period() {
    let arguments = [
        "run",
        "own-membarrier",
        "--readers",
        "1",
        "--writers",
        "0",
        "--milliseconds",
        "100",
    ];
    let result = rcu(&arguments).code(0).json();
    assert_eq!(
        result["grace_periods"],
        serde_json::json!({"waits": 0, "histogram": []})
    );
    assert_eq!(
        (
            number(&result, "/writes"),
            number(&result, "/evidence/waits"),
            number(&result, "/proof/waits"),
        ),
        (0.0, 0.0, 1.0)
    );
    let proof = number(&result, "/proof/membarrier_expedited");
    assert!(proof >= 1.0, "{result}");
}

#[test]
fn a_writer_that_pauses_writes_less_often() {
    let result = measured("own-qsbr", &["--pause-microseconds", "10000"]);
    let most = number(&result, "/seconds") * 100.0 + 1.0;
    assert!(number(&result, "/writes") <= most, "{result}");
}

/// And so there is one grace period, whose time is known exactly.
#[test]
fn a_pause_ends_with_the_measurement() {
    let mut command = Command::new(KV);
    command.args([
        "rcu",
        "run",
        "own-qsbr",
        "--writers",
        "1",
        "--milliseconds",
        "100",
    ]);
    command.args(["--pause-microseconds", "1000000"]);
    let mut least = f64::INFINITY;
    // On a busy machine each may take longer.
    for _ in 0..20 {
        let begin = Instant::now();
        let result = Said::of(command.output().unwrap()).code(0).json();
        least = least.min(begin.elapsed().as_secs_f64());
        if number(&result, "/grace_periods/waits") == 1.0 {
            let times = ["mean", "min", "p50", "p99", "max"];
            let times = times.map(|name| number(&result, &format!("/grace_periods/{name}_ns")));
            assert_eq!(times, [times[0]; 5], "{result}");
        }
        if least < 0.9 {
            return;
        }
    }
    panic!("it took {least} s or more");
}

#[test]
fn threads_are_bound_to_cpus() {
    let allowed = sched_getaffinity(None).unwrap();
    let mut allowed = (0..CpuSet::MAX_CPU).filter(|cpu| allowed.is_set(*cpu));
    let cpu = allowed.next().unwrap().to_string();
    measured("own-qsbr", &["--affinity", &cpu]);
    let said = rcu(&["run", "own-qsbr", "--affinity", "1000"]).code(5);
    assert!(
        said.err.contains("a thread cannot be bound to CPU 1000"),
        "{}",
        said.err
    );
}

#[test]
fn mistakes_are_told_before_anything_is_measured() {
    for (arguments, words) in [
        (&["--layout", "8"][..], "8 is not in 0..8"),
        (&["--quiescent-every", "1000"], "expected a power of two"),
        (&["--quiescent-every", "2097152"], ", at most 1048576"),
        (
            &["--pause-microseconds", "1000001"],
            "1000001 is not in 0..=1000000",
        ),
        (
            &["--affinity", "0-1"],
            "expected numbers of CPUs with commas between them",
        ),
        (&["--quiescent-every", "x"], "expected a number"),
        (&["--readers", "0"], "0 is not in 1..=1000"),
        (&["--milliseconds", "0"], "0 is not in 1.."),
    ] {
        let said = rcu(&[&["run", "own-qsbr"][..], arguments].concat()).code(2);
        assert!(
            said.err.contains(words) && said.out.is_empty(),
            "{}",
            said.err
        );
    }
}

/// Readers have left by then.
#[test]
fn a_grace_period_that_waits_after_the_measured_time_is_reported() {
    let directory = library("memb", &["-DFLAVOUR=memb", "-DSLOW", FAKE], "");
    let mut run = Command::new(KV)
        .args([
            "rcu",
            "run",
            "memb",
            "--writers",
            "1",
            "--milliseconds",
            "1",
        ])
        .arg("--libraries")
        .arg(directory)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    let mut errors = BufReader::new(run.stderr.take().unwrap());
    errors.read_line(&mut said).unwrap();
    run.kill().unwrap();
    run.wait().unwrap();
    assert!(
        said.starts_with("rcu: memb: a grace period has waited "),
        "{said}"
    );
}

/// The evidence counts each call of the kernel.
#[test]
fn strace_counts_what_the_evidence_does() {
    needs("strace", "strace");
    let works = Command::new("strace")
        .args(["-o", "/dev/null", "true"])
        .status()
        .unwrap();
    if !works.success() {
        not_checked(&test_name(), "strace may trace nothing here");
        return;
    }
    for flavour in ["own-membarrier", "memb"] {
        if !is_here(flavour) {
            continue;
        }
        // Calls of the trial and of the proof, which are no part of the run.
        let (before, _) = traced(flavour, "0");
        let (calls, result) = traced(flavour, "1");
        let counted = number(&result, "/evidence/membarrier_expedited");
        assert!(counted >= number(&result, "/evidence/waits"), "{result}");
        // Far more than a proof may have more of than the other: it has one for each time that it sleeps.
        assert!(counted >= 1000.0, "{result}");
        let missed = calls - before - counted;
        assert!(missed.abs() <= 10.0, "{calls} - {before} - {counted}");
    }
}

/// Expedited calls of membarrier that strace sees in a run with one reader and this number of writers, and its result.
fn traced(flavour: &str, writers: &str) -> (f64, Value) {
    let file = tempfile::NamedTempFile::new().unwrap();
    let output = Command::new("strace")
        .args(["-f", "-e", "trace=membarrier", "-e", "signal=none", "-o"])
        .arg(file.path())
        .args([KV, "rcu", "run", flavour, "--readers", "1"])
        .args(["--writers", writers, "--milliseconds", "1000"])
        .output()
        .unwrap();
    let result = Said::of(output).code(0).json();
    let traced = fs::read_to_string(file.path()).unwrap();
    // A call that was interrupted by the trace of another has a second line, without its command.
    let calls = traced
        .matches("membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED,")
        .count();
    (calls as f64, result)
}
