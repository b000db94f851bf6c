//! What was replaced and may still be in use, until no thread can be in it. `tests/limbo.rs` checks all interleavings.

use super::threads::Thread;

/// Replacements that may wait at the same time.
pub const MOST: usize = 64;

/// Looks at threads.
pub trait Look {
    /// Makes all threads serialise, and returns those that have entered by then.
    ///
    /// # Errors
    /// When that cannot be done.
    fn all(&mut self) -> Result<Vec<Thread>, String>;

    /// Keeps those threads that are inside a gate, in their order.
    ///
    /// # Errors
    /// When their marks cannot be read.
    fn keep_inside(&mut self, threads: &mut Vec<Thread>) -> Result<(), String>;
}

/// Something that was replaced.
#[derive(Debug)]
struct Replaced<T> {
    what: T,
    /// Threads that may be in it; nothing as long as not all threads have serialised since.
    threads: Option<Vec<Thread>>,
}

/// What was replaced.
#[derive(Debug)]
pub struct Limbo<T>(Vec<Replaced<T>>);

impl<T> Limbo<T> {
    /// Nothing yet.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// How many replacements wait.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Threads that one of them waits for, at most.
    pub fn threads(&self) -> usize {
        let counts = self.0.iter().flat_map(|replaced| &replaced.threads);
        counts.map(Vec::len).max().unwrap_or(0)
    }

    /// Takes in what no thread can come to any more.
    pub fn put(&mut self, what: T) {
        self.0.push(Replaced {
            what,
            threads: None,
        });
    }

    /// In the child of a fork there are other threads.
    pub fn look_again(&mut self) {
        for replaced in &mut self.0 {
            replaced.threads = None;
        }
    }

    /// Returns what no thread is in any more and what may go.
    ///
    /// A thread that was in it when it was replaced has set its mark before: that is seen once all threads have
    /// serialised. One that is seen without a mark then, once, has left it, and does not come back.
    ///
    /// # Errors
    /// When threads cannot be looked at. All that is not returned stays.
    pub fn look(
        &mut self,
        look: &mut impl Look,
        may_go: impl Fn(&T) -> bool,
    ) -> Result<Vec<T>, String> {
        if self.0.iter().any(|replaced| replaced.threads.is_none()) {
            let all = look.all()?;
            for replaced in &mut self.0 {
                replaced.threads.get_or_insert_with(|| all.clone());
            }
        }
        // A look at a thread is one for all that wait for it.
        let waited_for = self.0.iter().flat_map(|replaced| &replaced.threads);
        let mut inside: Vec<Thread> = waited_for.flatten().copied().collect();
        inside.sort_unstable();
        inside.dedup();
        if !inside.is_empty() {
            look.keep_inside(&mut inside)?;
        }
        for threads in self.0.iter_mut().filter_map(|one| one.threads.as_mut()) {
            threads.retain(|thread| inside.binary_search(thread).is_ok());
        }
        let is_over = |replaced: &mut Replaced<T>| {
            replaced.threads.as_ref().is_some_and(Vec::is_empty) && may_go(&replaced.what)
        };
        let over = self.0.extract_if(.., is_over);
        Ok(over.map(|replaced| replaced.what).collect())
    }
}
