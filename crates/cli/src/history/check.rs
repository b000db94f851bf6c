//! Whether revisions can take the place of a variant, and whether they are what the history file takes them for.

use std::path::Path;

use perflab_experiment::Experiment;
use perflab_history::{Repository, Revision, campaign_experiment};

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

/// Refuses inputs of builds that no commit up to the tip of the branch, or up to one of `others`, ever had: they would
/// never tell one build from another. The revisions that are measured may all be older than an input, or newer.
pub(super) fn check_inputs(
    read: &Read,
    repository: &Repository,
    others: &[&Revision],
) -> Result<(), Failure> {
    let inputs = &read.file.build.inputs;
    if inputs.is_empty() {
        return Ok(());
    }
    let branch = read.file.source.branch.as_deref().unwrap_or("HEAD");
    let tip = repository.commit(branch)?;
    let mut commits = vec![tip.as_str()];
    commits.extend(others.iter().map(|other| other.commit()));
    for path in inputs {
        if repository.ever_had(&commits, path)? {
            continue;
        }
        let help = match path.contains(['*', '?', '[']) {
            true => "patterns are not expanded, so name files and directories",
            false => "name files and directories as the repository has them",
        };
        return Err(Failure::usage(format!(
            "`inputs` in [build]: no commit up to {branch} ever had `{path}`; {help}"
        )));
    }
    Ok(())
}

/// Refuses a patch on revisions that are no commits.
pub(super) fn check_patch(read: &Read) -> Result<(), Failure> {
    let source = &read.file.source;
    let key = match (&source.git, &source.list) {
        (Some(_), _) => return Ok(()),
        (None, Some(_)) => "list",
        (None, None) => "versions",
    };
    Err(Failure::usage(format!(
        "--patch: the revisions come from `{key}`, and only commits of `git` can be patched; to measure a patched version, \
         list it under a name of its own and let a command of `obtain` apply the patch"
    )))
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
