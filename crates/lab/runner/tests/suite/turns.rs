//! Processes in turns: who runs when, what ends it, what is seen; on a simulated host, and with real processes.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use perflab_runner::{
    Environment, Exit, Host, Launch, LaunchError, Redirect, Relative, Seen, Stopped, ThisMachine,
    Thread, Turns, TurnsError, TurnsTaken,
};
use perflab_testing::needs;

use crate::simulated::{End, Event, Script, Simulated};

const LENGTH: Duration = Duration::from_millis(5);

const TURNS: Turns = Turns {
    length: LENGTH,
    limit: None,
};

fn ms(time: u64) -> Duration {
    Duration::from_millis(time)
}

fn takes(time: u64) -> Script {
    Script::short().ends(End::After(ms(time), Exit::Code(0)))
}

/// Executes programs of these names; the one that is last comes first in each round.
fn execute(
    host: &dyn Host,
    turns: Turns,
    programs: &[&str],
) -> Result<Vec<TurnsTaken>, TurnsError> {
    let argvs: Vec<[OsString; 1]> = programs.iter().map(|name| [OsString::from(name)]).collect();
    let environment = host.environment(&[]);
    let launches: Vec<Launch<'_>> = argvs
        .iter()
        .map(|argv| launch(argv, &environment, Redirect::Null))
        .collect();
    let is_well = |exit| exit == Exit::Code(0);
    turns.execute(host, &launches, &mut |round| round.reverse(), &is_well)
}

fn launch<'a>(
    argv: &'a [OsString],
    environment: &'a Environment,
    stdout: Redirect<'a>,
) -> Launch<'a> {
    Launch {
        argv,
        environment,
        directory: None,
        stdin: None,
        stdout,
        stderr: Redirect::Inherit,
        cpus: None,
    }
}

#[test]
fn each_is_started_at_its_first_turn_and_those_left_go_on_among_themselves() {
    let host = Simulated::new(&[
        ("long", takes(18)),
        ("short", takes(7)),
        ("longer", takes(22)),
    ]);
    let taken = execute(&host, TURNS, &["long", "short", "longer"]).unwrap();
    assert_eq!(host.started(), ["longer", "short", "long"]);
    assert_eq!(host.turns(), [0, 1, 2, 0, 1, 2, 0, 2, 0, 2, 0]);
    let turns: Vec<u32> = taken.iter().map(|own| own.turns).collect();
    assert_eq!(turns, [4, 2, 5]);
    for (own, time) in taken.iter().zip([18, 7, 22]) {
        // The time of its start is in it.
        assert!(own.time <= ms(time + 1) && own.time >= ms(time), "{own:?}");
    }
    assert_eq!(host.left(), 0);
}

#[test]
fn the_limit_is_one_of_the_time_in_turns() {
    let host = Simulated::new(&[("a", takes(30)), ("b", takes(30))]);
    let limit = |limit| Turns {
        limit: Some(ms(limit)),
        ..TURNS
    };
    assert!(execute(&host, limit(31), &["a", "b"]).is_ok());
    let late = execute(&host, limit(24), &["a", "b"]).unwrap_err();
    assert!(
        matches!(
            late,
            TurnsError::Stopped {
                place: 1,
                why: Stopped::TimeLimit
            }
        ),
        "{late}"
    );
    assert_eq!(host.left(), 0);
}

#[test]
fn a_failure_ends_the_others() {
    let fails = Script::short().ends(End::After(ms(7), Exit::Code(3)));
    let host = Simulated::new(&[
        ("fails", fails),
        ("never", Script::short().ends(End::Never)),
    ]);
    let failed = execute(&host, TURNS, &["fails", "never"]).unwrap_err();
    assert!(
        matches!(
            failed,
            TurnsError::Failed {
                place: 0,
                exit: Exit::Code(3)
            }
        ),
        "{failed}"
    );
    assert_eq!(host.left(), 0);
    let host = Simulated::new(&[
        ("none", Script::short().cannot_start()),
        ("long", takes(50)),
    ]);
    let failed = execute(&host, TURNS, &["none", "long"]).unwrap_err();
    assert!(
        matches!(failed, TurnsError::Start(LaunchError::Start { .. })),
        "{failed}"
    );
    assert_eq!(host.left(), 0);
}

/// At every call: the user asks to stop, or the laboratory stands still.
#[test]
fn nothing_is_left_and_nothing_counts_after_a_disturbance() {
    for event in [Event::Interrupt, Event::Standstill] {
        for call in 0.. {
            let scripts = [("a", takes(12)), ("b", takes(13))];
            let host = Simulated::new(&scripts).event(call..call + 1, event);
            let result = execute(&host, TURNS, &["a", "b"]);
            assert_eq!(host.left(), 0, "{event:?} at call {call}");
            if call >= host.calls() {
                assert!(result.is_ok());
                break;
            }
            match (event, result) {
                (
                    Event::Interrupt,
                    Err(TurnsError::Stopped {
                        why: Stopped::Interrupted,
                        ..
                    }),
                )
                | (Event::Standstill, Err(TurnsError::Standstill)) => {}
                // Before the first look at the clocks, or after the last.
                (_, Ok(_)) => assert!(
                    call == 0 || call + 6 >= host.calls(),
                    "{event:?} at call {call}"
                ),
                (_, other) => panic!("{event:?} at call {call}: {other:?}"),
            }
        }
    }
}

fn member(process: i32, wanted_ms: u64) -> Relative {
    Relative {
        process,
        name: format!("member {process}"),
        in_group: true,
        has_timer: false,
        handles_continue: false,
        is_foreign: false,
        threads: vec![Thread {
            number: process,
            ran: ms(wanted_ms) / 4,
            wanted: ms(wanted_ms),
        }],
    }
}

/// What is seen of a process that runs for so long.
fn seen(time: u64, shows: fn(u32) -> Vec<Relative>) -> Seen {
    let host = Simulated::new(&[("a", takes(time).shows(shows)), ("b", takes(time))]);
    execute(&host, TURNS, &["a", "b"]).unwrap().remove(0).seen
}

#[test]
fn threads_that_need_a_cpu_in_the_same_turn_are_a_crowd() {
    let is_crowd = |shows| {
        let seen = seen(100, shows);
        assert!(seen.watched > ms(90), "{seen:?}");
        assert!(
            seen.crowded.is_zero() || seen.crowded == seen.watched,
            "{seen:?}"
        );
        !seen.crowded.is_zero()
    };
    assert!(!is_crowd(|turns| vec![
        member(2, u64::from(turns) * 4),
        member(3, 0)
    ]));
    let after_each_other = |turns: u32| {
        let (first, second) = (turns.min(6), turns.saturating_sub(6));
        vec![
            member(2, u64::from(first) * 4),
            member(3, u64::from(second) * 4),
        ]
    };
    assert!(!is_crowd(after_each_other));
    assert!(is_crowd(|turns| vec![
        member(2, u64::from(turns) * 3),
        member(3, u64::from(turns) * 4),
    ]));
    // Both wait for a CPU, but only to sleep on.
    assert!(!is_crowd(|turns| {
        let sleeper = |number| running(number, turns, (100, 4000));
        vec![sleeper(2), sleeper(3)]
    }));
    // Each ends before the next look, and half of them have not had a CPU yet.
    assert!(is_crowd(|turns| {
        let number = 10 * turns.cast_signed();
        let young = |at: i32| running(number + at, 1, ([0, 900][at as usize % 2], 2000));
        (0..4).map(young).collect()
    }));
}

/// Had a CPU for so long in each turn, and wanted it for so long, in microseconds.
fn running(process: i32, turns: u32, (ran, wanted): (u64, u64)) -> Relative {
    let in_turns = |each| Duration::from_micros(each) * turns;
    Relative {
        threads: vec![Thread {
            number: process,
            ran: in_turns(ran),
            wanted: in_turns(wanted),
        }],
        ..member(process, 0)
    }
}

#[test]
fn who_waits_for_a_cpu_is_told_from_who_sleeps() {
    let shares = |shows| {
        let seen = seen(500, shows);
        assert!(seen.watched > ms(430), "{seen:?}");
        [seen.ran, seen.waited, seen.unclear]
            .map(|time| (time.div_duration_f64(seen.watched) * 100.0).round())
    };
    assert_eq!(
        shares(|turns| vec![running(2, turns, (1000, 4500))]),
        [20.0, 70.0, 0.0]
    );
    // It may only sleep on.
    assert_eq!(
        shares(|turns| vec![running(2, turns, (100, 3600))]),
        [2.0, 0.0, 70.0]
    );
    // At first it has a CPU all the time, later it sleeps. The first looks are no closer than the last ones.
    let [ran, waited, _] = shares(|turns| vec![running(2, turns.min(50), (5000, 5000))]);
    assert!(
        (48.0..60.0).contains(&ran) && waited == 0.0,
        "{ran} {waited}"
    );
    // Many that sleep on wait for each other, those that work take turns.
    assert_eq!(
        shares(|turns| (2..10).map(|own| running(own, turns, (50, 550))).collect()),
        [8.0, 0.0, 0.0]
    );
    assert_eq!(
        shares(|turns| vec![
            running(2, turns, (500, 2000)),
            running(3, turns, (500, 2000))
        ]),
        [20.0, 60.0, 0.0]
    );
}

#[test]
fn what_breaks_turns_is_seen() {
    let all = seen(100, |turns| {
        let astray = Relative {
            in_group: false,
            ..member(2, 0)
        };
        let timer = Relative {
            has_timer: turns == 4,
            ..member(3, 0)
        };
        let handler = Relative {
            handles_continue: true,
            ..member(4, 0)
        };
        let foreign = Relative {
            is_foreign: true,
            ..member(5, 0)
        };
        vec![astray, timer, handler, foreign]
    });
    let name = |number: i32| Some(format!("member {number}"));
    let expected = Seen {
        astray: name(2),
        left: name(2),
        timer: name(3),
        handler: name(4),
        foreign: name(5),
        watched: all.watched,
        ..Seen::default()
    };
    assert_eq!(all, expected);
    assert_eq!(Seen::default().and(all.clone()), all);
}

#[test]
fn what_is_there_for_an_eighth_of_a_run_is_seen() {
    let late = seen(500, |turns| {
        let astray = Relative {
            in_group: !(70..80).contains(&turns),
            ..member(2, 0)
        };
        vec![astray]
    });
    assert_eq!(late.astray.as_deref(), Some("member 2"));
}

#[test]
fn what_left_the_group_is_let_go_on_once() {
    let shows = |turns| {
        let member = |number| Relative {
            in_group: number == 2 || turns < 4,
            ..member(number, 0)
        };
        vec![member(2), member(3)]
    };
    let host = Simulated::new(&[("a", takes(100).shows(shows)), ("b", takes(100))]);
    execute(&host, TURNS, &["a", "b"]).unwrap();
    assert_eq!(host.let_go_on(), [3]);
}

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
