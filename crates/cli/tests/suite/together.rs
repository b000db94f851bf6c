//! Variants that are executed at once on CPUs that they swap, with real programs and real servers.

use std::collections::BTreeSet;

use perflab_testing::{not_checked, test_name};
use rustix::process::Signal;
use serde_json::Value;

use crate::slices;
use crate::support::{Laboratory, signal};
use crate::systems::servers_end_with_their_laboratory;

const COMMANDS: &str = r#"
[design]
slices = 4
together = true
runs = 2
[variants.a]
start = ["sh", "-c", "echo $$ > {experiment}/pid.{variant}; exec sleep 600"]
ready = { command = ["test", "-s", "{experiment}/pid.{variant}"] }
[variants.b]
vars = { x = "1" }
start = ["sh", "-c", "echo $$ > {experiment}/pid.{variant}; exec sleep 600"]
ready = { command = ["test", "-s", "{experiment}/pid.{variant}"] }
[workloads.w]
driver = "generic"
command = ["{experiment}/work", "{variant}", "{slice}"]
[[workloads.w.metrics]]
name = "work"
unit = "items"
better = "lower"
values = true
combine = "sum"
"#;

/// Waits for the other variant's slice, which only goes on if both are executed at the same time, and writes down where
/// it is, which is where its system has to be.
const WORK: &str = "#!/bin/sh
log=../../../..
of() { sed -n 's/^Cpus_allowed_list:[^0-9]*//p' /proc/$1/status; }
list=$(of self)
[ \"$(of $(cat $log/pid.$1))\" = \"$list\" ] || exit 2
echo \"$1 $2 $list\" >> $log/log.$1
other=b; [ $1 = b ] && other=a
tries=0
until [ \"$(wc -l < $log/log.$1)\" -le \"$(cat $log/log.$other 2> /dev/null | wc -l)\" ]; do
  tries=$((tries + 1)); [ $tries -gt 3000 ] && exit 1
  sleep 0.01
done
echo 'VALUE 5 items work'
";

fn servers(requests: u32) -> String {
    slices::servers(requests).replacen("slices = 4", "slices = 4\ntogether = true", 1)
}

/// Whether this test may use two CPUs, which its programs need at least.
pub fn has_two_cpus() -> bool {
    let has = std::thread::available_parallelism().is_ok_and(|count| count.get() > 1);
    if !has {
        not_checked(&test_name(), "it takes two CPUs");
    }
    has
}

#[test]
fn commands_run_at_once_and_swap_their_cpus() {
    if !has_two_cpus() {
        return;
    }
    let laboratory = Laboratory::new();
    laboratory.program("work", WORK);
    laboratory.run(COMMANDS).code(0);
    laboratory.assert_complete(4);
    let cpus = |variant: &str| -> Vec<String> {
        let log = laboratory.read(&format!("log.{variant}"));
        let lists = log.lines().map(|line| line.split(' ').nth(2).unwrap());
        lists.map(str::to_owned).collect()
    };
    let (a, b) = (cpus("a"), cpus("b"));
    assert_eq!((a.len(), b.len()), (2 * 4, 2 * 4));
    let places: BTreeSet<&String> = a.iter().collect();
    assert_eq!(places.len(), 2, "{a:?}");
    assert!(a.iter().zip(&b).all(|(a, b)| a != b), "{a:?} {b:?}");
    for own in [&a, &b] {
        for cycle in own.chunks(2) {
            assert_eq!(cycle.iter().collect::<BTreeSet<_>>(), places);
        }
    }
    for record in laboratory.records() {
        assert_eq!(record["evidence"]["together"], 1.0);
        assert_eq!(record["samples"][0]["value"], 20.0);
    }
}

#[test]
fn servers_are_loaded_at_once_and_the_place_of_each_slice_is_kept() {
    let laboratory = Laboratory::new();
    if !has_two_cpus() {
        return;
    }
    laboratory.run(&servers(4000)).code(0);
    laboratory.assert_nothing_runs();
    let records = laboratory.records();
    assert_eq!(records.len(), 4);
    for record in &records {
        assert_eq!(record["status"], "PASS", "{record}");
        assert!(record["evidence"]["place_speed.2"].as_f64().unwrap() > 0.0);
        assert_eq!(record["evidence"]["system_idle_s"], Value::Null);
        let run = record["run"].as_u64().unwrap();
        let slices = laboratory.read(&format!("result/runs/{run:06}/perflab-slices.jsonl"));
        let places = slices.lines().map(|line| {
            let slice: Value = serde_json::from_str(line).unwrap();
            slice["place"].as_u64().unwrap()
        });
        let mut places: Vec<u64> = places.collect();
        // Both tests of a slice are executed at the same place.
        assert!(
            places.chunks(2).all(|slice| slice[0] == slice[1]),
            "{places:?}"
        );
        places.sort_unstable();
        assert_eq!(places, [1, 1, 1, 1, 2, 2, 2, 2]);
    }
    laboratory
        .call(&["compare", "result", "--gate", "none"])
        .code(0)
        .prints(&[
            "the runs of each at once, in 4 slices",
            "append against plain: rps",
        ]);
}

#[test]
fn no_server_outlives_a_laboratory_that_is_killed_in_a_round() {
    if has_two_cpus() {
        servers_end_with_their_laboratory(&servers(400_000), 2);
    }
}

#[test]
fn who_asks_to_stop_ends_all_that_run_at_once() {
    if !has_two_cpus() {
        return;
    }
    let laboratory = Laboratory::new();
    laboratory.program(
        "work",
        "#!/bin/sh\necho > ../../../../begun.$1\nsleep 600\n",
    );
    let file = laboratory.write("together.toml", COMMANDS);
    let running = laboratory.start(&["run", file.to_str().unwrap(), "--quiet", "--out", "result"]);
    laboratory.await_file("begun.a");
    laboratory.await_file("begun.b");
    signal(running.pid(), Signal::INT);
    running.end().code(130);
    laboratory.assert_nothing_runs();
    assert!(laboratory.records().is_empty());
}

#[test]
fn places_that_there_are_not_are_refused_before_the_first_run() {
    let laboratory = Laboratory::new();
    let text = format!("{COMMANDS}\n[cpus]\nplaces = [[0], [1023]]\n");
    laboratory.run(&text).code(5).says(&["CPU 1023"]);
    let file = laboratory.write("together.toml", COMMANDS);
    laboratory
        .call(&["run", file.to_str().unwrap(), "--dry-run"])
        .code(0)
        .prints(&["executed at once, in 4 slices"]);
}
