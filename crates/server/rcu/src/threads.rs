//! Threads of this process: as the kernel shows them, and how this crate begins its own.
#![expect(unsafe_code, reason = "signals and their masks have no safe wrapper")]

use std::cell::Cell;
use std::fmt;
use std::fs;
use std::io;
use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::thread::{Builder, JoinHandle};

/// A thread of this process. Numbers of threads are used again, so it is its number and its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Thread {
    /// Its number, as in `/proc/PID/task`.
    pub tid: i32,
    /// When it began, in clock ticks since the machine did; 0 if `/proc` does not say.
    pub started: u64,
}

thread_local! {
    /// The calling thread, once it was asked for.
    static OWN: Cell<Option<Thread>> = const { Cell::new(None) };
}

impl Thread {
    /// The calling thread. Only the first call in a thread reads a file.
    pub fn current() -> Self {
        OWN.get().unwrap_or_else(|| {
            // SAFETY: the call has no arguments and cannot fail.
            let tid = unsafe { libc::gettid() };
            let stat = read(tid, "stat").ok();
            let started = stat.and_then(|stat| Some(fields(&stat)?.1));
            let own = Self {
                tid,
                started: started.unwrap_or(0),
            };
            OWN.set(Some(own));
            own
        })
    }

    /// Whether it runs, or may run. A thread of which nothing can be learned is taken to be alive: what it uses would
    /// be freed otherwise.
    pub fn is_alive(&self) -> bool {
        match read(self.tid, "stat") {
            Ok(stat) => fields(&stat).is_none_or(|(state, started)| {
                !matches!(state, 'Z' | 'X') && [0, started].contains(&self.started)
            }),
            // Without `/proc` there is no file for any thread, so the kernel is asked once more.
            Err(error) => !is_absent(&error) || !self.is_unknown_to_kernel(),
        }
    }

    fn is_unknown_to_kernel(&self) -> bool {
        let process = libc::c_long::from(std::process::id() as i32);
        // SAFETY: signal 0 is sent to nobody; the call has numbers only.
        let answer = unsafe { libc::syscall(libc::SYS_tgkill, process, self.tid, 0) };
        answer != 0 && io::Error::last_os_error().raw_os_error() == Some(libc::ESRCH)
    }
}

/// Whether a file was not there, or its thread was gone while it was read.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::ENOENT | libc::ESRCH))
}

/// State and start of a line of `stat`: its fields 3 and 22. The second is the name, in parentheses, which may hold
/// spaces and parentheses.
fn fields(stat: &str) -> Option<(char, u64)> {
    let (_, rest) = stat.rsplit_once(") ")?;
    let started = rest.split(' ').nth(22 - 3)?.parse().ok()?;
    Some((rest.chars().next()?, started))
}

fn read(tid: i32, file: &str) -> io::Result<String> {
    let bytes = fs::read(format!("/proc/self/task/{tid}/{file}"))?;
    Ok(String::from_utf8_lossy(&bytes).trim_end().to_owned())
}

/// A thread, and what it does at the moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shown {
    /// Its number, as in `/proc/PID/task`.
    pub tid: i32,
    /// Its name: at most 15 bytes. Empty if it has ended.
    pub name: String,
    /// Its state, as in "sleeping in ep_poll".
    pub state: String,
    /// Whether it blocks, or could run.
    pub activity: Activity,
}

/// Whether a thread blocks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Activity {
    /// It runs, or waits for a processor.
    Runnable,
    /// It waits for something else.
    Sleeps,
    /// It is stopped, has ended, or nothing is known.
    #[default]
    Other,
}

impl Shown {
    /// Looks at a thread.
    pub(crate) fn look(tid: i32) -> Self {
        let stat = read(tid, "stat").unwrap_or_default();
        // The kernel shows 0 for a thread that runs, and to users who may not see it.
        let channel = read(tid, "wchan").unwrap_or_default();
        let channel = Some(channel).filter(|channel| !["", "0"].contains(&channel.as_str()));
        let letter = fields(&stat).map(|(letter, _)| letter);
        Self {
            tid,
            name: read(tid, "comm").unwrap_or_default(),
            state: state(letter, channel.as_deref()),
            activity: match letter {
                Some('R') => Activity::Runnable,
                Some('S' | 'D') => Activity::Sleeps,
                _ => Activity::Other,
            },
        }
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "thread {} `{}` ({})", self.tid, self.name, self.state)
    }
}

/// The state of a thread, by its letter in `stat`.
fn state(letter: Option<char>, channel: Option<&str>) -> String {
    let state = match letter {
        Some('R') => "runnable",
        Some('S') => "sleeping",
        Some('D') => "waiting for a device",
        Some('T') => "stopped",
        Some('t') => "stopped by a debugger",
        Some('Z' | 'X') | None => "ended",
        Some(_) => "idle",
    };
    match channel {
        Some(channel) => format!("{state} in {channel}"),
        None => state.to_owned(),
    }
}

/// Begins a thread of this crate. No signal of the program is handled on it.
///
/// # Errors
/// If there can be no thread.
pub(crate) fn begin(
    name: String,
    work: impl FnOnce() + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    let mut all = MaybeUninit::uninit();
    let mut old = MaybeUninit::uninit();
    // SAFETY: both are memory for a set of signals; `sigfillset` writes the first, which is then read.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), old.as_mut_ptr());
    }
    // The thread inherits the mask.
    let begun = Builder::new().name(name).spawn(work);
    // SAFETY: the set was written by the call above, which does not fail for a valid command.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, old.as_ptr(), null_mut()) };
    begun
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_are_found_behind_any_name() {
        let rest = "S 1 1 1 0 -1 4194560 100 0 0 0 1 2 0 0 20 0 3 0 987654 1000 200";
        for name in ["worker", "a b", "x) R 1", "))"] {
            let line = format!("12 ({name}) {rest}");
            assert_eq!(fields(&line), Some(('S', 987_654)), "{name}");
        }
        assert_eq!(fields("12 (short) S 1"), None);
        assert_eq!(fields(""), None);
    }

    #[test]
    fn a_thread_is_alive_until_it_ends() {
        let begun = Builder::new().name("looked-at".to_owned());
        let begun = begun.spawn(|| {
            let own = Thread::current();
            (own, own.is_alive(), Shown::look(own.tid))
        });
        let (own, was_alive, shown) = begun.expect("a thread").join().expect("it ends");
        assert!(was_alive && own.started != 0);
        let tid = own.tid;
        assert_eq!(
            shown.to_string(),
            format!("thread {tid} `looked-at` (runnable)")
        );
        // `join` returns a moment before the kernel has cleared the thread away.
        while own.is_alive() {
            std::thread::yield_now();
        }
        assert_eq!(Shown::look(tid).state, "ended");
    }

    #[test]
    fn another_thread_of_the_same_number_is_another() {
        let own = Thread::current();
        let started = own.started + 1;
        assert!(!Thread { started, ..own }.is_alive());
        // Without its start, the number has to do.
        assert!(Thread { started: 0, ..own }.is_alive());
    }

    #[test]
    fn states_have_words() {
        assert_eq!(state(Some('S'), Some("ep_poll")), "sleeping in ep_poll");
        assert_eq!(state(Some('D'), None), "waiting for a device");
        assert_eq!(state(None, None), "ended");
    }

    #[test]
    fn no_signal_is_handled_on_a_thread_of_ours() {
        let blocked = || {
            let mut mask = MaybeUninit::uninit();
            // SAFETY: without a new set, the call writes the mask and changes nothing.
            unsafe {
                libc::pthread_sigmask(libc::SIG_BLOCK, std::ptr::null(), mask.as_mut_ptr());
                libc::sigismember(mask.as_ptr(), libc::SIGTERM) == 1
            }
        };
        let (send, received) = std::sync::mpsc::channel();
        let own = begin("masked".to_owned(), move || {
            send.send(blocked()).expect("it is received");
        });
        own.expect("a thread").join().expect("it ends");
        assert_eq!(received.recv(), Ok(true));
        assert!(!blocked());
    }
}
