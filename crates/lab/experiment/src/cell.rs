//! Cells: one variant under one workload with one set of parameter values.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One variant under one workload with one set of parameter values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// Name for people, unique and stable: `redis/suite/clients=50`. Not a path: it may be long.
    pub id: String,
    /// Name of the variant.
    pub variant: String,
    /// Name of the workload.
    pub workload: String,
    /// Values of the parameters, in the file's order.
    pub parameters: IndexMap<String, String>,
    /// Further variables from `[[include]]`. They do not tell cells apart.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub vars: IndexMap<String, String>,
}

impl Cell {
    /// A cell with the id that follows from its names and values.
    pub fn new(variant: &str, workload: &str, parameters: IndexMap<String, String>) -> Self {
        let values: Vec<String> = parameters
            .iter()
            .map(|(name, value)| format!("{name}={}", escaped(value)))
            .collect();
        let mut id = format!("{variant}/{workload}");
        if !values.is_empty() {
            id = format!("{id}/{}", values.join(","));
        }
        Self {
            id,
            variant: variant.to_owned(),
            workload: workload.to_owned(),
            parameters,
            vars: IndexMap::new(),
        }
    }

    /// Whether two cells are compared with each other: the same workload with the same parameter values.
    pub fn is_comparable(&self, other: &Self) -> bool {
        self.workload == other.workload && self.parameters == other.parameters
    }
}

/// A value with percent escapes for what separates the parts of an id, and for blanks and control characters.
fn escaped(value: &str) -> String {
    let mut text = String::new();
    for c in value.chars() {
        if matches!(c, '/' | ',' | '=' | '%') || c.is_whitespace() || c.is_control() {
            let mut buffer = [0; 4];
            c.encode_utf8(&mut buffer)
                .bytes()
                .for_each(|b| text.push_str(&format!("%{b:02X}")));
        } else {
            text.push(c);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_readable_and_never_ambiguous() {
        let cell = |pairs: &[(&str, &str)]| {
            let parameters = pairs
                .iter()
                .map(|&(name, value)| (name.to_owned(), value.to_owned()))
                .collect();
            Cell::new("redis", "suite", parameters).id
        };
        assert_eq!(cell(&[]), "redis/suite");
        assert_eq!(
            cell(&[("clients", "50"), ("ratio", "1:10")]),
            "redis/suite/clients=50,ratio=1:10"
        );
        assert_eq!(cell(&[("a", "1,b=2")]), "redis/suite/a=1%2Cb%3D2");
        assert_eq!(
            cell(&[("a", "x/y %\u{a0}")]),
            "redis/suite/a=x%2Fy%20%25%C2%A0"
        );
    }
}
