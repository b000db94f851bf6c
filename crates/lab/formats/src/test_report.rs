//! Reports of test runners: which tests there were, and how each ended.
//!
//! Each module is one format. [`TestFormat`] names them and reads them, [`detect_tests`] tells them by their content.
//! Any bytes may come: a reader keeps a bounded amount of what it reads ([`TestReport`] says how much), passes over what
//! is no part of its format, and ends with a [`Fault`](crate::Fault) where nothing is left.
//!
//! Each test has the name that its tool gives it, in parts, so that the same test has the same name in the reports of two
//! revisions. What a tool puts into a name that changes with each edit (a line, a number in a hash) is left out. Which
//! statuses become which, and what is lost, is in `docs/formats.md`.

mod cargo_names;
mod cargo_results;
mod cargo_test;
mod ctest;
mod detect;
mod excerpt;
mod format;
mod gathered;
mod go_test;
mod junit;
mod libtest;
mod nextest;
mod prove;
mod pytest;
mod pytest_ids;
mod report;
mod result_lines;
mod tap;
mod tap_line;
mod text;
mod xml;
mod xml_references;

pub use detect::detect_tests;
pub use format::TestFormat;
pub use report::{Kind, Test, TestReport};
