//! The values of parameters, and the entries that pick cells by them.

use std::fmt;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected a string, a number, true or false")]
pub enum Value {
    /// true or false.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// Any number; finite.
    Float(f64),
    /// A text, which may hold run-time placeholders.
    Text(String),
}

impl fmt::Display for Value {
    /// As it is put into a command: the text without quotes, `1.0` as `1.0`.
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => value.fmt(to),
            Self::Integer(value) => value.fmt(to),
            Self::Float(value) => write!(to, "{value:?}"),
            Self::Text(value) => value.fmt(to),
        }
    }
}

/// An entry of `[[include]]` or `[[exclude]]`: `variant`, `workload` and names of parameters with their values.
pub(crate) type Entry = IndexMap<String, Value>;

/// The key of an entry that names a variant.
pub(crate) const VARIANT: &str = "variant";
/// The key of an entry that names a workload.
pub(crate) const WORKLOAD: &str = "workload";
