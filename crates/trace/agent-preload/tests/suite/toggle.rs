//! A thousand sites are switched while threads execute them.
//!
//! PERFLAB_TOGGLES: how often in each case (5); PERFLAB_THREADS: how many threads (4). `make prove-toggle` asks
//! for more.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::support::Program;
use crate::support::compile::compiled;

fn number(variable: &str, otherwise: u32) -> u32 {
    let text = std::env::var(variable).unwrap_or_default();
    text.parse().unwrap_or(otherwise)
}

fn toggles() -> u32 {
    number("PERFLAB_TOGGLES", 5)
}

/// Threads of the program: more than processors, so that some are taken away in the middle.
fn threads() -> u64 {
    u64::from(number("PERFLAB_THREADS", 4))
}

/// The program, the shared object, and what starts the program in hard surroundings.
fn built() -> [PathBuf; 3] {
    [
        compiled("gcc", &["-O2", "-pthread", "-ldl"], &["stress.c"]),
        compiled("gcc", &["-O2", "-shared", "-fPIC"], &["elsewhere.c"]),
        compiled("gcc", &["-O2"], &["surround.c"]),
    ]
}

/// Hits of each probe of `exact`.
fn exact(program: &Program) -> BTreeMap<String, u64> {
    let (sites, _) = program.ask().list("exact:*").unwrap();
    assert_eq!(sites.len(), 100);
    sites
        .into_iter()
        .map(|site| (site.name, site.hits))
        .collect()
}

/// Switches on and off, and counts while all is still; returns how it was done the first time.
fn toggled(words: &[&str], environment: &[(&str, &str)]) -> String {
    toggled_in(&[], words, environment, |_| ())
}

/// As [`toggled`], in surroundings, and with something beside it that gets the number of the process. It begins before
/// the first switch, and is waited for after the last.
fn toggled_in(
    surroundings: &[&str],
    words: &[&str],
    environment: &[(&str, &str)],
    beside: impl FnOnce(u32) + Send,
) -> String {
    let [path, library, surround] = built();
    let library = format!("load={}", library.display());
    let words = words.iter().map(|word| {
        if *word == "load" {
            library.as_str()
        } else {
            word
        }
    });
    let words: Vec<&str> = words.collect();
    let blocks = u64::from(words.iter().any(|word| word.starts_with("block")));
    let around = surroundings
        .iter()
        .flat_map(|mode| [surround.as_os_str(), mode.as_ref()]);
    let mut line = around.chain([path.as_os_str()]);
    let mut program = Program::start(
        Command::new(line.next().unwrap())
            .args(line)
            .arg(threads().to_string())
            .args(&words)
            .envs(environment.iter().copied()),
    );
    assert_eq!(program.line(), "ready\n");
    let pid = program.pid();
    let how = std::thread::scope(|scope| {
        let other = scope.spawn(move || beside(pid));
        let how = switch(&mut program, words.as_slice(), threads() + blocks);
        other.join().unwrap();
        how
    });
    program.ends();
    how
}

/// The switching of [`toggled`]: `executing` threads execute the sites of `exact` as often as they are told.
fn switch(program: &mut Program, words: &[&str], executing: u64) -> String {
    let mut how = String::new();
    let agent = program.ask();
    for round in 0..toggles() {
        let on = agent.switch("*", true).unwrap();
        assert!(on.changed >= 1200, "{on:?}");
        if round == 0 {
            how.clone_from(&on.how);
        }
        // A round in which the sites of `exact` are executed; elsewhere it is the changes that count.
        let still = round % 4 == 0 && !words.contains(&"churn");
        let before = if still {
            exact(program)
        } else {
            BTreeMap::new()
        };
        if still {
            program.tell("go 7\n");
            assert_eq!(program.line(), format!("done {executing}\n"));
            for (name, hits) in exact(program) {
                assert_eq!(hits, before[&name] + 7 * executing, "{name}, {words:?}");
            }
        }
        let off = agent.switch("*", false).unwrap();
        assert!(off.changed >= 1200, "{off:?}");
        if still {
            let before = exact(program);
            program.tell("go 7\n");
            program.line();
            assert_eq!(exact(program), before, "hits while off, {words:?}");
        }
    }
    how
}

/// A debugger that is attached to a process, does what it is told and lets go.
fn debugger(pid: u32, order: &str) -> Child {
    perflab_testing::needs("gdb", "gdb");
    Command::new("gdb")
        .args(["-q", "-nx", "-batch", "-iex", "set debuginfod enabled off"])
        .args(["-p", &pid.to_string(), "-ex", order])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn while_threads_execute() {
    let how = toggled(&[], &[]);
    assert_eq!(how, "by word, through writable pages, with membarrier");
}

#[test]
fn while_threads_come_and_go() {
    toggled(&["churn"], &[]);
}

#[test]
fn while_objects_come_and_go() {
    toggled(&["load"], &[]);
}

#[test]
fn while_children_are_made() {
    toggled(&["fork"], &[]);
}

#[test]
fn while_signals_are_handled() {
    toggled(&["signals"], &[]);
}

/// A program that wants signals for itself, or blocks them.
const SIGNALS: [&str; 6] = [
    "block",
    "block-trap",
    "block-often",
    "block-wait",
    "mask",
    "own",
];

#[test]
fn where_pages_cannot_be_made_writable() {
    for word in SIGNALS {
        let how = toggled_in(&["mdwe"], &[word], &[], |_| ());
        let expected =
            "by pun, through /proc/self/mem, with membarrier; code cannot be made writable";
        assert!(how.starts_with(expected), "{word}: {how}");
    }
}

#[test]
fn where_pages_cannot_be_made_writable_and_all_at_once() {
    toggled_in(&["mdwe"], &["fork", "signals", "load"], &[], |_| ());
    toggled_in(&["mdwe"], &["churn"], &[], |_| ());
}

#[test]
fn where_threads_block_signals() {
    for word in SIGNALS {
        let how = toggled(&[word], &[]);
        assert_eq!(how, "by word, through writable pages, with membarrier");
    }
}

#[test]
fn where_the_program_has_its_own_handlers() {
    for forced in ["fault", "trap"] {
        let how = toggled(&["own"], &[("PERFLAB_AGENT_PROTOCOL", forced)]);
        assert!(how.starts_with(&format!("by {forced}")), "{how}");
    }
}

/// Each attaching stops all threads, some of them in the middle of a switch.
#[test]
fn while_debuggers_come_and_go() {
    for protocol in ["word", "pun", "fault"] {
        toggled_in(&[], &[], &[("PERFLAB_AGENT_PROTOCOL", protocol)], |pid| {
            for _ in 0..toggles().div_ceil(10) {
                assert!(debugger(pid, "detach").wait().unwrap().success());
            }
        });
    }
}

#[test]
fn under_a_debugger() {
    let mut program = Program::start(Command::new(&built()[0]).arg(threads().to_string()));
    assert_eq!(program.line(), "ready\n");
    let agent = program.ask();
    let mut gdb = debugger(program.pid(), "continue");
    let status = format!("/proc/{}/status", program.pid());
    let end = Instant::now() + Duration::from_secs(60);
    // Attached, and let go on: a thread does not stop at once, so one look is not enough.
    let mut goes_on = 0;
    while goes_on < 5 {
        let status = std::fs::read_to_string(&status).unwrap();
        let waits = status.contains("TracerPid:\t0\n") || status.contains("State:\tt");
        goes_on = if waits { 0 } else { goes_on + 1 };
        assert!(Instant::now() < end, "gdb did not let the program go on");
        std::thread::sleep(Duration::from_millis(20));
    }
    let on = agent.switch("*", true).unwrap();
    assert!(on.how.starts_with("by word"), "{on:?}");
    let before = exact(&program);
    program.tell("go 7\n");
    program.line();
    assert_eq!(
        exact(&program).values().sum::<u64>(),
        before.values().sum::<u64>() + 700 * threads()
    );
    // Asked to end, it lets go of the program.
    let gdb_pid = Pid::from_child(&gdb);
    kill_process(gdb_pid, Signal::TERM).unwrap();
    gdb.wait().unwrap();
    let off = agent.switch("*", false).unwrap();
    assert!(off.how.starts_with("by word"), "{off:?}");
    program.ends();
}

#[test]
fn all_at_once() {
    toggled(&["fork", "signals", "load"], &[]);
}

#[test]
fn each_way_that_can_be_forced() {
    let protocol = |value| ("PERFLAB_AGENT_PROTOCOL", value);
    let writing = |value| ("PERFLAB_AGENT_WRITING", value);
    let sync = |value| ("PERFLAB_AGENT_SYNC", value);
    let cases = [
        (
            vec![protocol("pun")],
            "by pun, through /proc/self/mem, with membarrier",
        ),
        (
            vec![protocol("pun"), writing("protection"), sync("visit")],
            "by pun, through writable pages, with a visit to each processor",
        ),
        (
            vec![protocol("fault")],
            "by fault, through /proc/self/mem, with membarrier",
        ),
        (
            vec![protocol("trap")],
            "by trap, through /proc/self/mem, with membarrier",
        ),
        (
            vec![protocol("trap"), writing("protection"), sync("visit")],
            "by trap, through writable pages, with a visit to each processor",
        ),
        (
            vec![protocol("fault"), writing("protection")],
            "by fault, through writable pages, with membarrier",
        ),
        (
            vec![protocol("fault"), sync("visit")],
            "by fault, through /proc/self/mem, with a visit to each processor",
        ),
        (
            vec![sync("visit")],
            "by word, through writable pages, with a visit to each processor",
        ),
    ];
    for (environment, expected) in cases {
        assert_eq!(toggled(&[], &environment), expected);
    }
}
