//! The crate as other tests use it, and the promise that they use it.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod children;
mod silence;
