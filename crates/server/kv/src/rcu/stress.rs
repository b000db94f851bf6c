//! `perflab-kv rcu stress`: looks for readers that see freed memory.
//!
//! Readers of every kind look at nodes while writers replace them. A node shows whether it is whole, and a freed one is
//! overwritten: see `nodes`. The memory that waits to be freed must stay below its bound. A reader that never ends its
//! section, or whose thread ends in it, must be reported.

mod dying;
mod readers;
mod reports;
mod stressed;
mod writers;

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, Builder, JoinHandle};
use std::time::{Duration, Instant};

use clap::Args;
use perflab_rcu::{Flavour, Guarded, Limits, Refused, waiting, with_flavour};

use super::chosen::Chosen;
use super::nodes::{Damage, Node, freed};
use crate::failure::{Code, Failure};
use crate::output::{print, say};
use reports::{Dead, Reports};
use stressed::Stressed;

/// Nodes that can be found at any time.
const NODES: usize = 64;

/// Threads that write.
const WRITERS: u64 = 2;

/// Nodes that a writer retires between two calls of `relieve`.
const BETWEEN: u64 = 16;

/// Less than by default, so that the stress reaches the bound.
const LIMITS: Limits = Limits {
    batch_bytes: 16 << 10,
    batch_objects: 64,
    most_bytes: 4 << 20,
    patience: Duration::from_secs(1),
};

/// The name of the thread whose section never ends.
const NEVER_ENDING: &str = "never-ending";

/// Time after the end by which all threads have ended, and all that was retired is freed.
const END: Duration = Duration::from_secs(30);

/// Time after the end by which threads have ended that do not wait for a dead reader.
const LEFT: Duration = Duration::from_secs(3);

/// Time between two lines about what is going on.
const PROGRESS: Duration = Duration::from_secs(10);

#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  perflab-kv rcu stress qsbr --seconds 600",
    after_long_help = "Readers are fast, sleep in sections, join and leave all the time, or are offline. Writers \
retire what they replace, in batches. Ends with 1 if a reader sees a freed node, a node is not freed in the end, or \
more memory waits to be freed than the limits allow.\n\n\
With --never-ending and --dying it goes on after the end until all was reported. After 30 s it ends with 1. The first \
report of each kind is printed.\n\n\
With --dying: own domains give back what a dead thread had, and everything is freed in the end. Other flavours wait for \
the first one for ever. Then memory must stay below its bound, and the rest is left as it is.\n\n\
Prints one line, as: qsbr: 600 s, 81.0 M reads, 5200000 nodes retired and freed, at most 4.02 MiB of 4.04 MiB \
waited, 0 stalls\n\n\
Stalls are the times that a writer had to write nothing: too much waited to be freed, and a grace period had taken \
1 s. It asks again every 10 ms, so one reader that holds a grace period up makes many of them.\n\n\
Example:\n  perflab-kv rcu stress qsbr --seconds 600"
)]
pub struct StressArguments {
    #[command(flatten)]
    chosen: Chosen,

    /// Stress for N seconds.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,

    /// Let one more reader stay in a section until the end, and end with 1 if it is not reported by name.
    #[arg(long)]
    never_ending: bool,

    /// Let threads end inside of sections, one after the other, and end with 1 if one is not reported.
    #[arg(long, conflicts_with = "never_ending")]
    dying: bool,
}

/// The reader that holds grace periods up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holder {
    Nobody,
    NeverEnding,
    Dying,
}

/// Executes the command.
pub fn stress(arguments: &StressArguments) -> Result<Option<Code>, Failure> {
    arguments.chosen.look()?;
    arguments.chosen.libraries.choose()?;
    let choice = arguments.chosen.choice().map_err(Failure::unavailable)?;
    let time = Duration::from_secs(arguments.seconds);
    let holder = match arguments {
        StressArguments { dying: true, .. } => Holder::Dying,
        StressArguments {
            never_ending: true, ..
        } => Holder::NeverEnding,
        _ => Holder::Nobody,
    };
    let stressed = with_flavour!(choice, F => stress_for::<F>(time, holder))?;
    print(&format!("{}: {stressed}\n", arguments.chosen.flavour))?;
    Ok(None)
}

/// State that the threads share.
struct Shared<F: Flavour> {
    nodes: [Guarded<Node, F>; NODES],
    ends: AtomicBool,
    /// The number of the next node.
    next: AtomicU64,
    /// Nodes that readers have looked at.
    reads: AtomicU64,
    /// Nodes that were replaced.
    retired: AtomicU64,
    /// Times that too much waited to be freed for a writer to go on.
    stalls: AtomicU64,
    /// The most bytes that waited to be freed.
    most: AtomicU64,
}

impl<F: Flavour> Shared<F> {
    fn new() -> Self {
        Self {
            nodes: std::array::from_fn(|number| Guarded::new(Node::new(number as u64))),
            ends: AtomicBool::new(false),
            next: AtomicU64::new(NODES as u64),
            reads: AtomicU64::new(0),
            retired: AtomicU64::new(0),
            stalls: AtomicU64::new(0),
            most: AtomicU64::new(0),
        }
    }

    /// Looks how many bytes wait to be freed. Each writer looks whenever it may have added to them.
    fn sample(&self) {
        let bytes = waiting::<F>().bytes;
        if bytes > self.most.load(Ordering::Relaxed) {
            self.most.fetch_max(bytes, Ordering::Relaxed);
        }
    }

    fn has_ended(&self) -> bool {
        self.ends.load(Ordering::Relaxed)
    }
}

/// Why a thread of the stress stopped before the end.
#[derive(Debug)]
enum Stopped {
    /// A reader found this node damaged.
    Damaged(Damage),
    /// The flavour refused the thread.
    Refused(Refused),
    /// Anything else.
    Failed(String),
}

impl From<Damage> for Stopped {
    fn from(damage: Damage) -> Self {
        Self::Damaged(damage)
    }
}

impl From<Refused> for Stopped {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}

type Outcome = Result<(), Stopped>;

/// Bytes that may wait to be freed: what the limits say, a batch of each writer, and what it retires between two looks.
fn bound() -> u64 {
    let between = BETWEEN * size_of::<Node>() as u64;
    LIMITS.most_bytes as u64 + WRITERS * (LIMITS.batch_bytes as u64 + between)
}

/// A thread of the stress: its name, and what it does.
type Work<F> = (&'static str, fn(&Shared<F>) -> Outcome);

/// Stresses a flavour for a time.
///
/// # Errors
/// If it is unavailable, or something was found.
fn stress_for<F: Flavour>(time: Duration, holder: Holder) -> Result<Stressed, Failure> {
    F::load().map_err(Failure::unavailable)?;
    let reports = Reports::receive();
    let freed_before = freed();
    // A thread that dies, or waits for ever, keeps its share.
    let shared = Arc::new(Shared::<F>::new());
    let always: [Work<F>; 8] = [
        ("fast-0", readers::fast),
        ("fast-1", readers::fast),
        ("sleeping-0", readers::sleeping),
        ("sleeping-1", readers::sleeping),
        ("churning-0", readers::churning),
        ("churning-1", readers::churning),
        ("offline", readers::offline),
        ("writer-reads", writers::reads),
    ];
    let mut work = always.to_vec();
    if holder == Holder::NeverEnding {
        work.push((NEVER_ENDING, readers::never_ending));
    }
    // One that waits for each grace period itself would wait for the holder until the end.
    work.push(match holder {
        Holder::Nobody => ("writer-alone", writers::alone_and_waits),
        _ => ("writer-alone", writers::alone),
    });
    let threads: Vec<Thread> = work
        .into_iter()
        .map(|work| begin(&shared, work))
        .collect::<Result<_, _>>()?;
    let dead = watch(&shared, time, &threads, holder, &reports);
    shared.ends.store(true, Ordering::Relaxed);
    let dead = dead?;
    let is_lost = dead.is_some_and(|dead| dead.is_lost);
    let stuck = all_ended(threads, is_lost)?;
    let retired = shared.retired.load(Ordering::Relaxed);
    let freed = || freed() - freed_before;
    if !is_lost && !wait_until(END, || freed() == retired) {
        let freed = freed();
        return Err(found(format!(
            "{retired} nodes were retired and {freed} were freed"
        )));
    }
    let (most, bound) = (shared.most.load(Ordering::Relaxed), bound());
    if most > bound {
        return Err(found(format!(
            "{most} bytes waited to be freed, and {bound} may"
        )));
    }
    Ok(Stressed {
        time,
        reads: shared.reads.load(Ordering::Relaxed),
        retired,
        freed: freed(),
        most,
        stalls: shared.stalls.load(Ordering::Relaxed),
        dead,
        stuck,
    })
}

/// Waits until something is so. False if it is not so after this time.
fn wait_until(time: Duration, mut is_so: impl FnMut() -> bool) -> bool {
    let begin = Instant::now();
    while !is_so() {
        if begin.elapsed() >= time {
            return false;
        }
        thread::sleep(Duration::from_millis(5));
    }
    true
}

type Thread = (&'static str, JoinHandle<Outcome>);

fn begin<F: Flavour>(shared: &Arc<Shared<F>>, (name, work): Work<F>) -> Result<Thread, Failure> {
    let own = Arc::clone(shared);
    let works = move || {
        let outcome = work(&own);
        if outcome.is_err() {
            own.ends.store(true, Ordering::Relaxed);
        }
        outcome
    };
    match Builder::new().name(name.to_owned()).spawn(works) {
        Ok(thread) => Ok((name, thread)),
        Err(error) => {
            shared.ends.store(true, Ordering::Relaxed);
            Err(Failure::no_thread(&error))
        }
    }
}

fn found(message: String) -> Failure {
    Failure::new(Code::Found, message)
}

/// Waits for threads to end. Returns how many do not, which only those may that wait for a dead reader.
///
/// # Errors
/// The failure of a thread.
fn all_ended(threads: Vec<Thread>, may_hang: bool) -> Result<usize, Failure> {
    let time = if may_hang { LEFT } else { END };
    let have_ended = wait_until(time, || {
        threads.iter().all(|(_, thread)| thread.is_finished())
    });
    let (ended, stuck): (Vec<_>, Vec<_>) = threads
        .into_iter()
        .partition(|(_, thread)| thread.is_finished());
    ended.into_iter().try_for_each(outcome)?;
    if have_ended || may_hang {
        return Ok(stuck.len());
    }
    let names: Vec<_> = stuck.iter().map(|(name, _)| *name).collect();
    Err(Failure::no_number(format!(
        "{}: not ended {} s after the end",
        names.join(", "),
        END.as_secs()
    )))
}

/// The outcome of a thread that has ended.
fn outcome((name, thread): Thread) -> Result<(), Failure> {
    let panicked = |_| Err(Stopped::Failed("it panicked".to_owned()));
    let outcome = thread.join().unwrap_or_else(panicked);
    outcome.map_err(|stopped| match stopped {
        Stopped::Damaged(damage) => found(format!("{name}: a node {damage}")),
        Stopped::Refused(refused) => Failure::no_number(format!("{name}: {refused}")),
        Stopped::Failed(reason) => Failure::no_number(format!("{name}: {reason}")),
    })
}

/// Watches until the end, and lets readers die if they are to.
///
/// # Errors
/// If a reader that holds grace periods up is not reported.
fn watch<F: Flavour>(
    shared: &Arc<Shared<F>>,
    time: Duration,
    threads: &[Thread],
    holder: Holder,
    reports: &Reports,
) -> Result<Option<Dead>, Failure> {
    let begin = Instant::now();
    let (mut next, mut died) = (PROGRESS, 0);
    let is_shown = std::io::stderr().is_terminal();
    // A thread that panicked has not said so itself.
    let have_ended = || threads.iter().any(|(_, thread)| thread.is_finished());
    while begin.elapsed() < time && !shared.has_ended() && !have_ended() {
        thread::sleep(Duration::from_millis(5));
        shared.sample();
        if holder == Holder::Dying && reports.dead().reported() == died {
            dying::die_in_a_section(shared)?;
            died += 1;
        }
        if is_shown && begin.elapsed() >= next {
            let (reads, seconds) = (shared.reads.load(Ordering::Relaxed), next.as_secs());
            say(&format!(
                "{seconds} of {} s, {:.1} M reads",
                time.as_secs(),
                reads as f64 / 1e6
            ));
            next += PROGRESS;
        }
    }
    // Writers go on meanwhile: without a grace period that waits nobody is reported.
    let is_over = || {
        let is_reported = match holder {
            Holder::Nobody => true,
            Holder::NeverEnding => reports.is_named(),
            Holder::Dying => reports.dead().reported() >= died,
        };
        is_reported || shared.has_ended() || have_ended()
    };
    if wait_until(END, is_over) {
        return Ok((died > 0).then(|| reports.dead()));
    }
    let seconds = END.as_secs();
    Err(found(match holder {
        Holder::Dying => {
            format!("a thread ended inside of a section and was not reported within {seconds} s")
        }
        _ => format!(
            "the thread {NEVER_ENDING} held grace periods up and was not named within {seconds} s"
        ),
    }))
}

#[cfg(test)]
mod tests;
