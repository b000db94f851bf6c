//! The matrix: variants, workloads and parameter values, made into cells.

use indexmap::IndexMap;

use crate::cell::Cell;
use crate::file::Experiment;
use crate::parameters::{Entry, VARIANT, Value, WORKLOAD};

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

impl Experiment {
    /// The cells: all combinations of variants, workloads and parameter values, less what is
    /// excluded, plus what is included.
    ///
    /// Workload by workload, and for each of their parameter values variant by variant, so that
    /// cells that are compared with each other stand together.
    pub fn cells(&self) -> Vec<Cell> {
        let mut cells = product(&axes(self));
        for entry in &self.exclude {
            exclude(&mut cells, entry);
        }
        for entry in &self.include {
            include(&mut cells, entry, self);
        }
        cells
    }
}

fn product(axes: &[(&str, Vec<String>)]) -> Vec<Cell> {
    let [(_, variants), (_, workloads), parameters @ ..] = axes else {
        return Vec::new();
    };
    let mut configurations: Vec<IndexMap<String, String>> = vec![IndexMap::new()];
    for (name, values) in parameters {
        configurations = configurations
            .iter()
            .flat_map(|configuration| {
                values.iter().map(|value| {
                    let mut configuration = configuration.clone();
                    configuration.insert((*name).to_owned(), value.clone());
                    configuration
                })
            })
            .collect();
    }
    let mut cells = Vec::new();
    for workload in workloads {
        for configuration in &configurations {
            cells.extend(
                variants
                    .iter()
                    .map(|variant| Cell::new(variant, workload, configuration.clone())),
            );
        }
    }
    cells
}

/// Whether a cell has all the values of an entry that are values of its axes.
pub(crate) fn matches(cell: &Cell, entry: &Entry) -> bool {
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
