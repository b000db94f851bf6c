//! Slices of all variants at the same time, on CPUs that they swap.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use perflab_experiment::Status;
use perflab_runner::{Exit, preflight};
use perflab_store::read_slices;

use crate::experiment::{Outcome, World, host};
use crate::resume::end_at_each_call_of;
use crate::simulated::{End, Script, Simulated};
use crate::slices::{SLICES, loads, of, sliced, started};

/// An experiment of one block, whose variants are executed at once.
fn together(refresh: &str) -> String {
    sliced(refresh).replace("slices = 4", "slices = 4\ntogether = true")
}

fn load(took_ms: u64) -> Script {
    let ended = End::After(Duration::from_millis(took_ms), Exit::Code(0));
    Script::short()
        .ends(ended)
        .says(&format!("took {took_ms} ms\n"))
}

/// The starts of the measured slices of both variants: when, and onto which CPUs.
fn rounds(host: &Simulated) -> Vec<BTreeMap<String, (Duration, Vec<u32>)>> {
    let mut seated = host.seated();
    seated.retain(|(program, ..)| program.starts_with("load"));
    let measured = seated[2..].chunks(2);
    let round = |round: &[(String, Duration, Vec<u32>)]| {
        let starts = round.iter().cloned();
        starts
            .map(|(program, at, cpus)| (program, (at, cpus)))
            .collect()
    };
    measured.map(round).collect()
}

#[test]
fn the_slices_of_a_round_run_at_the_same_time_in_random_order_of_start() {
    let mut orders = BTreeSet::new();
    for seed in 0..10 {
        let mut world = World::new(&together("restart"));
        world.plan.runs.iter_mut().for_each(|run| run.seed += seed);
        let host = loads();
        assert!(matches!(world.execute(&host), Outcome::Finished));
        world.check_complete(&host, "at once");
        let started = started(&host);
        assert_eq!(started.len(), 2 + 2 * SLICES);
        orders.extend(started[2..].chunks(2).map(<[String]>::to_vec));
        for round in rounds(&host) {
            let (a, b) = (round["load-a"].0, round["load-b"].0);
            assert!(a.abs_diff(b) < Duration::from_millis(1), "{round:?}");
        }
    }
    assert_eq!(orders.len(), 2);
}

#[test]
fn places_are_swapped_so_that_each_variant_has_each_of_them_equally_often() {
    for (cpus, places) in [
        ("", [vec![0, 2], vec![1, 3]]),
        ("[cpus]\nplaces = [[3], [1, 2]]\n", [vec![3], vec![1, 2]]),
    ] {
        let text = together("restart").replace("[variants.a]", &format!("{cpus}[variants.a]"));
        let world = World::new(&text);
        let host = loads();
        assert!(matches!(world.execute(&host), Outcome::Finished));
        let rounds = rounds(&host);
        assert_eq!(rounds.len(), SLICES);
        for cycle in rounds.chunks(2) {
            for variant in ["load-a", "load-b"] {
                let own = cycle.iter().map(|round| &round[variant].1);
                assert_eq!(own.collect::<BTreeSet<_>>(), places.iter().collect());
            }
        }
        for round in &rounds {
            assert_ne!(round["load-a"].1, round["load-b"].1);
        }
        for record in world.records() {
            let directory = world.result().join(format!("runs/{:06}", record.run));
            let slices = read_slices(&directory).unwrap();
            let program = format!("load-{}", record.variant);
            for (slice, round) in slices.iter().zip(&rounds) {
                let place = slice.place.unwrap() as usize - 1;
                assert_eq!(places[place], round[&program].1);
            }
        }
    }
}

#[test]
fn systems_prepare_and_cleanup_are_where_the_load_is() {
    for refresh in ["restart", "keep"] {
        let text = together(refresh)
            .replace("runs = 1", "runs = 5")
            .replace("prepare = [\"prepare\"]", "prepare = [\"load-{variant}\"]");
        let world = World::new(&text);
        let host = loads();
        assert!(matches!(world.execute(&host), Outcome::Finished));
        world.check_complete(&host, refresh);
        let mut at: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        let mut moves = 0;
        for (program, _, cpus) in host.seated() {
            if let Some(variant) = program.strip_prefix("load-") {
                assert_eq!(at[&format!("server-{variant}")], cpus, "{refresh}");
            }
            moves += usize::from(program.starts_with("server"));
            at.insert(program, cpus);
        }
        assert!(moves > 2 * 5, "{moves}");
        assert!(at.contains_key("cleanup"));
    }
}

#[test]
fn each_slice_is_timed_until_its_own_end_and_faster_places_are_seen() {
    let world = World::new(&together("restart"));
    let host = host().also("load-a", load(50)).also("load-b", load(80));
    assert!(matches!(world.execute(&host), Outcome::Finished));
    for record in world.records() {
        let took = if record.variant == "a" { 0.05 } else { 0.08 };
        let wall = record.usage.unwrap().wall_s;
        assert!((4.0 * took..4.0 * took + 0.001).contains(&wall), "{wall}");
        assert_eq!(record.evidence["together"], 1.0);
        assert_eq!(record.evidence["runs_in_turns"], 2.0);
        assert!(!record.evidence.contains_key("system_idle_s"));
        for place in 1..=2 {
            let speed = record.evidence[&format!("place_speed.{place}")];
            assert!((speed - 1.0).abs() < 1e-12, "{speed}");
        }
    }
    // A round lasts as long as its longest slice.
    let starts: Vec<Duration> = rounds(&host)
        .iter()
        .map(|round| round["load-b"].0)
        .collect();
    for pair in starts.windows(2) {
        let round = pair[1] - pair[0];
        assert!((80..83).contains(&round.as_millis()), "{round:?}");
    }
}

#[test]
fn what_systems_do_while_their_load_waits_for_others_is_none_of_its_work() {
    let text = together("restart");
    let at = text.find("driver = \"generic\"").unwrap();
    let workload = "driver = \"redis-benchmark\"\nargs = [\"-t\", \"get\", \"-n\", \"4000\"]\n";
    let world = World::new(&format!("{}{workload}", &text[..at]));
    let says = "\"test\",\"rps\"\n\"GET\",\"1000.00\"\n";
    let mut host = host();
    for (start, took_ms) in (0..10).zip([50, 50, 50, 80, 50, 80, 80, 50, 50, 80]) {
        host = host.once("redis-benchmark", start, load(took_ms).says(says));
    }
    assert!(matches!(world.execute(&host), Outcome::Finished));
    let mut walls = Vec::new();
    for record in world.records() {
        let wall = record
            .usage
            .as_ref()
            .unwrap_or_else(|| panic!("{record:?}"))
            .wall_s;
        // A system takes a tenth of all time.
        let cpu = record
            .samples
            .iter()
            .find(|sample| sample.metric.name == "system_cpu");
        let cpu_s = 4000.0 * 1e-9 * cpu.unwrap_or_else(|| panic!("{record:?}")).value;
        assert!(
            (0.1 * wall..0.1 * wall + 0.001).contains(&cpu_s),
            "{cpu_s} {wall}"
        );
        walls.push(wall);
    }
    assert!(walls[0].max(walls[1]) < 0.319, "{walls:?}");
}

#[test]
fn a_run_that_fails_drops_out_after_its_round_and_the_others_go_on() {
    let fails = End::After(Duration::from_millis(1), Exit::Code(3));
    for start in 0..=SLICES {
        let world = World::new(&together("restart"));
        let host = loads().once("load-b", start, Script::short().ends(fails));
        assert!(matches!(world.execute(&host), Outcome::Finished));
        let records = world.records();
        assert_eq!(of(&records, "b").status, Status::Exit);
        assert_eq!(of(&records, "a").status, Status::Pass);
        assert_eq!(of(&records, "a").evidence["slices"], 4.0);
        assert_eq!(host.starts("load-b"), start + 1);
        assert_eq!(host.starts("load-a"), 1 + SLICES);
        world.check_clean(&host, "one run failed");
        let started = host.started();
        // Variant b is stopped by a command, before the next slice of the other.
        let stop = started.iter().position(|program| program == "stop");
        let before = started[..stop.unwrap()].iter();
        let rounds = before.filter(|program| *program == "load-a").count();
        // Warm-ups are executed one after the other, and slices at once.
        let is_warm_up = start == 0;
        assert!(
            rounds == start + 1 || is_warm_up && rounds == 0,
            "{started:?}"
        );
    }
}

#[test]
fn a_slice_that_cannot_be_started_or_takes_too_long_leaves_the_others_alone() {
    let text = together("restart").replace("timeout = \"20s\"", "timeout = \"250ms\"");
    for (script, status) in [
        (Script::short().cannot_start(), Status::NoRun),
        (Script::short().ends(End::Never), Status::Timeout),
    ] {
        let world = World::new(&text);
        let host = loads().once("load-a", 2, script);
        assert!(matches!(world.execute(&host), Outcome::Finished));
        let records = world.records();
        assert_eq!(of(&records, "a").status, status);
        assert!(of(&records, "b").status.passed());
        world.check_clean(&host, "one run failed");
    }
}

#[test]
fn a_system_that_cannot_be_moved_ends_its_run_alone() {
    let server = Script::short()
        .ends(End::AtSignal(Duration::from_millis(5)))
        .listens(Duration::from_millis(30))
        .stays();
    let world = World::new(&together("restart"));
    let host = loads().also("server-a", server);
    assert!(matches!(world.execute(&host), Outcome::Finished));
    let records = world.records();
    let detail = of(&records, "a").detail.as_ref().unwrap();
    let expected = "the system cannot be moved to the CPUs of place ";
    assert!(detail.starts_with(expected), "{detail}");
    assert!(of(&records, "b").status.passed());
}

#[test]
fn a_laboratory_that_ends_between_rounds_is_resumed() {
    for refresh in ["restart", "keep"] {
        let text = together(refresh).replace("slices = 4", "slices = 2");
        end_at_each_call_of(&text, loads);
    }
}

#[test]
fn places_that_share_a_core_are_told_before_the_first_run() {
    for (places, expected) in [
        ("[[0], [2]]", "places share a core (CPUs 0 and 2)"),
        ("[[0, 2], [3]]", ""),
    ] {
        let cpus = format!("[cpus]\nplaces = {places}\n[variants.a]");
        let world = World::new(&together("restart").replace("[variants.a]", &cpus));
        let home = world.directory.path();
        let cells = &world.plan.cells;
        let found = preflight(&world.experiment, cells, home, home, &loads());
        let notes = found.notes.join("\n");
        assert!(notes.starts_with(expected), "{notes}");
        assert_eq!(notes.is_empty(), expected.is_empty(), "{notes}");
    }
}
