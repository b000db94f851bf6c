//! The agent's place in the process: its start, its thread, and what becomes of it in a fork.
#![expect(
    unsafe_code,
    reason = "hooks of the C library, signal masks and the table of files have no safe wrapper"
)]

use std::cell::UnsafeCell;
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use perflab_abi::variable::{
    CHECKED, PROBES as WANTED, RECORD as RECORDED, RECORD_FOR, RECORD_MEMORY, RECORD_RING, SAY,
    check_value,
};
use perflab_abi::{Agent as AgentAbi, Object};

use crate::agent::{Agent, Wish, refused};
use crate::first_thread;
use crate::objects::{self, Unusable};
use crate::pattern::Pattern;
use crate::record::Size;
use crate::socket;

/// How long the agent of a forked child waits before it can be reached, where nobody waits for it.
const CHILD: Duration = Duration::from_millis(100);

/// Longest wait of a forked child for its agent, where its first events are wanted or it may give up its rights. It
/// ends with the wait if the agent waits for a lock that another thread of the parent held.
const CHILD_AT_ONCE: Duration = Duration::from_secs(1);

/// Longest wait for the thread at the start of the program, and the same where something is asked for from the start:
/// that a machine is slow must not change that it is on from then on.
const START: Duration = Duration::from_secs(2);
const START_WITH_PROBES: Duration = Duration::from_secs(20);

/// Longest wait at the end of the program, for what the agent does at that moment.
const EXIT: Duration = Duration::from_millis(200);

static ABI: AgentAbi = AgentAbi { gone };

/// The process that the agent's lock is sound in; 0 if another agent serves, which does so in children too.
static OWNER: AtomicU32 = AtomicU32::new(0);

static AGENT: OnceLock<Mutex<Agent>> = OnceLock::new();

/// Set if reasons why there is no agent are to be said.
const VERBOSE: &str = "PERFLAB_AGENT_VERBOSE";

/// Whether it is set. A child does not read its environment again, whose lock a thread of its parent may hold.
static IS_VERBOSE: AtomicBool = AtomicBool::new(false);

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
    /// Its process was forked, which has gone on already.
    Forked,
    /// Its process was forked, and waits for it.
    ForkedAtOnce,
}

impl Start {
    fn is_forked(self) -> bool {
        matches!(self, Self::Forked | Self::ForkedAtOnce)
    }
}

fn start_as(start: Start) -> Result<(), StartError> {
    // SAFETY: asks the kernel's word on this process.
    if unsafe { libc::getauxval(libc::AT_SECURE) } != 0 {
        return Err(StartError::Privileged);
    }
    if AGENT.set(Mutex::new(Agent::new())).is_err() {
        return Err(StartError::Elected);
    }
    IS_VERBOSE.store(std::env::var_os(VERBOSE).is_some(), Ordering::Relaxed);
    // An allocator of the program's that has hooks of its own for a fork makes them with its first memory. In a child
    // they are called in the order in which they were made: the allocator has to work again before the agent begins.
    drop(std::hint::black_box(Box::new(0_u64)));
    // SAFETY: the functions have the signatures that are asked for and stay.
    unsafe {
        libc::pthread_atfork(Some(before_fork), Some(in_parent), Some(in_child));
        libc::atexit(at_exit);
    }
    OWNER.store(std::process::id(), Ordering::Release);
    first_thread::keep();
    refused::prepare();
    let started = spawn(start).inspect_err(|error| refused::say(&error.to_string()))?;
    let is_asked = [WANTED, RECORDED]
        .iter()
        .any(|variable| std::env::var_os(variable).is_some());
    let patience = if is_asked { START_WITH_PROBES } else { START };
    let result = started.recv_timeout(patience).unwrap_or_else(|_| {
        let reason = format!("its thread did not answer within {} s", patience.as_secs());
        Err(StartError::Failed(reason))
    });
    if result.is_ok() {
        say_what_is_missing();
    }
    result
}

/// Says that there is no probe of those that were asked for. Of a program without any site it is not known yet whether
/// it becomes another one, as `env` does: that is said at its end.
fn say_what_is_missing() {
    let process = std::process::id();
    let is_meant = std::env::var(SAY).is_ok_and(|number| number.parse() == Ok(process));
    let asked = [WANTED, RECORDED]
        .iter()
        .find_map(|variable| std::env::var(variable).ok());
    let (true, Some(asked)) = (is_meant, asked) else {
        return;
    };
    let (Ok(pattern), Some(agent)) = (Pattern::parse(&asked), agent()) else {
        return;
    };
    let has_sites = agent.has_sites();
    if agent.count(&pattern) > 0 {
        return;
    }
    drop(agent);
    if has_sites {
        let text = format!(
            "perflab agent: process {process}: no probe is called {asked:?} now; those of objects that are loaded later \
             are switched on\n"
        );
        write_error(&text);
    } else {
        SILENT.store(process, Ordering::Relaxed);
    }
}

/// The process that had no site at its start, if it is to say so.
static SILENT: AtomicU32 = AtomicU32::new(0);

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
    first_thread::is_agent();
    if let Err(error) = own_files() {
        let reason = format!("it cannot get a table of open files of its own: {error}");
        cannot_begin(ready, reason);
        return;
    }
    if start == Start::Forked {
        std::thread::sleep(CHILD);
    }
    // While the process has the rights of its parent: what it gives up later does not take them away.
    let socket = match socket::Socket::bind() {
        Ok(Some(socket)) => socket,
        Ok(None) => {
            OWNER.store(0, Ordering::Release);
            let _ = ready.send(Err(StartError::Elected));
            return;
        }
        Err(reason) => {
            cannot_begin(ready, reason);
            return;
        }
    };
    // The child of a fork has its parent's wishes, and its objects; the linker's lock may never be given back.
    if start.is_forked()
        && let Some(mut agent) = agent()
    {
        let result = agent.record_after_fork();
        if let Err(reason) = &result {
            agent.note(Unusable {
                path: String::new(),
                reason: reason.clone(),
            });
        }
        drop(agent);
        let _ = ready.send(result.map_err(StartError::Failed));
    }
    if let Some(mut agent) = agent_with_all(start == Start::Preloaded) {
        if !start.is_forked() {
            note_values(&mut agent);
            wish_from(&mut agent, WANTED, |agent, pattern| {
                agent.wish_from_the_start(pattern, Wish::Count);
            });
            // Threads may begin before a recorder comes, and keep the rings that they take then.
            let [ring, all] = [RECORD_RING, RECORD_MEMORY].map(kibibytes_from);
            agent.set_usual_size(Size::DEFAULT.or(ring, all));
            let expected = std::env::var(RECORD_FOR)
                .ok()
                .filter(|whom| !whom.is_empty() && check_value(RECORD_FOR, whom).is_ok());
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

/// Says why there is no agent: to the start, and to a recorder, unless the events are counted as a child's.
fn cannot_begin(ready: &Sender<Result<(), StartError>>, reason: String) {
    if agent().is_none_or(|agent| !agent.is_heir()) {
        refused::say(&reason);
    }
    let _ = ready.send(Err(StartError::Failed(reason)));
}

/// Keeps what is wrong with variables of the environment, to be said when somebody asks.
fn note_values(agent: &mut Agent) {
    for variable in CHECKED {
        let value = std::env::var_os(variable);
        let value = value.as_deref().map(std::ffi::OsStr::to_string_lossy);
        let checked = value.as_ref().map(|value| check_value(variable, value));
        if let Some(Err(error)) = checked {
            agent.note(Unusable {
                path: variable.to_owned(),
                reason: error.to_string(),
            });
        }
    }
}

/// Does what a variable of the environment asks for.
fn wish_from(agent: &mut Agent, variable: &str, wish: impl Fn(&mut Agent, &Pattern)) {
    if let Some(Ok(pattern)) = std::env::var(variable)
        .ok()
        .map(|text| Pattern::parse(&text))
    {
        wish(agent, &pattern);
    }
}

/// A number of KiB that a variable of the environment asks for; 0 if it asks for none, or for what cannot be.
fn kibibytes_from(variable: &str) -> u32 {
    let text = std::env::var(variable).unwrap_or_default();
    let checked = check_value(variable, &text);
    checked.map_or(0, |()| text.parse().unwrap_or(0))
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

/// Blocks all signals of the calling thread. Returns those that were blocked before.
pub fn block_all() -> libc::sigset_t {
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
    let owner = OWNER.load(Ordering::Acquire);
    // Where a filter refuses to tell the number, the process forgets what goes, rather than write to what has gone.
    if owner == 0 || socket::process().is_ok_and(|process| process != owner) {
        return;
    }
    if let Some(mut agent) = agent() {
        agent.forget(object);
    }
}

/// What a fork waits for, so that the child gets neither half a change nor a lock of the linker that the agent's
/// thread has closed.
type Locks = (MutexGuard<'static, Agent>, MutexGuard<'static, ()>);

/// Holds them while the process forks.
struct Held(UnsafeCell<Option<Locks>>);

// SAFETY: read and written by the thread only that `HOLDER` names, which is one that has the agent's lock.
unsafe impl Sync for Held {}

static HELD: Held = Held(UnsafeCell::new(None));

/// The thread that forks with the locks; 0 if there is none. (Threads may fork at the same time: the C library
/// does not keep others away from these hooks.)
static HOLDER: AtomicUsize = AtomicUsize::new(0);

/// The calling thread. Unlike its number it is the same in the child.
fn this_thread() -> usize {
    // SAFETY: it cannot fail.
    unsafe { libc::pthread_self() as usize }
}

/// The locks of the calling thread's fork, if it has them.
fn held() -> Option<Locks> {
    if HOLDER.load(Ordering::Acquire) != this_thread() {
        return None;
    }
    // SAFETY: this thread is the holder.
    let locks = unsafe { (*HELD.0.get()).take() };
    // Before the locks are given back, which lets another thread be the holder.
    HOLDER.store(0, Ordering::Release);
    locks
}

/// Longest wait of a fork for the agent. It has its locks for some milliseconds; longer only if it waits for
/// what the forking thread holds, as an allocator's lock that was taken by a hook like this one, or for a lock
/// that stays closed in this child of a fork.
const FORK: Duration = Duration::from_secs(1);

/// The same after a fork that waited in vain: what the agent does at most while all is well.
const FORK_AGAIN: Duration = Duration::from_millis(5);

/// Whether the last fork waited in vain.
static IN_VAIN: AtomicBool = AtomicBool::new(false);

fn locked<T>(lock: &'static Mutex<T>, end: Instant) -> Option<MutexGuard<'static, T>> {
    loop {
        match lock.try_lock() {
            Ok(guard) => return Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) if Instant::now() >= end => return None,
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_micros(100)),
        }
    }
}

unsafe extern "C" {
    fn pthread_setcancelstate(state: libc::c_int, before: *mut libc::c_int) -> libc::c_int;
}

/// Does what may sleep or write in a thread of the program. It must not be cancelled there: that would leave frames which
/// end the program if they are left so.
fn uncancelled(act: impl FnOnce()) {
    const PTHREAD_CANCEL_DISABLE: libc::c_int = 1;
    let mut before = 0;
    // SAFETY: it writes the state of this thread.
    unsafe { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &raw mut before) };
    act();
    // SAFETY: as above.
    unsafe { pthread_setcancelstate(before, &raw mut before) };
}

extern "C" fn before_fork() {
    uncancelled(take_locks);
}

fn take_locks() {
    let patience = if IN_VAIN.load(Ordering::Relaxed) {
        FORK_AGAIN
    } else {
        FORK
    };
    let end = Instant::now() + patience;
    let locks = AGENT
        .get()
        .and_then(|agent| locked(agent, end))
        .and_then(|agent| Some((agent, locked(&objects::LOOKING, end)?)));
    IN_VAIN.store(locks.is_none(), Ordering::Relaxed);
    if locks.is_some() {
        // SAFETY: this thread has the agent's lock, so no other is the holder.
        unsafe { *HELD.0.get() = locks };
        HOLDER.store(this_thread(), Ordering::Release);
    }
}

extern "C" fn in_parent() {
    drop(held());
}

extern "C" fn in_child() {
    uncancelled(go_on_in_child);
}

fn go_on_in_child() {
    let locks = held();
    // Without the locks the child has half a change, perhaps, with each site on or off, and no agent.
    let (Some((mut agent, looking)), true) = (locks, OWNER.load(Ordering::Acquire) != 0) else {
        OWNER.store(0, Ordering::Release);
        // Another thread's, which is not here.
        HOLDER.store(0, Ordering::Release);
        return;
    };
    OWNER.store(std::process::id(), Ordering::Release);
    first_thread::keep();
    let is_awaited = agent.after_fork();
    drop((agent, looking));
    if !is_awaited {
        // Most children exec or end at once, so the thread waits before it does anything that shows. The child
        // does not wait for it: a lock that another thread of the parent held stays closed for ever.
        let _ = spawn(Start::Forked);
        return;
    }
    let late = || StartError::Failed("its thread did not answer".to_owned());
    let begun = spawn(Start::ForkedAtOnce)
        .and_then(|started| started.recv_timeout(CHILD_AT_ONCE).map_err(|_| late())?);
    if let Err(reason) = begun {
        say(&format!(
            "perflab agent: child {}: {reason}\n",
            std::process::id()
        ));
    }
}

/// Writes to standard error, if reasons are to be said. The standard library's lock may be held by a thread of the parent.
fn say(line: &str) {
    if IS_VERBOSE.load(Ordering::Relaxed) {
        write_error(line);
    }
}

fn write_error(line: &str) {
    // SAFETY: so many bytes are there.
    unsafe { libc::write(libc::STDERR_FILENO, line.as_ptr().cast(), line.len()) };
}

extern "C" fn at_exit() {
    uncancelled(leave);
}

fn leave() {
    socket::remove();
    if OWNER.load(Ordering::Acquire) != std::process::id() {
        return;
    }
    // The thread that ends the program may have the lock itself.
    if let Some(agent) = AGENT
        .get()
        .and_then(|agent| locked(agent, Instant::now() + EXIT))
    {
        agent.leave();
        let has_sites = agent.has_sites();
        drop(agent);
        let process = std::process::id();
        if SILENT.load(Ordering::Relaxed) == process && !has_sites {
            write_error(&format!("perflab agent: process {process} had no probes\n"));
        }
    }
}
