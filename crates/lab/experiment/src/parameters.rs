//! The matrix: variants, workloads and parameter values, made into cells.

use std::fmt;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cell::Cell;
use crate::file::Experiment;

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

/// The axes of the matrix: each with its name and its values, variants and workloads first.
pub(crate) fn axes(experiment: &Experiment) -> Vec<(&str, Vec<String>)> {
    let mut axes = vec![
        (VARIANT, experiment.variants.keys().cloned().collect()),
        (WORKLOAD, experiment.workloads.keys().cloned().collect()),
    ];
    axes.extend(
        experiment
            .parameters
            .iter()
            .map(|(name, values)| (name.as_str(), values.iter().map(Value::to_string).collect())),
    );
    axes
}

/// Number of combinations of the values; `None` if it is over `usize`.
pub(crate) fn combinations(axes: &[(&str, Vec<String>)]) -> Option<usize> {
    axes.iter().try_fold(1usize, |product, (_, values)| {
        product.checked_mul(values.len())
    })
}

/// All cells: the full matrix, without what is excluded, with what is included.
///
/// Workload by workload, and for each of their parameter values variant by variant, so that cells
/// that are compared with each other stand together.
pub(crate) fn expand(experiment: &Experiment) -> Vec<Cell> {
    let mut cells = product(&axes(experiment));
    for entry in &experiment.exclude {
        exclude(&mut cells, entry);
    }
    for entry in &experiment.include {
        include(&mut cells, entry, experiment);
    }
    cells
}

fn product(axes: &[(&str, Vec<String>)]) -> Vec<Cell> {
    let [(_, variants), (_, workloads), parameters @ ..] = axes else {
        return Vec::new();
    };
    let mut settings: Vec<IndexMap<String, String>> = vec![IndexMap::new()];
    for (name, values) in parameters {
        settings = settings
            .iter()
            .flat_map(|setting| {
                values.iter().map(|value| {
                    let mut setting = setting.clone();
                    setting.insert((*name).to_owned(), value.clone());
                    setting
                })
            })
            .collect();
    }
    let mut cells = Vec::new();
    for workload in workloads {
        for setting in &settings {
            cells.extend(
                variants
                    .iter()
                    .map(|variant| Cell::new(variant, workload, setting.clone())),
            );
        }
    }
    cells
}

/// Whether a cell has all the values of an entry that are values of its axes.
fn matches(cell: &Cell, entry: &Entry) -> bool {
    entry.iter().all(|(name, value)| {
        let value = value.to_string();
        match name.as_str() {
            VARIANT => cell.variant == value,
            WORKLOAD => cell.workload == value,
            name => cell.parameters.get(name).is_none_or(|own| *own == value),
        }
    })
}

/// Removes the cells that match; says how many.
pub(crate) fn exclude(cells: &mut Vec<Cell>, entry: &Entry) -> usize {
    let before = cells.len();
    cells.retain(|cell| !matches(cell, entry));
    before - cells.len()
}

/// Adds what an entry says; says how many cells were added or changed.
///
/// If cells match the entry's values of variant, workload and parameters, its other names become
/// variables of these cells. Otherwise it adds cells: those with its values, over all values of
/// what it does not name.
pub(crate) fn include(cells: &mut Vec<Cell>, entry: &Entry, experiment: &Experiment) -> usize {
    let mut axes = axes(experiment);
    let is_axis = |name: &str| axes.iter().any(|(axis, _)| *axis == name);
    let vars: IndexMap<String, String> = entry
        .iter()
        .filter(|(name, _)| !is_axis(name))
        .map(|(name, value)| (name.clone(), value.to_string()))
        .collect();
    let matching: Vec<&mut Cell> = cells
        .iter_mut()
        .filter(|cell| matches(cell, entry))
        .collect();
    if !matching.is_empty() {
        let changed = if vars.is_empty() { 0 } else { matching.len() };
        matching
            .into_iter()
            .for_each(|cell| cell.vars.extend(vars.clone()));
        return changed;
    }
    for (axis, values) in &mut axes {
        if let Some(value) = entry.get(*axis) {
            *values = vec![value.to_string()];
        }
    }
    let added = product(&axes);
    let count = added.len();
    cells.extend(added.into_iter().map(|mut cell| {
        cell.vars.clone_from(&vars);
        cell
    }));
    count
}
