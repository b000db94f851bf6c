//! Names the readers that hold grace periods up.
//!
//! One thread looks at all flavours in use, four times a second. Only when a grace period has waited for longer than
//! [`PATIENCE`] does it look at each reader, and keeps readers from joining and leaving meanwhile. It sleeps while
//! there are no readers and no grace period waits. It is also the one that finds readers whose thread has ended
//! without leaving.

use std::fmt;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, MutexGuard, PoisonError};
use std::time::Duration;

use crate::own::atomic::Mutex;
use crate::readers::{DomainState, Found, Holder};
use crate::stalled::{Mebibytes, Waiting};
use crate::synchronize::now_ns;
use crate::threads;

pub use crate::threads::{Activity, Shown};

/// How long a grace period waits before somebody looks why.
const PATIENCE: Duration = Duration::from_secs(1);

/// Time between two looks.
const TICK: Duration = Duration::from_millis(250);

/// Time between two reports on one grace period.
const AGAIN: Duration = Duration::from_secs(10);

/// Why a grace period waits for a thread, or does no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// It reads.
    Reads(Holder),
    /// It ended without leaving, and what it had was given back: nobody waits for it any more.
    Buried,
    /// It ended without leaving, and the library waits for it for ever.
    Lost,
    /// No reader is known that the grace period waits for.
    Unknown,
}

/// A grace period that waits for long, and for whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stall {
    /// The flavour.
    pub flavour: &'static str,
    /// How long the grace period has waited.
    pub waited: Duration,
    /// The thread. If it has ended, its name is empty; if none is known, its number is 0.
    pub reader: Shown,
    /// Why the grace period waits for it.
    pub cause: Cause,
    /// Bytes and objects in batches of this flavour.
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
            Cause::Reads(holder) => write!(
                f,
                "rcu: {flavour}: a grace period has waited {waited:.1} s for {reader}: it is {}; {waiting} wait to be \
                 freed.{}",
                match holder {
                    Holder::InSection => "in a section",
                    Holder::Online => "online and announces no quiescent state",
                },
                advice(holder, reader.activity)
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
            Cause::Unknown => write!(
                f,
                "rcu: {flavour}: a grace period has waited {waited:.1} s for no reader that is known; {waiting} wait \
                 to be freed. Its library does not end it, or its writer has no processor; or a reader of `signal` \
                 blocks SIGUSR1; or other code of this process has readers of the same library."
            ),
        }
    }
}

/// Advice against a reader that holds grace periods up, after a space.
fn advice(holder: Holder, activity: Activity) -> &'static str {
    match (activity, holder) {
        (Activity::Runnable, _) => " It runs, or waits for a processor.",
        (Activity::Sleeps, Holder::InSection) => " A reader that blocks leaves its section before.",
        (Activity::Sleeps, Holder::Online) => " A reader that blocks does so in `while_offline`.",
        (Activity::Other, _) => "",
    }
}

type Report = Box<dyn Fn(&Stall) + Send>;

/// The function that gets reports instead of standard error. While it is called it is not here.
static REPORT: Mutex<Option<Report>> = Mutex::new(None);

/// Has stalls reported to a function instead of standard error: once for each grace period and reader, then every 10 s.
///
/// The function is called on the thread that watches, which waits for it: it does not wait for a grace period itself.
/// It may call this function. If it panics, it is called again for the next stall.
pub fn on_stall(report: impl Fn(&Stall) + Send + 'static) {
    let before = REPORT.lock().replace(Box::new(report));
    drop(before);
}

fn tell(stall: &Stall) {
    let Some(report) = REPORT.lock().take() else {
        let _ = writeln!(io::stderr(), "{stall}");
        return;
    };
    // A panic was printed. The thread goes on, as nobody would be named otherwise.
    let _ = catch_unwind(AssertUnwindSafe(|| report(stall)));
    // Unless there is another one by now.
    REPORT.lock().get_or_insert(report);
}

/// Whether there is to be no watch.
static IS_OFF: AtomicBool = AtomicBool::new(false);

/// Has nobody watch: for measurements that a thread would disturb which wakes four times a second. It is called before
/// any thread joins.
///
/// Nobody names a reader then that holds a grace period up. And nobody gives back what a thread had that ended without
/// leaving: grace periods of own domains, too, wait for it for ever.
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
    wake();
}

/// A reader was listed, or a grace period stamped: the watch may not sleep. Costs a load.
///
/// The watch says that it sleeps, and then looks once more. It cannot miss a stamp: all four accesses are `SeqCst`, so
/// they have one order. It cannot miss a reader: the list's lock orders its look with the listing.
pub(crate) fn wake() {
    if IS_ASLEEP.load(Ordering::SeqCst) {
        let _guard = lock();
        IS_ASLEEP.store(false, Ordering::SeqCst);
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

/// The work of the thread, for as long as the process lives.
fn serve() {
    let mut watched: Vec<Watched> = Vec::new();
    loop {
        let known = watched.len();
        watched.extend(DOMAINS.lock().iter().skip(known).copied().map(Watched::new));
        let mut is_used = false;
        for domain in &mut watched {
            domain.look(now_ns());
            is_used |= domain.is_used();
        }
        if is_used {
            std::thread::sleep(TICK);
        } else {
            sleep(&watched);
        }
    }
}

/// Sleeps until a reader joins, or a grace period begins.
fn sleep(watched: &[Watched]) {
    let mut guard = lock();
    IS_ASLEEP.store(true, Ordering::SeqCst);
    let is_new = DOMAINS.lock().len() > watched.len();
    if is_new || watched.iter().any(Watched::is_used) {
        IS_ASLEEP.store(false, Ordering::Relaxed);
    }
    while IS_ASLEEP.load(Ordering::Relaxed) {
        guard = WORK.wait(guard).unwrap_or_else(PoisonError::into_inner);
    }
}

/// A domain, and its latest report.
struct Watched {
    domain: &'static DomainState,
    /// When the grace period began that was reported last, and when it is reported again.
    told: Option<(u64, u64)>,
}

impl Watched {
    fn new(domain: &'static DomainState) -> Self {
        Self { domain, told: None }
    }

    /// A grace period may wait although all readers have left: for a library that does not end it, for one.
    fn is_used(&self) -> bool {
        self.domain.readers() > 0 || self.domain.waits_since().is_some()
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
        let found = self.domain.look_and_bury().into_iter();
        let mut causes: Vec<(Shown, Cause)> = found
            .filter_map(|(thread, found)| {
                cause(found).map(|cause| (Shown::look(thread.tid), cause))
            })
            .collect();
        // A grace period has phases, and between two of them it waits for nobody.
        if causes.is_empty() && waited >= 2 * PATIENCE {
            causes.push((Shown::default(), Cause::Unknown));
        }
        if causes.is_empty() {
            return;
        }
        for (reader, cause) in causes {
            tell(&Stall {
                flavour: self.domain.name(),
                waited,
                reader,
                cause,
                waiting: self.domain.grace.waiting(),
            });
        }
        self.told = Some((since, now + AGAIN.as_nanos() as u64));
    }
}

fn cause(found: Found) -> Option<Cause> {
    match found {
        Found::Goes => None,
        Found::HoldsUp(holder) => Some(Cause::Reads(holder)),
        Found::Buried => Some(Cause::Buried),
        Found::Lost => Some(Cause::Lost),
    }
}
