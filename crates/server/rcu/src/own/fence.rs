//! The two fences of an asymmetric protocol: light ones in readers, heavy ones in writers.
//!
//! The pair is what C++ knows as asymmetric thread fences (P1202). Rust's model has none, so this is an assumption:
//! of a light and a heavy fence one comes first in an order of all of them, and what was written before that one is
//! visible behind the other. Light fences do not order with each other. It holds
//!
//! - if both are `fence(SeqCst)`, by Rust's model;
//! - if the light one keeps the compiler from moving accesses past it, and the heavy one makes each processor that
//!   executes a thread of this process go through a full barrier at some time during the call: each access of a
//!   reader is then before that barrier or behind it. This is what the kernel promises of membarrier.

/// The fences of a domain, and what it tells of its sleep.
pub trait Fences: 'static {
    /// How often a writer looks at a reader before it sleeps.
    const LOOKS: u32 = 100;

    /// How often a writer looks at a turn that another has before it sleeps.
    const LOOKS_AT_TURN: u32 = 100;

    /// A fence in a reader.
    fn light();

    /// A fence in a writer.
    fn heavy();

    /// A reader is about to announce a quiescent state.
    #[inline(always)]
    fn passes() {}

    /// A writer has slept.
    fn slept() {}

    /// A reader has woken a writer.
    fn woke() {}
}
