//! Real programs with the agent preloaded or linked: sites, switching, recording, other tracers.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod actions;
mod alike;
mod clock;
mod filters;
mod header;
mod life;
mod linked;
mod order;
mod record;
mod rust;
mod started;
mod support;
mod toggle;
mod toolchains;
mod traced_builds;
mod tracers;
mod wide;
