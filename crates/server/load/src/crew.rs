//! The threads of the client: they begin a turn together, and each says what came of it.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{Builder, Scope, ScopedJoinHandle};
use std::time::Duration;

use crate::plan::Plan;
use crate::problem::Problem;
use crate::tally::Tally;
use crate::worker::{Shared, Turn, Worker};

/// Time between two looks whether the threads live.
const LOOK: Duration = Duration::from_secs(1);

/// What a thread reports: its number, and what came of its last order. Nothing if the load was stopped.
type Report = (usize, Result<Option<Tally>, Problem>);

/// What came of a turn, with the number of the thread.
pub type ByThread = Vec<(usize, Tally)>;

/// The threads.
pub struct Crew<'scope> {
    orders: Vec<Sender<Turn>>,
    reports: Receiver<Report>,
    hands: Vec<ScopedJoinHandle<'scope, ()>>,
    shared: &'scope Shared,
}

impl<'scope> Crew<'scope> {
    /// Begins the threads, and waits until all are connected.
    ///
    /// # Errors
    /// If one cannot begin, or cannot connect.
    pub fn begin<'env>(
        scope: &'scope Scope<'scope, 'env>,
        plan: &'env Plan,
        shared: &'env Shared,
    ) -> Result<Self, Problem> {
        let (report, reports) = mpsc::channel();
        let mut crew = Self {
            orders: Vec::new(),
            reports,
            hands: Vec::new(),
            shared,
        };
        for number in 0..plan.threads {
            let (order, orders) = mpsc::channel();
            let report = report.clone();
            let hand = Builder::new()
                .name(format!("load-{number}"))
                .spawn_scoped(scope, move || work(number, plan, shared, orders, &report))
                .map_err(|error| Problem::Unavailable(format!("no thread can be made: {error}")))?;
            crew.hands.push(hand);
            crew.orders.push(order);
        }
        crew.collect(&mut || {})?;
        Ok(crew)
    }

    /// Has all threads play a turn. Returns what came of it, by thread. Calls `tick` each second meanwhile.
    ///
    /// # Errors
    /// The first problem of a thread.
    pub fn turn(&self, turn: Turn, tick: &mut dyn FnMut()) -> Result<ByThread, Problem> {
        for order in &self.orders {
            // A thread that has gone does not report, which is noticed then.
            let _ = order.send(turn);
        }
        self.collect(tick)
    }

    fn collect(&self, tick: &mut dyn FnMut()) -> Result<ByThread, Problem> {
        let (mut tallies, mut problem) = (Vec::new(), None);
        let mut missing = self.hands.len();
        while missing > 0 {
            match self.reports.recv_timeout(LOOK) {
                Ok((number, report)) => {
                    missing -= 1;
                    match report {
                        Ok(tally) => tallies.extend(tally.map(|tally| (number, tally))),
                        Err(error) => {
                            // The others need not go on.
                            self.shared.stop();
                            problem.get_or_insert(error);
                        }
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    tick();
                    if self.hands.iter().any(ScopedJoinHandle::is_finished) {
                        break;
                    }
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        match problem {
            Some(problem) => Err(problem),
            None if missing > 0 => {
                self.shared.stop();
                // It has printed the reason itself.
                Err(Problem::Unavailable(
                    "a thread of the client panicked".to_owned(),
                ))
            }
            None => Ok(tallies),
        }
    }
}

/// The life of a thread.
fn work(
    number: usize,
    plan: &Plan,
    shared: &Shared,
    orders: Receiver<Turn>,
    reports: &Sender<Report>,
) {
    let worker = Worker::new(number, plan, shared);
    let (mut worker, connected) = match worker {
        Ok(worker) => (Some(worker), Ok(None)),
        Err(problem) => (None, Err(problem)),
    };
    // Nobody listens any more if the load has ended.
    let _ = reports.send((number, connected));
    let Some(worker) = &mut worker else {
        return;
    };
    for turn in orders {
        let _ = reports.send((number, worker.turn(&turn)));
    }
}
