//! Searches in many histories of one kind.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use perflab_stats::Stratum;
use perflab_stats::bisection::{Answer, Bisection, Found, Lineage, Measured, Revision, Terms};
use perflab_stats::location::{NullCache, Scale, Side, location_test};

use crate::simulated::Random;
use crate::world::{History, World};

/// What became of one search.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// No change where there is none.
    Right,
    /// The revision; whether a comparison with its neighbour confirmed it.
    Found {
        confirmed: bool,
    },
    /// Another revision; whether a comparison with its neighbour confirmed it.
    Wrong {
        confirmed: bool,
    },
    /// No change where there is one.
    Missed,
    Undecided,
}

/// A search: its end, and the runs that it took.
#[derive(Clone, Copy)]
pub struct Outcome {
    pub end: End,
    pub candidates: usize,
    pub ends: usize,
}

/// Trials on all CPUs.
pub fn simulate(trials: u64, one: impl Fn(u64) -> Outcome + Sync) -> Vec<Outcome> {
    let next = AtomicU64::new(0);
    let outcomes = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let trial = next.fetch_add(1, Ordering::Relaxed);
                    if trial >= trials {
                        break;
                    }
                    let outcome = one(trial);
                    if let Ok(mut all) = outcomes.lock() {
                        all.push(outcome);
                    }
                }
            });
        }
    });
    outcomes.into_inner().unwrap_or_default()
}

/// The search of the library.
pub fn search(world: &World, random: Random) -> Outcome {
    let mut history = History::new(world, random);
    let change = history.change;
    let nothing = Outcome {
        end: End::Undecided,
        candidates: 0,
        ends: 0,
    };
    let evidence = Measured::new(Scale::Ratio, 1.0, world.builds > 0.0);
    let search = Lineage::linear(world.revisions)
        .and_then(|lineage| Bisection::new(lineage, Terms::default(), evidence?));
    let Ok(mut search) = search else {
        return nothing;
    };
    while let Some(plan) = search.next() {
        if search.observe(&history.measure(plan)).is_err() {
            return nothing;
        }
    }
    let runs = search.confirming();
    let mut confirmed = |found: &Found| {
        confirmed(
            &mut history,
            found.before[0],
            Revision::At(found.after[0]),
            runs,
        )
    };
    let end = match (search.answer(), change) {
        (Answer::NoChange { .. }, None) => End::Right,
        (Answer::NoChange { .. }, Some(_)) => End::Missed,
        (Answer::Found(found), Some(change)) if found.revisions == [change] => End::Found {
            confirmed: confirmed(&found),
        },
        (Answer::Found(found), _) => End::Wrong {
            confirmed: confirmed(&found),
        },
        _ => End::Undecided,
    };
    let runs = search.runs();
    Outcome {
        end,
        candidates: runs.candidates,
        ends: runs.good + runs.bad,
    }
}

/// Whether blocks of 3 + 3 runs, all of fresh builds, show a difference of two neighbours: `runs` of each, 12 at least.
fn confirmed(history: &mut History<'_>, before: Revision, after: Revision, runs: usize) -> bool {
    let mut block = || {
        let runs = history.in_random_order([before, after].repeat(3)).runs;
        let side = |revision| -> Vec<f64> {
            let own = runs.iter().filter(|run| run.revision == revision);
            own.map(|run| run.value).collect()
        };
        Stratum::new(side(before), side(after))
    };
    let blocks: Vec<Stratum> = (0..runs.max(12).div_ceil(3)).map(|_| block()).collect();
    let test = location_test(
        &mut NullCache::default(),
        &blocks,
        Scale::Ratio,
        1.0,
        Side::TwoSided,
    );
    test.is_ok_and(|test| test.p <= 0.05)
}

/// Plain bisection: each step is decided by the mean of so many runs, against the true middle of the ends.
pub fn plain(world: &World, each: usize, random: Random) -> Outcome {
    let mut history = History::new(world, random);
    let middle = crate::simulated::BASE.ln() + 0.5 * world.step * crate::world::SD;
    // The change is in this range.
    let (mut low, mut high) = (0, world.revisions - 1);
    let mut candidates = 0;
    while low < high {
        let at = low.midpoint(high);
        let mean = (0..each)
            .map(|_| history.run(Revision::At(at)).value.ln())
            .sum::<f64>()
            / each as f64;
        candidates += each;
        if mean > middle {
            high = at;
        } else {
            low = at + 1;
        }
    }
    let right = history.change == Some(low);
    Outcome {
        end: if right {
            End::Found { confirmed: false }
        } else {
            End::Wrong { confirmed: false }
        },
        candidates,
        ends: 0,
    }
}
