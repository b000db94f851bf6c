//! The experiment file.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cpus::Cpus;
use crate::design::Design;
use crate::driver::Driver;
use crate::observe::Observe;
use crate::parameters::{Entry, Value};
use crate::variant::{Build, Variant};
use crate::workload::Workload;

/// The version of the file's format.
pub(crate) const SCHEMA: u32 = 1;

/// A question, and all that is needed to answer it.
///
/// Only [`Experiment::parse`] guarantees that the parts fit together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// Version of the file's format: 1.
    #[serde(default = "schema_version")]
    #[schemars(range(min = 1, max = 1))]
    pub schema: u32,
    /// Name of the experiment; by default the file's name.
    #[serde(default)]
    #[schemars(regex(pattern = r"^[a-z0-9][a-z0-9_.-]*$"))]
    pub name: String,
    /// What the experiment is to answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// How it is carried out.
    #[serde(default)]
    pub design: Design,
    /// Where system and load may run.
    #[serde(default)]
    pub cpus: Cpus,
    /// What looks on during some of the runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observe: Option<Observe>,
    /// What is compared.
    #[schemars(extend("minProperties" = 1))]
    pub variants: IndexMap<String, Variant>,
    /// What is done to it.
    #[schemars(extend("minProperties" = 1))]
    pub workloads: IndexMap<String, Workload>,
    /// Names with lists of values, over whose combinations variants and workloads are expanded.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub parameters: IndexMap<String, Vec<Value>>,
    /// Cells to add, or variables to set in the cells that match.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<Entry>,
    /// Cells to leave out: those that match all values given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<Entry>,
    /// Named lists of benchmarks, as of the request types that a report shows.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub subsets: IndexMap<String, Vec<String>>,
}

fn schema_version() -> u32 {
    SCHEMA
}

impl Experiment {
    /// JSON Schema of the experiment file.
    pub fn schema() -> serde_json::Value {
        let mut schema = schemars::schema_for!(Self);
        schema.insert("title".to_owned(), "perflab experiment".into());
        schema.to_value()
    }

    /// The variant that the others are compared with. Empty only if there is no variant at all.
    pub fn baseline(&self) -> &str {
        let first = || self.variants.keys().next().map(String::as_str);
        self.design
            .baseline
            .as_deref()
            .or_else(first)
            .unwrap_or_default()
    }

    /// Runs of each cell that are observed in each block, in addition to those that are not.
    pub fn observed_in_block(&self) -> u32 {
        let observe = self.observe.as_ref();
        observe.map_or(0, |observe| observe.beside(self.design.block))
    }

    /// How many runs so many cells have, observed ones included.
    pub fn runs_of(&self, cells: usize) -> usize {
        let observed = self
            .observed_in_block()
            .saturating_mul(self.design.blocks());
        cells.saturating_mul(self.design.runs.saturating_add(observed) as usize)
    }

    /// Whether what is executed depends on the directory of the file: by relative paths or `{experiment}`.
    pub fn uses_its_directory(&self) -> bool {
        let is_relative = |path: &String| !path.starts_with('/');
        let in_workload = |workload: &Workload| workload.directory.iter().any(is_relative);
        let in_variant = |variant: &Variant| {
            // The commands of a build are executed there by default.
            let of_build = |build: &Build| build.directory.as_ref().is_none_or(is_relative);
            variant.build.as_ref().is_some_and(of_build) || variant.files.iter().any(is_relative)
        };
        self.workloads.values().any(in_workload)
            || self.variants.values().any(in_variant)
            // Nothing of an experiment has a text that JSON cannot hold.
            || serde_json::to_string(self).is_ok_and(|all| all.contains("{experiment}"))
    }

    /// Whether this describes values that were made by other tools, so that nothing is known of the
    /// order of the runs, and nothing can be run.
    pub fn is_imported(&self) -> bool {
        self.workloads
            .values()
            .any(|workload| workload.driver == Driver::Imported)
    }
}
