//! From the text of an experiment file to checked types.

use crate::each::{at_table, expand};
use crate::error::{ParseError, Place};
use crate::file::Experiment;
use crate::name;
use crate::source::Source;
use crate::validate::validate;

impl Experiment {
    /// Reads an experiment file. `file_name` is used in errors, and for the name of an experiment that has none.
    ///
    /// # Errors
    /// The first thing that is wrong, with its place: TOML itself, unknown or missing keys, values
    /// that are not allowed, or parts that do not fit together.
    pub fn parse(text: &str, file_name: &str) -> Result<Self, ParseError> {
        let source = Source::parse(text, file_name)?;
        let mut experiment: Self =
            toml::from_str(text).map_err(|error| source.deserialisation(&error))?;
        // A block is what is executed in turns: one run of each variant.
        if experiment.design.least_slices().is_some()
            && !source.has(&Place::of(&["design", "block"]))
        {
            experiment.design.block = 1;
        }
        let made = expand(&mut experiment).map_err(|fault| source.fault(fault))?;
        validate(&experiment, &source).map_err(|fault| source.fault(at_table(fault, &made)))?;
        if experiment.name.is_empty() {
            experiment.name = name::from_file(file_name);
        }
        Ok(experiment)
    }
}
