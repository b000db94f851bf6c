//! Drivers on recorded and on made-up output, and on the tools themselves where they are installed.

mod any_output;
mod generic;
mod installed;
mod recorded;
mod redis_benchmark;
mod threads;
