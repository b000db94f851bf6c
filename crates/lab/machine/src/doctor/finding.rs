//! What a check says: how bad, what, where, what it can cost, what to do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much a finding matters to somebody who measures.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// As it should be.
    Fine,
    /// Good to know, and no reason not to measure.
    Note,
    /// Results scatter or shift more than they need to.
    Warning,
    /// Do not measure like this: what is measured is not the program.
    Alarm,
}

impl Severity {
    /// The word that is printed.
    pub fn word(self) -> &'static str {
        match self {
            Self::Fine => "fine",
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Alarm => "ALARM",
        }
    }
}

/// What one check found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// Name of the check, as `clock-source`. A check may have several findings.
    pub check: String,
    /// How much it matters.
    pub severity: Severity,
    /// What was found, in a sentence.
    pub found: String,
    /// The file that says so, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// What it can cost, in words; sizes are orders of magnitude from the literature and vary
    /// from program to program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<String>,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

impl Finding {
    /// With nothing but what was found.
    pub fn new(check: &str, severity: Severity, found: impl Into<String>) -> Self {
        Self {
            check: check.to_owned(),
            severity,
            found: found.into(),
            file: None,
            cost: None,
            advice: None,
        }
    }

    /// Names the file, given as a path below the root.
    #[must_use]
    pub fn at(mut self, path: &str) -> Self {
        self.file = Some(format!("/{}", path.trim_start_matches('/')));
        self
    }

    /// Says what it can cost.
    #[must_use]
    pub fn costs(mut self, cost: impl Into<String>) -> Self {
        self.cost = Some(cost.into());
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn advice(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }
}

pub(super) fn fine(check: &str, found: impl Into<String>) -> Finding {
    Finding::new(check, Severity::Fine, found)
}

pub(super) fn note(check: &str, found: impl Into<String>) -> Finding {
    Finding::new(check, Severity::Note, found)
}

pub(super) fn warning(check: &str, found: impl Into<String>) -> Finding {
    Finding::new(check, Severity::Warning, found)
}

pub(super) fn alarm(check: &str, found: impl Into<String>) -> Finding {
    Finding::new(check, Severity::Alarm, found)
}
