//! An experiment in which others take the place of one variant, or of which one workload is left.

use indexmap::IndexMap;

use crate::design::{Layout, Refresh, RunsError};
use crate::file::Experiment;
use crate::name;
use crate::parameters::{Entry, VARIANT, Value, WORKLOAD};
use crate::variant::Variant;

/// Why others cannot take the place of a variant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RevisedError {
    /// There are several variants, and none was named.
    #[error("the experiment has {} variants; say with `variant` which one the revisions stand for: {}", .0.len(), .0.join(", "))]
    Several(Vec<String>),
    /// The variant that was named does not exist.
    #[error("the experiment has no variant `{name}`{}", .help.as_ref().map(|help| format!("; {help}")).unwrap_or_default())]
    Missing {
        /// The name.
        name: String,
        /// What may be meant.
        help: Option<String>,
    },
    /// An entry of `include` or `exclude` names a variant.
    #[error(
        "an entry of `include` or `exclude` names the variant `{0}`, which is not in a campaign"
    )]
    Entry(String),
    /// A number of runs that does not divide into blocks.
    #[error("`runs` of [measure]: {0}")]
    Runs(#[from] RunsError),
}

/// What of an experiment's design is replaced.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Revised {
    /// Runs of each cell.
    pub runs: Option<u32>,
    /// Runs of each cell within one block.
    pub block: Option<u32>,
    /// What is renewed between runs.
    pub refresh: Option<Refresh>,
    /// How objects are laid out.
    pub layout: Option<Layout>,
    /// Seed of the random order.
    pub seed: Option<u64>,
}

impl Experiment {
    /// The name of the variant that others can take the place of: the one that is named, or the only one.
    ///
    /// # Errors
    /// If there is none of this name, or there are several and no name.
    pub fn replaceable(&self, variant: Option<&str>) -> Result<&str, RevisedError> {
        let names = || self.variants.keys().map(String::as_str);
        match variant {
            Some(name) => {
                names()
                    .find(|known| *known == name)
                    .ok_or_else(|| RevisedError::Missing {
                        name: name.to_owned(),
                        help: name::suggestion(name, names()),
                    })
            }
            None if self.variants.len() > 1 => {
                Err(RevisedError::Several(names().map(str::to_owned).collect()))
            }
            None => Ok(self.variants.keys().next().map_or("", String::as_str)),
        }
    }

    /// Whether anything that is executed with a variant depends on a variable.
    pub fn uses_variable(&self, variant: &str, variable: &str) -> bool {
        let wanted = format!("{{{variable}}}");
        let is_used =
            |text: serde_json::Result<String>| text.is_ok_and(|text| text.contains(&wanted));
        let in_variant = self.variants.get(variant).is_some_and(|variant| {
            // What defines a variable does not use it.
            let used = Variant {
                vars: variant
                    .vars
                    .iter()
                    .filter(|(name, _)| *name != variable)
                    .map(|(name, value)| (name.clone(), value.clone()))
                    .collect(),
                ..variant.clone()
            };
            is_used(serde_json::to_string(&used))
        });
        in_variant || is_used(serde_json::to_string(&self.workloads))
    }

    /// The same experiment with these variants only: each is the variant `like`, with variables of its own. The first is
    /// the baseline; there is no control.
    ///
    /// # Errors
    /// If there is no such variant, if an entry names one, or if the runs do not divide into blocks.
    pub fn revised(
        &self,
        like: &str,
        made: IndexMap<String, IndexMap<String, String>>,
        design: Revised,
    ) -> Result<Self, RevisedError> {
        let model = self
            .variants
            .get(like)
            .ok_or_else(|| RevisedError::Missing {
                name: like.to_owned(),
                help: None,
            })?;
        let entries = self.include.iter().chain(&self.exclude);
        if let Some(entry) = entries.filter_map(|entry| entry.get(VARIANT)).next() {
            return Err(RevisedError::Entry(entry.to_string()));
        }
        let mut revised = self.clone();
        revised.variants = made
            .into_iter()
            .map(|(name, vars)| {
                let mut variant = model.clone();
                variant.vars.extend(vars);
                (name, variant)
            })
            .collect();
        revised.design.baseline = None;
        revised.design.control = None;
        if let Some(block) = design.block {
            revised.design.block = block;
        }
        if design.runs.is_some() || design.block.is_some() {
            revised
                .design
                .set_runs(design.runs.unwrap_or(self.design.runs))?;
        }
        if let Some(refresh) = design.refresh {
            revised.design.refresh = refresh;
            revised.design.refresh_every = None;
            revised.design.layout = None;
        }
        revised.design.layout = design.layout.or(revised.design.layout);
        revised.design.seed = design.seed.or(revised.design.seed);
        Ok(revised)
    }

    /// The same experiment with the cells of this workload only.
    #[must_use]
    pub fn with_workload_only(mut self, workload: &str) -> Self {
        let of = |name: &str| (WORKLOAD.to_owned(), Value::Text(name.to_owned()));
        let include = std::mem::take(&mut self.include);
        // An entry that excludes nothing would be refused.
        let cells = self.cells();
        let mut others = self.workloads.clone();
        others
            .retain(|name, _| name != workload && cells.iter().any(|cell| cell.workload == *name));
        let excluded = others.keys().map(|name| Entry::from_iter([of(name)]));
        self.exclude.extend(excluded);
        // Cells are included after that.
        let is_own = |own: &Value| own.to_string() == workload;
        let own = include
            .into_iter()
            .filter(|entry| entry.get(WORKLOAD).is_none_or(is_own));
        let own = own.map(|entry| entry.into_iter().chain([of(workload)]).collect());
        self.include = own.collect();
        self
    }
}
