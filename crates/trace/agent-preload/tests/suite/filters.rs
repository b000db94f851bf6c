//! Filters in programs: each event is judged by exactly one, whatever the program does.
//!
//! PERFLAB_REPLACEMENTS: how often a filter is replaced under load (1000).

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use perflab_control::{Actions, Agent, FilterMode, RecordWish, Site, variable};
use rustix::process::{Pid, Signal, kill_process};

use crate::support::cargo::{Build, RELEASE, STATIC, built};
use crate::support::compile::{FOR_C, compile, compiled};
use crate::support::filter::{filter, hits, with_actions};
use crate::support::recorded::{counters, found, record_when_to_its_end};
use crate::support::{Program, agent_of};

/// The ways to judge, and what sites say of each.
const WAYS: [(&str, FilterMode); 2] = [
    ("native", FilterMode::Native),
    ("interpreted", FilterMode::Interpreted),
];

/// Probes of `judged.c` with an argument of each type, passed one by one and by the address of all.
const BOTH: &str = "judged:few,judged:many";

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

/// A running program that is told what to do.
struct Judged {
    program: Program,
    agent: Agent,
    /// It is there as long as the program runs.
    _directory: tempfile::TempDir,
}

impl Judged {
    fn start(way: &str) -> Self {
        Self::start_in(&[], way, "gcc", &["-O2"])
    }

    /// Starts it, compiled so, in surroundings.
    fn start_in(surroundings: &[&str], way: &str, compiler: &str, flags: &[&str]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        // Its name is what the kernel calls its thread.
        let path = directory.path().join("judged");
        let flags = [flags, &["-pthread"]].concat();
        compile(compiler, &flags, &["judged.c"], &path);
        let surround = compiled("gcc", &["-O2"], &["surround.c"]);
        let around = surroundings
            .iter()
            .flat_map(|mode| [surround.as_os_str(), mode.as_ref()]);
        let mut line = around.chain([path.as_os_str()]);
        let mut command = Command::new(line.next().unwrap());
        command.args(line).env(variable::FILTERS, way);
        let mut program = Program::start(&mut command);
        assert_eq!(program.line(), "ready\n");
        Self {
            agent: program.ask(),
            program,
            _directory: directory,
        }
    }

    fn does(&mut self, what: &str) -> String {
        self.program.tell(&format!("{what}\n"));
        self.program.line().trim().to_owned()
    }

    fn sites(&self) -> Vec<Site> {
        self.agent.list("judged:*").unwrap().0
    }

    fn hits(&self, probe: &str) -> u64 {
        hits(&self.sites(), |site| site.name == probe)
    }

    /// Accepted events of both probes, of so many that it makes.
    fn accepted(&mut self, what: &str) -> [u64; 2] {
        let before = ["few", "many"].map(|probe| self.hits(probe));
        assert_eq!(self.does(what), "done");
        let after = ["few", "many"].map(|probe| self.hits(probe));
        [after[0] - before[0], after[1] - before[1]]
    }
}

fn soon(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

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
                let mut judged = Judged::start_in(&[], way, compiler, flags);
                judges_all_cases(&mut judged, mode, &what);
                judged.program.ends();
            }
        }
    }
}

#[test]
fn code_that_is_moved() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("judged");
    compile("gcc", &["-O2", "-pthread"], &["judged.c"], &path);
    let mut program = Program::start(Command::new(&path).env(variable::CODE_AT, "63"));
    assert_eq!(program.line(), "ready\n");
    let mut judged = Judged {
        agent: program.ask(),
        program,
        _directory: directory,
    };
    judges_all_cases(&mut judged, FilterMode::Native, "moved");
    judged.program.ends();
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
    judged.program.ends();
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
    judged.program.ends();
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
        let mut judged = Judged::start_in(surroundings, "native", "gcc", &["-O2"]);
        judges_all_cases(&mut judged, mode, &format!("{surroundings:?}"));
        let maps = std::fs::read_to_string(format!("/proc/{}/maps", judged.program.pid())).unwrap();
        let both = maps.lines().find(|line| line.contains(" rwx"));
        assert_eq!(both, None, "{surroundings:?}");
        let sites = judged.sites();
        let shown = sites.iter().find_map(|site| site.filter.clone()).unwrap();
        assert!(shown.reason.starts_with(reason), "{}", shown.reason);
        assert_eq!(shown.reason.is_empty(), reason.is_empty());
        judged.program.ends();
    }
}

#[test]
fn from_the_start_in_both_languages() {
    let directory = tempfile::tempdir().unwrap();
    let wide = directory.path().join("wide");
    compile("gcc", &["-O2"], &["wide.c"], &wide);
    let rust = built(Build {
        package: "wide",
        ..RELEASE
    });
    // Of 20 rounds.
    let cases = [
        ("integers", "v10 >= 15 && v59 < 75", 11),
        ("most", "a4 == -1 && b3 == 2 && e2 >= 5 && o4 == \"*r\"", 15),
        ("most", "j2 == 1.5 && k4 == 2.5 && r4 == 1", 10),
        ("most", "l3 == 1 && q1[1] != 0", 10),
        ("texts", "t11 == \"h*r\" && t59 != t11", 20),
        ("thirteen", "v22 == 30", 1),
    ];
    for (way, mode) in WAYS {
        for program in [&wide, &rust] {
            for (probe, expression, expected) in cases {
                let mut command = Command::new(program);
                let command = command
                    .env("PERFLAB_PROBES", "sites:*")
                    .env(variable::WHEN, filter(expression).hexadecimal())
                    .env(variable::FILTERS, way);
                let mut program = Program::start(command);
                program.said();
                let (sites, problems) = program.ask().list(&format!("sites:{probe}")).unwrap();
                assert_eq!(problems.how, "");
                let found = hits(&sites, |_| true);
                assert_eq!(found, expected, "{way} {probe} {expression}");
                let filter = sites[0].filter.as_ref().unwrap();
                assert_eq!(filter.mode, mode, "{filter:?}");
                program.ends();
            }
        }
    }
}

#[test]
fn a_program_without_shared_objects() {
    let mut command = Command::new(built(STATIC));
    let command = command.env("PERFLAB_PROBES", "sites:text").env(
        variable::WHEN,
        filter("number >= 990 && whole == \"t*\" && part == whole").hexadecimal(),
    );
    let mut program = Program::start_alone(command);
    program.said();
    let (sites, _) = program.ask().list("sites:text").unwrap();
    assert_eq!(hits(&sites, |_| true), 10);
    assert_eq!(
        sites[0].filter.as_ref().unwrap().mode,
        FilterMode::Native,
        "{sites:?}"
    );
    program.ends();
}

/// Nothing is counted by a filter that cannot be read.
#[test]
fn a_variable_that_is_no_filter() {
    for (value, expected) in [
        ("0", "PERFLAB_WHEN"),
        ("01", "it ends within a field"),
        ("ff", "its filter is of version 255"),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("wide");
        compile("gcc", &["-O2"], &["wide.c"], &path);
        let mut command = Command::new(path);
        let command = command
            .env("PERFLAB_PROBES", "sites:*")
            .env(variable::WHEN, value);
        let mut program = Program::start(command);
        program.said();
        let (sites, problems) = program.ask().list("*").unwrap();
        assert!(problems.how.contains(expected), "{problems:?}");
        assert!(sites.iter().all(|site| !site.on && site.hits == 0));
        program.ends();
    }
}

#[test]
fn threads_and_children() {
    for (way, mode) in WAYS {
        let mut judged = Judged::start(way);
        let agent = judged.agent.clone();
        agent.on_when(BOTH, &filter("n < -40")).unwrap();
        assert_eq!(judged.accepted("hit 100"), [10, 10]);
        for _ in 0..10 {
            assert_eq!(judged.accepted("thread 100"), [10, 10]);
        }
        // A thread that is known is judged in the child that has its memory too.
        assert_eq!(judged.accepted("vfork 100"), [10, 10]);
        assert_eq!(judged.accepted("hit 100"), [10, 10]);
        // A child goes on by the filter of its parent, until it gets another one.
        let line = judged.does("fork 100");
        let child: u32 = line.strip_prefix("child ").unwrap().parse().unwrap();
        let of_child = agent_of(child);
        let count = |probe| hits(&of_child.list("*").unwrap().0, |site| site.name == probe);
        assert_eq!((count("few"), count("many")), (10, 10));
        let sites = of_child.list(BOTH).unwrap().0;
        let modes = sites.iter().map(|site| site.filter.as_ref().unwrap().mode);
        assert!(modes.clone().all(|found| found == mode));
        of_child.on_when(BOTH, &filter("n >= 45")).unwrap();
        kill_process(Pid::from_raw(child as i32).unwrap(), Signal::USR2).unwrap();
        assert_eq!(judged.program.line().trim(), line);
        assert_eq!((count("few"), count("many")), (15, 15));
        assert_eq!(judged.accepted("reap"), [0, 0]);
        assert_eq!(judged.accepted("hit 100"), [10, 10]);
        judged.program.ends();
    }
}

/// Filters that a thread may be in are not freed, however many there are. Then no other comes, but they can go off.
#[test]
fn a_thread_that_stays_in_a_filter() {
    for (way, _) in WAYS {
        let mut judged = Judged::start(way);
        let agent = judged.agent.clone();
        let on =
            |number: u32| agent.on_when("judged:huge", &filter(&format!("text == \"x{number}\"")));
        agent
            .on_when("judged:huge", &filter("text == \"*b*\""))
            .unwrap();
        assert_eq!(judged.does("stay"), "inside");
        for number in 0..64 {
            on(number).unwrap();
        }
        let refused = on(64).unwrap_err().to_string();
        let expected = "64 filters that were replaced cannot be freed: 1 thread is in one";
        assert!(refused.contains(expected), "{refused}");
        agent.switch("judged:huge", false).unwrap();
        assert_eq!(judged.does("release"), "done");
        soon("all are freed", || on(65).is_ok());
        agent.on_when(BOTH, &filter("n == 0")).unwrap();
        assert_eq!(judged.accepted("hit 100"), [1, 1]);
        judged.program.ends();
    }
}

/// A filter that waits for others does not keep the program from making children.
#[test]
fn a_fork_while_a_filter_waits() {
    let mut judged = Judged::start("native");
    let agent = judged.agent.clone();
    let on = |number: u32| {
        let filter = filter(&format!("text == \"*b{number}\""));
        agent.on_when("judged:huge", &filter)
    };
    on(0).unwrap();
    assert_eq!(judged.does("stay"), "inside");
    for number in 1..=64 {
        on(number).unwrap();
    }
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| on(65));
        // It is refused after a second.
        std::thread::sleep(Duration::from_millis(100));
        let line = judged.does("fork 1");
        let is_over = waiting.is_finished();
        let child: u32 = line.strip_prefix("child ").unwrap().parse().unwrap();
        assert!(!agent_of(child).list(BOTH).unwrap().0.is_empty());
        assert!(!is_over, "the child was made meanwhile");
        assert!(waiting.join().unwrap().is_err());
    });
    assert_eq!(judged.does("reap"), "done");
    assert_eq!(judged.does("release"), "done");
    judged.program.ends();
}

/// A handler leaves a filter by a jump. The thread goes on, and its events are judged.
#[test]
fn a_jump_out_of_a_filter() {
    for (way, _) in WAYS {
        let mut judged = Judged::start(way);
        let agent = judged.agent.clone();
        agent.on_when(BOTH, &filter("n < -40")).unwrap();
        for round in 0..3 {
            let huge = filter(&format!("text == \"*b*{round}\""));
            agent.on_when("judged:huge", &huge).unwrap();
            assert_eq!(judged.accepted("jump 100"), [10, 10]);
            assert_eq!(judged.accepted("thread 100"), [10, 10]);
        }
        let (_, problems) = agent.list("*").unwrap();
        assert_eq!(problems.how, "");
        judged.program.ends();
    }
}

/// Starts the program that hits until told, with so many threads.
fn recorded(directory: &Path, options: &[&str]) -> Program {
    let path = directory.join("recorded");
    compile("gcc", &["-O2", "-pthread"], &["recorded.c"], &path);
    let mut command = Command::new(path);
    Program::start(command.arg(directory.join("counters")).args(options))
}

/// Mappings of filters in a process.
fn mappings(program: &Program) -> usize {
    let maps = std::fs::read_to_string(format!("/proc/{}/maps", program.pid())).unwrap();
    maps.matches("perflab-filter").count()
}

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
    for probes in ["three:*", "two:*"] {
        agent.on_when(probes, &is_one).unwrap();
    }
    for _ in 0..3 {
        program.tell("\n");
        assert_eq!(program.line(), "done\n");
    }
    assert_eq!(hits(&agent.list(ALL).unwrap().0, |_| true), 1100);
    program.ends();

    let mut command = Command::new(&path);
    let command = command
        .env("PERFLAB_PROBES", ALL)
        .env(variable::WHEN, is_one.hexadecimal());
    let mut program = Program::start(command);
    assert_eq!(program.line(), "ready\n");
    let agent = program.ask();
    let on = || {
        let sites = agent.list(ALL).unwrap().0;
        sites.iter().filter(|site| site.on).count()
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

/// What a filter asks the kernel for may be refused. The program has its own errors only.
#[test]
fn errors_of_the_kernel() {
    for (way, _) in WAYS {
        let mut judged = Judged::start_in(&["no-prctl"], way, "gcc", &["-O2"]);
        let named = filter("$ctx.procname == \"judged\"");
        judged.agent.on_when(BOTH, &named).unwrap();
        assert_eq!(judged.accepted("hit 100"), [0, 0]);
        judged.program.ends();
    }
}

/// The first event of a thread is judged by nobody if its child by vfork makes it, and that is reported.
#[test]
fn events_that_no_filter_has_judged() {
    let directory = tempfile::tempdir_in("/dev/shm").unwrap();
    let mut program = recorded(directory.path(), &["threads=2", "events=100", "vforks=1"]);
    assert_eq!(program.line(), "ready\n");
    let agent = program.ask();
    agent.on_when("recorded:*", &filter("number >= 0")).unwrap();
    program.tell("go\n");
    assert_eq!(program.line(), "done\n");
    let (sites, problems) = agent.list("recorded:*").unwrap();
    let counted: u64 = counters(&directory.path().join("counters")).values().sum();
    assert_eq!((counted, hits(&sites, |_| true)), (202, 200));
    assert!(problems.how.contains("2 events were lost"), "{problems:?}");
    program.tell("end\n");
    program.ends();
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

/// Where the kernel does not say whether threads are in a filter, none is freed.
#[test]
fn marks_that_cannot_be_read() {
    let mut judged = Judged::start_in(&["no-read"], "native", "gcc", &["-O2"]);
    let agent = judged.agent.clone();
    let on = |number: i32| agent.on_when(BOTH, &filter(&format!("n < {}", number - 50)));
    // A thread has to come to a gate before its mark is of interest.
    on(1).unwrap();
    assert_eq!(judged.accepted("hit 100"), [1, 1]);
    for number in 2..66 {
        on(number).unwrap();
    }
    let refused = on(66).unwrap_err().to_string();
    assert!(refused.contains("cannot see"), "{refused}");
    let (_, problems) = agent.list("*").unwrap();
    assert!(problems.how.contains("cannot see"), "{problems:?}");
    assert_eq!(judged.accepted("hit 100"), [65, 65]);
    agent.switch(BOTH, false).unwrap();
    assert_eq!(judged.accepted("hit 100"), [0, 0]);
    judged.program.ends();
}
