//! What is shared with signal handlers; another set of them lets a test try every order of accesses.

pub(crate) use std::hint::spin_loop as hint;
pub(crate) use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering, fence};
