//! Cells: one variant under one workload with one set of parameter values.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::design::Lifetime;
use crate::error::Place;
use crate::file::Experiment;
use crate::template::{Placeholder, Template, TemplateError};
use crate::variant::Variant;
use crate::workload::Workload;

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

/// Why a cell does not belong to an experiment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// The variant is not in the experiment.
    #[error("the cell `{cell}` needs the variant `{variant}`, which the experiment does not have")]
    Variant {
        /// The cell's id.
        cell: String,
        /// The variant's name.
        variant: String,
    },
    /// The workload is not in the experiment.
    #[error(
        "the cell `{cell}` needs the workload `{workload}`, which the experiment does not have"
    )]
    Workload {
        /// The cell's id.
        cell: String,
        /// The workload's name.
        workload: String,
    },
    /// A string is no template.
    #[error("in the cell `{cell}`: {error}")]
    Template {
        /// The cell's id.
        cell: String,
        /// What is wrong with it.
        error: TemplateError,
    },
}

/// Where a template is used, which decides what a run can put into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// While a variant is built, or looked at before any system runs.
    Build,
    /// While settings of the machine are looked at, before anything of a run is there.
    Machine,
    /// While its objects are linked.
    Link,
    /// While its system is started, runs, and is stopped.
    System,
    /// While a workload runs.
    Load,
}

/// All names that a run can fill, in any scope.
pub(crate) const RUN_TIME_NAMES: [&str; 6] =
    ["port", "dir", "run", "build", "experiment", "objects"];

impl Scope {
    /// The names that a run fills here.
    pub(crate) fn names(self, lifetime: Lifetime) -> &'static [&'static str] {
        match (self, lifetime) {
            (Self::Machine, _) => &[],
            (Self::Build, _) => &["build", "experiment"],
            (Self::Link, _) => &["build", "experiment", "objects"],
            // A system that outlives a run belongs to no run's directory.
            (Self::System, Lifetime::Block | Lifetime::Experiment) => {
                &["port", "dir", "build", "experiment"]
            }
            (Self::System | Self::Load, _) => &["port", "dir", "run", "build", "experiment"],
        }
    }
}

/// Called with each template's place, scope and text.
pub(crate) type Visitor<'a, E> = dyn FnMut(&Place, Scope, &mut String) -> Result<(), E> + 'a;

/// What is known of the placeholders of a cell before it runs.
pub(crate) struct Bindings(IndexMap<String, Template>);

impl Bindings {
    /// Parameters may use run-time names and `{variant}`; variables may use parameters too.
    pub(crate) fn new(cell: &Cell, variant: &Variant) -> Result<Self, TemplateError> {
        let mut bindings = Self(IndexMap::new());
        bindings
            .0
            .insert("variant".to_owned(), Template::literal(&cell.variant));
        bindings.add(&cell.parameters)?;
        let mut vars = variant.vars.clone();
        vars.extend(cell.vars.clone());
        bindings.add(&vars)?;
        Ok(bindings)
    }

    /// Adds values that can use what was known before, but not each other.
    fn add(&mut self, values: &IndexMap<String, String>) -> Result<(), TemplateError> {
        let added: Vec<(String, Template)> = values
            .iter()
            .map(|(name, text)| Ok((name.clone(), self.apply(text)?)))
            .collect::<Result<_, TemplateError>>()?;
        self.0.extend(added);
        Ok(())
    }

    /// Fills what is known; what only a run knows stays.
    pub(crate) fn apply(&self, text: &str) -> Result<Template, TemplateError> {
        Ok(Template::parse(text)?.substitute(|placeholder| self.get(placeholder)))
    }

    fn get(&self, placeholder: &Placeholder) -> Option<Template> {
        match placeholder.argument {
            None => self.0.get(&placeholder.name).cloned(),
            Some(_) => None,
        }
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

impl Experiment {
    /// The variant of a cell, with parameters and variables filled in. What only a run knows
    /// (`{port}`, `{dir}`, ...) is left to [`Template::render`], so all strings are still templates.
    ///
    /// # Errors
    /// If the cell does not come from this experiment.
    pub fn variant(&self, cell: &Cell) -> Result<Variant, ResolveError> {
        let mut variant =
            self.variants
                .get(&cell.variant)
                .cloned()
                .ok_or_else(|| ResolveError::Variant {
                    cell: cell.id.clone(),
                    variant: cell.variant.clone(),
                })?;
        let fault = |error| ResolveError::Template {
            cell: cell.id.clone(),
            error,
        };
        let bindings = Bindings::new(cell, &variant).map_err(fault)?;
        variant
            .visit_templates(&Place::default(), &mut |_, _, text| {
                *text = bindings.apply(text)?.to_string();
                Ok(())
            })
            .map_err(fault)?;
        variant.vars.extend(cell.vars.clone());
        for value in variant.vars.values_mut() {
            *value = bindings.apply(value).map_err(fault)?.to_string();
        }
        Ok(variant)
    }

    /// The workload of a cell, with parameters and variables filled in, as for [`variant`](Self::variant).
    ///
    /// # Errors
    /// If the cell does not come from this experiment.
    pub fn workload(&self, cell: &Cell) -> Result<Workload, ResolveError> {
        let fault = |error| ResolveError::Template {
            cell: cell.id.clone(),
            error,
        };
        let variant = self
            .variants
            .get(&cell.variant)
            .ok_or_else(|| ResolveError::Variant {
                cell: cell.id.clone(),
                variant: cell.variant.clone(),
            })?;
        let mut workload =
            self.workloads
                .get(&cell.workload)
                .cloned()
                .ok_or_else(|| ResolveError::Workload {
                    cell: cell.id.clone(),
                    workload: cell.workload.clone(),
                })?;
        let bindings = Bindings::new(cell, variant).map_err(fault)?;
        workload
            .visit_templates(&Place::default(), &mut |_, _, text| {
                *text = bindings.apply(text)?.to_string();
                Ok(())
            })
            .map_err(fault)?;
        Ok(workload)
    }
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
