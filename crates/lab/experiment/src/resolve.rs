//! The variant and the workload of a cell, with parameters and variables filled in.

use indexmap::IndexMap;

use crate::cell::Cell;
use crate::error::Place;
use crate::file::Experiment;
use crate::template::{Placeholder, Template, TemplateError};
use crate::variant::Variant;
use crate::workload::Workload;

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

    /// The same in place.
    fn fill(&self, text: &mut String) -> Result<(), TemplateError> {
        *text = self.apply(text)?.to_string();
        Ok(())
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
        let mut variant = self.variant_as_written(cell)?.clone();
        let fault = template_fault(cell);
        let bindings = Bindings::new(cell, &variant).map_err(&fault)?;
        variant
            .visit_templates(&Place::default(), &mut |_, _, text| bindings.fill(text))
            .map_err(&fault)?;
        variant.vars.extend(cell.vars.clone());
        for value in variant.vars.values_mut() {
            bindings.fill(value).map_err(&fault)?;
        }
        Ok(variant)
    }

    /// The workload of a cell, with parameters and variables filled in, as for [`variant`](Self::variant).
    ///
    /// # Errors
    /// If the cell does not come from this experiment.
    pub fn workload(&self, cell: &Cell) -> Result<Workload, ResolveError> {
        let variant = self.variant_as_written(cell)?;
        let mut workload =
            self.workloads
                .get(&cell.workload)
                .cloned()
                .ok_or_else(|| ResolveError::Workload {
                    cell: cell.id.clone(),
                    workload: cell.workload.clone(),
                })?;
        let fault = template_fault(cell);
        let bindings = Bindings::new(cell, variant).map_err(&fault)?;
        workload
            .visit_templates(&Place::default(), &mut |_, _, text| bindings.fill(text))
            .map_err(&fault)?;
        Ok(workload)
    }

    fn variant_as_written(&self, cell: &Cell) -> Result<&Variant, ResolveError> {
        self.variants
            .get(&cell.variant)
            .ok_or_else(|| ResolveError::Variant {
                cell: cell.id.clone(),
                variant: cell.variant.clone(),
            })
    }
}

fn template_fault(cell: &Cell) -> impl Fn(TemplateError) -> ResolveError {
    |error| ResolveError::Template {
        cell: cell.id.clone(),
        error,
    }
}
