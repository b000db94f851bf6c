//! The agent's place in the process: its start, its thread, and what becomes of it in a fork.
#![expect(
    unsafe_code,
    reason = "hooks of the C library, signal masks and the table of files have no safe wrapper"
)]

use std::cell::UnsafeCell;
use std::fmt;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use perflab_probe_abi::{Agent as AgentAbi, Object};

use crate::agent::Agent;
use crate::pattern::Pattern;
use crate::socket;

/// Probes that are wanted from the start.
const WANTED: &str = "PERFLAB_PROBES";

/// Longest wait for the thread at the start of the program.
const START: Duration = Duration::from_secs(2);

static ABI: AgentAbi = AgentAbi { gone };

static AGENT: OnceLock<Mutex<Agent>> = OnceLock::new();

/// Why there is no agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StartError {
    /// The program runs with more rights than its user.
    Privileged,
    /// Another agent in this process, or this one, has started already.
    Elected,
    /// The socket or the thread could not be made.
    Failed(String),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Privileged => f.write_str("the program runs with more rights than its user"),
            Self::Elected => f.write_str("there is an agent in this process already"),
            Self::Failed(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for StartError {}

/// The agent, to be looked at or changed by one thread at a time.
pub fn agent() -> Option<MutexGuard<'static, Agent>> {
    // A panic of another thread leaves flags that agree with the code or are older, which patching finds.
    Some(AGENT.get()?.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Starts the agent of this process.
///
/// # Errors
/// When there is one already, or there must not be one.
pub fn start() -> Result<(), StartError> {
    // SAFETY: asks the kernel's word on this process.
    if unsafe { libc::getauxval(libc::AT_SECURE) } != 0 {
        return Err(StartError::Privileged);
    }
    if AGENT.set(Mutex::new(Agent::new(&ABI))).is_err() {
        return Err(StartError::Elected);
    }
    // SAFETY: the functions have the signatures that are asked for and stay.
    unsafe {
        libc::pthread_atfork(Some(before_fork), Some(in_parent), Some(in_child));
        libc::atexit(at_exit);
    }
    spawn()
}

/// Makes the thread and waits until it can be reached.
fn spawn() -> Result<(), StartError> {
    let (ready, started) = channel();
    // The thread inherits the mask. No signal of the program's shall be handled on it.
    let mask = block_all();
    let thread = std::thread::Builder::new().name("perflab-agent".to_owned());
    let result = thread.spawn(move || run(&ready));
    restore(&mask);
    result.map_err(|error| StartError::Failed(format!("no thread can be made: {error}")))?;
    started.recv_timeout(START).unwrap_or_else(|_| {
        let reason = format!("its thread did not answer within {} s", START.as_secs());
        Err(StartError::Failed(reason))
    })
}

fn run(ready: &Sender<Result<(), StartError>>) {
    own_files();
    let socket = match socket::Socket::bind() {
        Ok(Some(socket)) => socket,
        Ok(None) => {
            let _ = ready.send(Err(StartError::Elected));
            return;
        }
        Err(reason) => {
            let _ = ready.send(Err(StartError::Failed(reason)));
            return;
        }
    };
    let wanted = std::env::var(WANTED).ok().and_then(|text| Pattern::parse(&text).ok());
    if let Some(mut agent) = agent() {
        // What cannot be switched is said when somebody asks.
        let _ = match wanted {
            Some(pattern) => agent.wish(pattern, true),
            None => agent.refresh(),
        };
    }
    let _ = ready.send(Ok(()));
    socket.serve();
}

/// Gives the calling thread a table of files of its own, with nothing of the program's in it: the
/// program may close all files, and wait for the end of a pipe, without the agent in its way.
fn own_files() {
    const CLOSE_RANGE_UNSHARE: libc::c_uint = 1 << 1;
    // SAFETY: only this thread's table changes. Where the kernel is too old, the table stays shared.
    unsafe {
        let all = libc::c_uint::MAX;
        if libc::syscall(libc::SYS_close_range, 0 as libc::c_uint, all, CLOSE_RANGE_UNSHARE) == 0 {
            for _ in 0..3 {
                libc::open(c"/dev/null".as_ptr(), libc::O_RDWR | libc::O_CLOEXEC);
            }
        }
    }
}

fn block_all() -> libc::sigset_t {
    // SAFETY: sets of signals are plain bits that these calls fill.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        let mut before: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
        before
    }
}

fn restore(mask: &libc::sigset_t) {
    // SAFETY: a set that `block_all` filled.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, mask, std::ptr::null_mut()) };
}

/// Called by an object that goes. In a child that was not made by `fork` there is no agent, and the
/// lock may be held by a thread that is not there.
unsafe extern "C" fn gone(object: *const Object) {
    if !socket::is_own_process() {
        return;
    }
    if let Some(mut agent) = agent() {
        agent.forget(object);
    }
}

/// Holds the lock while the process forks, so that the child does not get half a change.
struct Held(UnsafeCell<Option<MutexGuard<'static, Agent>>>);

// SAFETY: used between `before_fork` and its end only, under the C library's lock of the hooks and with
// the agent's lock held.
unsafe impl Sync for Held {}

static HELD: Held = Held(UnsafeCell::new(None));

extern "C" fn before_fork() {
    let guard = agent();
    // SAFETY: see `Held`.
    unsafe { *HELD.0.get() = guard };
}

extern "C" fn in_parent() {
    // SAFETY: see `Held`.
    drop(unsafe { (*HELD.0.get()).take() });
}

extern "C" fn in_child() {
    // SAFETY: see `Held`; the child's only thread has the lock.
    let guard = unsafe { (*HELD.0.get()).take() };
    if let Some(mut agent) = guard {
        agent.after_fork();
    }
    // A child that execs at once needs no agent, but nothing tells it from one that stays.
    let _ = spawn();
}

extern "C" fn at_exit() {
    socket::remove();
}
