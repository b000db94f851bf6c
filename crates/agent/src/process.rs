//! The agent's place in the process: its start, its thread, and what becomes of it in a fork.
#![expect(
    unsafe_code,
    reason = "hooks of the C library, signal masks and the table of files have no safe wrapper"
)]

use std::cell::UnsafeCell;
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use perflab_probe_abi::{Agent as AgentAbi, Object};

use crate::agent::{Agent, Wish};
use crate::objects::{self, Unusable};
use crate::pattern::Pattern;
use crate::socket;

/// Probes that are wanted from the start.
const WANTED: &str = "PERFLAB_PROBES";

/// Probes that are recorded from the start.
const RECORDED: &str = "PERFLAB_RECORD";

/// Set if somebody comes soon to record them, for whom they are kept.
const EXPECTED: &str = "PERFLAB_RECORD_FOR";

/// How long the agent of a forked child waits before it can be reached.
const CHILD: Duration = Duration::from_millis(100);

/// Longest wait for the thread at the start of the program.
const START: Duration = Duration::from_secs(2);

static ABI: AgentAbi = AgentAbi { gone };

/// The process that the agent's lock is sound in; 0 if another agent serves, which does so in children too.
static OWNER: AtomicU32 = AtomicU32::new(0);

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

/// The agent, after a look for objects that came.
fn agent_with_all(all_are_ready: bool) -> Option<MutexGuard<'static, Agent>> {
    let generation = objects::generation();
    let search = agent()?.search(generation);
    if let Some(known) = search {
        let (found, unusable, some_begin) = objects::find(&ABI, &known, all_are_ready);
        agent()?.searched(found, unusable, some_begin);
    }
    agent()
}

/// The agent, after a look for objects that were loaded meanwhile.
pub fn refreshed() -> Option<MutexGuard<'static, Agent>> {
    agent_with_all(false)
}

/// Starts the agent of this process.
///
/// # Errors
/// When there is one already, or there must not be one.
pub fn start() -> Result<(), StartError> {
    start_as(Start::Linked)
}

/// As [`start`], from the constructor of a preloaded object: the objects of the program have not begun yet,
/// and nothing else can be loaded meanwhile.
///
/// # Errors
/// As those of [`start`].
pub fn start_before_the_program() -> Result<(), StartError> {
    start_as(Start::Preloaded)
}

/// How an agent came to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    /// The program called it.
    Linked,
    /// It was loaded before the program.
    Preloaded,
    /// Its process was forked.
    Forked,
}

fn start_as(start: Start) -> Result<(), StartError> {
    // SAFETY: asks the kernel's word on this process.
    if unsafe { libc::getauxval(libc::AT_SECURE) } != 0 {
        return Err(StartError::Privileged);
    }
    if AGENT.set(Mutex::new(Agent::new())).is_err() {
        return Err(StartError::Elected);
    }
    // SAFETY: the functions have the signatures that are asked for and stay.
    unsafe {
        libc::pthread_atfork(Some(before_fork), Some(in_parent), Some(in_child));
        libc::atexit(at_exit);
    }
    OWNER.store(std::process::id(), Ordering::Release);
    let started = spawn(start)?;
    started.recv_timeout(START).unwrap_or_else(|_| {
        let reason = format!("its thread did not answer within {} s", START.as_secs());
        Err(StartError::Failed(reason))
    })
}

/// Makes the thread, which says when it can be reached.
fn spawn(start: Start) -> Result<Receiver<Result<(), StartError>>, StartError> {
    let (ready, started) = channel();
    // The thread inherits the mask. No signal of the program's shall be handled on it.
    let mask = block_all();
    let thread = std::thread::Builder::new().name("perflab-agent".to_owned());
    let result = thread.spawn(move || run(&ready, start));
    restore(&mask);
    result.map_err(|error| StartError::Failed(format!("no thread can be made: {error}")))?;
    Ok(started)
}

fn run(ready: &Sender<Result<(), StartError>>, start: Start) {
    if let Err(error) = own_files() {
        let reason = format!("it cannot get a table of open files of its own: {error}");
        let _ = ready.send(Err(StartError::Failed(reason)));
        return;
    }
    if start == Start::Forked {
        std::thread::sleep(CHILD);
    }
    let socket = match socket::Socket::bind() {
        Ok(Some(socket)) => socket,
        Ok(None) => {
            OWNER.store(0, Ordering::Release);
            let _ = ready.send(Err(StartError::Elected));
            return;
        }
        Err(reason) => {
            let _ = ready.send(Err(StartError::Failed(reason)));
            return;
        }
    };
    if let Some(mut agent) = agent_with_all(start == Start::Preloaded) {
        // The child of a fork has its parent's wishes.
        if start == Start::Forked {
            if let Err(reason) = agent.record_after_fork() {
                agent.note(Unusable {
                    path: String::new(),
                    reason,
                });
            }
        } else {
            wish_from(&mut agent, WANTED, |agent, pattern| {
                agent.wish_from_the_start(pattern, Wish::Count);
            });
            let expected = std::env::var(EXPECTED).ok();
            wish_from(&mut agent, RECORDED, |agent, pattern| {
                agent.record_from_the_start(pattern, expected.as_deref());
            });
        }
        // What tracers in the kernel want is on before the program begins.
        agent.keep_up();
    }
    let _ = ready.send(Ok(()));
    socket.serve();
}

/// Does what a variable of the environment asks for.
fn wish_from(agent: &mut Agent, variable: &str, wish: impl Fn(&mut Agent, &Pattern)) {
    match std::env::var(variable).map(|text| Pattern::parse(&text)) {
        Ok(Ok(pattern)) => wish(agent, &pattern),
        Ok(Err(reason)) => agent.note(Unusable {
            path: variable.to_owned(),
            reason,
        }),
        Err(_) => {}
    }
}

/// Gives the calling thread a table of files of its own, with nothing of the program's in it: the
/// program may close all files, and wait for the end of a pipe, without the agent in its way.
fn own_files() -> io::Result<()> {
    const CLOSE_RANGE_UNSHARE: libc::c_uint = 1 << 1;
    // SAFETY: only this thread's table changes.
    let result = unsafe {
        let first: libc::c_uint = 0;
        libc::syscall(
            libc::SYS_close_range,
            first,
            libc::c_uint::MAX,
            CLOSE_RANGE_UNSHARE,
        )
    };
    if result != 0 {
        own_files_one_by_one()?;
    }
    // The numbers that programs take for granted.
    for _ in 0..3 {
        // SAFETY: a path that ends with zero.
        unsafe { libc::open(c"/dev/null".as_ptr(), libc::O_RDWR | libc::O_CLOEXEC) };
    }
    Ok(())
}

/// As [`own_files`], where the kernel is too old for it, or a filter of system calls forbids it.
fn own_files_one_by_one() -> io::Result<()> {
    // SAFETY: only this thread's table changes.
    if unsafe { libc::unshare(libc::CLONE_FILES) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let open: Vec<i32> = std::fs::read_dir("/proc/thread-self/fd")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    for number in open {
        // SAFETY: this thread has opened nothing yet; the one of the directory is closed already.
        unsafe { libc::close(number) };
    }
    Ok(())
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
    if OWNER.load(Ordering::Acquire) != std::process::id() {
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

/// Longest wait of a fork for the agent. It has its lock for some milliseconds; longer only if it waits for
/// what the forking thread holds, as an allocator's lock that was taken by a hook like this one.
const FORK: Duration = Duration::from_secs(1);

extern "C" fn before_fork() {
    let end = Instant::now() + FORK;
    let guard = loop {
        match AGENT.get().map(Mutex::try_lock) {
            None => break None,
            Some(Ok(guard)) => break Some(guard),
            Some(Err(TryLockError::Poisoned(poisoned))) => break Some(poisoned.into_inner()),
            Some(Err(TryLockError::WouldBlock)) if Instant::now() > end => break None,
            Some(Err(TryLockError::WouldBlock)) => std::thread::sleep(Duration::from_micros(100)),
        }
    };
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
    // Without the lock the child has half a change, perhaps, which works as off, and no agent.
    let (Some(mut agent), true) = (guard, OWNER.load(Ordering::Acquire) != 0) else {
        OWNER.store(0, Ordering::Release);
        return;
    };
    OWNER.store(std::process::id(), Ordering::Release);
    agent.after_fork();
    drop(agent);
    // Most children exec or end at once, so the thread waits before it does anything that shows. The child
    // does not wait for it: a lock that another thread of the parent held stays closed for ever.
    let _ = spawn(Start::Forked);
}

extern "C" fn at_exit() {
    socket::remove();
    if OWNER.load(Ordering::Acquire) != std::process::id() {
        return;
    }
    // Whoever has the lock now has it for as long as the process lives.
    if let Some(Ok(agent)) = AGENT.get().map(Mutex::try_lock) {
        agent.leave();
    }
}
