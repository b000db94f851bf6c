//! Builds of revisions. Each is recorded; its files are kept by what they were made of, so that the same is not built
//! twice.
//!
//! ```text
//! DIR/builds.jsonl         how each build went, in order
//! DIR/builds/000001/       what its steps printed, and the functions of its programs
//! DIR/trees/KEY/tree/      the files of a revision and what was built of them, as long as there is room
//! DIR/trees/KEY/complete   written last: without it the directory is no build
//! DIR/mirror.git           a copy of the repository, from which files are checked out
//! ```

mod error;
mod facts;
mod key;
mod make;
mod mirror;
mod programs;
mod site;
mod symbols;
mod test_run;
mod trees;
mod wanted;
mod words;
mod workshop;

pub use error::BuildError;
pub use facts::{BuildFacts, ProgramFacts, StepFacts};
pub use key::BuildKey;
pub use make::Builder;
pub(crate) use make::{JOURNAL, LOGS};
pub(crate) use mirror::NAME as MIRROR;
pub use symbols::{Symbol, SymbolChange, SymbolChanges, symbol_changes, symbols};
pub use wanted::{Built, Wanted};
pub use words::command_argv;
pub(crate) use words::{OF_ALL, OF_REVISION};
