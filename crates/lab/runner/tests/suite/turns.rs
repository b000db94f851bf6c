//! Processes in turns on a simulated host: who runs when, what ends it, what is seen.

use std::ffi::OsString;
use std::time::Duration;

use perflab_runner::{
    Environment, Exit, Host, Launch, LaunchError, Redirect, Relative, Seen, Stopped, Thread, Turns,
    TurnsError, TurnsTaken,
};

use crate::simulated::{End, Event, Script, Simulated};

pub const TURNS: Turns = Turns {
    length: Duration::from_millis(5),
    limit: None,
};

pub fn ms(time: u64) -> Duration {
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

pub fn launch<'a>(
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
        cpus: None,
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
