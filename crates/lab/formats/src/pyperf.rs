//! The JSON of pyperf, plain or compressed with gzip.
//!
//! A pyperf run is a worker process, and its values are means over so many loops in it; so a run
//! here is a run there, and the values are its samples. Warm-ups and the runs that only calibrate
//! are left out.

mod read;
mod write;

pub(crate) use read::GZIP;
pub use read::read;
pub use write::write;
