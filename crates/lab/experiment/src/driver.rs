//! The names of the drivers.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The tools that have a driver, sorted. The drivers themselves are listed where they are written;
/// a test there holds both lists together.
pub const TOOLS: &[&str] = &[
    "fio",
    "fs_mark",
    "iperf3",
    "memtier_benchmark",
    "pgbench",
    "redis-benchmark",
    "sysbench",
    "tcpbench",
    "time",
    "wrk",
];

/// What runs a workload's tool and turns its output into metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Driver {
    /// Any command; its duration and its use of resources are measured.
    Command,
    /// Any command; its output is read by the rules in `metrics`.
    Generic,
    /// None: the values come from another tool's file, and nothing can be run.
    Imported,
    /// The tool of this name, one of [`TOOLS`], with `args`.
    Tool(&'static str),
}

impl Driver {
    /// The name in an experiment file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Generic => "generic",
            Self::Imported => "imported",
            Self::Tool(name) => name,
        }
    }

    fn all() -> impl Iterator<Item = Self> {
        [Self::Command, Self::Generic, Self::Imported]
            .into_iter()
            .chain(TOOLS.iter().copied().map(Self::Tool))
    }
}

impl fmt::Display for Driver {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(self.name())
    }
}

impl Serialize for Driver {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Driver {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let name = Cow::<str>::deserialize(from)?;
        Self::all()
            .find(|driver| driver.name() == name)
            .ok_or_else(|| {
                // In the words of a derived enumeration, which get the nearest name as help.
                let known: Vec<String> = Self::all().map(|d| format!("`{d}`")).collect();
                D::Error::custom(format!(
                    "unknown variant `{name}`, expected one of {}",
                    known.join(", ")
                ))
            })
    }
}

impl JsonSchema for Driver {
    fn schema_name() -> Cow<'static, str> {
        "Driver".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = Self::all().map(Self::name).collect();
        json_schema!({
            "description": "What runs a workload's tool and turns its output into metrics: `command` measures any command, `generic` reads any command's output by the rules in `metrics`, `imported` stands in results of `perflab import` and runs nothing, all others are tools, run with `args`.",
            "type": "string",
            "enum": names
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_sorted_and_named_once() {
        assert!(TOOLS.is_sorted_by(|a, b| a < b));
        assert!(
            ["command", "generic", "imported"]
                .iter()
                .all(|name| !TOOLS.contains(name))
        );
    }

    #[test]
    fn a_name_is_read_as_it_is_written() {
        for driver in Driver::all() {
            let text = serde_json::to_string(&driver).unwrap();
            assert_eq!(serde_json::from_str::<Driver>(&text).unwrap(), driver);
        }
    }
}
