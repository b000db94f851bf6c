//! A result that was opened to be read.

use std::path::{Path, PathBuf};

use perflab_experiment::Plan;

use crate::environment::Environment;
use crate::error::StoreError;
use crate::experiment::StoredExperiment;
use crate::frozen_files::FrozenFiles;
use crate::imported_files;
use crate::meta::Meta;
use crate::notice::Notice;
use crate::raw_output;
use crate::record::RunRecord;
use crate::runs_file::RunsFile;
use crate::stopped::Stopped;

/// A result, all files of which are as they were written.
#[derive(Debug)]
pub struct OpenedResult {
    /// The directory.
    pub path: PathBuf,
    /// Who wrote the results, when, and what with.
    pub meta: Meta,
    /// The experiment.
    pub experiment: StoredExperiment,
    /// The plan.
    pub plan: Plan,
    /// The machine and the programs, when the experiment began.
    pub environment: Environment,
    /// All records, in the order in which the runs ended.
    pub records: Vec<RunRecord>,
    /// Why the experiment has ended, where its own results may end it.
    pub stopped: Option<Stopped>,
    /// What a person should know about the directory.
    pub notices: Vec<Notice>,
}

impl OpenedResult {
    /// Reads a directory, also while a laboratory writes to it. Changes nothing.
    ///
    /// # Errors
    /// If it is not a results directory, or anything in it is missing or was altered: [`crate::Salvage`] reads the rest.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let FrozenFiles {
            meta,
            experiment,
            plan,
            environment,
        } = FrozenFiles::read(path)?;
        let runs = RunsFile::read_sound(path, &meta, &plan)?;
        let stopped = Stopped::read(path)?;
        let meta = meta.meta;
        let notices = runs.notice().into_iter();
        Ok(Self {
            experiment: StoredExperiment::new(path, experiment, &meta.origin.name),
            notices: notices.chain(imported_files::check(path, &meta)).collect(),
            path: path.to_owned(),
            records: runs.records,
            meta,
            plan,
            environment,
            stopped,
        })
    }

    /// Where the raw output of a recorded run lies.
    pub fn run_dir(&self, run: u32) -> PathBuf {
        raw_output::recorded(&self.path, run)
    }
}
