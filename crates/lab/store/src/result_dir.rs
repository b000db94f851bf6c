//! The results directory.

use std::fs;
use std::path::{Path, PathBuf};

use perflab_experiment::Plan;
use perflab_machine::LockFile;

use crate::appender::Appender;
use crate::atomic;
use crate::environment::Environment;
use crate::error::StoreError;
use crate::frozen_files::FrozenFiles;
use crate::imported_files;
use crate::lock::{LOCK, lock};
use crate::meta::{Meta, Origin};
use crate::notice::Notice;
use crate::raw_output;
use crate::record::RunRecord;
use crate::runs_file::{self, RunsFile};
use crate::set_up;
use crate::stopped::Stopped;

/// What a directory of an import may hold.
const PARTS: [&str; 8] = [
    LOCK,
    "meta.json",
    "experiment.toml",
    "plan.json",
    "fingerprint.json",
    "runs.jsonl",
    "runs",
    "imported",
];

/// The results of one experiment, held by the laboratory that adds to them: see the crate's documentation for the
/// files. Readers have [`crate::OpenedResult`].
#[derive(Debug)]
pub struct ResultDir {
    path: PathBuf,
    frozen: FrozenFiles,
    notices: Vec<Notice>,
    runs: Appender,
    _lock: LockFile,
}

impl ResultDir {
    /// Sets up a directory and opens it for writing.
    ///
    /// # Errors
    /// [`StoreError::Uncreatable`] if there can be no directory, [`StoreError::NotEmpty`] if there is
    /// anything in it but what a set-up that was cut short leaves, [`StoreError::Lock`] if another laboratory is just setting it up,
    /// [`StoreError::DiskFull`] or [`StoreError::Io`] if it cannot be written; what was written is then
    /// removed again.
    pub fn create(
        path: &Path,
        experiment: &str,
        plan: &Plan,
        environment: &Environment,
        origin: Origin,
    ) -> Result<Self, StoreError> {
        fs::create_dir_all(path).map_err(|source| StoreError::creation(path, source))?;
        // Before the lock, so that nothing is added to a directory of other things; and after it,
        // because another laboratory may have come first.
        set_up::refuse_others(path)?;
        let lock = lock(path)?;
        set_up::refuse_others(path)?;
        set_up::clear(path)?;
        let write = || {
            raw_output::create(path)?;
            runs_file::create(path)?;
            FrozenFiles::write(path, experiment, plan, environment, origin)
        };
        let frozen = write().inspect_err(|_| {
            FrozenFiles::remove(path);
            let _not_there = fs::remove_file(path.join(runs_file::FILE));
            raw_output::remove_empty(path);
        })?;
        if let Some(parent) = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty())
        {
            atomic::sync(parent)?;
        }
        Ok(Self {
            path: path.to_owned(),
            runs: Appender::begin(path, &frozen.meta)?,
            frozen,
            notices: Vec::new(),
            _lock: lock,
        })
    }

    /// Opens a directory to go on with the experiment: clears away what a laboratory that died left
    /// half done, see [`Self::notices`].
    ///
    /// # Errors
    /// If it is not a results directory, or a file that never changes was altered; [`StoreError::NotBegun`] if its set-up
    /// was cut short; [`StoreError::Lock`] if another laboratory writes to it; [`StoreError::Line`] if a record cannot be
    /// trusted. Nothing is changed then.
    pub fn resume(path: &Path) -> Result<Self, StoreError> {
        let frozen = FrozenFiles::read(path).map_err(|error| match error {
            StoreError::Missing { .. } if set_up::is_cut_short(path) => {
                StoreError::NotBegun(path.to_owned())
            }
            error => error,
        })?;
        let lock = lock(path)?;
        let (runs, cut) = Appender::open(path, &frozen.meta, &frozen.plan)?;
        raw_output::create(path)?;
        let directories = raw_output::clear(path, |run| frozen.plan.has(run), |run| runs.has(run))?;
        let removed = (!directories.is_empty()).then_some(Notice::RemovedRaw { directories });
        let notices = cut.into_iter().chain(removed).collect();
        Ok(Self {
            path: path.to_owned(),
            frozen,
            notices,
            runs,
            _lock: lock,
        })
    }

    /// Removes a directory that nobody writes to, as one that was left half made. One that holds anything but parts of
    /// a result is left alone.
    ///
    /// # Errors
    /// [`StoreError::Lock`] if a laboratory writes to it, [`StoreError::Io`] if it cannot be removed.
    pub fn remove_abandoned(path: &Path) -> Result<(), StoreError> {
        let failed = |source| StoreError::io("read", path, source);
        for entry in fs::read_dir(path).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            // Files that are being written have a dot in front and their process behind.
            let name = name.to_string_lossy();
            let name = name.trim_start_matches('.');
            if !PARTS.iter().any(|part| name.starts_with(part)) {
                return Ok(());
            }
        }
        let _lock = LockFile::try_unsigned(&path.join(LOCK))?;
        fs::remove_dir_all(path).map_err(|source| StoreError::io("remove", path, source))
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Who wrote the results, when, and what with.
    pub fn meta(&self) -> &Meta {
        &self.frozen.meta.meta
    }

    /// The experiment, word for word.
    pub fn experiment(&self) -> &str {
        &self.frozen.experiment
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.frozen.plan
    }

    /// The machine and the programs, when the experiment began.
    pub fn environment(&self) -> &Environment {
        &self.frozen.environment
    }

    /// What a person should know about the directory, as found when it was opened.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// All records, in the order in which the runs ended.
    ///
    /// # Errors
    /// [`StoreError::Line`] if a line was altered or removed, is of another schema or has a run again.
    pub fn records(&self) -> Result<Vec<RunRecord>, StoreError> {
        let (meta, plan) = (&self.frozen.meta, &self.frozen.plan);
        Ok(RunsFile::read_sound(&self.path, meta, plan)?.records)
    }

    /// Records a run that has ended. When this returns, the record is on the disk, and the run's raw output has its
    /// final name.
    ///
    /// # Errors
    /// [`StoreError::DiskFull`] or [`StoreError::Io`] if it cannot be written: the records before are
    /// intact, and appending may be tried again. Else if the record is not fit to be stored.
    pub fn append(&mut self, record: &RunRecord) -> Result<(), StoreError> {
        self.runs.append(record)?;
        raw_output::name(&self.path, record.run)
    }

    /// Records runs that have no raw output, as those of an import: all of them with a single sync, or none. Runs with
    /// very many samples get directories for these.
    ///
    /// # Errors
    /// As [`Self::append`].
    pub fn append_all<'r>(
        &mut self,
        records: impl IntoIterator<Item = &'r RunRecord> + Clone,
    ) -> Result<(), StoreError> {
        self.runs.append_all(records.clone())?;
        let mut records = records.into_iter();
        records.try_for_each(|record| raw_output::name(&self.path, record.run))
    }

    /// Keeps a copy of a file that results were read from, `imported/PATH`. Its hash belongs into
    /// [`Origin::imported`].
    ///
    /// # Errors
    /// If the path leads elsewhere, or it cannot be written.
    pub fn keep_imported(&self, path: &str, content: &[u8]) -> Result<(), StoreError> {
        imported_files::write(&self.path, path, content)
    }

    /// Whether a run is recorded.
    pub fn is_recorded(&self, run: u32) -> bool {
        self.runs.has(run)
    }

    /// Where the raw output of a recorded run lies.
    pub fn run_dir(&self, run: u32) -> PathBuf {
        raw_output::recorded(&self.path, run)
    }

    /// Makes an empty directory for the raw output of a run that begins, `runs/000017.partial`. What
    /// an earlier attempt left of it is removed.
    ///
    /// # Errors
    /// If the run is already recorded, or the directory cannot be made.
    pub fn begin_run(&mut self, run: u32) -> Result<PathBuf, StoreError> {
        if self.is_recorded(run) {
            return Err(StoreError::Recorded {
                run,
                path: self.path.join(runs_file::FILE),
            });
        }
        raw_output::begin(&self.path, run)
    }

    /// Brings the raw output of a run that has ended onto the disk. To be called before [`Self::append`], so that no
    /// record is without its raw output.
    ///
    /// # Errors
    /// If the run was not begun, or its files cannot be synced.
    pub fn finish_run(&mut self, run: u32) -> Result<(), StoreError> {
        raw_output::finish(&self.path, run)
    }

    /// Finds out whether the directory is still where it was: what is written to a file that was removed is lost.
    ///
    /// # Errors
    /// [`StoreError::Removed`] if it is not.
    pub fn check_is_there(&self) -> Result<(), StoreError> {
        let has_records = self.path.join(runs_file::FILE).is_file();
        match has_records && raw_output::is_there(&self.path) {
            true => Ok(()),
            false => Err(StoreError::Removed(self.path.clone())),
        }
    }

    /// Notes why the experiment has ended; instead of what was noted before.
    ///
    /// # Errors
    /// If the note cannot be written.
    pub fn stop(&mut self, stopped: Stopped) -> Result<(), StoreError> {
        stopped.write(&self.path)
    }

    /// Why the experiment has ended, where its own results may end it.
    ///
    /// # Errors
    /// [`StoreError::Line`] if the note was altered or is of another schema.
    pub fn stopped(&self) -> Result<Option<Stopped>, StoreError> {
        Stopped::read(&self.path)
    }
}
