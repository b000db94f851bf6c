//! The threads of a measurement: readers are in their loops before anything else begins, and all have ended when it
//! does.

use std::any::Any;
use std::thread::{self, Builder, Scope, ScopedJoinHandle};
use std::time::Duration;

use perflab_rcu::{Flavour, as_reader};

use super::cpus;
use super::loops::{Freed, Shared};
use crate::failure::{Code, Failure};

/// Time between two looks whether threads have begun.
const LOOK: Duration = Duration::from_micros(200);

/// How readers read.
#[derive(Debug, Clone, Copy)]
pub struct Crew<'a> {
    /// Number of readers.
    pub readers: usize,
    /// The CPUs to which threads are bound, in turn; empty: to none.
    pub cpus: &'a [usize],
    /// The layout of their loop.
    pub layout: usize,
    /// Reads between two quiescent states: a power of two.
    pub quiescent_every: u64,
}

/// A thread of a measurement.
pub type Hand<'scope> = ScopedJoinHandle<'scope, Result<(), Failure>>;

impl<'env> Crew<'env> {
    /// Does `work` while the readers read. It may begin further threads in the scope, which it waits for.
    ///
    /// # Errors
    /// Those of `work`, or if a thread cannot begin, is refused, or finds freed memory.
    pub fn read_during<F: Flavour, R>(
        self,
        shared: &'env Shared<F>,
        work: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        thread::scope(|scope| {
            let mut readers = Vec::new();
            for number in 0..self.readers {
                let reads = move || {
                    let read = as_reader::<F, _>(|reader| {
                        shared.read(reader, number, self.layout, self.quiescent_every);
                    });
                    read.map_err(Failure::unavailable)
                };
                let begun = self.begin(scope, format!("reader-{number}"), number, reads);
                // Else the scope would wait for the others for ever.
                readers.push(begun.inspect_err(|_| shared.end())?);
            }
            let outcome = if has_begun(shared, self.readers, &readers) {
                work(scope)
            } else {
                // The thread that has ended says why.
                Err(Failure::no_number(
                    "a reader ended before the measurement began",
                ))
            };
            shared.end();
            joined(readers)?;
            outcome
        })
    }

    /// Begins the thread of this number, on its CPU.
    ///
    /// # Errors
    /// If there can be no thread.
    pub fn begin<'scope>(
        self,
        scope: &'scope Scope<'scope, 'env>,
        name: String,
        number: usize,
        work: impl FnOnce() -> Result<(), Failure> + Send + 'scope,
    ) -> Result<Hand<'scope>, Failure> {
        let cpu = self.cpus.get(number % self.cpus.len().max(1)).copied();
        let bound = move || {
            cpu.map_or(Ok(()), cpus::bind)?;
            work()
        };
        let begun = Builder::new().name(name).spawn_scoped(scope, bound);
        begun.map_err(|error| Failure::no_thread(&error))
    }
}

/// Waits until this number of threads are in their loops. False if one of the hands has ended instead.
pub fn has_begun<F: Flavour>(shared: &Shared<F>, threads: usize, hands: &[Hand<'_>]) -> bool {
    while !shared.has_begun(threads) {
        if hands.iter().any(ScopedJoinHandle::is_finished) {
            return false;
        }
        thread::sleep(LOOK);
    }
    true
}

/// Waits for threads to end.
///
/// # Errors
/// The first failure of one.
pub fn joined(hands: Vec<Hand<'_>>) -> Result<(), Failure> {
    let outcomes: Vec<_> = hands.into_iter().map(ScopedJoinHandle::join).collect();
    outcomes
        .into_iter()
        .try_for_each(|outcome| outcome.unwrap_or_else(|panic| Err(failure(panic.as_ref()))))
}

/// The failure of a thread that did not return.
fn failure(panic: &(dyn Any + Send)) -> Failure {
    match panic.downcast_ref::<Freed>() {
        Some(freed) => Failure::new(Code::Found, freed),
        None => Failure::panicked(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(work: impl FnOnce() + Send) -> Code {
        let outcome = thread::scope(|scope| {
            joined(vec![scope.spawn(|| {
                work();
                Ok(())
            })])
        });
        outcome.expect_err("the thread did not return").code
    }

    #[test]
    fn only_freed_memory_is_a_finding() {
        assert_eq!(code(|| Freed(0).unwind()), Code::Found);
        assert_eq!(code(|| panic!("anything else")), Code::NoNumber);
    }
}
