//! Other people's result files, read and written.
//!
//! Each module is one format: text in, values out, and back. Nothing here opens a file.
//!
//! [`Format`] names what is read and [`Target`] what is written; both speak of [`Run`]s. Which names
//! become which, and what is lost, stands in `docs/formats.md`.
//!
//! [`TestFormat`] names the reports of test runners; they speak of [`Test`]s and how each ended.

mod asv;
mod bmf;
pub mod columns;
mod criterion;
mod detect;
mod fault;
mod format;
mod github_action;
pub mod go_bench;
mod google_benchmark;
pub mod hyperfine;
mod jmh;
mod loose_json;
mod open_metrics;
pub mod pyperf;
mod regress_all;
mod run;
mod summary;
mod table;
mod test_report;
mod time;

pub use detect::detect;
pub use fault::{Fault, WriteFault};
pub use format::{Format, Target};
pub use run::{Contents, File, Place, Run};
pub use test_report::{Kind, Test, TestFormat, TestReport, detect_tests};
pub use time::unify_times;
