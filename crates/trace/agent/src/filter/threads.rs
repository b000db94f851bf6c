//! The threads that have come to a gate, each with the place of its mark.

use std::sync::atomic::Ordering;

use super::atomic::{AtomicU32, AtomicU64};

/// Room for a thread.
#[derive(Debug)]
pub struct Entry {
    /// Its number; 0 if there is none.
    pub number: AtomicU32,
    /// The address of its mark; 0 until that is known.
    pub mark: AtomicU64,
}

/// A thread as an entry has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Thread {
    entry: usize,
    /// Its number.
    pub number: u32,
    /// The address of its mark.
    pub mark: u64,
}

/// The threads. They enter themselves, and the agent removes them once they have ended.
#[derive(Debug)]
pub struct Threads<const N: usize>(pub [Entry; N]);

impl<const N: usize> Threads<N> {
    /// The calling thread enters itself, before its mark is set for the first time; false if there is no room. Takes no
    /// lock and allocates nothing.
    pub fn enter(&self, number: u32, mark: u64) -> bool {
        let mut entries = self.0.iter();
        let free = entries.find(|entry| {
            let word = &entry.number;
            word.load(Ordering::Relaxed) == 0
                && word
                    .compare_exchange(0, number, Ordering::Acquire, Ordering::Relaxed)
                    .is_ok()
        });
        free.map(|entry| entry.mark.store(mark, Ordering::Release))
            .is_some()
    }

    /// All that have entered. One without a mark has not come to a cell yet.
    pub fn all(&self) -> impl Iterator<Item = Thread> {
        let entries = self.0.iter().enumerate();
        entries.filter_map(|(index, entry)| {
            let thread = Thread {
                entry: index,
                number: entry.number.load(Ordering::Acquire),
                mark: entry.mark.load(Ordering::Acquire),
            };
            (thread.number != 0 && thread.mark != 0).then_some(thread)
        })
    }

    /// Removes a thread that has ended, if it is still there. One caller at a time.
    pub fn remove(&self, thread: Thread) {
        let Some(entry) = self.0.get(thread.entry) else {
            return;
        };
        let number = entry.number.load(Ordering::Relaxed);
        if (number, entry.mark.load(Ordering::Relaxed)) == (thread.number, thread.mark) {
            entry.mark.store(0, Ordering::Relaxed);
            entry.number.store(0, Ordering::Release);
        }
    }

    /// Removes all: there are none of them in the child of a fork.
    pub fn clear(&self) {
        for entry in &self.0 {
            entry.mark.store(0, Ordering::Relaxed);
            entry.number.store(0, Ordering::Release);
        }
    }
}
