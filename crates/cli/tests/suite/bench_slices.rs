//! `bench --slices`: commands that take turns on a CPU and are compared by CPU time, whatever disturbs or ends them.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::thread;
use std::time::{Duration, Instant};

use perflab_testing::{needs, not_checked, test_name};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;

use crate::support::{Laboratory, Said, processes, signal, wait_until};

/// Some hundredths of a second of CPU time.
const WORK: &str = "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done";

/// Never ends; says when it has begun.
const ENDLESS: &str = "echo >> begun; while :; do :; done";

fn bench(laboratory: &Laboratory, arguments: &[&str]) -> Said {
    laboratory.call(&[&["bench", "--slices", "5ms"], arguments].concat())
}

fn lines(laboratory: &Laboratory, name: &str) -> Vec<String> {
    laboratory.read(name).lines().map(str::to_owned).collect()
}

/// Whether a warning says that a command sleeps. On a busy machine it may wait for a CPU as well, which is said with how
/// much.
fn is_idle(said: &Said, name: &str) -> bool {
    let unbroken = said.out.replace("\n  ", " ");
    let about = format!("warning: `{name}`: ");
    let mut own = unbroken.lines().filter(|line| line.starts_with(&about));
    own.any(|line| line.contains("it sleeps or waits") || line.contains("waited for one for"))
}

#[test]
fn commands_in_turns_are_compared_by_cpu_time() {
    let laboratory = Laboratory::new();
    let twice = format!("{WORK}; {WORK}");
    let exports = [
        "--export-json",
        "times.json",
        "--export-report",
        "report.json",
        "--export-markdown",
        "table.md",
    ];
    let said = bench(
        &laboratory,
        &[&["-r", "6", "--seed", "1", WORK, &twice][..], &exports].concat(),
    );
    said.code(0).prints(&[
        "CPU time: mean",
        "6 blocks in random order, the runs of each in turns of 5ms, seed 1",
        ": cpu, lower is better",
        "slower: typical run +",
    ]);
    let report: Value = serde_json::from_str(&laboratory.read("report.json")).unwrap();
    assert_eq!(report["design"]["turn_s"], 0.005);
    assert_eq!(report["rows"][0]["metric"]["name"], "cpu");
    let times: Value = serde_json::from_str(&laboratory.read("times.json")).unwrap();
    for entry in times["results"].as_array().unwrap() {
        assert_eq!(entry["metric"], "cpu");
        let number = |name: &str| entry[name].as_f64().unwrap();
        assert!(
            (number("mean") - number("user") - number("system")).abs() < 1e-6,
            "{entry:#}"
        );
    }
    assert!(laboratory.read("table.md").contains("| Mean CPU [ms] |"));
    laboratory
        .call(&["import", "times.json", "--out", "imported"])
        .code(0);
    let record = laboratory.read("imported/runs.jsonl");
    assert!(record.contains("{\"name\":\"cpu\","), "{record}");
    laboratory.assert_nothing_runs();
}

#[test]
fn all_is_prepared_before_and_concluded_after_the_turns() {
    let laboratory = Laboratory::new();
    let arguments = [
        "-q",
        "-r",
        "2",
        "-w",
        "1",
        "--seed",
        "5",
        "-L",
        "n",
        "a,b",
        "-s",
        "echo setup {n} >> log",
        "-p",
        "echo prepare {n} >> log",
        "-C",
        "echo conclude {n} >> log",
        "-c",
        "echo cleanup {n} >> log",
        "echo run {n} $HYPERFINE_ITERATION >> log",
    ];
    bench(&laboratory, &arguments).code(0);
    let log = lines(&laboratory, "log");
    let mut expected = vec!["setup a", "setup b"];
    let block = [
        "prepare a",
        "prepare b",
        "run",
        "run",
        "conclude a",
        "conclude b",
    ];
    expected.extend([block, block, block].concat());
    expected.extend(["cleanup a", "cleanup b"]);
    let same = |(line, expected): (&String, &&str)| {
        line == expected || *expected == "run" && line.starts_with("run ")
    };
    assert!(
        log.len() == expected.len() && log.iter().zip(&expected).all(same),
        "{log:#?}"
    );
    let runs = |log: &[String]| {
        log.iter()
            .filter(|line| line.starts_with("run "))
            .cloned()
            .collect::<Vec<_>>()
    };
    let mut sorted = runs(&log);
    sorted.sort_unstable();
    assert_eq!(
        sorted,
        [
            "run a 0",
            "run a 1",
            "run a warmup-0",
            "run b 0",
            "run b 1",
            "run b warmup-0"
        ]
    );
}

#[test]
fn a_seed_gives_the_order_of_first_turns_again() {
    let order = |seed: &str| {
        let laboratory = Laboratory::new();
        let arguments = [
            "-q",
            "-r",
            "12",
            "--seed",
            seed,
            "echo a >> log",
            "echo b >> log",
            "echo c >> log",
        ];
        laboratory
            .call(&[&["bench", "--slices", "1s"], &arguments[..]].concat())
            .code(0);
        lines(&laboratory, "log")
    };
    let first = order("1");
    assert_eq!(first.len(), 36);
    assert_eq!(first, order("1"));
    assert_ne!(first, order("2"));
}

#[test]
fn it_is_decided_in_blocks_of_one_run() {
    let laboratory = Laboratory::new();
    let thrice = format!("{WORK}; {WORK}; {WORK}");
    let arguments = [
        "--until-decided",
        "--gate",
        "regression",
        "-M",
        "60",
        WORK,
        &thrice,
    ];
    bench(&laboratory, &arguments)
        .code(1)
        .prints(&["in turns of 5ms", "slower"]);
}

#[test]
fn what_does_not_go_with_turns_is_refused() {
    let laboratory = Laboratory::new();
    for (arguments, words) in [
        (&["true"][..], "--slices compares commands, found only one"),
        (
            &["true", "true", "--order", "sequential"],
            "leave --order sequential out",
        ),
        (&["true", "true", "--block", "3"], "--block"),
        (
            &["true", "true", "--output", "./out"],
            "./out takes the output of several",
        ),
        (&["true", "true", "--slices", "0.5ms"], "expected 1ms to 1s"),
        (&["true", "true", "--slices", "5"], "lacks a unit"),
    ] {
        let slices = ["--slices", "5ms"];
        let given = if arguments.contains(&"--slices") {
            &[][..]
        } else {
            &slices
        };
        laboratory
            .call(&[&["bench"], arguments, given].concat())
            .code(2)
            .says(&[words]);
    }
    let each = [
        "-r", "2", "--output", "./a", "--output", "./b", "echo a", "echo b",
    ];
    bench(&laboratory, &each).code(0);
    assert_eq!(
        (laboratory.read("a"), laboratory.read("b")),
        ("a\n".to_owned(), "b\n".to_owned())
    );
}

#[test]
fn what_makes_cpu_time_say_little_is_named() {
    needs("python3", "python3");
    let laboratory = Laboratory::new();
    // Long enough to be there at a look: those between turns are few.
    let stray =
        format!("setsid sh -c '{WORK}; {WORK}; {WORK}; {WORK}; {WORK}; {WORK}' & {WORK}; wait");
    let timer = format!("exec timeout 1h sh -c '{WORK}; {WORK}'");
    let crowd = format!("({WORK}; {WORK}; {WORK}) & {WORK}; {WORK}; {WORK}; wait");
    let left = "sleep 300 & :";
    let handler = "exec python3 -c '
import signal, time
signal.signal(signal.SIGCONT, lambda *_: None)
until = time.process_time() + 0.1
while time.process_time() < until: pass'";
    // Four at a time, each of which ends within some turns; of those that end within one a look sees too little.
    let short = WORK.replace("30000", "8000");
    let jobs = format!("seq 24 | xargs -P4 -n1 sh -c '{short}'");
    let all = [
        "-r", "2", "-n", "stray", "-n", "sleeper", "-n", "timer", "-n", "crowd", "-n", "left",
        "-n", "handler", "-n", "jobs",
    ];
    let commands = [&stray, "sleep 0.5", &timer, &crowd, left, handler, &jobs];
    let said = bench(&laboratory, &[&all[..], &commands].concat());
    let said = said.code(0);
    // A run of it ends in its first turn, or in the next one where it is slow.
    let (_, turns) = said.out.split_once("`left`: a run has ").unwrap();
    let turns: f64 = turns.split(' ').next().unwrap().parse().unwrap();
    assert!(turns < 4.0, "{}", said.out);
    assert!(is_idle(&said, "sleeper"), "{}", said.out);
    said.prints(&[
        "left its process group, and so ran during the turns of others",
        "`timer`: `timeout` has a timer",
        "`crowd`: several of its threads or processes need a CPU",
        "`left`: `s",
        "still ran when the command had ended",
        "`handler`: `python3` handles SIGCONT",
        "`jobs`: several of its threads or processes need a CPU",
    ]);
    laboratory.assert_nothing_runs();
}

#[test]
fn what_works_first_and_sleeps_later_is_not_taken_for_what_lacks_a_cpu() {
    let laboratory = Laboratory::new();
    let late = format!("{WORK}; {WORK}; {WORK}; sleep 0.4");
    let said = bench(&laboratory, &["-r", "2", "-n", "late", &late, WORK]).code(0);
    assert!(is_idle(&said, "late"), "{}", said.out);
}

/// A shell that writes down where it may run, and for what.
const TELLS_CPUS: &str = "\
echo \"$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status) $2\" >> cpus
exec sh \"$@\"
";

#[test]
fn commands_and_the_empty_shell_run_on_the_last_cpu_or_on_those_asked_for() {
    let laboratory = Laboratory::new();
    laboratory.program("shell", TELLS_CPUS);
    let set = rustix::thread::sched_getaffinity(None).unwrap();
    let own: Vec<usize> = (0..1024).filter(|cpu| set.is_set(*cpu)).collect();
    let [first, last] = [own[0], own[own.len() - 1]].map(|cpu| cpu.to_string());
    for (flags, cpu) in [(&[][..], &last), (&["--cpus", &first], &first)] {
        laboratory.write("cpus", "");
        let all = ["-q", "-r", "2", "-S", "./shell", ": a", ": b"];
        bench(&laboratory, &[&all[..], flags].concat()).code(0);
        let mut seen = lines(&laboratory, "cpus");
        // One run of the empty shell comes before all blocks.
        assert_eq!(seen.len(), 7, "{seen:?}");
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen, ["", ": a", ": b"].map(|line| format!("{cpu} {line}")));
    }
}

/// A program of root that everybody may execute as root, for somebody else.
#[test]
fn a_command_of_another_user_is_named_and_not_waited_for() {
    if !rustix::process::geteuid().is_root() {
        not_checked(
            &test_name(),
            "only root can make a program that runs as root",
        );
        return;
    }
    let laboratory = Laboratory::new();
    let own = laboratory.path("");
    for directory in [own.clone(), own.join("tmp")] {
        fs::set_permissions(directory, fs::Permissions::from_mode(0o777)).unwrap();
    }
    let program = laboratory.path("as-root");
    needs("setpriv", "util-linux");
    fs::copy("/usr/bin/setpriv", &program).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o4755)).unwrap();
    let nobody = |arguments: &[&str]| {
        let all = [&["bench", "--slices", "5ms", "-r", "2"], arguments].concat();
        let mut command = laboratory.perflab(&all);
        Said::from(command.uid(65534).gid(65534).output().unwrap())
    };
    // Neither a turn nor a time limit ends it: it is named, goes on, and is not waited for.
    let end_what_is_left = || {
        let left = processes(own.to_str().unwrap().trim_end_matches('/'));
        for process in &left {
            signal(
                process.split(' ').next().unwrap().parse().unwrap(),
                Signal::KILL,
            );
        }
        assert_eq!(left.len(), 1, "{left:?}");
    };
    let begin = Instant::now();
    nobody(&["-N", "./as-root --reuid=0 sleep 300", "sleep 0.1"])
        .code(5)
        .says(&[
            "`./as-root --reuid=0 sleep 300` cannot take turns",
            "runs as another user",
        ]);
    end_what_is_left();
    let whole = ["bench", "-r", "2", "-N", "--timeout", "1s"];
    let mut command = laboratory.perflab(&whole);
    command.args(["./as-root --reuid=0 sleep 300", "true"]);
    Said::from(command.uid(65534).gid(65534).output().unwrap())
        .code(5)
        .says(&[
            "`./as-root --reuid=0 sleep 300`: process",
            "cannot be ended",
        ]);
    end_what_is_left();
    assert!(begin.elapsed() < Duration::from_secs(100));
    // Its leader can be stopped, and is.
    nobody(&["./as-root --reuid=0 sleep 0.3; :", "sleep 0.3"])
        .code(0)
        .prints(&["`sleep` runs as another user and may not be stopped"]);
    laboratory.await_nothing_runs();
}

/// One that is stopped as its group is, while it leaves the group, would be stopped for good, and waited for.
#[test]
fn what_was_stopped_while_it_left_its_group_goes_on() {
    needs("python3", "python3");
    let laboratory = Laboratory::new();
    let leaves = "exec python3 -c '
import os, signal
child = os.fork()
if child == 0:
    os.setpgid(0, 0)
    os.kill(os.getpid(), signal.SIGSTOP)
    os._exit(0)
os.waitpid(child, 0)'";
    bench(
        &laboratory,
        &["-r", "2", "--timeout", "60s", leaves, "sleep 0.5"],
    )
    .code(0);
    laboratory.assert_nothing_runs();
}

#[test]
fn a_command_that_fails_ends_all_unless_that_is_put_up_with() {
    let laboratory = Laboratory::new();
    let fails = format!("{WORK}; exit 3");
    bench(&laboratory, &["-r", "2", "while :; do :; done", &fails])
        .code(4)
        .says(&["exit 3` ended with exit code 3; --ignore-failure"]);
    laboratory.assert_nothing_runs();
    bench(&laboratory, &["-r", "2", "-i", WORK, &fails])
        .code(0)
        .prints(&["2 runs did not end with exit code 0"]);
}

#[test]
fn the_time_limit_is_one_of_turns() {
    let laboratory = Laboratory::new();
    let endless = "while :; do :; done";
    bench(
        &laboratory,
        &["-r", "2", "--timeout", "100ms", endless, endless],
    )
    .code(124)
    .says(&["`while :; do :; done` took longer than --timeout (100ms)"]);
    laboratory.assert_nothing_runs();
}

#[test]
fn a_command_that_wants_the_terminal_is_not_waited_for() {
    let laboratory = Laboratory::new();
    bench(
        &laboratory,
        &[
            "-r",
            "2",
            "while :; do kill -TTIN $$; done",
            "while :; do :; done",
        ],
    )
    .code(4)
    .says(&["reads or sets the terminal", "--input FILE"]);
    laboratory.assert_nothing_runs();
}

/// While one of them has its turn the other one is stopped.
#[test]
fn nothing_is_left_stopped_however_it_ends() {
    for (number, code) in [(Signal::INT, 130), (Signal::TERM, 130), (Signal::KILL, -1)] {
        let laboratory = Laboratory::new();
        let running = laboratory.start(&["bench", "--slices", "5ms", "-r", "2", ENDLESS, ENDLESS]);
        wait_until("both to begin", || lines(&laboratory, "begun").len() == 2);
        signal(running.pid(), number);
        assert_eq!(running.end().code, code);
        match number {
            Signal::KILL => laboratory.await_nothing_runs(),
            _ => laboratory.assert_nothing_runs(),
        }
    }
}

fn states(laboratory: &Laboratory) -> String {
    let word = laboratory.path("");
    let state = |process: &String| {
        let pid = process.split(' ').next().unwrap();
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        // The reaper waits for the laboratory's end, whatever becomes of the job.
        let is_job = String::from_utf8_lossy(&environment).contains("PERFLAB_MARK=");
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let state = stat
            .rsplit_once(") ")
            .and_then(|(_, rest)| rest.chars().next());
        state.filter(|_| is_job)
    };
    processes(word.to_str().unwrap().trim_end_matches('/'))
        .iter()
        .filter_map(state)
        .collect()
}

#[test]
fn ctrl_z_stops_all_of_them_and_fg_repeats_the_block() {
    let laboratory = Laboratory::new();
    let waits = "echo >> begun; while [ ! -e go ]; do :; done";
    let words = ["bench", "--slices", "5ms", "-r", "1", waits, waits];
    let running = laboratory.start_as_group(&words);
    wait_until("both to begin", || lines(&laboratory, "begun").len() == 2);
    let group = Pid::from_raw(running.pid().cast_signed()).unwrap();
    kill_process_group(group, Signal::TSTP).unwrap();
    wait_until("the job to stop", || states(&laboratory) == "TT");
    thread::sleep(Duration::from_millis(100));
    assert_eq!(states(&laboratory), "TT");
    laboratory.write("go", "");
    kill_process_group(group, Signal::CONT).unwrap();
    running
        .end()
        .code(0)
        .says(&["is repeated", "the laboratory was stopped"]);
    assert_eq!(lines(&laboratory, "begun").len(), 4);
    laboratory.assert_nothing_runs();
}
