//! What a run yields: metrics and samples.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which way a metric is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// More is better, as for requests per second.
    Higher,
    /// Less is better, as for seconds.
    Lower,
    /// Neither way is better, as for a count of events: a difference is larger or smaller, and no regression.
    Neither,
}

/// A quantity that a driver measures.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Metric {
    /// Name, unique within a driver, as `rps` or `wall`.
    pub name: String,
    /// Unit as printed behind a value: `s`, `ms`, `bytes`, `1/s`. Empty for a pure number.
    pub unit: String,
    /// Which way is better.
    pub better: Better,
}

impl Metric {
    /// With this name and unit.
    pub fn new(name: impl Into<String>, unit: impl Into<String>, better: Better) -> Self {
        Self {
            name: name.into(),
            unit: unit.into(),
            better,
        }
    }
}

/// One value of a metric in a run.
///
/// A tool that measures several things in one run (redis-benchmark: one row per request type)
/// names each of them in `benchmark`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sample {
    /// The benchmark that the value belongs to, as `GET`. Called `part` in version 1 of the records.
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "part")]
    pub benchmark: Option<String>,
    /// What was measured. Shared, as a result has many samples of few metrics.
    #[serde(flatten)]
    pub metric: Arc<Metric>,
    /// The value, in the metric's unit. Always finite.
    pub value: f64,
    /// The distance of neighbouring values that the tool could have shown in its place, in the metric's unit; absent
    /// where the tool's driver does not know it, and in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
}

impl Sample {
    /// Whether a value can be compared: 0, or of a size from 1e-75 to 1e75, whose squares and ratios stay finite.
    pub fn is_comparable(value: f64) -> bool {
        value == 0.0 || (1e-75..=1e75).contains(&value.abs())
    }
}
