//! One turn: a process group goes on (SIGCONT) for so long, and is stopped again (SIGSTOP).
//!
//! 1. The group is continued, and the laboratory sleeps in the kernel until the turn is over, the process ends, or the
//!    user asks to stop.
//! 2. The group is stopped. The process's own stop is waited for: a process stops when it next returns from the
//!    kernel, which takes microseconds, or longer where another program has its CPU.
//! 3. A thread is not waited for that executes no instruction of its own before it is continued. One that sleeps where
//!    signals do not wake it (state `D`) stops before it returns to the program; if it waits for a child to execute a
//!    program (`vfork`), that never happens, as the child is stopped. One that is traced (`t`) waits for its tracer, which
//!    may be stopped as well. With such a thread the process is never reported as stopped. So a stop holds, too, once all
//!    of its threads are in these states or stopped one by one.
//! 4. The kernel hands the stop of a process to one of its threads, which passes it on to the others. One in state `D` does
//!    not, and the others compute on. So each thread that still runs is told to stop by itself.
//!
//! Somebody else may continue the group at any time, which takes back a stop that has not taken effect: Ctrl-Z and `fg`
//! of the laboratory do (see `job_control`). So the stop is sent again until it holds.
//!
//! The other processes of the group are told to stop at the same moment, and are not waited for: to find them takes as
//! long as a turn.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, retry_on_intr};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus, kill_process, kill_process_group,
    test_kill_process, waitid,
};

use super::brand::{Brand, state};
use super::interrupt::{Interrupt, timespec};
use super::job_control::go_on;
use super::sys::stop_at;
use crate::host::{Turn, TurnEnd, later};

/// The first pause before a stop is looked for again: most have taken effect by then. Each is four times the one before.
const FIRST_PAUSE: Duration = Duration::from_micros(50);

/// From this pause on the states of the threads are looked at too, and the stop is sent again.
const LONG_PAUSE: Duration = Duration::from_micros(1600);

/// How long a stop is waited for while no thread runs: one that runs may be in the kernel for long, or wait for a CPU.
const PATIENCE: Duration = Duration::from_secs(3);

/// The states of threads that execute no instruction of their own before they are continued, proc(5): stopped, traced,
/// asleep where signals do not wake them, ended.
const STILL: &str = "TtDZXx";

/// As [`Process::take_turn`](crate::Process::take_turn); `watch` is readable once the process has ended.
pub(super) fn take_turn(
    pid: Pid,
    watch: &OwnedFd,
    interrupt: &Interrupt,
    length: Duration,
    limit: Option<Duration>,
) -> io::Result<Turn> {
    let start = Instant::now();
    go_on(pid)?;
    let mut end = wait_until(later(start, length), watch, interrupt)?;
    // What is stopped by now was so before this turn stops it. The laboratory's job control stops by another signal.
    if end == TurnEnd::Over {
        let signal = look(pid)?.and_then(|status| status.stopping_signal());
        if [Signal::TTIN, Signal::TTOU]
            .iter()
            .any(|own| signal == Some(own.as_raw()))
        {
            end = TurnEnd::Terminal;
        }
    }
    let mut took = start.elapsed();
    if end == TurnEnd::Over {
        let limit = limit.map(|limit| later(start, limit));
        end = stop(pid, interrupt, limit, PATIENCE)?;
    }
    if let TurnEnd::Unstopped { .. } = end {
        took = start.elapsed();
    }
    Ok(Turn { took, end })
}

/// Continues a single process, by its number, if it bears the brand and is stopped.
pub(super) fn go_on_if_stopped(process: i32, brand: Option<Brand>) {
    // It may have ended meanwhile, and its number may be another's.
    let is_ours = |pid: &Pid| brand.is_some_and(|brand| brand.is_borne_by(*pid));
    if let Some(pid) = Pid::from_raw(process).filter(is_ours)
        && state(pid) == Some('T')
    {
        // One that may not be signalled was not stopped by a turn's end either.
        let _ = kill_process(pid, Signal::CONT);
    }
}

fn wait_until(deadline: Instant, watch: &OwnedFd, interrupt: &Interrupt) -> io::Result<TurnEnd> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let mut ready = [
            PollFd::new(watch, PollFlags::IN),
            PollFd::from_borrowed_fd(interrupt.descriptor(), PollFlags::IN),
        ];
        match poll(&mut ready, Some(&timespec(left))) {
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
            Ok(0) => return Ok(TurnEnd::Over),
            Ok(_) if ready[0].revents().contains(PollFlags::IN) => return Ok(TurnEnd::Ended),
            Ok(_) => return Ok(TurnEnd::Interrupted),
        }
    }
}

/// Stops the group; what came of it. It gives up at the limit, or once no thread has run for so long.
fn stop(
    pid: Pid,
    interrupt: &Interrupt,
    limit: Option<Instant>,
    patience: Duration,
) -> io::Result<TurnEnd> {
    let mut pause = FIRST_PAUSE;
    let mut ran = Instant::now();
    kill_process_group(pid, Signal::STOP)?;
    // Another one of the group may be signalled where the process itself may not.
    test_kill_process(pid)?;
    loop {
        match look(pid)? {
            Some(status) if status.stopped() => return Ok(TurnEnd::Over),
            Some(_) => return Ok(TurnEnd::Ended),
            None => {}
        }
        if pause >= LONG_PAUSE {
            let moving = moving(pid)?;
            let Some((thread, state)) = moving.first().copied() else {
                return Ok(TurnEnd::Over);
            };
            if interrupt.asked() {
                return Ok(TurnEnd::Interrupted);
            }
            let now = Instant::now();
            if moving.iter().any(|(_, state)| *state == 'R') {
                ran = now;
            }
            if limit.is_some_and(|limit| now >= limit) || now - ran >= patience {
                let thread = thread.as_raw_nonzero().get();
                return Ok(TurnEnd::Unstopped { thread, state });
            }
            kill_process_group(pid, Signal::STOP)?;
            for (thread, _) in moving {
                stop_at(pid, thread);
            }
        }
        thread::sleep(pause);
        pause = LONG_PAUSE.min(pause * 4);
    }
}

/// The threads of a process that may execute an instruction of their own before they are continued, with their states.
fn moving(pid: Pid) -> io::Result<Vec<(Pid, char)>> {
    let tasks = fs::read_dir(format!("/proc/{}/task", pid.as_raw_nonzero()))?;
    let numbers = tasks
        .flatten()
        .filter_map(|task| task.file_name().to_str()?.parse().ok());
    let threads = numbers.filter_map(Pid::from_raw);
    let states = threads.filter_map(|thread| Some((thread, state(thread)?)));
    Ok(states
        .filter(|(_, state)| !STILL.contains(*state))
        .collect())
}

/// Whether it has ended or is stopped, without taking the news from whoever asks next.
fn look(pid: Pid) -> io::Result<Option<WaitIdStatus>> {
    let options = WaitIdOptions::EXITED
        | WaitIdOptions::STOPPED
        | WaitIdOptions::NOHANG
        | WaitIdOptions::NOWAIT;
    Ok(retry_on_intr(|| waitid(WaitId::Pid(pid), options))?)
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt;
    use std::process::Command;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn a_stop_that_somebody_takes_back_is_given_up() {
        let interrupt = Interrupt::never().unwrap();
        let mut command = Command::new("sleep");
        let mut child = command.arg("300").process_group(0).spawn().unwrap();
        let pid = Pid::from_child(&child);
        let is_over = AtomicBool::new(false);
        let ends = thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    let _ = kill_process(pid, Signal::CONT);
                }
            });
            // By chance it may be stopped when it is looked at.
            let ends = [Some(Instant::now()), None].map(|limit| {
                let mut ends =
                    (0..10_000).map(|_| stop(pid, &interrupt, limit, Duration::ZERO).unwrap());
                ends.find(|end| matches!(end, TurnEnd::Unstopped { .. }))
            });
            is_over.store(true, Ordering::Relaxed);
            ends
        });
        let _ = kill_process(pid, Signal::KILL);
        child.wait().unwrap();
        let thread = pid.as_raw_nonzero().get();
        for end in ends {
            assert!(
                matches!(end, Some(TurnEnd::Unstopped { thread: own, .. }) if own == thread),
                "{end:?}"
            );
        }
    }
}
