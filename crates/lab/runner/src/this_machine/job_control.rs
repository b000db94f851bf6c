//! Ctrl-Z and `fg`: what the laboratory has started stops and goes on with it.
//!
//! It leads process groups of its own, which the terminal's Ctrl-Z does not reach. A person who stops the job wants
//! the machine for something else; so the laboratory stops those groups first and itself then, and continues them when
//! it is continued. SIGSTOP cannot be handled: what is being measured then goes on alone. Either way the run is made
//! again, see [`crate::Moment`].
//!
//! A process that is just being started is still in the laboratory's own group, so Ctrl-Z may stop it before its
//! program is executed. The thread that starts it waits for that in the kernel (vfork) and cannot stop or be continued
//! meanwhile: both would hang for ever. So a thread of its own deals with Ctrl-Z, and first sees every start through.
#![expect(
    unsafe_code,
    reason = "an action of our own in a signal handler has no safe interface"
)]

use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;

use rustix::io::ioctl_fionread;
use rustix::process::{Pid, Signal, getpid, kill_process, kill_process_group};
use signal_hook::consts::{SIGCONT, SIGSTOP, SIGTSTP};
use signal_hook::low_level::{pipe, raise, register};

use super::brand::Brand;
use super::reaper::Reaper;
use crate::standstill;

/// How long a start is waited for before its process is looked at again.
const STEP: Duration = Duration::from_millis(1);

/// Held by who starts a process, until it can be stopped like the others, and by who continues a group.
static STARTS: Mutex<()> = Mutex::new(());

/// Starts a process with `spawn`, which Ctrl-Z does not stop halfway, with a brand. `started` makes it known.
///
/// # Errors
/// When it cannot be started.
pub(crate) fn start<P>(
    brand: Option<Brand>,
    spawn: impl FnOnce() -> io::Result<P>,
    started: impl FnOnce(&P),
) -> io::Result<P> {
    let _starting = STARTS.lock().unwrap_or_else(PoisonError::into_inner);
    let _borne = brand.and_then(Brand::bear);
    spawn().inspect(started)
}

/// Continues a group, which Ctrl-Z does not find stopped and leave running: not between its stop of all groups and that
/// of the laboratory.
///
/// # Errors
/// When there is no such group, or it may not be signalled.
pub(super) fn go_on(group: Pid) -> io::Result<()> {
    let _starting = STARTS.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(kill_process_group(group, Signal::CONT)?)
}

/// Takes over SIGTSTP and SIGCONT of this process, for what `reaper` knows as started.
///
/// # Errors
/// When the signals cannot be taken over.
pub fn job_control(reaper: &Reaper) -> io::Result<()> {
    // SAFETY: the action is fit for a signal handler, as it is one operation on an atomic.
    unsafe { register(SIGCONT, standstill::continued)? };
    let Some(table) = reaper.table() else {
        return Ok(());
    };
    let (mut stops, asked) = io::pipe()?;
    pipe::register(SIGTSTP, asked)?;
    let tell = move |signal| {
        for group in table.taken().filter_map(Pid::from_raw) {
            let _ = kill_process_group(group, signal);
        }
    };
    let wait = move || {
        let mut some = [0; 64];
        while stops.read(&mut some).is_ok_and(|bytes| bytes > 0) {
            let no_starts = between_starts();
            // Whoever asked again meanwhile wants one stop.
            while ioctl_fionread(&stops).is_ok_and(|bytes| bytes > 0) {
                let _ = stops.read(&mut some);
            }
            tell(Signal::STOP);
            // To this thread: one to the process might stop another thread first and this one later.
            let _ = raise(SIGSTOP);
            // From here on the laboratory has been continued.
            tell(Signal::CONT);
            drop(no_starts);
        }
    };
    thread::Builder::new()
        .name("job-control".to_owned())
        .spawn(wait)
        .map(drop)
}

/// Waits until no process is being started, and keeps others from it. One that was stopped halfway goes on.
fn between_starts() -> MutexGuard<'static, ()> {
    loop {
        match STARTS.try_lock() {
            Ok(guard) => return guard,
            Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {}
        }
        for child in stopped_halfway() {
            let _ = kill_process(child, Signal::CONT);
        }
        thread::sleep(STEP);
    }
}

/// Children of this process that are stopped and have not executed a program of their own.
fn stopped_halfway() -> Vec<Pid> {
    let own = fs::read_link("/proc/self/exe").ok();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let is_halfway = |place: &Path| {
        let stat = fs::read_to_string(place.join("stat")).unwrap_or_default();
        // The name of the program, in parentheses, may contain anything.
        let after = stat.rsplit_once(") ").map_or("", |(_, after)| after);
        let parent = getpid().as_raw_nonzero().to_string();
        let is_stopped = after.split(' ').take(2).eq(["T", &parent]);
        is_stopped && fs::read_link(place.join("exe")).ok() == own
    };
    entries
        .filter(|entry| is_halfway(&entry.path()))
        .filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?))
        .collect()
}
