//! Operations of readers and writers. Each is a point where another thread may come in.

use std::cell::Cell;
use std::ptr;

pub use loom::sync::atomic::Ordering;

thread_local! {
    /// The fault that is planted. All threads of a model are executed by one real thread.
    pub static FAULT: Cell<Option<Fault>> = const { Cell::new(None) };
}

/// A fault in the operations of a writer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// What was written before a store is not visible with it.
    StoresRelaxed,
    /// A word is emptied before it gets its new value.
    SwapsInTwoSteps,
}

fn has(fault: Fault) -> bool {
    FAULT.get() == Some(fault)
}

fn planted(order: Ordering) -> Ordering {
    if has(Fault::StoresRelaxed) {
        Ordering::Relaxed
    } else {
        order
    }
}

pub struct AtomicPtr<T>(loom::sync::atomic::AtomicPtr<T>);

impl<T> AtomicPtr<T> {
    pub fn new(pointer: *mut T) -> Self {
        Self(loom::sync::atomic::AtomicPtr::new(pointer))
    }

    pub fn load(&self, order: Ordering) -> *mut T {
        self.0.load(order)
    }

    pub fn store(&self, pointer: *mut T, order: Ordering) {
        self.0.store(pointer, planted(order));
    }

    pub fn swap(&self, pointer: *mut T, order: Ordering) -> *mut T {
        if has(Fault::SwapsInTwoSteps) {
            let before = self.0.load(Ordering::Acquire);
            self.0.store(ptr::null_mut(), order);
            self.0.store(pointer, order);
            return before;
        }
        self.0.swap(pointer, planted(order))
    }
}
