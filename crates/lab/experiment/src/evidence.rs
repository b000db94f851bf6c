//! Numbers in a workload's output that show that what is measured was really at work.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::checked;
use crate::extract::{CsvColumn, Extract, Stream};

/// Names that the laboratory itself gives to the evidence of a run.
const TAKEN: [&str; 4] = [
    "executions_discarded",
    "runs_in_turns",
    "slices",
    "together",
];

/// The beginnings of others.
const TAKEN_BEGINNINGS: [&str; 4] = ["place_speed.", "probe_", "process_", "system_"];

/// A rule that reads one number out of a command's output into the evidence of the run, and its bounds.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(into = "EvidenceTable")]
pub struct EvidenceRule {
    /// Its name in the evidence of the run.
    pub name: String,
    /// The place of the number; of [`Extract::Values`] in the line of this name, whatever its unit.
    pub extract: Extract,
    /// Which output is read.
    pub stream: Stream,
    /// The least that a run must have, its slices together. Finite.
    pub at_least: Option<f64>,
    /// The most that it may have. Finite.
    pub at_most: Option<f64>,
}

/// [`EvidenceRule`] as the file has it.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "EvidenceRule")]
pub(crate) struct EvidenceTable {
    /// Name in the evidence of the run; with `values` also that of the line.
    name: String,
    /// Regular expression whose group `value`, or only group, is the number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    regex: Option<String>,
    /// JSON pointer to the number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    json: Option<String>,
    /// Column of comma-separated values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    csv: Option<CsvColumn>,
    /// Read the line `VALUE number unit name` with this name.
    #[serde(default)]
    values: bool,
    /// Which output is read.
    #[serde(default)]
    stream: Stream,
    /// The least that a run must have, its slices together; with less it fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at_least: Option<f64>,
    /// The most that a run may have, its slices together; with more it fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at_most: Option<f64>,
}

impl EvidenceRule {
    /// What is wrong with a number of a run, if it is outside of the bounds.
    pub fn complaint(&self, found: f64) -> Option<String> {
        let expected = match (self.at_least, self.at_most) {
            (Some(least), _) if found < least => format!("at least {least}"),
            (_, Some(most)) if found > most => format!("at most {most}"),
            _ => return None,
        };
        let name = &self.name;
        Some(format!("evidence {name} is {found}, expected {expected}"))
    }
}

/// Whether the laboratory gives this name to evidence of its own.
pub(crate) fn is_taken(name: &str) -> bool {
    let mut beginnings = TAKEN_BEGINNINGS.iter();
    TAKEN.contains(&name) || beginnings.any(|beginning| name.starts_with(beginning))
}

impl TryFrom<EvidenceTable> for EvidenceRule {
    type Error = String;

    fn try_from(table: EvidenceTable) -> Result<Self, String> {
        let what = format!("the evidence `{}`", table.name);
        Ok(Self {
            extract: Extract::of(&what, table.regex, table.json, table.csv, table.values)?,
            name: table.name,
            stream: table.stream,
            at_least: table.at_least,
            at_most: table.at_most,
        })
    }
}

impl From<EvidenceRule> for EvidenceTable {
    fn from(rule: EvidenceRule) -> Self {
        let mut table = Self {
            name: rule.name,
            regex: None,
            json: None,
            csv: None,
            values: false,
            stream: rule.stream,
            at_least: rule.at_least,
            at_most: rule.at_most,
        };
        match rule.extract {
            Extract::Regex(pattern) => table.regex = Some(pattern),
            Extract::Json(pointer) => table.json = Some(pointer),
            Extract::Csv(column) => table.csv = Some(column),
            Extract::Values => table.values = true,
        }
        table
    }
}

impl<'de> Deserialize<'de> for EvidenceRule {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        checked::table::<EvidenceTable, _, _>(from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_outside_of_the_bounds_is_named_with_the_bound() {
        let rule = |at_least, at_most| EvidenceRule {
            name: "calls".to_owned(),
            extract: Extract::Values,
            stream: Stream::Stdout,
            at_least,
            at_most,
        };
        let complaint = |at_least, at_most, found: f64| rule(at_least, at_most).complaint(found);
        let expected = Some("evidence calls is 0, expected at least 1".to_owned());
        assert_eq!(complaint(Some(1.0), None, 0.0), expected);
        assert_eq!(complaint(Some(1.0), Some(2.0), 0.0), expected);
        let expected = Some("evidence calls is 2.5, expected at most 2".to_owned());
        assert_eq!(complaint(Some(1.0), Some(2.0), 2.5), expected);
        for within in [1.0, 2.0] {
            assert_eq!(complaint(Some(1.0), Some(2.0), within), None);
        }
        assert_eq!(complaint(None, None, -1e75), None);
    }
}
