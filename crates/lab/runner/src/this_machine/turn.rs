//! One turn: a process group goes on (SIGCONT) for so long, and is stopped again (SIGSTOP).
//!
//! 1. The group is continued, and the laboratory sleeps in the kernel until the turn is over, the process ends, or the
//!    user asks to stop.
//! 2. The group is stopped. The process's own stop is waited for: a process stops when it next returns from the
//!    kernel, which takes microseconds, or longer where another program has its CPU.
//! 3. A process that sleeps where signals do not wake it (state `D`) is not waited for: it takes no CPU time, and stops
//!    before it executes another instruction of its own. One that waits for a child to execute a program (`vfork`)
//!    would never stop, as that child is stopped.
//!
//! Somebody else may continue the group at any time, which takes back a stop that has not taken effect: Ctrl-Z and `fg`
//! of the laboratory do (see `job_control`). So the stop is sent again until it holds.

use std::io;
use std::os::fd::OwnedFd;
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, retry_on_intr};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus, kill_process, kill_process_group, waitid,
};

use super::brand::{Brand, state};
use super::interrupt::{Interrupt, timespec};
use super::job_control::go_on;
use crate::host::{Turn, TurnEnd, later};

/// The first pause before a stop is looked for again: most have taken effect by then. Each is four times the one before.
const FIRST_PAUSE: Duration = Duration::from_micros(50);

/// From this pause on the process's state is looked at too, and the stop is sent again.
const LONG_PAUSE: Duration = Duration::from_micros(1600);

/// As [`Process::take_turn`](crate::Process::take_turn); `watch` is readable once the process has ended.
pub(super) fn take_turn(
    pid: Pid,
    watch: &OwnedFd,
    interrupt: &Interrupt,
    length: Duration,
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
    let took = start.elapsed();
    if end == TurnEnd::Over {
        end = stop(pid, interrupt)?;
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

/// Stops the group; whether its process has ended meanwhile.
fn stop(pid: Pid, interrupt: &Interrupt) -> io::Result<TurnEnd> {
    let mut pause = FIRST_PAUSE;
    kill_process_group(pid, Signal::STOP)?;
    loop {
        match look(pid)? {
            Some(status) if status.stopped() => return Ok(TurnEnd::Over),
            Some(_) => return Ok(TurnEnd::Ended),
            None => {}
        }
        if pause >= LONG_PAUSE {
            if state(pid) == Some('D') {
                return Ok(TurnEnd::Over);
            }
            if interrupt.asked() {
                return Ok(TurnEnd::Interrupted);
            }
            kill_process_group(pid, Signal::STOP)?;
        }
        thread::sleep(pause);
        pause = LONG_PAUSE.min(pause * 4);
    }
}

/// Whether it has ended or is stopped, without taking the news from whoever asks next.
fn look(pid: Pid) -> io::Result<Option<WaitIdStatus>> {
    let options = WaitIdOptions::EXITED
        | WaitIdOptions::STOPPED
        | WaitIdOptions::NOHANG
        | WaitIdOptions::NOWAIT;
    Ok(retry_on_intr(|| waitid(WaitId::Pid(pid), options))?)
}
