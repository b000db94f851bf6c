//! Names the readers that hold grace periods up.
//!
//! One thread looks at all flavours that have readers, four times a second. Only when a grace period has waited for
//! longer than [`PATIENCE`] does it look at each reader, and keeps readers from joining and leaving meanwhile. Without
//! readers it sleeps.

use std::fmt;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, MutexGuard, PoisonError};
use std::time::Duration;

use crate::limbo::{Mebibytes, Waiting};
use crate::own::atomic::Mutex;
use crate::readers::{DomainState, Found};
use crate::synchronize::now_ns;
use crate::threads;

pub use crate::threads::Shown;

/// How long a grace period waits before somebody looks why.
const PATIENCE: Duration = Duration::from_secs(1);

/// Time between two looks.
const TICK: Duration = Duration::from_millis(250);

/// Time between two reports on one grace period.
const AGAIN: Duration = Duration::from_secs(10);

/// Why a grace period waits for a thread, or does no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// It is in a section, or online without a quiescent state, since before the grace period began.
    Reads,
    /// It ended without leaving, and what it had was given back: nobody waits for it any more.
    Buried,
    /// It ended without leaving, and the library waits for it for ever.
    Lost,
}

/// A grace period that waits for long, and for whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stall {
    /// The flavour.
    pub flavour: &'static str,
    /// How long the grace period has waited.
    pub waited: Duration,
    /// The thread. If it has ended, its name is empty.
    pub reader: Shown,
    /// What it does to the grace period.
    pub cause: Cause,
    /// What waits to be freed by the batches of this flavour.
    pub waiting: Waiting,
}

impl fmt::Display for Stall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            flavour, reader, ..
        } = self;
        let waited = self.waited.as_secs_f64();
        let waiting = Mebibytes(self.waiting.bytes);
        match self.cause {
            Cause::Reads => write!(
                f,
                "rcu: {flavour}: a grace period has waited {waited:.1} s for {reader}: it is in a section, or \
                 online without a quiescent state; {waiting} wait to be freed. A reader that blocks does so in \
                 `while_offline`."
            ),
            Cause::Buried => write!(
                f,
                "rcu: {flavour}: thread {} ended without leaving, and a grace period waited {waited:.1} s for it; its \
                 place was given back. A thread that reads must return from `as_reader`.",
                reader.tid
            ),
            Cause::Lost => write!(
                f,
                "rcu: {flavour}: thread {} ended without leaving, and this library waits for it for ever: {waited:.1} \
                 s so far; {waiting} wait to be freed. Restart the program.",
                reader.tid
            ),
        }
    }
}

type Report = Box<dyn Fn(&Stall) + Send>;

/// Who is told; nobody: standard error.
static REPORT: Mutex<Option<Report>> = Mutex::new(None);

/// Has stalls reported to a function instead of standard error: once for each grace period and reader, then every 10 s.
/// The function is called on the thread that watches, which waits for it.
pub fn on_stall(report: impl Fn(&Stall) + Send + 'static) {
    *REPORT.lock() = Some(Box::new(report));
}

fn tell(stall: &Stall) {
    match &*REPORT.lock() {
        Some(report) => report(stall),
        None => {
            let _ = writeln!(io::stderr(), "{stall}");
        }
    }
}

/// Whether there is to be no watch.
static IS_OFF: AtomicBool = AtomicBool::new(false);

/// Has nobody watch: for measurements that a thread would disturb which wakes four times a second. It is called before
/// any thread joins.
pub fn never_watch() {
    IS_OFF.store(true, Ordering::Relaxed);
}

/// The domains that had readers.
static DOMAINS: Mutex<Vec<&'static DomainState>> = Mutex::new(Vec::new());

/// Guards nothing: whoever wakes the watch has it, and so has the watch until it sleeps.
static SLEEP: std::sync::Mutex<()> = std::sync::Mutex::new(());
static WORK: Condvar = Condvar::new();

/// Whether the watch sleeps until it is woken, or is about to.
static IS_ASLEEP: AtomicBool = AtomicBool::new(false);

fn lock() -> MutexGuard<'static, ()> {
    SLEEP.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A reader of the domain was listed. Costs three loads, but for the first reader and after a time without any.
pub(crate) fn begin(domain: &'static DomainState) {
    if IS_OFF.load(Ordering::Relaxed) {
        return;
    }
    if !domain.grace.is_watched.load(Ordering::Relaxed) {
        know(domain);
    }
    // The watch says that it sleeps, and then looks at the lists of domains and readers, whose locks this thread had.
    if IS_ASLEEP.load(Ordering::Relaxed) {
        let _guard = lock();
        IS_ASLEEP.store(false, Ordering::Relaxed);
        WORK.notify_one();
    }
}

/// Has the domain watched. The first one begins the thread.
fn know(domain: &'static DomainState) {
    let mut domains = DOMAINS.lock();
    if domain.grace.is_watched.load(Ordering::Relaxed) {
        return;
    }
    // Without a thread nobody is named, and the next reader tries again.
    if domains.is_empty() && threads::begin("rcu-watch".to_owned(), serve).is_err() {
        return;
    }
    domains.push(domain);
    domain.grace.is_watched.store(true, Ordering::Relaxed);
}

/// What the thread does, for as long as the process lives.
fn serve() {
    let mut watched: Vec<Watched> = Vec::new();
    loop {
        let known = watched.len();
        watched.extend(DOMAINS.lock().iter().skip(known).copied().map(Watched::new));
        let mut is_read = false;
        for domain in &mut watched {
            domain.look(now_ns());
            is_read |= domain.is_read();
        }
        if is_read {
            std::thread::sleep(TICK);
        } else {
            sleep(&watched);
        }
    }
}

/// Sleeps until a reader joins.
fn sleep(watched: &[Watched]) {
    let mut guard = lock();
    IS_ASLEEP.store(true, Ordering::Relaxed);
    let is_new = DOMAINS.lock().len() > watched.len();
    if is_new || watched.iter().any(Watched::is_read) {
        IS_ASLEEP.store(false, Ordering::Relaxed);
    }
    while IS_ASLEEP.load(Ordering::Relaxed) {
        guard = WORK.wait(guard).unwrap_or_else(PoisonError::into_inner);
    }
}

/// A domain, and what was told of it.
struct Watched {
    domain: &'static DomainState,
    /// When the grace period began that was told of last, and when it is told of again.
    told: Option<(u64, u64)>,
}

impl Watched {
    fn new(domain: &'static DomainState) -> Self {
        Self { domain, told: None }
    }

    fn is_read(&self) -> bool {
        self.domain.readers() > 0
    }

    /// Looks for readers that hold up a grace period which has waited for long, and tells of them if it is time.
    fn look(&mut self, now: u64) {
        let Some(since) = self.domain.waits_since() else {
            return;
        };
        let waited = Duration::from_nanos(now.saturating_sub(since));
        if waited < PATIENCE {
            return;
        }
        let is_time = self
            .told
            .is_none_or(|(told, again)| told != since || now >= again);
        if !is_time {
            return;
        }
        let mut has_told = false;
        for (thread, found) in self.domain.look() {
            let cause = match found {
                Found::Goes => continue,
                Found::HoldsUp => Cause::Reads,
                Found::Buried => Cause::Buried,
                Found::Lost => Cause::Lost,
            };
            tell(&Stall {
                flavour: self.domain.name(),
                waited,
                reader: Shown::look(thread.tid),
                cause,
                waiting: self.domain.grace.waiting(),
            });
            has_told = true;
        }
        if has_told {
            self.told = Some((since, now + AGAIN.as_nanos() as u64));
        }
    }
}
