//! What is done to a system, and how its output is understood.

use std::time::Duration;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

use crate::checked;
use crate::combine::Combine;
use crate::command::Command;
use crate::driver::Driver;
use crate::duration::{self, DurationText};
use crate::error::Place;
use crate::evidence::{EvidenceRule, EvidenceTable};
use crate::extract::{CsvColumn, Extract, Stream};
use crate::renamed::OF_METRICS;
use crate::sample::{Better, Metric};
use crate::scope::{Scope, Visitor, visit_list};

/// A table under `[workloads]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct Workload {
    /// What runs the workload's tool.
    pub driver: Driver,
    /// Arguments of the driver's tool; not with `command` and `generic`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Words put before the tool or the command, which they execute: as `numactl` or
    /// `ip netns exec`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<String>,
    /// The command of the drivers `command` and `generic`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<Command>,
    /// One process of the command's program takes the turns of all variants of a block; only with `generic` and
    /// `slices`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub takes_turns: bool,
    /// Commands of this workload that are strings are run by `sh -c`.
    #[serde(default)]
    pub shell: bool,
    /// Working directory, relative to the experiment file. By default a fresh directory per run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// Environment variables of the workload, on top of the clean set.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub env: IndexMap<String, String>,
    /// Command that says before the first run whether a cell can be measured here: it ends with 0, or with 77 and the
    /// reason as the last line of its output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub possible: Option<Command>,
    /// Command before each run, not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prepare: Option<Command>,
    /// Command after each run, not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cleanup: Option<Command>,
    /// Time limit of one run; by default the design's.
    #[serde(
        default,
        with = "duration::option",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<DurationText>")]
    pub timeout: Option<Duration>,
    /// Events that `perf stat` counts while the tool runs; not with `command`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counters: Vec<String>,
    /// Exit codes that are fine.
    #[serde(default = "zero_only")]
    pub exit_codes: Vec<u8>,
    /// How the output becomes metrics; only with `generic`, at least one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<MetricTable>")]
    pub metrics: Vec<MetricRule>,
    /// Numbers in the output that show that what is measured was really at work.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<EvidenceTable>")]
    pub evidence: Vec<EvidenceRule>,
}

/// The name of a metric whose rule takes the `VALUE` lines of all names, or the benchmark of one that takes those of
/// all benchmarks.
pub(crate) const EVERY_NAME: &str = "*";

fn zero_only() -> Vec<u8> {
    vec![0]
}

/// A rule that reads one metric out of a command's output.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(into = "MetricTable")]
pub struct MetricRule {
    /// What is measured.
    pub metric: Metric,
    /// The benchmark that the values belong to.
    pub benchmark: Option<String>,
    /// Where the value stands.
    pub extract: Extract,
    /// Which output is read.
    pub stream: Stream,
    /// Whether every match is a sample; otherwise exactly one match is expected.
    pub all: bool,
    /// Factor from the value in the output to the value in the metric's unit. Finite and positive.
    pub scale: f64,
    /// How the values of slices become that of the run.
    pub combine: Option<Combine>,
}

/// [`MetricRule`] as it stands in the file.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "MetricRule", transform = with_old_names)]
pub(crate) struct MetricTable {
    /// Name of the metric; with `values`, `*` stands for every name.
    name: String,
    /// Unit as printed behind a value; empty for a pure number.
    unit: String,
    /// Which way is better.
    better: Better,
    /// The benchmark that the values belong to; with `values`, `*` stands for those that lines name behind the metric.
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "part")]
    benchmark: Option<String>,
    /// Regular expression whose group `value`, or only group, is the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    regex: Option<String>,
    /// JSON pointer to the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    json: Option<String>,
    /// Column of comma-separated values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    csv: Option<CsvColumn>,
    /// Read lines `VALUE number unit name` with this unit and name.
    #[serde(default)]
    values: bool,
    /// Which output is read.
    #[serde(default)]
    stream: Stream,
    /// Whether every match is a sample; otherwise exactly one match is expected.
    #[serde(default)]
    all: bool,
    /// Factor from the value in the output to the value in the metric's unit.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    scale: f64,
    /// How the values of slices become that of the run; needed with `slices`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    combine: Option<Combine>,
}

/// Adds the keys that have other names now and are still read.
fn with_old_names(schema: &mut schemars::Schema) {
    let keys = schema.get_mut("properties").and_then(Value::as_object_mut);
    let Some(keys) = keys else { return };
    for (old, new) in OF_METRICS {
        let described = format!("The former name of `{new}`.");
        let same = keys.get(new).and_then(|key| key.get("type")).cloned();
        keys.insert(
            old.to_owned(),
            json!({"description": described, "deprecated": true, "type": same}),
        );
    }
}

fn one() -> f64 {
    1.0
}

impl TryFrom<MetricTable> for MetricRule {
    type Error = String;

    fn try_from(table: MetricTable) -> Result<Self, String> {
        let what = format!("the metric `{}`", table.name);
        Ok(Self {
            extract: Extract::of(&what, table.regex, table.json, table.csv, table.values)?,
            metric: Metric::new(table.name, table.unit, table.better),
            benchmark: table.benchmark,
            stream: table.stream,
            all: table.all,
            scale: table.scale,
            combine: table.combine,
        })
    }
}

impl From<MetricRule> for MetricTable {
    fn from(rule: MetricRule) -> Self {
        let mut table = Self {
            name: rule.metric.name,
            unit: rule.metric.unit,
            better: rule.metric.better,
            benchmark: rule.benchmark,
            regex: None,
            json: None,
            csv: None,
            values: false,
            stream: rule.stream,
            all: rule.all,
            scale: rule.scale,
            combine: rule.combine,
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

impl<'de> Deserialize<'de> for MetricRule {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        checked::table::<MetricTable, _, _>(from)
    }
}

impl Workload {
    /// Visits all strings that are templates.
    pub(crate) fn visit_templates<E>(
        &mut self,
        place: &Place,
        visit: &mut Visitor<'_, E>,
    ) -> Result<(), E> {
        let (load, slice) = (Scope::Load, Scope::Slice);
        visit_list(&mut self.args, &place.key("args"), slice, visit)?;
        visit_list(&mut self.within, &place.key("within"), load, visit)?;
        let commands = [
            ("command", slice, &mut self.command),
            ("possible", Scope::Before, &mut self.possible),
            ("prepare", load, &mut self.prepare),
            ("cleanup", load, &mut self.cleanup),
        ];
        for (key, scope, command) in commands {
            if let Some(command) = command {
                command.visit(&place.key(key), scope, visit)?;
            }
        }
        if let Some(directory) = &mut self.directory {
            visit(&place.key("directory"), load, directory)?;
        }
        for (name, value) in &mut self.env {
            visit(&place.key("env").key(name), load, value)?;
        }
        Ok(())
    }

    /// All commands with their places.
    pub(crate) fn commands(&self, place: &Place) -> Vec<(Place, &Command)> {
        [
            ("command", &self.command),
            ("possible", &self.possible),
            ("prepare", &self.prepare),
            ("cleanup", &self.cleanup),
        ]
        .into_iter()
        .filter_map(|(key, command)| command.as_ref().map(|command| (place.key(key), command)))
        .collect()
    }
}
