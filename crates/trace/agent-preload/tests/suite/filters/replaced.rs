//! Filters that are replaced under load.
//!
//! PERFLAB_REPLACEMENTS: how often a filter is replaced under load (1000).

use perflab_control::FilterMode;

use super::{mappings, recorded};
use crate::support::filter::{filter, hits};
use crate::support::recorded::counters;
use crate::support::{Program, soon};

/// Memory of a process that is its own, in KiB.
fn memory(program: &Program) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", program.pid())).unwrap();
    let anonymous = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"));
    let number = anonymous.and_then(|rest| rest.trim().strip_suffix(" kB"));
    number.unwrap().trim().parse().unwrap()
}

/// Two filters, both of which accept all events, take turns under load: each event is accepted once.
fn is_replaced(options: &[&str], times: u32) {
    let directory = tempfile::tempdir_in("/dev/shm").unwrap();
    let mut program = recorded(directory.path(), options);
    assert_eq!(program.line(), "ready\n");
    let agent = program.ask();
    let all = [filter("number >= 0"), filter("source >= 0 && number >= 0")];
    let on = |number: u32| {
        let switched = agent.on_when("recorded:*", &all[number as usize % 2]);
        let filtered = switched.unwrap().filtered;
        assert_eq!(filtered.len(), 2);
        assert!(
            filtered.iter().all(|one| one.mode == FilterMode::Native),
            "{filtered:?}"
        );
    };
    on(0);
    program.tell("go\n");
    let warm = times.min(100);
    (0..warm).for_each(on);
    let before = memory(&program);
    (warm..times).for_each(on);
    // What is freed may stay with the allocator of the program; each filter takes more than this.
    let most = before + 4096 + u64::from(times - warm) / 4;
    let after = memory(&program);
    assert!(after < most, "{before} KiB became {after}");
    soon("replaced filters are freed", || mappings(&program) <= 2);
    program.tell("stop\n");
    assert_eq!(program.line(), "done\n");
    let (sites, problems) = agent.list("recorded:*").unwrap();
    assert_eq!(problems.how, "");
    let accepted = hits(&sites, |_| true);
    let counted: u64 = counters(&directory.path().join("counters")).values().sum();
    assert_eq!(accepted, counted, "{options:?}");
    program.tell("end\n");
    program.ends();
}

fn replacements() -> u32 {
    let text = std::env::var("PERFLAB_REPLACEMENTS").unwrap_or_default();
    text.parse().unwrap_or(1000)
}

#[test]
fn replaced_while_threads_hit() {
    is_replaced(&["threads=8"], replacements());
}

#[test]
fn replaced_while_signals_are_handled_and_children_made() {
    is_replaced(&["threads=8", "signals=1", "forks=1"], replacements());
}

#[test]
fn replaced_while_threads_come_and_go() {
    is_replaced(&["threads=2", "events=100", "churn=1"], replacements() / 4);
}

/// Events that jumps leave are not counted by the program: it goes on, which is all that is seen here.
#[test]
fn replaced_while_handlers_jump() {
    let directory = tempfile::tempdir_in("/dev/shm").unwrap();
    for options in [
        ["threads=2", "signals=1", "jumps=1"],
        ["threads=2", "signals=1", "stack=1"],
        ["threads=2", "signals=1", "vforks=1"],
    ] {
        let mut program = recorded(directory.path(), &options);
        assert_eq!(program.line(), "ready\n");
        let agent = program.ask();
        program.tell("go\n");
        for number in 0..50 {
            let one = filter(&format!("(number & 1) == {}", number & 1));
            agent.on_when("recorded:*", &one).unwrap();
        }
        program.tell("stop\n");
        assert_eq!(program.line(), "done\n");
        program.tell("end\n");
        program.ends();
    }
}
