//! `bench --slices`: warnings about commands that turns do not suit, each with its cause.

use perflab_testing::{needs, not_checked, test_name};

use crate::support::{Laboratory, Said};

/// Some tenths of a second of CPU time.
const WORK: &str = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";

fn bench(laboratory: &Laboratory, arguments: &[&str]) -> Said {
    laboratory.call(&[&["bench", "--slices", "5ms", "-r", "2"], arguments].concat())
}

/// The CPUs that this process may use.
fn own_cpus() -> Vec<usize> {
    let set = rustix::thread::sched_getaffinity(None).unwrap();
    (0..1024).filter(|cpu| set.is_set(*cpu)).collect()
}

#[test]
fn a_parent_that_takes_any_sigchld_for_an_end_is_named_as_a_cause() {
    needs("python3", "python3");
    let laboratory = Laboratory::new();
    let parent = "exec python3 -c '
import os, signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
if os.fork() == 0:
    while True: pass
signal.sigwait([signal.SIGCHLD])'";
    let all = ["--timeout", "60s", "-n", "parent", "-n", "work"];
    bench(&laboratory, &[&all[..], &[parent, WORK]].concat())
        .code(0)
        .prints(&[
            "`parent`: `python3` still ran when the command had ended",
            "leave --slices out if the command takes any SIGCHLD for the end of its child",
        ]);
    laboratory.assert_nothing_runs();
}

#[test]
fn commands_that_choose_their_cpu_are_named() {
    needs("taskset", "util-linux");
    let own = own_cpus();
    let [first, .., last] = own[..] else {
        not_checked(&test_name(), "there is but one CPU");
        return;
    };
    let laboratory = Laboratory::new();
    let on = |cpu: usize| format!("exec taskset -c {cpu} sh -c '{WORK}'");
    let commands = [on(first), on(last), WORK.to_owned()];
    let [on_first, on_last, free] = commands.each_ref().map(String::as_str);
    let names = ["-n", "first", "-n", "last", "-n", "free"];
    let both = format!("{first},{last}");
    let is_warned = |said: &Said, name: &str| {
        let unbroken = said.out.replace("\n  ", " ");
        unbroken.contains(&format!("`{name}`: `sh` chose CPUs of its own"))
    };
    for (cpus, expected) in [
        (last.to_string(), [true, false, false]),
        (both, [true, true, false]),
    ] {
        let flags = ["--cpus", &cpus, on_first, on_last, free];
        let said = bench(&laboratory, &[&names[..], &flags].concat()).code(0);
        let warned = ["first", "last", "free"].map(|name| is_warned(&said, name));
        assert_eq!(warned, expected, "{cpus}: {}", said.out);
    }
}

#[test]
fn failed_runs_are_among_the_warnings_below_the_comparison() {
    let laboratory = Laboratory::new();
    let said = bench(&laboratory, &["-i", "true", "exit 3"]).code(0);
    let (commands, comparison) = said.out.split_once("\nbench\n").unwrap();
    assert!(!commands.contains("exit code 0"), "{commands}");
    let warning = "warning: `exit 3`: 2 runs did not end with exit code 0";
    assert!(comparison.contains(warning), "{comparison}");
}

#[test]
fn without_a_shell_all_commands_are_split_into_words() {
    let laboratory = Laboratory::new();
    let said = laboratory.call(&["bench", "--help"]).code(0);
    let words: Vec<&str> = said.out.split_whitespace().collect();
    let help = "without a shell, also those of --setup, --prepare, --conclude and --cleanup";
    assert!(words.join(" ").contains(help), "{}", said.out);
    let all = ["-N", "-s", "touch a; b", "-p", "touch c; d", "true", "true"];
    bench(&laboratory, &all).code(0);
    for name in ["a;", "b", "c;", "d"] {
        assert!(laboratory.path(name).exists(), "{name}");
    }
}
