//! Tests of the laboratory on a simulated host, where time and processes are made up, and of single protocols.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may panic as a test may"
)]

mod disturbances;
mod evidence;
mod experiment;
mod observers;
mod one_process;
mod possible;
mod real_turns;
mod refresh;
mod resume;
mod signal_orders;
mod simulated;
mod slices;
mod statuses;
mod systems;
mod together;
mod turns;
