//! Ctrl-C and `kill` end everything at once; what was recorded stays, and the rest can be run.

use rustix::process::{Pid, Signal, kill_process_group};

use crate::support::{Laboratory, RUN, processes, signal};

/// Everything that may be under way waits at the moment that the file `hold-at` names, in the
/// second run, as long as that file is there.
const HOLD: &str = r#"
case $2 in *000002*) ;; *) exit 0 ;; esac
cd "$(dirname "$0")"
[ "$(cat hold-at 2> /dev/null)" = "$1" ] || exit 0
touch held
exec sleep 3600
"#;

const EXPERIMENT: &str = r#"
[design]
runs = 4
block = 1

[variants.a]
shell = true
start = '''
trap 'sh {experiment}/hold stop {run}; exit' TERM
sh {experiment}/hold start {run}
echo up
while :; do sleep 0.02; done
'''
ready = { line = "up", timeout = "1h" }
stop = { timeout = "1h" }

[workloads.w]
driver = "command"
shell = true
prepare = "sh {experiment}/hold prepare {run}"
command = "sh {experiment}/hold load {run}"
cleanup = "sh {experiment}/hold cleanup {run}"
"#;

const MOMENTS: [&str; 5] = ["start", "prepare", "load", "cleanup", "stop"];

/// Starts an experiment, does something to the laboratory at a moment of the second run, and goes
/// on with it; `check` sees how the laboratory ended.
fn at(moment: &str, act: impl Fn(u32), check: impl Fn(&Laboratory, crate::support::Said)) {
    let laboratory = Laboratory::new();
    laboratory.write("hold", HOLD);
    laboratory.write("hold-at", moment);
    laboratory.write("exp.toml", EXPERIMENT);
    let running = laboratory.start(&RUN);
    laboratory.await_file("held");
    act(running.pid());
    check(&laboratory, running.end());
    let left = std::fs::read_dir(laboratory.path("tmp")).unwrap().count();
    assert_eq!(left, 0, "{moment}: a temporary directory is left");

    let before = laboratory.read("result/runs.jsonl");
    assert_eq!(before.lines().count(), 1, "{moment}: {before}");
    std::fs::remove_file(laboratory.path("hold-at")).unwrap();
    laboratory.resume().code(0);
    laboratory.assert_complete(4);
    assert!(
        laboratory.read("result/runs.jsonl").starts_with(&before),
        "a record changed"
    );
    laboratory.assert_nothing_runs();
    assert!(!laboratory.path("result/scratch").exists());
}

#[test]
fn signals_end_everything_and_say_how_to_go_on() {
    // A system that was told to stop gets the time that the experiment allows it: see below.
    let moments = MOMENTS.iter().filter(|moment| **moment != "stop");
    let interrupts = moments.map(|moment| (*moment, Signal::INT));
    for (moment, number) in interrupts.chain([("load", Signal::TERM)]) {
        at(
            moment,
            |pid| signal(pid, number),
            |laboratory, said| {
                said.code(130)
                    .says(&["interrupted", "perflab run exp.toml --resume --out result"]);
                laboratory.assert_nothing_runs();
            },
        );
    }
}

/// Whether a signal was sent to a process and not taken yet, by /proc/PID/status.
fn is_pending(pid: u32, signal: Signal) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let set = status.lines().find_map(|line| line.strip_prefix("ShdPnd:"));
    let set = u64::from_str_radix(set.unwrap().trim(), 16).unwrap();
    set >> (signal.as_raw() - 1) & 1 == 1
}

#[test]
fn a_second_signal_does_not_wait_for_anything() {
    let twice = |pid| {
        signal(pid, Signal::INT);
        // Two that wait at the same time are one.
        while is_pending(pid, Signal::INT) {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        // Signals that come close together count as one.
        std::thread::sleep(std::time::Duration::from_millis(500));
        signal(pid, Signal::INT);
    };
    at("stop", twice, |laboratory, said| {
        said.code(130);
        laboratory.await_nothing_runs();
    });
}

#[test]
fn a_laboratory_that_is_killed_is_cleaned_up_behind() {
    for moment in MOMENTS {
        at(
            moment,
            |pid| signal(pid, Signal::KILL),
            |laboratory, said| {
                assert_eq!(said.code, -1);
                laboratory.await_nothing_runs();
            },
        );
    }
}

/// What ends a whole group, as a terminal or a runner that gives up does, leaves the reaper to clean up.
#[test]
fn a_group_that_is_killed_is_cleaned_up_behind() {
    let laboratory = Laboratory::new();
    laboratory.write("hold", HOLD);
    laboratory.write("hold-at", "load");
    laboratory.write("exp.toml", EXPERIMENT);
    let running = laboratory.start_as_group(&RUN);
    laboratory.await_file("held");
    let group = Pid::from_raw(running.pid().cast_signed()).unwrap();
    kill_process_group(group, Signal::KILL).unwrap();
    assert_eq!(running.end().code, -1);
    laboratory.await_nothing_runs();
}

/// What ends a session signals all of its processes, and kills later those that are left.
#[test]
fn signals_do_not_end_the_reaper() {
    let laboratory = Laboratory::new();
    laboratory.write("hold", HOLD);
    laboratory.write("hold-at", "load");
    laboratory.write("exp.toml", EXPERIMENT);
    let running = laboratory.start(&RUN);
    laboratory.await_file("held");
    let reaper = processes(laboratory.path("").to_str().unwrap().trim_end_matches('/'))
        .into_iter()
        .find(|process| process.contains("perflab reaper"))
        .unwrap();
    let reaper = reaper.split(' ').next().unwrap().parse().unwrap();
    for number in [Signal::HUP, Signal::INT, Signal::TERM] {
        signal(reaper, number);
    }
    signal(running.pid(), Signal::KILL);
    assert_eq!(running.end().code, -1);
    laboratory.await_nothing_runs();
}

#[test]
fn a_stop_command_that_is_cut_short_is_not_waited_for() {
    let laboratory = Laboratory::new();
    laboratory.write(
        "exp.toml",
        "[design]\nruns = 1\nblock = 1\n[variants.a]\nshell = true\nstart = 'sleep 3600'\n\
         stop = { command = 'true', timeout = '1h' }\n[workloads.w]\ndriver = 'command'\n\
         shell = true\ncommand = 'touch {experiment}/held; sleep 3600'\n",
    );
    let running = laboratory.start(&RUN);
    laboratory.await_file("held");
    signal(running.pid(), Signal::INT);
    running.end().code(130);
    laboratory.assert_nothing_runs();
}

#[test]
fn a_pause_between_runs_is_cut_short() {
    let laboratory = Laboratory::new();
    laboratory.write(
        "exp.toml",
        "[design]\nruns = 2\nblock = 1\npause = '1h'\n[variants.a]\n[workloads.w]\n\
         driver = 'command'\ncommand = ['true']\n",
    );
    let running = laboratory.start(&RUN);
    crate::support::wait_until("a record", || {
        laboratory.read("result/runs.jsonl").ends_with('\n')
    });
    signal(running.pid(), Signal::INT);
    running.end().code(130);
    assert_eq!(laboratory.records().len(), 1);
}

#[test]
fn a_version_command_that_is_cut_short_leaves_no_result() {
    let laboratory = Laboratory::new();
    laboratory.write(
        "exp.toml",
        "[design]\nruns = 1\nblock = 1\n[variants.a]\nshell = true\n\
         version = 'touch {experiment}/held; sleep 3600'\n\
         [workloads.w]\ndriver = 'command'\ncommand = ['true']\n",
    );
    let running = laboratory.start(&RUN);
    laboratory.await_file("held");
    signal(running.pid(), Signal::INT);
    running.end().code(130);
    assert!(!laboratory.path("result").exists());
    laboratory.assert_nothing_runs();
}

#[test]
fn a_kept_system_is_ended_with_the_laboratory() {
    let kept = EXPERIMENT
        .replace("runs = 4", "runs = 4\nrefresh = 'keep'")
        .replace(
            "trap 'sh {experiment}/hold stop {run}; exit' TERM\nsh {experiment}/hold start {run}\n",
            "",
        );
    for number in [Signal::INT, Signal::KILL] {
        let laboratory = Laboratory::new();
        laboratory.write("hold", HOLD);
        laboratory.write("hold-at", "load");
        laboratory.write("exp.toml", &kept);
        let running = laboratory.start(&RUN);
        laboratory.await_file("held");
        signal(running.pid(), number);
        running.end();
        laboratory.await_nothing_runs();
        std::fs::remove_file(laboratory.path("hold-at")).unwrap();
        laboratory.resume().code(0);
        laboratory.assert_complete(4);
        laboratory.assert_nothing_runs();
    }
}

/// What `timeout` does: it signals its child, and then the group, in which the child is.
#[test]
fn two_signals_at_once_are_one() {
    let twice = |pid| {
        signal(pid, Signal::INT);
        while is_pending(pid, Signal::INT) {
            std::thread::yield_now();
        }
        signal(pid, Signal::INT);
        signal(pid, Signal::TERM);
    };
    for _ in 0..4 {
        at("load", twice, |laboratory, said| {
            said.code(130).says(&[
                "interrupted",
                "what was recorded is kept",
                "perflab run exp.toml --resume --out result",
            ]);
            laboratory.assert_nothing_runs();
        });
    }
}
