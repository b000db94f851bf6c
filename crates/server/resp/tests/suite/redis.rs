//! What the real Redis makes of the same bytes.

mod compared;
mod numbers;
mod server;
mod table;
