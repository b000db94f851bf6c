//! Operations of the own domains' protocol on memory that others see. The models put others in their place.
//!
//! The lock is our own so that ThreadSanitizer, which does not know Rust's library, sees it.
#![expect(
    unsafe_code,
    reason = "futexes have no safe wrapper, and a lock gives out what it guards"
)]

use std::cell::UnsafeCell;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::ptr;

pub use std::hint::spin_loop as pause;
pub use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};

use std::sync::atomic::AtomicU32;

/// Slots of a block.
pub const BLOCK: usize = 64;

/// A word on which threads sleep.
#[derive(Debug)]
pub struct Futex(AtomicU32);

impl Futex {
    pub const fn new(value: u32) -> Self {
        Self(AtomicU32::new(value))
    }

    #[inline(always)]
    pub fn load(&self, order: Ordering) -> u32 {
        self.0.load(order)
    }

    #[inline(always)]
    pub fn store(&self, value: u32, order: Ordering) {
        self.0.store(value, order);
    }

    #[inline(always)]
    pub fn swap(&self, value: u32, order: Ordering) -> u32 {
        self.0.swap(value, order)
    }

    #[inline(always)]
    pub fn compare_exchange(
        &self,
        value: u32,
        new: u32,
        success: Ordering,
        failure: Ordering,
    ) -> Result<u32, u32> {
        self.0.compare_exchange(value, new, success, failure)
    }

    /// Sleeps until it is woken, if the word has this value. It may also wake without a cause.
    pub fn wait(&self, value: u32) {
        // SAFETY: the kernel compares the word, which lives as long as the reference. There is no time limit.
        unsafe {
            libc::syscall(
                libc::SYS_futex,
                self.0.as_ptr(),
                libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG,
                value,
                ptr::null::<libc::timespec>(),
            );
        }
    }

    /// Wakes a thread that sleeps on the word.
    pub fn wake_one(&self) {
        self.wake(1);
    }

    /// Wakes all threads that sleep on the word.
    pub fn wake_all(&self) {
        self.wake(i32::MAX);
    }

    fn wake(&self, threads: i32) {
        // SAFETY: the kernel uses the word by its address only.
        unsafe {
            libc::syscall(
                libc::SYS_futex,
                self.0.as_ptr(),
                libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG,
                threads,
            );
        }
    }
}

const FREE: u32 = 0;
const LOCKED: u32 = 1;
/// Locked, and somebody may sleep.
const WAITED_FOR: u32 = 2;

/// How often a locked lock is looked at before its waiter sleeps.
const LOOKS: u32 = 100;

/// A lock around a value. A panic unlocks it.
pub struct Mutex<T> {
    state: Futex,
    value: UnsafeCell<T>,
}

// SAFETY: the lock gives the value to one thread at a time.
unsafe impl<T: Send> Sync for Mutex<T> {}

impl<T> Mutex<T> {
    pub const fn new(value: T) -> Self {
        Self {
            state: Futex::new(FREE),
            value: UnsafeCell::new(value),
        }
    }

    /// Waits until nobody else has the value.
    pub fn lock(&self) -> Locked<'_, T> {
        let taken = self
            .state
            .compare_exchange(FREE, LOCKED, Ordering::Acquire, Ordering::Relaxed);
        if taken.is_err() {
            self.wait();
        }
        Locked(self)
    }

    #[cold]
    fn wait(&self) {
        for _ in 0..LOOKS {
            if self.state.load(Ordering::Relaxed) == FREE {
                break;
            }
            pause();
        }
        // A thread that has slept cannot know whether others still do, so it wakes one more than it may have to.
        while self.state.swap(WAITED_FOR, Ordering::Acquire) != FREE {
            self.state.wait(WAITED_FOR);
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Mutex").field(&*self.lock()).finish()
    }
}

/// The value of a lock, until it is dropped.
pub struct Locked<'a, T>(&'a Mutex<T>);

// SAFETY: a shared guard gives out shared references only.
unsafe impl<T: Sync> Sync for Locked<'_, T> {}

impl<T> Deref for Locked<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: this thread has the lock.
        unsafe { &*self.0.value.get() }
    }
}

impl<T> DerefMut for Locked<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: this thread has the lock, and this guard borrowed.
        unsafe { &mut *self.0.value.get() }
    }
}

impl<T> Drop for Locked<'_, T> {
    fn drop(&mut self) {
        if self.0.state.swap(FREE, Ordering::Release) == WAITED_FOR {
            self.0.state.wake_one();
        }
    }
}

#[cfg(test)]
mod tests;
