//! All findings about a machine, as they are printed for programs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::finding::{Finding, Severity};
use super::measured::Measured;

/// Version of the report's format.
const SCHEMA: u32 = 1;

/// All findings about a machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// Version of this format: 1.
    pub schema: u32,
    /// The CPUs that were judged, as `0-3`.
    pub cpus: String,
    /// The worst severity found.
    pub worst: Severity,
    /// The findings, worst first.
    pub findings: Vec<Finding>,
    /// What was measured, a CPU each. Empty if nothing was.
    #[serde(default)]
    pub measured: Vec<Measured>,
}

impl Report {
    /// Puts findings in order, the worst first, else as they came.
    pub fn new(cpus: &[u32], mut findings: Vec<Finding>, measured: Vec<Measured>) -> Self {
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        Self {
            schema: SCHEMA,
            cpus: crate::cpu_list::list(cpus),
            worst: findings
                .first()
                .map_or(Severity::Fine, |finding| finding.severity),
            findings,
            measured,
        }
    }

    /// How many findings are of this severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings
            .iter()
            .filter(|finding| finding.severity == severity)
            .count()
    }

    /// JSON Schema of this format.
    pub fn json_schema() -> serde_json::Value {
        let mut schema = schemars::schema_for!(Self);
        schema.insert("title".to_owned(), "perflab doctor".into());
        schema.to_value()
    }
}
