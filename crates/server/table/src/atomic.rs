//! Operations on memory that readers and writers share. The models put others in their place.

pub use std::sync::atomic::{AtomicPtr, Ordering};
