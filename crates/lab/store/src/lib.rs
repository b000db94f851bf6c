//! The results directory and its index.
//!
//! ```text
//! DIR/experiment.toml    the experiment, word for word
//! DIR/plan.json          every run, in order
//! DIR/fingerprint.json   the machine and the programs
//! DIR/meta.json          who wrote this, when, and the hashes of the three files above
//! DIR/runs.jsonl         one line for each finished run, with a checksum and the name of the line before
//! DIR/stopped.json       why it ended, if its own results may end it
//! DIR/runs/000017/       what run 17 said: stdout, stderr, the system's log; and samples that are too many for its line,
//!                        or those of its slices
//! DIR/imported/          the files of another tool that runs were read from, if they were
//! DIR/lock               held by the laboratory that writes
//! ```
//!
//! Nothing but `runs.jsonl`, `runs/` and `stopped.json` changes once the directory is set up, and the first two only grow.
//! A run counts once its line is complete: until then its raw output lies in `runs/000017.partial`,
//! and a laboratory that dies loses no more than that. [`ResultDir::resume`] clears it away.
//!
//! [`ResultDir`] writes such a directory, [`OpenedResult`] reads one that can be trusted as a whole, and [`Salvage`] reads
//! what is left of any other. [`Index`] is a summary of many such directories in SQLite, which can be thrown away at any time.

mod appender;
mod atomic;
mod chain;
mod directories;
mod environment;
mod error;
mod expected_runs;
mod experiment;
mod frozen_files;
mod imported_files;
mod index;
mod line;
mod link;
mod lock;
mod meta;
mod metrics;
mod notice;
mod opened_result;
mod raw_output;
mod record;
mod regular_file;
mod removal;
mod result_dir;
mod runs_file;
mod salvage;
mod sample_file;
mod sample_files;
mod set_up;
mod slices_file;
mod stamp;
mod stopped;
mod summary;

pub use atomic::{is_unfinished, write as write_file};
pub use directories::{find, is_result};
pub use environment::{Environment, Programs};
pub use error::{LineProblem, StoreError};
pub use experiment::StoredExperiment;
pub use index::Index;
pub use line::{seal, unseal};
pub use meta::{Hashes, Imported, ImportedFile, Meta, Origin, UntilDecided};
pub use notice::Notice;
pub use opened_result::OpenedResult;
pub use raw_output::{finished as finished_output, is_no_link, recorded as recorded_output};
pub use record::{
    EVENTS_LOST, HITS, PLACE_SPEED, RUNS_IN_TURNS, RunRecord, SLICES, SYSTEM_IDLE, Step, StepKind,
    TOGETHER, Usage,
};
pub use removal::remove_all;
pub use result_dir::ResultDir;
pub use salvage::{Salvage, writer};
pub use sample_file::{SampleFile, is_sample_file};
pub use slices_file::{SLICES_FILE, SliceRecord, read_slices};
pub use stamp::FileStamps;
pub use stopped::{StopReason, Stopped};
pub use summary::ResultSummary;
