//! The nouns of the laboratory, the experiment file and its expansion into a plan.
//!
//! Pure: nothing here opens a file, reads a clock or starts a process.
//!
//! The way of an experiment through this crate: [`Experiment::parse`] turns the text of a file into
//! checked types or into a [`ParseError`] that points at the place; [`Experiment::cells`] expands
//! variants, workloads and parameters; [`Plan::new`] puts the runs of all cells into a random order
//! within blocks. What only a run can know (a port, a directory) stays in the strings as a
//! placeholder, to be filled through [`Template::render`].

mod cell;
mod checked;
mod combine;
mod command;
mod control;
mod counted;
mod cpus;
mod design;
mod draw;
mod driver;
pub mod duration;
mod each;
mod error;
mod evidence;
mod extract;
mod file;
mod left_out;
mod machine;
mod matrix;
mod name;
mod observe;
mod outcome;
mod parameters;
mod parse;
mod percent;
mod plan;
mod renamed;
mod resolve;
mod revised;
mod sample;
mod scope;
mod source;
mod status;
mod system;
mod systems;
mod template;
mod validate;
mod variant;
mod workload;

pub use cell::Cell;
pub use combine::Combine;
pub use command::Command;
pub use counted::counted;
pub use cpus::{CpuList, Cpus};
pub use design::{Design, Layout, Lifetime, MOST_SLICES, Refresh, RefreshEvery, RunsError};
pub use driver::{Driver, TOOLS};
pub use duration::{DurationError, format as format_duration, parse as parse_duration};
pub use error::{Fault, ParseError, Place};
pub use evidence::EvidenceRule;
pub use extract::{CsvColumn, Extract, Stream};
pub use file::Experiment;
pub use left_out::LeftOut;
pub use machine::Machine;
pub use name::{
    from_file as name_from_file, is_valid as is_name, is_valid_experiment as is_experiment_name,
    suggestion, suggestion_after,
};
pub use observe::Observe;
pub use outcome::{Outcome, TestStatus};
pub use parameters::Value;
pub use percent::{PercentError, parse as parse_percent};
pub use plan::{Plan, PlanError, PlannedRun};
pub use renamed::renamed_keys;
pub use resolve::ResolveError;
pub use revised::{Revised, RevisedError};
pub use sample::{Better, Metric, Sample};
pub use source::Source;
pub use status::Status;
pub use system::{Ready, ReadyCheck, Signal, Stop, StopAction, SystemTable};
pub use systems::System;
pub use template::{Placeholder, Template, TemplateError};
pub use validate::{MAX_RUNS, check_command, check_template, names_slice};
pub use variant::{Build, Variant, Versions};
pub use workload::{MetricRule, Workload};
