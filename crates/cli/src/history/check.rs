//! Whether revisions can take the place of a variant.

use std::path::Path;

use perflab_experiment::Experiment;
use perflab_history::{Revision, campaign_experiment};

use super::file::Read;
use crate::failure::Failure;

/// Refuses an experiment in which revisions cannot take the place of a variant, before anything is built.
pub(super) fn check(read: &Read) -> Result<(), Failure> {
    let nowhere = Revision {
        id: "0".repeat(40),
        time: 0,
        subject: String::new(),
        parents: Vec::new(),
        tags: Vec::new(),
    };
    let ready = perflab_history::Ready {
        revision: &nowhere,
        tree: Path::new("/"),
    };
    let experiment = {
        let measure = &read.file.measure;
        let variant = measure.variant.as_deref();
        campaign_experiment(&read.experiment, variant, ready, &[], measure.design(0))?
    };
    parsed(&experiment, read).map(drop)
}

/// The text of an experiment, which must be one that can be read.
pub(super) fn parsed(experiment: &Experiment, read: &Read) -> Result<String, Failure> {
    let text = toml::to_string(experiment).map_err(|error| {
        Failure::usage(format!(
            "cannot write the experiment of a campaign: {error}"
        ))
    })?;
    Experiment::parse(&text, "experiment.toml").map_err(|error| {
        Failure::usage(format!(
            "revisions cannot take the place of the variant in {}: {error}",
            read.experiment_path.display()
        ))
    })?;
    Ok(text)
}
