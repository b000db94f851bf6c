//! Why the laboratory stops early.

use std::io;
use std::time::Duration;

use perflab_store::StoreError;

use crate::cpus::CpuError;
use crate::standstill::{MOST_ATTEMPTS, Standstill};

/// Why the laboratory stopped before the end of the plan.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// The user asked to.
    #[error("interrupted")]
    Interrupted,
    /// The experiment's own limit.
    #[error("the experiment's time limit of {0:?} ran out")]
    Limit(Duration),
    /// The same cell failed again and again.
    #[error(
        "{cell}{} failed {times} times in a row and never passed: {status}: {detail}",
        if observers.is_empty() { String::new() } else { format!(", observed by {observers},") }
    )]
    Hopeless {
        /// The cell.
        cell: String,
        /// What looked on; empty if nothing did.
        observers: String,
        /// How often.
        times: u32,
        /// The last status.
        status: &'static str,
        /// The last fault.
        detail: String,
    },
    /// The laboratory or the machine stood still in every attempt at a run.
    #[error(
        "run {run} of {cell}: {why} during each of {MOST_ATTEMPTS} attempts, so it could not be measured"
    )]
    Disturbed {
        /// The run's number.
        run: u32,
        /// Its cell.
        cell: String,
        /// What stood still in the last attempt.
        why: Standstill,
    },
    /// The CPUs asked for are not there.
    #[error(transparent)]
    Cpus(#[from] CpuError),
    /// The plan does not belong to the experiment.
    #[error("the plan does not fit the experiment: {0}")]
    Plan(String),
    /// The result could not be written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Something else that the system refused.
    #[error("the laboratory cannot go on: {0}")]
    System(#[from] io::Error),
}
