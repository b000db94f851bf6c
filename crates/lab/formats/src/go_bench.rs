//! The text of Go benchmarks, as `go test -bench` prints it and `benchstat` reads it.
//!
//! The format is that of the Go proposal 14313: lines `BenchmarkName iterations value unit ...`,
//! `key: value` for what holds from there on, and `Unit` lines that say which way a unit is better.
//! Everything else is ignored.
//!
//! All repetitions that `-count` makes come from one process. A process ends with `PASS`, `FAIL` or
//! `ok`, or where the next one says `goos:`; so each of these is a run, and what was repeated in it
//! are its samples.

mod read;
mod unit;
mod write;

pub use read::read;
pub use write::write;
