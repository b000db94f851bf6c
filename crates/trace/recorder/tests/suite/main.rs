//! Recording processes whose rings are files that these tests write.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod concurrent;
mod events;
mod hostile;
mod places;
mod started;
mod support;
