//! Processes in turns: who runs when, what ends it, what is seen; on a simulated host, and with real processes.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
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
        assert!(own.time <= ms(time) && own.time > ms(time - 1), "{own:?}");
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
        threads: vec![Thread {
            number: process,
            ran: ms(wanted_ms) / 4,
            wanted: ms(wanted_ms),
        }],
    }
}

fn seen(shows: fn(u32) -> Vec<Relative>) -> Seen {
    let host = Simulated::new(&[("a", takes(100).shows(shows)), ("b", takes(100))]);
    execute(&host, TURNS, &["a", "b"]).unwrap().remove(0).seen
}

#[test]
fn threads_that_need_a_cpu_in_the_same_turn_are_a_crowd() {
    let one = seen(|turns| vec![member(2, u64::from(turns) * 4), member(3, 0)]);
    assert_eq!((one.looks, one.crowded, one.idle), (4, 0, 0));
    let after_each_other = seen(|turns| {
        let (first, second) = (turns.min(6), turns.saturating_sub(6));
        vec![
            member(2, u64::from(first) * 4),
            member(3, u64::from(second) * 4),
        ]
    });
    assert_eq!((after_each_other.looks, after_each_other.crowded), (4, 0));
    let two = seen(|turns| {
        vec![
            member(2, u64::from(turns) * 3),
            member(3, u64::from(turns) * 4),
        ]
    });
    assert_eq!((two.looks, two.crowded), (4, 4));
    // Both wait for a CPU, but only to sleep on.
    let sleepers = seen(|turns| {
        let sleeper = |number| Relative {
            threads: vec![Thread {
                number,
                ran: Duration::from_micros(u64::from(turns) * 100),
                wanted: ms(u64::from(turns) * 4),
            }],
            ..member(number, 0)
        };
        vec![sleeper(2), sleeper(3)]
    });
    assert_eq!((sleepers.crowded, sleepers.idle), (0, 4));
}

#[test]
fn what_breaks_turns_is_seen() {
    let all = seen(|turns| {
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
        vec![astray, timer, handler]
    });
    let name = |number: i32| Some(format!("member {number}"));
    let expected = Seen {
        astray: name(2),
        left: name(2),
        timer: name(3),
        handler: name(4),
        looks: 4,
        crowded: 0,
        idle: 4,
    };
    assert_eq!(all, expected);
    assert_eq!(Seen::default().and(all.clone()), all);
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

fn python(script: &str, arguments: &[&str]) -> Vec<OsString> {
    let words = ["python3", "-c", script]
        .into_iter()
        .chain(arguments.iter().copied());
    words.map(OsString::from).collect()
}

/// Executes command lines on this machine, on any CPU; what they print.
fn real(
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
    let taken = TURNS.execute(&machine, &launches, &mut |round| round.reverse(), &|_| true)?;
    let printed = paths.iter().map(|path| fs::read_to_string(path).unwrap());
    Ok((taken, printed.collect()))
}

#[test]
fn each_gets_its_turns_and_never_two_run_at_once() {
    needs("python3", "python3");
    let directory = tempfile::tempdir().unwrap();
    let argvs = ["0.4", "0.4", "0.2"].map(|seconds| python(STAMPS, &[seconds]));
    let (taken, printed) = real(&argvs, directory.path()).unwrap();
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
            looks: own.seen.looks,
            crowded: own.seen.crowded,
            idle: own.seen.idle,
            ..Seen::default()
        };
        assert_eq!(own.seen, quiet);
    }
}

/// A child of `vfork` is stopped before it executes its program: its parent waits for that where no signal wakes it.
#[test]
fn one_that_waits_for_a_child_to_begin_is_not_waited_for() {
    needs("python3", "python3");
    let directory = tempfile::tempdir().unwrap();
    // `os.posix_spawn` is a vfork; the work between two of them is short.
    let starts = "import os
for _ in range(300): os.waitpid(os.posix_spawn('/bin/true', ['true'], {}), 0)";
    let argvs = [python(starts, &[]), python(starts, &[])];
    let (taken, _) = real(&argvs, directory.path()).unwrap();
    assert!(
        taken
            .iter()
            .all(|own| own.ended.exit == Exit::Code(0) && own.turns > 10)
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
    let error = real(&argvs, directory.path()).unwrap_err();
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
    let (taken, _) = real(&argvs, directory.path()).unwrap();
    let seen: Vec<&Seen> = taken.iter().map(|own| &own.seen).collect();
    assert_eq!(seen[0].handler.as_deref(), Some("python3"));
    assert_eq!(seen[1].timer.as_deref(), Some("timeout"));
    // A busy machine has not always a CPU for both that want one, nor looks in each turn.
    assert!(
        seen[3].looks >= 4 && seen[3].crowded * 4 >= seen[3].looks,
        "{:?}",
        seen[3]
    );
    assert!(
        seen[4].looks >= 3 && seen[4].idle * 4 >= seen[4].looks,
        "{:?}",
        seen[4]
    );
    for (place, seen) in seen.iter().enumerate() {
        assert_eq!(seen.handler.is_some(), place == 0, "{seen:?}");
        assert_eq!(seen.timer.is_some(), place == 1, "{seen:?}");
        assert_eq!(seen.left.is_some(), place == 2, "{seen:?}");
        assert_eq!(seen.astray, None);
    }
}
