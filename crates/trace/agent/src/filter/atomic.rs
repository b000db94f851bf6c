//! What `threads` does to memory that others see. The test of `limbo` puts others in their place.

pub use std::sync::atomic::{AtomicU32, AtomicU64};
