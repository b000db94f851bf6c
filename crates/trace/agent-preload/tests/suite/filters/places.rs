//! Many places of a program with filters, and filters of many events.

use std::path::PathBuf;
use std::process::Command;

use perflab_control::{FilterMode, RecordWish, Site, variable};

use super::{mappings, recorded};
use crate::support::compile::compiled;
use crate::support::filter::{filter, hits};
use crate::support::recorded::{counters, found, record_when_to_its_end};
use crate::support::{Program, soon};

/// A thousand points, most of which share their code, while objects with others come and go.
#[test]
fn a_thousand_points() {
    let path = compiled("gcc", &["-O2", "-pthread", "-ldl"], &["stress.c"]);
    let library: PathBuf = compiled("gcc", &["-O2", "-shared", "-fPIC"], &["elsewhere.c"]);
    let library = format!("load={}", library.display());
    let mut command = Command::new(path);
    let mut program = Program::start(command.args(["4", "signals", "fork", &library]));
    assert_eq!(program.line(), "ready\n");
    let agent = program.ask();
    let exact = || hits(&agent.list("exact:*").unwrap().0, |_| true);
    for (expression, accepted) in [
        ("$ctx.vpid > 0", 7 * 4 * 100),
        ("$ctx.vpid < 0", 0),
        ("x >= 0 || $ctx.vtid < 0", 7 * 4 * 100),
    ] {
        let switched = agent.on_when("*", &filter(expression)).unwrap();
        let filtered = switched.filtered.iter();
        let native = filtered
            .filter(|one| one.probe.starts_with("exact:") && one.mode == FilterMode::Native);
        assert_eq!(native.count(), 100);
        assert!(mappings(&program) < 66, "points share their code");
        let before = exact();
        program.tell("go 7\n");
        assert_eq!(program.line(), "done 4\n");
        assert_eq!(exact() - before, accepted, "{expression}");
    }
    agent.switch("*", false).unwrap();
    program.ends();
}

/// A filter for more places than can have one takes none of them; one from the start takes as many as can be, and the
/// others stay off. Neither keeps others from being switched.
#[test]
fn more_places_than_can_have_a_filter() {
    const ALL: &str = "one:*,two:*,three:*";
    let path = compiled("gcc", &["-O2"], &["crowd.c"]);
    let mut program = Program::start(&mut Command::new(&path));
    assert_eq!(program.line(), "ready\n");
    let agent = program.ask();
    let is_one = filter("x == 1");
    let refused = agent.on_when(ALL, &is_one).unwrap_err().to_string();
    assert!(refused.contains("2048 places"), "{refused}");
    let needs = "--when, --every, --at-most, --start-when, and --until with a condition";
    assert!(refused.ends_with(needs), "{refused}");
    for probes in ["three:*", "two:*"] {
        agent.on_when(probes, &is_one).unwrap();
    }
    for _ in 0..3 {
        program.tell("\n");
        assert_eq!(program.line(), "done\n");
    }
    assert_eq!(hits(&agent.list(ALL).unwrap().0, |_| true), 1100);
    program.ends();

    for wanted in [variable::PROBES, variable::RECORD] {
        let mut command = Command::new(&path);
        let command = command
            .env(wanted, ALL)
            .env(variable::WHEN, is_one.hexadecimal());
        let mut program = Program::start(command);
        assert_eq!(program.line(), "ready\n");
        let agent = program.ask();
        let on = || {
            let sites = agent.list(ALL).unwrap().0;
            let (on, off): (Vec<&Site>, Vec<&Site>) = sites.iter().partition(|site| site.on);
            let mode = |site: &Site| site.filter.as_ref().map(|filter| filter.mode);
            assert!(off.iter().all(|site| mode(site) == Some(FilterMode::Off)));
            on.len()
        };
        assert_eq!(on(), 2048);
        let problems = agent.list("*").unwrap().1;
        assert!(problems.how.contains("2048 places"), "{problems:?}");
        let wish = RecordWish {
            keep: true,
            ring: 64,
            all: 0,
        };
        let recorded = agent.record(ALL, wish).unwrap();
        assert_eq!(on(), 2100);
        drop(recorded);
        soon("all but those are off again", || on() == 2048);
        program.ends();
    }
}

/// Of each source every other event is recorded, also of those that interrupt each other.
#[test]
fn recorded_events_are_those_that_are_accepted() {
    let directory = tempfile::tempdir_in("/dev/shm").unwrap();
    let options = ["threads=2", "events=5000", "signals=1"];
    let program = recorded(directory.path(), &options);
    let trace = directory.path().join("trace");
    let even = filter("(number & 1) == 0");
    let progress = record_when_to_its_end(program, "recorded:*", Some(&even), 4096, &trace);
    let lost = progress.dropped + progress.no_ring + progress.late;
    let (_, found) = found(&trace);
    let counted = counters(&directory.path().join("counters"));
    let expected = counted.values().map(|count| count.div_ceil(2));
    assert_eq!(
        progress.events + lost,
        expected.sum::<u64>(),
        "{progress:?}"
    );
    for ((_, source), found) in found {
        let expected = counted[&source].div_ceil(2);
        assert!(found.count <= expected && found.count + lost >= expected);
        assert_eq!((found.first % 2, found.last % 2), (0, 0), "{found:?}");
    }
}
