//! `perflab-kv rcu stress`: looks for readers that see freed memory.
//!
//! Readers of every kind look at nodes while writers replace them. A node shows whether it is whole, and a freed one is
//! overwritten: see `nodes`. What waits to be freed is watched, as it must stay below its bound.

mod readers;
mod writers;

use std::fmt;
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, Builder, Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use clap::Args;
use perflab_rcu::{Flavour, Guarded, Limits, Refused, on_stall, waiting, with_flavour};

use super::chosen::Chosen;
use super::nodes::{Damage, Node, freed};
use crate::failure::{Code, Failure};
use crate::output::{print, say};

/// Nodes that can be found at any time.
const NODES: usize = 64;

/// Threads that write.
const WRITERS: u64 = 2;

/// Nodes that a writer retires between two calls of `relieve`.
const BETWEEN: u64 = 16;

/// Less than by default: the bound shall be reached.
const LIMITS: Limits = Limits {
    batch_bytes: 16 << 10,
    batch_objects: 64,
    most_bytes: 4 << 20,
    patience: Duration::from_secs(1),
};

/// The name of the thread whose section never ends.
const NEVER_ENDING: &str = "never-ending";

/// How long after the end all that was retired must have been freed.
const END: Duration = Duration::from_secs(30);

/// A section that never ends is reported after so long at the latest.
const NAMED: Duration = Duration::from_secs(3);

/// Between two lines about what is going on.
const PROGRESS: Duration = Duration::from_secs(10);

#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  perflab-kv rcu stress qsbr --seconds 600",
    after_long_help = "Readers are fast, sleep in sections, join and leave all the time, or are offline. Writers \
retire what they replace, in batches. Ends with 1 if a reader sees a freed node, if a node is not freed in the end, or \
if more memory waits to be freed than the limits allow.\n\n\
Prints one line, as: qsbr: 600 s, 81.0 M reads, 5200000 nodes retired and freed, at most 4.02 MiB of 4.04 MiB \
waited, 0 stalls\n\n\
Example:\n  perflab-kv rcu stress qsbr --seconds 600"
)]
pub struct StressArguments {
    #[command(flatten)]
    chosen: Chosen,

    /// How long.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,

    /// Let one more reader stay in a section until the end, and end with 1 if it is not reported by name.
    #[arg(long)]
    never_ending: bool,
}

/// Executes the command.
pub fn stress(arguments: &StressArguments) -> Result<Option<Code>, Failure> {
    arguments.chosen.libraries.choose()?;
    let choice = arguments.chosen.choice().map_err(Failure::unavailable)?;
    let time = Duration::from_secs(arguments.seconds);
    let stressed = with_flavour!(choice, F => stress_for::<F>(time, arguments.never_ending))?;
    print(&format!("{}: {stressed}\n", arguments.chosen.flavour))?;
    Ok(None)
}

/// What the threads share.
struct Shared<F: Flavour> {
    nodes: [Guarded<Node, F>; NODES],
    ends: AtomicBool,
    /// The number of the next node.
    next: AtomicU64,
    /// Nodes that readers have looked at.
    reads: AtomicU64,
    /// Nodes that were replaced.
    retired: AtomicU64,
    /// Times that a writer was told that it had to wait.
    stalls: AtomicU64,
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

/// What a stress came to that found nothing.
#[derive(Debug)]
struct Stressed {
    time: Duration,
    reads: u64,
    retired: u64,
    most: u64,
    stalls: u64,
}

impl fmt::Display for Stressed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mebibytes = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        write!(
            f,
            "{:.0} s, {:.1} M reads, {} nodes retired and freed, at most {:.2} MiB of {:.2} MiB waited, {} stall{}",
            self.time.as_secs_f64(),
            self.reads as f64 / 1e6,
            self.retired,
            mebibytes(self.most),
            mebibytes(bound()),
            self.stalls,
            if self.stalls == 1 { "" } else { "s" }
        )
    }
}

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
fn stress_for<F: Flavour>(time: Duration, never_ending: bool) -> Result<Stressed, Failure> {
    F::load().map_err(Failure::unavailable)?;
    let is_named = never_ending.then(named);
    let freed_before = freed();
    let shared = Shared::<F>::new();
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
    if never_ending {
        work.push((NEVER_ENDING, readers::never_ending));
        // A writer that waits for each grace period would wait until the end.
        work.push(("writer-alone", writers::alone));
    } else {
        work.push(("writer-alone", writers::alone_and_waits));
    }
    let most = thread::scope(|scope| -> Result<u64, Failure> {
        let mut threads = Vec::new();
        for work in work {
            threads.push(begin(scope, &shared, work)?);
        }
        let most = watch(&shared, time, &threads);
        shared.ends.store(true, Ordering::Relaxed);
        let outcomes: Vec<_> = threads.into_iter().map(ended).collect();
        outcomes.into_iter().collect::<Result<(), _>>()?;
        Ok(most)
    })?;
    let retired = shared.retired.load(Ordering::Relaxed);
    all_freed(retired, freed_before)?;
    if most > bound() {
        return Err(found(format!(
            "{most} bytes waited to be freed, and {} may",
            bound()
        )));
    }
    if time >= NAMED && is_named.is_some_and(|is_named| !is_named.load(Ordering::Relaxed)) {
        let message = format!("the thread {NEVER_ENDING} held grace periods up and was not named");
        return Err(found(message));
    }
    Ok(Stressed {
        time,
        reads: shared.reads.load(Ordering::Relaxed),
        retired,
        most,
        stalls: shared.stalls.load(Ordering::Relaxed),
    })
}

type Thread<'scope> = (&'static str, ScopedJoinHandle<'scope, Outcome>);

fn begin<'scope, F: Flavour>(
    scope: &'scope Scope<'scope, '_>,
    shared: &'scope Shared<F>,
    (name, work): Work<F>,
) -> Result<Thread<'scope>, Failure> {
    let works = move || {
        let outcome = work(shared);
        if outcome.is_err() {
            shared.ends.store(true, Ordering::Relaxed);
        }
        outcome
    };
    let begun = Builder::new()
        .name(name.to_owned())
        .spawn_scoped(scope, works);
    match begun {
        Ok(thread) => Ok((name, thread)),
        Err(error) => {
            shared.ends.store(true, Ordering::Relaxed);
            Err(Failure::unavailable(format!(
                "no thread can be made: {error}"
            )))
        }
    }
}

fn found(message: String) -> Failure {
    Failure::new(Code::Found, message)
}

/// Waits for a thread to end.
fn ended((name, thread): Thread<'_>) -> Result<(), Failure> {
    let panicked = |_| Err(Stopped::Failed("it panicked".to_owned()));
    let outcome = thread.join().unwrap_or_else(panicked);
    outcome.map_err(|stopped| match stopped {
        Stopped::Damaged(damage) => found(format!("{name}: a node {damage}")),
        Stopped::Refused(refused) => Failure::no_number(format!("{name}: {refused}")),
        Stopped::Failed(reason) => Failure::no_number(format!("{name}: {reason}")),
    })
}

/// Looks until the end how many bytes wait to be freed; the most that it saw.
fn watch<F: Flavour>(shared: &Shared<F>, time: Duration, threads: &[Thread<'_>]) -> u64 {
    let begin = Instant::now();
    let (mut most, mut next) = (0, PROGRESS);
    let is_shown = std::io::stderr().is_terminal();
    // A thread that panicked has not said so itself.
    let have_ended = || threads.iter().any(|(_, thread)| thread.is_finished());
    while begin.elapsed() < time && !shared.has_ended() && !have_ended() {
        thread::sleep(Duration::from_millis(5));
        most = most.max(waiting::<F>().bytes);
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
    most
}

/// Waits until each node that was retired is freed.
fn all_freed(retired: u64, before: u64) -> Result<(), Failure> {
    let begin = Instant::now();
    while freed() - before < retired && begin.elapsed() < END {
        thread::sleep(Duration::from_millis(5));
    }
    let freed = freed() - before;
    if freed == retired {
        return Ok(());
    }
    Err(found(format!(
        "{retired} nodes were retired and {freed} were freed"
    )))
}

/// Becomes true when the thread is reported whose section never ends.
fn named() -> Arc<AtomicBool> {
    let is_named = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&is_named);
    on_stall(move |stall| {
        // Readers that wait for their turn may hold a grace period up as well.
        if stall.reader.name == NEVER_ENDING && !seen.swap(true, Ordering::Relaxed) {
            say(&stall.to_string());
        }
    });
    is_named
}

#[cfg(all(test, not(perflab_tsan)))]
mod tests;
