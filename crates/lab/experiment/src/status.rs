//! How a run ended, which says whether its samples count.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a run ended. Only the samples of a run that passed are ever used as numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Status {
    /// The workload ended well and its output was understood.
    Pass,
    /// The workload ended well, but its output lacks a value or was not understood.
    Fail,
    /// The workload exited with a code other than zero.
    Exit,
    /// The workload was ended by a signal that the laboratory did not send.
    Signal,
    /// The time limit ran out; the whole process group was killed.
    Timeout,
    /// The workload could not be started.
    NoRun,
    /// The build step of the variant failed.
    NoBuild,
    /// The system under test could not be started, or was not ready in time.
    NotReady,
    /// The system under test died while the workload ran.
    Died,
    /// The system under test did not stop when told to and had to be killed.
    NoStop,
}

impl Status {
    /// Whether the samples of a run with this status count.
    pub fn passed(self) -> bool {
        self == Self::Pass
    }

    /// The name as it stands in files and on the terminal.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Fail => "FAIL",
            Self::Exit => "EXIT",
            Self::Signal => "SIGNAL",
            Self::Timeout => "TIMEOUT",
            Self::NoRun => "NORUN",
            Self::NoBuild => "NOBUILD",
            Self::NotReady => "NOTREADY",
            Self::Died => "DIED",
            Self::NoStop => "NOSTOP",
        }
    }
}
