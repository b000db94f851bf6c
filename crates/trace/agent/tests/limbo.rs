//! Every interleaving of threads whose events come to a gate with an agent that replaces what that leads to.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]
#![expect(dead_code, reason = "a part of the crate is included for it")]

/// What `threads` uses, so that each operation is a point where another thread may come in.
mod atomic {
    pub use loom::sync::atomic::{AtomicU32, AtomicU64};
}

#[path = "../src/filter/limbo.rs"]
mod limbo;
#[path = "../src/filter/threads.rs"]
mod threads;

use atomic::{AtomicU32, AtomicU64};
use limbo::{Limbo, Look};
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering, fence};
use threads::{Entry, Thread, Threads};

const THREADS: usize = 2;

const UNKNOWN: u64 = 0;
const IDLE: u64 = 1;
const INSIDE: u64 = 2;

/// A process with one gate.
struct Process {
    threads: Threads<THREADS>,
    marks: [AtomicU64; THREADS],
    /// Which of the filters judges.
    cell: AtomicUsize,
    /// Their end is a write, so that loom sees who reads one then.
    filters: [UnsafeCell<u32>; 3],
}

impl Process {
    fn new() -> Self {
        Self {
            threads: Threads([(); THREADS].map(|()| Entry {
                number: AtomicU32::new(0),
                mark: AtomicU64::new(0),
            })),
            marks: [(); THREADS].map(|()| AtomicU64::new(UNKNOWN)),
            cell: AtomicUsize::new(0),
            filters: [(); 3].map(|()| UnsafeCell::new(0)),
        }
    }

    /// The steps of a gate and of a filter, and within them those of an event in the handler of a signal.
    fn event(&self, thread: usize, is_interrupted: bool) {
        let mark = &self.marks[thread];
        let is_outer = mark.load(Ordering::Relaxed) != INSIDE;
        if mark.load(Ordering::Relaxed) == UNKNOWN {
            let number = thread as u32 + 1;
            assert!(self.threads.enter(number, number.into()));
        }
        if is_outer {
            mark.store(INSIDE, Ordering::Relaxed);
        }
        // What the agent has all threads do at some time: one that has not come here by then comes later.
        fence(Ordering::SeqCst);
        let filter = &self.filters[self.cell.load(Ordering::Acquire)];
        if is_interrupted {
            self.event(thread, false);
        }
        filter.with(|filter| assert!(!filter.is_null()));
        if is_outer {
            mark.store(IDLE, Ordering::Release);
        }
    }
}

/// The agent, as it looks at the threads.
struct Agent<'p>(&'p Process);

impl Look for Agent<'_> {
    fn all(&mut self) -> Result<Vec<Thread>, String> {
        fence(Ordering::SeqCst);
        Ok(self.0.threads.all().collect())
    }

    fn keep_inside(&mut self, threads: &mut Vec<Thread>) -> Result<(), String> {
        let marks = &self.0.marks;
        threads.retain(|thread| {
            let mark = &marks[thread.mark as usize - 1];
            mark.load(Ordering::Acquire) == INSIDE
        });
        Ok(())
    }
}

fn free(process: &Process, limbo: &mut Limbo<usize>) {
    for filter in limbo.look(&mut Agent(process), |_| true).unwrap() {
        process.filters[filter].with_mut(|_| ());
    }
}

#[test]
fn no_event_is_judged_by_a_filter_that_was_freed() {
    let mut model = loom::model::Builder::new();
    // As many changes of thread in the wrong moment as take some seconds.
    model.preemption_bound = Some(2);
    model.check(|| {
        let process = Arc::new(Process::new());
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                let process = Arc::clone(&process);
                loom::thread::spawn(move || {
                    process.event(thread, thread == 0);
                    if thread == 0 {
                        process.event(thread, false);
                    }
                })
            })
            .collect();
        let mut limbo = Limbo::new();
        for next in [1, 2] {
            process.cell.store(next, Ordering::Release);
            limbo.put(next - 1);
            free(&process, &mut limbo);
        }
        for thread in threads {
            thread.join().unwrap();
        }
        free(&process, &mut limbo);
        assert_eq!(limbo.len(), 0, "all threads are idle");
    });
}
