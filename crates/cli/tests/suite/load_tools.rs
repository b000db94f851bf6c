//! Real load generators, run as an experiment runs them. A tool that is not installed is left out;
//! `make tools` installs them all.

use std::process::Command;

use serde_json::Value;

use crate::support::Laboratory;

/// Whether a program can be started; says so if not.
fn installed(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    if !found {
        println!("skipped: {program} is not installed");
    }
    found
}

/// The record of one run of a workload.
#[track_caller]
fn passed(laboratory: &Laboratory, workload: &str) -> Value {
    laboratory
        .run(&format!(
            "[design]\nruns = 1\nblock = 1\n[variants.a]\n[workloads.w]\n{workload}"
        ))
        .code(0);
    laboratory.assert_complete(1);
    laboratory.record()
}

#[track_caller]
fn value(record: &Value, part: Option<&str>, metric: &str) -> f64 {
    let found: Vec<_> = record["samples"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|sample| sample["part"].as_str() == part && sample["name"] == metric)
        .collect();
    assert_eq!(found.len(), 1, "{part:?} {metric} in {record:#}");
    found[0]["value"].as_f64().unwrap()
}

#[test]
fn fio() {
    if !installed("fio") {
        return;
    }
    let laboratory = Laboratory::new();
    let record = passed(
        &laboratory,
        "driver = 'fio'\nargs = ['--name=a', '--filename=data', '--size=1m', '--bs=4k', \
         '--rw=randrw', '--ioengine=psync', '--rate_iops=200', '--time_based', '--runtime=1']",
    );
    for part in ["read", "write"] {
        let iops = value(&record, Some(part), "iops");
        assert!((100.0..300.0).contains(&iops), "{part}: {iops}");
        let bandwidth = value(&record, Some(part), "bandwidth");
        assert!((bandwidth / iops / 4096.0 - 1.0).abs() < 0.01);
        let median = value(&record, Some(part), "clat_p50");
        assert!(median < value(&record, Some(part), "latency_max"));
    }
}

#[test]
fn a_tool_that_would_not_end_is_not_started() {
    let laboratory = Laboratory::new();
    laboratory
        .run(
            "[design]\nruns = 1\nblock = 1\n[variants.a]\n[workloads.w]\n\
             driver = 'fio'\nargs = ['--server']",
        )
        .code(4);
    let record = laboratory.record();
    assert_eq!(record["status"], "NORUN");
    let detail = record["detail"].as_str().unwrap();
    assert!(detail.contains("wait for clients without end"), "{detail}");
}
