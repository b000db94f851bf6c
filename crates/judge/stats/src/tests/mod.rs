//! The methods as a whole: against published numbers, against SciPy, against brute force,
//! and against the laws they must obey.

mod allan;
mod bisection;
mod changes;
mod classes;
mod dependence;
mod drift;
mod edges;
mod exhaustive;
mod families;
mod fast_paths;
mod flaky;
mod laws;
mod nested;
mod planning;
mod pooled;
mod published;
mod redis_like;
mod scipy;
mod sequential;
mod shift_function;
mod steady;
mod steps;
pub(crate) mod support;
mod trend;
mod turns;
