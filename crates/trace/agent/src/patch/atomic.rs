//! What `table` does to memory that others see. Its test puts others in their place.

pub use std::sync::atomic::{AtomicPtr, AtomicUsize};
