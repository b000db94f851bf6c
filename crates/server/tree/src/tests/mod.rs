//! Trees against vectors, their nodes, and what edits cost.

mod allocator;
mod alone;
mod cost;
mod invariants;
mod kept;
mod leaks;
mod model;
mod order;
mod snapshots;
