//! The nouns of the laboratory, the experiment file and its expansion into a plan.
//!
//! Pure: nothing here opens a file, reads a clock or starts a process.

mod sample;

pub use sample::{Better, Metric, Sample, Status};
