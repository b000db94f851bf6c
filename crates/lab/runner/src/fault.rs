//! Why a run has no samples.

use perflab_experiment::Status;

/// A status other than PASS, with one line that says what happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Never PASS.
    pub status: Status,
    /// What was expected, what was found.
    pub detail: String,
}

impl Fault {
    pub(crate) fn new(status: Status, detail: impl Into<String>) -> Self {
        Self {
            status,
            detail: detail.into(),
        }
    }

    pub(crate) fn no_run(detail: impl Into<String>) -> Self {
        Self::new(Status::NoRun, detail)
    }
}

/// What ends a run early: a fault of the run, or of the whole experiment.
#[derive(Debug)]
pub enum Trouble {
    /// The run is recorded with this, and the next one follows.
    Fault(Fault),
    /// The user asked to stop: the run is thrown away.
    Interrupted,
    /// The laboratory itself cannot go on.
    Fatal(std::io::Error),
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}
