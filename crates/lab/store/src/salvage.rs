//! What can still be known of a results directory that cannot be trusted as a whole.

use std::path::{Path, PathBuf};

use perflab_experiment::Plan;
use perflab_machine::{Holder, LockFile};

use crate::environment::Environment;
use crate::error::StoreError;
use crate::experiment::StoredExperiment;
use crate::frozen_files;
use crate::imported_files;
use crate::lock::LOCK;
use crate::meta::{Meta, MetaFile};
use crate::notice::Notice;
use crate::raw_output;
use crate::record::RunRecord;
use crate::runs_file::RunsFile;
use crate::stopped::Stopped;

/// The parts of a results directory that are as they were written, and what is wrong with the others.
///
/// [`crate::OpenedResult`] refuses a directory of which anything was altered, as nothing should be claimed of it; this
/// is for people who want to look at it nevertheless.
#[derive(Debug)]
pub struct Salvage {
    /// The directory.
    pub path: PathBuf,
    /// Who wrote the results, when, and what with. Without it nothing says what the next three were.
    pub meta: Option<Meta>,
    /// The experiment.
    pub experiment: Option<StoredExperiment>,
    /// The plan.
    pub plan: Option<Plan>,
    /// The machine and the programs, when the experiment began.
    pub environment: Option<Environment>,
    /// The records that are intact, in the order in which the runs ended.
    pub records: Vec<RunRecord>,
    /// Why the experiment has ended, where its own results may end it.
    pub stopped: Option<Stopped>,
    /// What is missing or cannot be trusted. Empty for a directory that [`crate::OpenedResult`] opens.
    pub problems: Vec<StoreError>,
    /// What a person should know, though nothing is wrong.
    pub notices: Vec<Notice>,
}

impl Salvage {
    /// Reads what there is. A directory that is none, or is empty, has only problems.
    pub fn read(directory: &Path) -> Self {
        let mut problems = Problems(Vec::new());
        let meta = problems.none_if_wrong(MetaFile::read(directory));
        let hashes = meta.as_ref().map(|file| &file.meta.sha256);
        let text = hashes
            .and_then(|hashes| problems.none_if_wrong(frozen_files::experiment(directory, hashes)));
        let plan =
            hashes.and_then(|hashes| problems.none_if_wrong(frozen_files::plan(directory, hashes)));
        let environment = hashes.and_then(|hashes| {
            problems.none_if_wrong(frozen_files::environment(directory, hashes))
        });
        let runs = RunsFile::read(directory, meta.as_ref(), plan.as_ref());
        let (mut records, mut notices) = (Vec::new(), Vec::new());
        if let Some(runs) = problems.none_if_wrong(runs) {
            notices.extend(runs.notice());
            records = runs.records;
            problems.0.extend(runs.problems);
        }
        let stopped = problems.none_if_wrong(Stopped::read(directory)).flatten();
        let meta = meta.map(|file| file.meta);
        let name = meta.as_ref().map(|meta| meta.origin.name.as_str());
        notices.extend(
            meta.iter()
                .flat_map(|meta| imported_files::check(directory, meta)),
        );
        Self {
            experiment: (text.zip(name))
                .map(|(text, name)| StoredExperiment::new(directory, text, name)),
            path: directory.to_owned(),
            meta,
            plan,
            environment,
            records,
            stopped,
            problems: problems.0,
            notices,
        }
    }

    /// Who writes to the directory now.
    pub fn writer(&self) -> Option<Holder> {
        writer(&self.path)
    }

    /// Where the raw output of a recorded run lies.
    pub fn run_dir(&self, run: u32) -> PathBuf {
        raw_output::recorded(&self.path, run)
    }
}

/// What was found to be wrong so far.
struct Problems(Vec<StoreError>);

impl Problems {
    fn none_if_wrong<T>(&mut self, part: Result<T, StoreError>) -> Option<T> {
        part.map_err(|error| self.0.push(error)).ok()
    }
}

/// Who writes to a results directory now.
pub fn writer(directory: &Path) -> Option<Holder> {
    LockFile::holder(&directory.join(LOCK))
}
