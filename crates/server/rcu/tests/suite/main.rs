//! Flavours of RCU as programs use them, and the own protocol in every interleaving.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod absent;
mod evidence;
mod fakes;
mod flavours;
mod fork;
mod limbo;
mod models;
mod stalls;
mod trial;
