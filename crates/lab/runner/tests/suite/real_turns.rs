//! Processes in turns on this machine: real ones, of all kinds that are hard to stop.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use perflab_runner::{
    Exit, Host, Redirect, Seen, Stopped, ThisMachine, Turns, TurnsError, TurnsTaken,
};
use perflab_testing::needs;

use crate::turns::{TURNS, launch, ms};

/// Works for so many seconds of its own CPU time; prints when it began and ceased to run, in nanoseconds, line by line.
const STAMPS: &str = "import sys, time
begin = last = time.monotonic_ns()
until = time.process_time() + float(sys.argv[1])
periods = []
while time.process_time() < until:
    now = time.monotonic_ns()
    if now - last > 1_000_000:
        periods.append((begin, last))
        begin = now
    last = now
periods.append((begin, last))
for begin, end in periods: print(begin, end)
";

/// Does so in a thread, while the first thread waits for a child to begin (`vfork`), which waits for the work to be done.
const STAMPS_BESIDE: &str = r#"
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
static long now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}
static char **words;
static void *work(void *none) {
    long begin = now(CLOCK_MONOTONIC), last = begin;
    while (now(CLOCK_PROCESS_CPUTIME_ID) < atof(words[1]) * 1e9) {
        long at = now(CLOCK_MONOTONIC);
        if (at - last > 1000000) printf("%ld %ld\n", begin, last), begin = at;
        last = at;
    }
    printf("%ld %ld\n", begin, last);
    close(open(words[2], O_WRONLY));
    return none;
}
int main(int count, char **all) {
    pthread_t worker;
    words = all;
    if (mkfifo(words[2], 0600) || pthread_create(&worker, 0, work, 0)) return 1;
    if (vfork() == 0) _exit(open(words[2], O_RDONLY) < 0);
    return pthread_join(worker, 0);
}
"#;

/// Compiles a C program into a directory.
fn compiled(source: &str, directory: &Path) -> String {
    needs("cc", "gcc");
    let [file, program] = ["program.c", "program"].map(|name| directory.join(name));
    fs::write(&file, source).unwrap();
    let mut command = Command::new("cc");
    command
        .args(["-O1", "-pthread", "-o"])
        .args([&program, &file]);
    assert!(command.status().unwrap().success());
    program.display().to_string()
}

fn python(script: &str, arguments: &[&str]) -> Vec<OsString> {
    let words = ["python3", "-c", script]
        .into_iter()
        .chain(arguments.iter().copied());
    words.map(OsString::from).collect()
}

/// Executes command lines on this machine, on any CPU; what they print.
fn real(
    turns: Turns,
    argvs: &[Vec<OsString>],
    directory: &Path,
) -> Result<(Vec<TurnsTaken>, Vec<String>), TurnsError> {
    let machine = ThisMachine::alone().unwrap();
    let environment = machine.environment(&[]);
    let paths: Vec<_> = (0..argvs.len())
        .map(|place| directory.join(place.to_string()))
        .collect();
    let launches = argvs.iter().zip(&paths);
    let launches: Vec<_> = launches
        .map(|(argv, path)| launch(argv, &environment, Redirect::File(path)))
        .collect();
    let taken = turns.execute(&machine, &launches, &mut |round| round.reverse(), &|_| true)?;
    let printed = paths.iter().map(|path| fs::read_to_string(path).unwrap());
    Ok((taken, printed.collect()))
}

#[test]
fn each_gets_its_turns_and_never_two_run_at_once() {
    needs("python3", "python3");
    let directory = tempfile::tempdir().unwrap();
    let beside = compiled(STAMPS_BESIDE, directory.path());
    let pipe = directory.path().join("pipe").display().to_string();
    let argvs = [
        python(STAMPS, &["0.4"]),
        [&beside, "0.4", &pipe].map(OsString::from).to_vec(),
        python(STAMPS, &["0.2"]),
    ];
    let (taken, printed) = real(TURNS, &argvs, directory.path()).unwrap();
    let mut periods: Vec<(u64, u64, usize)> = Vec::new();
    for (place, text) in printed.iter().enumerate() {
        let lines = text.lines().filter_map(|line| line.split_once(' '));
        let own: Vec<_> = lines
            .map(|(begin, end)| (begin.parse().unwrap(), end.parse().unwrap(), place))
            .collect();
        assert!(own.len() >= 5, "{own:?}");
        periods.extend(own);
    }
    periods.sort_unstable();
    for pair in periods.windows(2) {
        assert!(pair[0].1 <= pair[1].0, "two ran at once: {pair:?}");
    }
    let changes = periods
        .windows(2)
        .filter(|pair| pair[0].2 != pair[1].2)
        .count();
    assert!(changes >= 15, "{changes}");
    for (own, least) in taken.iter().zip([0.4, 0.4, 0.2]) {
        let cpu = own.ended.usage.user + own.ended.usage.system;
        assert!(cpu.as_secs_f64() >= least && own.turns >= 5, "{own:?}");
        assert_eq!(own.ended.exit, Exit::Code(0));
        let quiet = Seen {
            watched: own.seen.watched,
            crowded: own.seen.crowded,
            ran: own.seen.ran,
            waited: own.seen.waited,
            unclear: own.seen.unclear,
            ..Seen::default()
        };
        assert_eq!(own.seen, quiet);
    }
}

/// A child of `vfork` is stopped before it executes its program: the thread that started it waits for that where no
/// signal wakes it, be it the first of its process or another one.
#[test]
fn one_that_waits_for_a_child_to_begin_is_not_waited_for() {
    needs("python3", "python3");
    let directory = tempfile::tempdir().unwrap();
    let starts = "import os, sys, threading
# `os.posix_spawn` is a vfork; the work between two of them is short.
def start(count):
    for _ in range(count): os.waitpid(os.posix_spawn('/bin/true', ['true'], {}), 0)
threads = int(sys.argv[1])
workers = [threading.Thread(target=start, args=(300 // threads,)) for _ in range(threads)]
for worker in workers: worker.start()
for worker in workers: worker.join()
if not threads: start(300)";
    let argvs = [python(starts, &["0"]), python(starts, &["4"])];
    let turns = Turns {
        length: ms(2),
        limit: Some(Duration::from_secs(60)),
    };
    let (taken, _) = real(turns, &argvs, directory.path()).unwrap();
    assert!(
        taken
            .iter()
            .all(|own| own.ended.exit == Exit::Code(0) && own.turns > 10)
    );
}

/// Has a child trace it, and then works, or sleeps. A child `inside` the group is stopped as well, and passes signals on;
/// one outside drops them.
const TRACED: &str = "import ctypes, os, signal, sys, time
SEIZE, CONT, WALL = 0x4206, 7, 0x40000000
libc, leader, inside = ctypes.CDLL(None), os.getpid(), sys.argv[1] == 'inside'
libc.prctl(0x59616d61, ctypes.c_ulong(-1))
if os.fork() == 0:
    if not inside: os.setsid()
    if libc.ptrace(SEIZE, leader, None, None) != 0: os.kill(leader, signal.SIGKILL)
    while True:
        _, status = os.waitpid(leader, WALL)
        if not os.WIFSTOPPED(status): os._exit(0)
        passed = os.WSTOPSIG(status) if inside and status >> 16 == 0 else 0
        libc.ptrace(CONT, leader, None, ctypes.c_void_p(passed))
while 'TracerPid:\\t0\\n' in open('/proc/self/status').read(): pass
if not inside: time.sleep(300)
until = time.process_time() + 0.1
while time.process_time() < until: pass
";

#[test]
fn one_that_is_traced_takes_turns_and_its_time_is_limited() {
    needs("python3", "python3");
    let directory = tempfile::tempdir().unwrap();
    let limited = |limit| Turns {
        limit: Some(ms(limit)),
        ..TURNS
    };
    let argvs = [python(TRACED, &["inside"]), python(STAMPS, &["0.1"])];
    let (taken, _) = real(limited(60_000), &argvs, directory.path()).unwrap();
    for own in &taken {
        assert!(own.ended.exit == Exit::Code(0) && own.turns > 10, "{own:?}");
    }
    // Its stop never holds.
    let late = real(
        limited(200),
        &[python(TRACED, &["outside"])],
        directory.path(),
    );
    assert!(
        matches!(
            late,
            Err(TurnsError::Stopped {
                why: Stopped::TimeLimit,
                ..
            })
        ),
        "{late:?}"
    );
}

#[test]
fn what_wants_the_terminal_is_not_waited_for() {
    let directory = tempfile::tempdir().unwrap();
    let argvs = [
        "for i in 1 2 3 4 5 6 7 8 9; do kill -TTIN $$; done",
        "i=0; while [ $i -lt 3000000 ]; do i=$((i+1)); done",
    ]
    .map(|line| ["sh", "-c", line].map(OsString::from).to_vec());
    let error = real(TURNS, &argvs, directory.path()).unwrap_err();
    assert!(
        matches!(error, TurnsError::Terminal { place: 0 }),
        "{error}"
    );
}

#[test]
fn what_is_seen_of_real_processes() {
    needs("python3", "python3");
    let directory = tempfile::tempdir().unwrap();
    let work = "import time
until = time.process_time() + 0.2
while time.process_time() < until: pass
";
    let handles = format!("import signal\nsignal.signal(signal.SIGCONT, lambda *_: None)\n{work}");
    let timer = ["timeout", "1h", "python3", "-c", work]
        .map(OsString::from)
        .to_vec();
    // A group whose leader ends while others in it are stopped is hung up (setpgid(2)), which would end the sleep where
    // the turn ends at that moment.
    let leaves = ["sh", "-c", "trap '' HUP; sleep 300 & exit"]
        .map(OsString::from)
        .to_vec();
    let crowd = [
        "sh",
        "-c",
        "python3 -c \"$0\" & python3 -c \"$0\"; wait",
        work,
    ];
    let crowd = crowd.map(OsString::from).to_vec();
    let sleeps = ["sleep", "1"].map(OsString::from).to_vec();
    let argvs = [python(&handles, &[]), timer, leaves, crowd, sleeps];
    let (taken, _) = real(TURNS, &argvs, directory.path()).unwrap();
    let seen: Vec<&Seen> = taken.iter().map(|own| &own.seen).collect();
    assert_eq!(seen[0].handler.as_deref(), Some("python3"));
    assert_eq!(seen[1].timer.as_deref(), Some("timeout"));
    // A busy machine has not always a CPU for both that want one.
    assert!(seen[3].crowded * 4 >= seen[3].watched, "{:?}", seen[3]);
    assert!(seen[4].ran * 10 < seen[4].watched, "{:?}", seen[4]);
    for (place, seen) in seen.iter().enumerate() {
        assert_eq!(seen.handler.is_some(), place == 0, "{seen:?}");
        assert_eq!(seen.timer.is_some(), place == 1, "{seen:?}");
        assert_eq!(seen.left.is_some(), place == 2, "{seen:?}");
        assert_eq!(seen.astray, None);
    }
}
