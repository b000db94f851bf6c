//! Arguments of each type, by each way to judge; names that a probe does not have, and memory that code cannot be in.

use perflab_control::{Actions, FilterMode, variable};

use super::WAYS;
use crate::support::compile::FOR_C;
use crate::support::filter::{filter, with_actions};
use crate::support::judged::{BOTH, Judged};

/// An expression, and which of the numbered events of [`BOTH`] it accepts.
type Case = (&'static str, fn(u64) -> bool);

const CASES: [Case; 24] = [
    ("n == 7", |i| i == 57),
    ("n < 0", |i| i < 50),
    ("n >= -3 && n <= 3", |i| (47..=53).contains(&i)),
    ("n & 1 == 1 || n == 0", |i| i % 2 == 1 || i == 50),
    ("big == 18446744073709551600", |i| i == 15),
    ("half > 10.25 && half < 12", |i| (21..24).contains(&i)),
    ("quarter == 2.5", |i| i == 10),
    ("half == quarter", |i| i == 0),
    ("name == \"SET\"", |i| i % 4 == 1),
    ("name == \"S*\"", |i| i % 4 == 1),
    ("name == \"*E*\"", |i| i % 4 < 2),
    ("name != \"GET\"", |i| i % 4 == 1 || i % 4 == 2),
    ("name == \"SET\" || n == 0", |i| i % 4 == 1 || i == 50),
    ("word == \"\"", |i| i % 5 == 0),
    ("word == \"d*\"", |i| i % 20 == 3),
    ("word == name && name == \"*\"", |i| {
        i % 4 == 2 && i % 5 == 0
    }),
    ("raw[2] == 99", |i| i % 7 > 2),
    ("odd", |i| i % 2 == 1),
    ("where == 0x2a", |i| i == 42),
    ("kind == 1", |i| i % 2 == 1),
    ("lack == \"SET\"", |i| i % 2 == 1),
    ("lacking == \"abc\"", |i| i % 2 == 1),
    (
        "$ctx.vtid == $ctx.vpid && $ctx.procname == \"judged\"",
        |_| true,
    ),
    (
        "$ctx.pthread_id != 0 && $ctx.ip != 0 && $ctx.cpu_id < 65536",
        |_| true,
    ),
];

/// Judges the events of [`BOTH`] by all cases.
fn judges_all_cases(judged: &mut Judged, mode: FilterMode, what: &str) {
    for (expression, accepts) in CASES {
        let switched = judged.agent.on_when(BOTH, &filter(expression)).unwrap();
        let said: Vec<_> = switched.filtered.iter().collect();
        assert_eq!(said.len(), 2, "{what}: {expression}: {said:?}");
        for filtered in said {
            assert_eq!(filtered.mode, mode, "{what}: {expression}: {filtered:?}");
            assert_eq!(filtered.code > 0, mode == FilterMode::Native);
            assert!(filtered.kept > 0 && filtered.sites > 0);
        }
        let expected = (0..100).filter(|i| accepts(*i)).count() as u64;
        let found = judged.accepted("hit 100");
        assert_eq!(found, [expected; 2], "{what}: {expression}");
    }
}

#[test]
fn each_kind_of_argument() {
    let branch = ["-O2", "-DPERFLAB_PROBE_BRANCH"];
    for (way, mode) in WAYS {
        for compiler in FOR_C {
            for flags in [&["-O2"][..], &["-O0"], &branch] {
                let what = format!("{way} {compiler} {flags:?}");
                let mut judged = Judged::start_with(&[], (variable::FILTERS, way), compiler, flags);
                judges_all_cases(&mut judged, mode, &what);
                judged.ends();
            }
        }
    }
}

#[test]
fn code_that_is_moved() {
    let mut judged = Judged::start_with(&[], (variable::CODE_AT, "63"), "gcc", &["-O2"]);
    judges_all_cases(&mut judged, FilterMode::Native, "moved");
    judged.ends();
}

#[test]
fn names_that_a_probe_does_not_have() {
    let mut judged = Judged::start("native");
    let said = |judged: &Judged, expression: &str| {
        let switched = judged.agent.on_when(BOTH, &filter(expression)).unwrap();
        let filtered = switched.filtered.into_iter();
        let said = filtered.map(|filtered| (filtered.probe, filtered.mode, filtered.reason));
        said.collect::<Vec<_>>()
    };
    let [few, many] = ["judged:few", "judged:many"].map(str::to_owned);
    let lacks = (
        few.clone(),
        FilterMode::Never,
        "no argument \"last\"".to_owned(),
    );
    let native = (many.clone(), FilterMode::Native, String::new());
    assert_eq!(said(&judged, "last == 3 || n == 0"), [lacks, native]);
    // Nothing can be accepted, so the site is off.
    let sites = judged.sites();
    let site = |name: &str| sites.iter().find(|site| site.name == name).unwrap();
    assert!(!site("few").on && site("many").on && !site("huge").on);
    let shown = site("few").filter.clone().unwrap();
    assert_eq!(
        (shown.mode, &*shown.expression, &*shown.reason),
        (
            FilterMode::Never,
            "last == 3 || n == 0",
            "no argument \"last\""
        )
    );
    assert_eq!(site("huge").filter, None);
    assert_eq!(judged.accepted("hit 100"), [0, 2]);
    let text = "argument \"name\" is text".to_owned();
    let other = [few, many].map(|probe| (probe, FilterMode::Unbound, text.clone()));
    assert_eq!(said(&judged, "name > 3"), other);
    assert_eq!(judged.accepted("hit 100"), [0, 0]);
    // Without a filter, all events count again.
    judged.agent.switch(BOTH, true).unwrap();
    assert_eq!(judged.accepted("hit 100"), [100, 100]);
    assert!(judged.sites().iter().all(|site| site.filter.is_none()));
    judged.agent.switch(BOTH, false).unwrap();
    assert_eq!(judged.accepted("hit 100"), [0, 0]);
    judged.ends();
}

#[test]
fn filters_that_are_refused() {
    let judged = Judged::start("native");
    judged.agent.switch(BOTH, true).unwrap();
    for actions in [
        Actions {
            every: u32::MAX,
            ..Actions::default()
        },
        Actions {
            at_most: 1 << 31,
            ..Actions::default()
        },
    ] {
        let refused = judged.agent.on_when(BOTH, &with_actions("n == 1", actions));
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("a number over 2147483647"), "{refused}");
    }
    let sites = judged.sites();
    let others = sites.iter().filter(|site| site.name != "huge");
    assert!(
        others.clone().all(|site| site.on && site.filter.is_none()),
        "nothing changed"
    );
    judged.ends();
}

/// Where memory cannot be executed, or only in some way.
#[test]
fn memory_that_is_executable() {
    let cases: [(&[&str], FilterMode, &str); 6] = [
        (&["mdwe"], FilterMode::Native, ""),
        (&["no-memfd"], FilterMode::Native, ""),
        (&["kill-memfd"], FilterMode::Native, ""),
        (&["no-code"], FilterMode::Native, ""),
        (
            &["no-memfd", "no-code"],
            FilterMode::Interpreted,
            "a file in memory: ",
        ),
        (
            &["kill-memfd", "kill-code"],
            FilterMode::Interpreted,
            "a file in memory: a filter of system calls ends a process for that",
        ),
    ];
    for (surroundings, mode, reason) in cases {
        let mut judged = Judged::start_in(surroundings, "native");
        judges_all_cases(&mut judged, mode, &format!("{surroundings:?}"));
        let maps = std::fs::read_to_string(format!("/proc/{}/maps", judged.program.pid())).unwrap();
        let both = maps.lines().find(|line| line.contains(" rwx"));
        assert_eq!(both, None, "{surroundings:?}");
        let sites = judged.sites();
        let shown = sites.iter().find_map(|site| site.filter.clone()).unwrap();
        assert!(shown.reason.starts_with(reason), "{}", shown.reason);
        assert_eq!(shown.reason.is_empty(), reason.is_empty());
        judged.ends();
    }
}

/// What a filter asks the kernel for may be refused. The program has its own errors only.
#[test]
fn errors_of_the_kernel() {
    for (way, _) in WAYS {
        let mut judged = Judged::start_in(&["no-prctl"], way);
        let named = filter("$ctx.procname == \"judged\"");
        judged.agent.on_when(BOTH, &named).unwrap();
        assert_eq!(judged.accepted("hit 100"), [0, 0]);
        judged.ends();
    }
}
