//! The operations of the protocol. Each is a point where another thread may come in.

use std::cell::Cell;

use loom::sync::Condvar;
use loom::sync::atomic::AtomicU32;

pub use loom::hint::spin_loop as pause;
pub use loom::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

pub const BLOCK: usize = 2;

thread_local! {
    /// The fault that is planted. All threads of a model are executed by one real thread.
    pub static FAULT: Cell<Option<Fault>> = const { Cell::new(None) };
}

/// A fault in what the protocol uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// An addition of 0 is a load.
    AddsNothing,
    /// The kernel lets a thread sleep without a look at the word.
    SleepsUnseen,
    /// Those that sleep together are not woken.
    WakesNobody,
}

fn has(fault: Fault) -> bool {
    FAULT.get() == Some(fault)
}

#[derive(Debug)]
pub struct AtomicU64(loom::sync::atomic::AtomicU64);

impl AtomicU64 {
    pub fn new(value: u64) -> Self {
        Self(loom::sync::atomic::AtomicU64::new(value))
    }

    pub fn load(&self, order: Ordering) -> u64 {
        self.0.load(order)
    }

    pub fn store(&self, value: u64, order: Ordering) {
        self.0.store(value, order);
    }

    pub fn fetch_add(&self, value: u64, order: Ordering) -> u64 {
        if value == 0 && has(Fault::AddsNothing) {
            return self.0.load(Ordering::Acquire);
        }
        self.0.fetch_add(value, order)
    }

    pub fn fetch_max(&self, value: u64, order: Ordering) -> u64 {
        self.0.fetch_max(value, order)
    }
}

/// The kernel compares the word under a lock that whoever wakes takes too.
#[derive(Debug)]
pub struct Futex {
    word: AtomicU32,
    lock: loom::sync::Mutex<()>,
    woken: Condvar,
}

impl Futex {
    pub fn new(value: u32) -> Self {
        Self {
            word: AtomicU32::new(value),
            lock: loom::sync::Mutex::new(()),
            woken: Condvar::new(),
        }
    }

    pub fn load(&self, order: Ordering) -> u32 {
        self.word.load(order)
    }

    pub fn store(&self, value: u32, order: Ordering) {
        self.word.store(value, order);
    }

    pub fn swap(&self, value: u32, order: Ordering) -> u32 {
        // A model that has failed unwinds, and is over.
        if std::thread::panicking() {
            return value;
        }
        self.word.swap(value, order)
    }

    pub fn compare_exchange(
        &self,
        value: u32,
        new: u32,
        success: Ordering,
        failure: Ordering,
    ) -> Result<u32, u32> {
        self.word.compare_exchange(value, new, success, failure)
    }

    pub fn wait(&self, value: u32) {
        let lock = self.lock.lock().unwrap();
        if has(Fault::SleepsUnseen) || self.word.load(Ordering::Relaxed) == value {
            drop(self.woken.wait(lock).unwrap());
        }
    }

    pub fn wake_one(&self) {
        let _lock = self.lock.lock().unwrap();
        self.woken.notify_one();
    }

    pub fn wake_all(&self) {
        if !has(Fault::WakesNobody) {
            let _lock = self.lock.lock().unwrap();
            self.woken.notify_all();
        }
    }
}
