//! What the protocol does to memory that others see. The tests of the protocol put others in their place.

pub use core::sync::atomic::{AtomicU64, Ordering, fence};

/// Keeps the compiler from moving what comes before and behind it past each other, as a signal handler of
/// the same thread would see.
#[inline(always)]
pub fn fence_for_handlers() {
    core::sync::atomic::compiler_fence(Ordering::SeqCst);
}
