//! Drivers on recorded and on made-up output, and on the installed tools.

mod any_output;
mod evidence;
mod generic;
mod installed;
mod recorded;
mod redis_benchmark;
mod steps;
mod threads;
