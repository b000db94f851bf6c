//! What is seen of a process that takes turns, and of those that came of it, when they are looked at between turns.

use std::time::Duration;

use rustix::thread::CpuSet;

use crate::host::{Relative, Thread};

/// A thread that runs or could run for this share of some turns is one that the program needs a CPU for, if it runs at
/// all: all threads wait for a CPU when they are continued, if only to sleep on.
const WANTED: f64 = 0.5;

/// The share of a turn that a thread runs at least, if it does more than to sleep on.
const RAN: f64 = 0.05;

/// Threads that together run or could run for this many times a turn need a CPU at the same time.
const CROWD: f64 = 1.5;

/// A thread that runs for this share of the time of all is one that the program waits for. Others only sleep on, and wait
/// for each other when they are continued.
const MAIN: f64 = 0.25;

/// What was seen of a process, and of those that came of it, when they were looked at between turns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen {
    /// One that had left the group, so that it ran during the turns of others.
    pub astray: Option<String>,
    /// One that runs as another user, so that it was not stopped and ran during the turns of others.
    pub foreign: Option<String>,
    /// One that was still there when the process had ended, so that its CPU time is not counted.
    pub left: Option<String>,
    /// One with a timer, which goes on during the turns of others.
    pub timer: Option<String>,
    /// One that handles SIGCONT, once in each turn.
    pub handler: Option<String>,
    /// One that chose other CPUs than it was given, so that it does not share changes of their speed.
    pub elsewhere: Option<String>,
    /// The time of the turns until the last look.
    pub watched: Duration,
    /// The part of it in which more than one thread needed a CPU.
    pub crowded: Duration,
    /// How long the threads that were there at one of the looks had a CPU. Those that ended between two looks had the rest.
    pub ran: Duration,
    /// How long those that did most of it waited for a CPU, as others had it.
    pub waited: Duration,
    /// How long they waited while they had a CPU for so little of the time that they may have only slept on.
    pub unclear: Duration,
}

/// One look: what was there at the one before, and before and after the last turn.
pub(super) struct Look<'a> {
    pub(super) last: &'a [Relative],
    pub(super) before: &'a [Relative],
    pub(super) after: &'a [Relative],
    /// The CPUs that the process was given.
    pub(super) cpus: Option<&'a CpuSet>,
    /// The time of the turns since the one before.
    pub(super) since: Duration,
    /// The time of the last turn.
    pub(super) took: Duration,
}

/// What a thread did between two looks.
struct Used {
    ran: Duration,
    wanted: Duration,
    /// It had never had a CPU before.
    is_new: bool,
}

impl Seen {
    /// Adds what a look shows.
    pub(super) fn look(&mut self, look: &Look<'_>) {
        let Look { since, took, .. } = *look;
        let used = between(look.last, look.after);
        let ran: Duration = used.iter().map(|thread| thread.ran).sum();
        let main = used.iter().filter(|thread| thread.ran >= ran.mul_f64(MAIN));
        let (working, others): (Vec<&Used>, Vec<&Used>) =
            main.partition(|thread| thread.ran > since.mul_f64(RAN));
        let waited = |threads: &[&Used]| {
            let waited = threads.iter().map(|thread| thread.wanted - thread.ran);
            waited.sum::<Duration>().min(since)
        };
        self.watched += since;
        self.ran += ran;
        self.waited += waited(&working);
        self.unclear += waited(&others);
        if needy(&used, since) > 1 || is_crowd(&between(look.before, look.after), took) {
            self.crowded += since;
        }
        self.names(look.after, look.cpus);
    }

    /// Adds what the processes show that there are, and were given `cpus`.
    pub(super) fn names(&mut self, relatives: &[Relative], cpus: Option<&CpuSet>) {
        let add = |seen: &mut Option<String>, shows: &dyn Fn(&Relative) -> bool| {
            let mut names = relatives.iter().filter(|relative| shows(relative));
            if let (None, Some(relative)) = (&seen, names.next()) {
                *seen = Some(relative.name.clone());
            }
        };
        add(&mut self.astray, &|relative| !relative.in_group);
        add(&mut self.foreign, &|relative| {
            relative.in_group && relative.is_foreign
        });
        add(&mut self.timer, &|relative| relative.has_timer);
        add(&mut self.handler, &|relative| relative.handles_continue);
        add(&mut self.elsewhere, &|relative| {
            let own = relative.cpus.as_ref();
            own.zip(cpus).is_some_and(|(own, given)| own != given)
        });
    }

    /// What was seen of another run of the same command as well.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            astray: self.astray.or(other.astray),
            foreign: self.foreign.or(other.foreign),
            left: self.left.or(other.left),
            timer: self.timer.or(other.timer),
            handler: self.handler.or(other.handler),
            elsewhere: self.elsewhere.or(other.elsewhere),
            watched: self.watched + other.watched,
            crowded: self.crowded + other.crowded,
            ran: self.ran + other.ran,
            waited: self.waited + other.waited,
            unclear: self.unclear + other.unclear,
        }
    }
}

/// What each thread that is there did since an earlier look.
fn between(earlier: &[Relative], now: &[Relative]) -> Vec<Used> {
    let earlier: Vec<&Thread> = threads(earlier).collect();
    let used = |thread: &Thread| {
        let same = earlier.iter().find(|same| same.number == thread.number);
        let (ran, wanted) = same.map_or((Duration::ZERO, Duration::ZERO), |same| {
            (same.ran, same.wanted)
        });
        let ran_since = thread.ran.saturating_sub(ran);
        Used {
            ran: ran_since,
            wanted: thread.wanted.saturating_sub(wanted).max(ran_since),
            is_new: ran.is_zero(),
        }
    };
    threads(now).map(used).collect()
}

fn threads(relatives: &[Relative]) -> impl Iterator<Item = &Thread> {
    relatives.iter().flat_map(|relative| &relative.threads)
}

/// How many threads needed a CPU for much of the time of some turns. Where a CPU is busy, one turn is too short for all
/// threads that need it. And threads that need it one after the other do not both need it for half of a longer time.
fn needy(used: &[Used], time: Duration) -> usize {
    let is_needy =
        |thread: &&Used| thread.ran > time.mul_f64(RAN) && thread.wanted > time.mul_f64(WANTED);
    used.iter().filter(is_needy).count()
}

/// Whether several threads needed a CPU in one turn. Those of short processes are gone at the next look, and while they
/// wait for their first moment on a CPU they do not only sleep on.
fn is_crowd(used: &[Used], took: Duration) -> bool {
    let counts = |thread: &&Used| thread.is_new || thread.ran > took.mul_f64(RAN);
    let wanted = used
        .iter()
        .filter(counts)
        .map(|thread| thread.wanted.min(took));
    wanted.sum::<Duration>() > took.mul_f64(CROWD)
}
