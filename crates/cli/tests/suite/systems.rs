//! A variant of several systems, with real servers.

use std::fs;

use perflab_testing::needs;

use crate::support::{Laboratory, processes, wait_until};

const REPLICAS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../experiments/replicas.toml"
);

/// The shipped experiment with so many runs of each variant, and requests of each run.
fn experiment(runs: u32, requests: u32) -> String {
    needs("redis-server", "redis-server");
    needs("redis-benchmark", "redis-tools");
    let text = fs::read_to_string(REPLICAS).unwrap();
    let own = [
        ("runs = 30 ", format!("runs = {runs} ")),
        ("block = 3", "block = 1".to_owned()),
        ("\"20000\"", format!("\"{requests}\"")),
    ];
    own.iter().fold(text, |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    })
}

#[test]
fn a_master_and_two_replicas() {
    let laboratory = Laboratory::new();
    laboratory.run(&experiment(2, 2000)).code(0);
    laboratory.assert_nothing_runs();
    let names = ["master", "replica-1", "replica-2"];
    for record in laboratory.records() {
        assert_eq!(record["status"], "PASS", "{record}");
        let systems = match record["variant"].as_str() {
            Some("alone") => &names[..1],
            _ => &names[..],
        };
        for name in names {
            let used = format!("system_user_s.{name}");
            let is_there = record["evidence"].get(&used).is_some();
            assert_eq!(is_there, systems.contains(&name), "{name}: {record}");
        }
        let programs = record["programs"].as_object().unwrap();
        assert!(
            programs
                .keys()
                .any(|path| path.ends_with("redis-server") || path.ends_with("redis-check-rdb")),
            "{record}"
        );
        let directory = laboratory.path(&format!(
            "result/runs/{:06}",
            record["run"].as_u64().unwrap()
        ));
        for name in &systems[1..] {
            let log = fs::read_to_string(directory.join(format!("system.{name}.log"))).unwrap();
            assert!(log.contains("Finished with success"), "{log}");
        }
    }
    laboratory
        .call(&["compare", "result"])
        .code(0)
        .prints(&["replicated against alone"]);
}

/// Kills the laboratory of an experiment once so many Redis servers run.
pub fn servers_end_with_their_laboratory(experiment: &str, count: usize) {
    let laboratory = Laboratory::new();
    let file = laboratory.write("servers.toml", experiment);
    let running = laboratory.start(&["run", file.to_str().unwrap(), "--quiet", "--out", "result"]);
    let own = laboratory.path("result").to_str().unwrap().to_owned();
    let servers = || {
        let all = processes(&own);
        all.iter()
            .filter(|line| line.contains("redis-server"))
            .count()
    };
    wait_until("all servers run", || servers() >= count);
    // Dropping it kills it with SIGKILL.
    drop(running);
    wait_until("all have ended", || servers() == 0);
}

#[test]
fn none_of_several_systems_outlives_a_laboratory_that_is_killed() {
    servers_end_with_their_laboratory(&experiment(4, 300_000), 3);
}
