//! Where results go, and what is kept of their surroundings.

use indexmap::IndexMap;
use perflab_machine::Fingerprint;
use perflab_runner::Programs;
use serde::{Deserialize, Serialize};

/// Where results go unless told otherwise.
pub const RESULTS: &str = "results";

/// What is kept of the surroundings of a result.
#[derive(Debug, Serialize, Deserialize)]
pub struct Surroundings {
    /// The machine.
    pub machine: Fingerprint,
    /// What runs on it.
    #[serde(default)]
    pub programs: IndexMap<String, Programs>,
}

/// UTC to the second, in a form that sorts and suits a file name.
pub fn now_for_a_name() -> String {
    jiff::Timestamp::now()
        .strftime("%Y%m%dT%H%M%SZ")
        .to_string()
}
