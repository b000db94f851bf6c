//! Flavours of RCU as programs use them, and the own protocol in its interleavings.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod absent;
mod bounds;
mod each;
mod evidence;
mod fakes;
mod flavours;
mod fork;
mod limbo;
mod models;
mod refused;
mod stalls;
mod trial;
