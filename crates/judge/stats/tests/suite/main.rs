//! The methods seen from outside: against published numbers, against SciPy, against brute force,
//! and against the laws they must obey.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod classes;
mod drift;
mod edges;
mod exhaustive;
mod families;
mod fast_paths;
mod laws;
mod nested;
mod planning;
mod pooled;
mod published;
mod redis_like;
mod resampling;
mod scipy;
mod sequential;
mod serial;
mod shift_function;
mod steady;
mod support;
mod trend;
