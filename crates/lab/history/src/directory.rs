//! The directory of a history.
//!
//! ```text
//! DIR/history.toml       the history file as it was at the last run
//! DIR/campaigns.jsonl    what was planned, one line for each campaign
//! DIR/campaigns/000001/  a result: what `perflab run` makes, with revisions as variants
//! DIR/summaries/VERSION-N/000001.json   what that came to, as this perflab reads it; it may be removed
//! DIR/outline.json       the revisions of the branch and the quirks, as they were at the last run
//! DIR/marks.jsonl        what people said of changes
//! DIR/tests.jsonl, DIR/tests   see `test_runs`
//! DIR/builds.jsonl, DIR/builds, DIR/trees, DIR/mirror.git   see `builds`
//! DIR/lock               held by the laboratory that writes
//! ```

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use perflab_experiment::ParseError;
use perflab_machine::{LockFile, LockFileError};
use perflab_store::{FileStamps, OpenedResult, StoreError, is_unfinished, write_file};

use crate::builds::BuildFacts;
use crate::campaign::CampaignFacts;
use crate::file::TestsTable;
use crate::journal::{Journal, JournalError};
use crate::marks::Mark;
use crate::parallel::parallel;
use crate::revision::Revision;
use crate::summary::Summary;
use crate::test_runs::{self, TestFacts, TestRunFacts};

/// The copy of the history file. A directory that has one, and campaigns, is a history.
pub(crate) const FILE: &str = "history.toml";

/// The journal of campaigns.
pub(crate) const CAMPAIGNS: &str = "campaigns.jsonl";

/// The directory of their results.
pub(crate) const RESULTS: &str = "campaigns";

/// The directory of what they came to. Another perflab may read a result in another way, or keep it in another one: the
/// number behind the version is that of the format.
pub(crate) const SUMMARIES: &str = concat!("summaries/", env!("CARGO_PKG_VERSION"), "-4");

/// The outline of the timeline.
pub(crate) const OUTLINE: &str = "outline.json";

/// The journal of what people say of changes.
pub(crate) const MARKS: &str = "marks.jsonl";

/// What can go wrong with the directory of a history.
#[derive(Debug, thiserror::Error)]
pub enum DirectoryError {
    /// The directory holds something else.
    #[error("expected a new or empty directory for the history, found files in {}; choose another one with --out", .0.display())]
    NotEmpty(PathBuf),
    /// There is no history.
    #[error("expected the directory of a history, found none at {}; `perflab history run FILE` makes one", .0.display())]
    None(PathBuf),
    /// It belongs to another history.
    #[error(
        "{} is the directory of the history `{found}`, not of `{expected}`; choose another one with --out, or give the \
         file `name = \"{found}\"` if it is the same history",
        path.display()
    )]
    Another {
        /// The directory.
        path: PathBuf,
        /// The history that the file describes.
        expected: String,
        /// The history in the directory.
        found: String,
    },
    /// Another laboratory writes to it.
    #[error("cannot write to the history: {0}")]
    Lock(#[from] LockFileError),
    /// A file of it cannot be read or written.
    #[error("cannot {what} {}: {source}", path.display())]
    Io {
        /// What was tried.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A journal cannot be trusted.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A result cannot be trusted.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The copy of the history file cannot be understood.
    #[error(transparent)]
    File(#[from] ParseError),
}

/// The directory of a history, for reading.
#[derive(Debug)]
pub struct HistoryDir {
    path: PathBuf,
    campaigns: Journal<CampaignFacts>,
}

/// The right to write to it.
#[derive(Debug)]
pub struct Held {
    _lock: LockFile,
}

/// Whether a directory is that of a history.
pub fn is_history(path: &Path) -> bool {
    path.join(FILE).is_file() && path.join(RESULTS).is_dir()
}

impl HistoryDir {
    /// Opens the directory of a history for reading.
    ///
    /// # Errors
    /// If it is none.
    pub fn open(path: &Path) -> Result<Self, DirectoryError> {
        match is_history(path) {
            true => Ok(Self::at(path)),
            false => Err(DirectoryError::None(path.to_owned())),
        }
    }

    /// Opens it for writing, and makes it where there is none. `text`: the history file, a copy of which is kept.
    /// `name`: that of this history.
    ///
    /// # Errors
    /// If there is something else, or another laboratory writes to it.
    pub fn hold(path: &Path, name: &str, text: &str) -> Result<(Self, Held), DirectoryError> {
        let io = |what| {
            let path = path.to_owned();
            move |source| DirectoryError::Io { what, path, source }
        };
        fs::create_dir_all(path).map_err(io("make"))?;
        let is_cut_short = |name: &OsStr| {
            let name = name.to_string_lossy();
            [FILE, OUTLINE]
                .iter()
                .any(|file| is_unfinished(&name, file))
        };
        let names = || -> Result<Vec<OsString>, DirectoryError> {
            let entries = fs::read_dir(path).map_err(io("read"))?;
            Ok(entries.flatten().map(|entry| entry.file_name()).collect())
        };
        // A laboratory that was killed while it made the history leaves these.
        let is_own = |name: &OsString| name == "lock" || name == RESULTS || is_cut_short(name);
        if !is_history(path) && !names()?.iter().all(is_own) {
            return Err(DirectoryError::NotEmpty(path.to_owned()));
        }
        let lock = LockFile::try_lock(&path.join("lock"))?;
        for name in names()?.iter().filter(|name| is_cut_short(name)) {
            fs::remove_file(path.join(name)).map_err(io("remove a file of"))?;
        }
        let directory = Self::at(path);
        if let Some(found) = directory.known_name()
            && found != name
        {
            return Err(DirectoryError::Another {
                path: path.to_owned(),
                expected: name.to_owned(),
                found,
            });
        }
        let results = path.join(RESULTS);
        fs::create_dir_all(&results).map_err(io("make a directory in"))?;
        write_file(path, FILE, text.as_bytes())?;
        let held = Held { _lock: lock };
        directory.note_name(&held, name)?;
        Ok((directory, held))
    }

    fn at(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            campaigns: Journal::new(path.join(CAMPAIGNS)),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The history file as it was at the last run.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn file(&self) -> Result<String, DirectoryError> {
        let path = self.path.join(FILE);
        fs::read_to_string(&path).map_err(|source| DirectoryError::Io {
            what: "read",
            path,
            source,
        })
    }

    /// All campaigns, in the order in which they were planned.
    ///
    /// # Errors
    /// If the journal cannot be trusted.
    pub fn campaigns(&self) -> Result<Vec<CampaignFacts>, DirectoryError> {
        Ok(self.campaigns.read()?)
    }

    /// The control of the last campaign of the history; nothing before the first one.
    ///
    /// # Errors
    /// If the journal cannot be trusted.
    pub fn control(&self) -> Result<Option<Revision>, DirectoryError> {
        let campaigns = self.campaigns()?;
        let mut of_history = campaigns.into_iter().filter(CampaignFacts::is_of_history);
        Ok(of_history.next_back().map(|facts| facts.control))
    }

    /// Campaigns of which no summary is kept: those that are not complete, or of which the laboratory was killed at the
    /// end.
    ///
    /// # Errors
    /// If the journal cannot be trusted.
    pub fn without_summary(&self) -> Result<Vec<CampaignFacts>, DirectoryError> {
        let mut campaigns = self.campaigns()?;
        campaigns.retain(|facts| !self.path.join(SUMMARIES).join(file_name(facts)).is_file());
        Ok(campaigns)
    }

    /// All builds, in the order in which they were made.
    ///
    /// # Errors
    /// If the journal cannot be trusted.
    pub fn builds(&self) -> Result<Vec<BuildFacts>, DirectoryError> {
        Ok(Journal::new(self.path.join(crate::builds::JOURNAL)).read()?)
    }

    /// The tests that were executed, in this order, with how each ended.
    ///
    /// # Errors
    /// If the journal or a file of it cannot be trusted.
    pub fn test_runs(&self) -> Result<Vec<(TestRunFacts, Vec<TestFacts>)>, DirectoryError> {
        let facts: Vec<TestRunFacts> = Journal::new(self.path.join(test_runs::JOURNAL)).read()?;
        let with_tests = facts.into_iter().map(|facts| {
            let path = self
                .path
                .join(test_runs::LOGS)
                .join(facts.directory())
                .join(test_runs::TESTS);
            let tests = test_runs::read(&path).map_err(|source| DirectoryError::Io {
                what: "read",
                path,
                source,
            })?;
            Ok((facts, tests))
        });
        with_tests.collect()
    }

    /// The key of the build of each execution of the tests of this table.
    ///
    /// # Errors
    /// If the journal cannot be trusted.
    pub fn test_run_keys(&self, table: &TestsTable) -> Result<Vec<String>, DirectoryError> {
        let facts: Vec<TestRunFacts> = Journal::new(self.path.join(test_runs::JOURNAL)).read()?;
        let table = table.hash();
        let facts = facts.into_iter().filter(|facts| facts.table == table);
        Ok(facts.map(|facts| facts.key).collect())
    }

    /// Adds a campaign, before anything of it is run.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&self, _held: &Held, facts: &CampaignFacts) -> Result<(), DirectoryError> {
        Ok(self.campaigns.append(facts)?)
    }

    /// The copy of the repository, where there is one.
    pub fn mirror(&self) -> Option<PathBuf> {
        let path = self.path.join(crate::builds::MIRROR);
        path.is_dir().then_some(path)
    }

    /// The directory with the logs of a build.
    pub fn log(&self, build: u32) -> PathBuf {
        self.path
            .join(crate::builds::LOGS)
            .join(format!("{build:06}"))
    }

    /// The directory of a campaign's result.
    pub fn result(&self, facts: &CampaignFacts) -> PathBuf {
        self.path.join(RESULTS).join(facts.directory())
    }

    /// What a campaign came to; nothing where the laboratory was killed before it was set up.
    ///
    /// # Errors
    /// If its result cannot be trusted.
    pub fn summary(&self, facts: &CampaignFacts) -> Result<Option<Summary>, DirectoryError> {
        let stamps = FileStamps::of(&self.result(facts));
        let kept = Summary::kept(&self.path.join(SUMMARIES).join(file_name(facts)), &stamps);
        if kept.is_some() {
            return Ok(kept);
        }
        let result = self.opened(facts)?;
        Ok(result.map(|result| Summary::of(facts, &result, stamps)))
    }

    /// What each of these campaigns came to.
    ///
    /// # Errors
    /// As [`Self::summary`].
    pub fn summaries(
        &self,
        campaigns: &[CampaignFacts],
    ) -> Result<Vec<Option<Summary>>, DirectoryError> {
        let all = parallel(campaigns, |facts| self.summary(facts));
        all.into_iter().collect()
    }

    /// Keeps what each campaign of these came to, if it is complete.
    ///
    /// # Errors
    /// If a result cannot be trusted, or the summary of one cannot be written.
    pub fn keep_summaries(
        &self,
        _held: &Held,
        all: &[CampaignFacts],
    ) -> Result<(), DirectoryError> {
        let path = self.path.join(SUMMARIES);
        for facts in all {
            let name = file_name(facts);
            if path.join(&name).is_file() {
                continue;
            }
            if let Some(summary) = self.summary(facts)?
                && summary.is_complete
            {
                let io = |what| {
                    let path = path.join(&name);
                    move |source| DirectoryError::Io { what, path, source }
                };
                fs::create_dir_all(&path).map_err(io("make the directory of"))?;
                let text = summary
                    .to_json()
                    .map_err(|error| io("write")(error.into()))?;
                write_file(&path, &name, &text)?;
            }
        }
        Ok(())
    }

    /// What was said of its changes, in this order.
    ///
    /// # Errors
    /// If the journal cannot be trusted.
    pub fn marks(&self) -> Result<Vec<Mark>, DirectoryError> {
        Ok(Journal::new(self.path.join(MARKS)).read()?)
    }

    /// Adds what somebody says of a change, also while a laboratory measures.
    ///
    /// # Errors
    /// If it cannot be written, or somebody else says something at this moment.
    pub fn mark(&self, mark: &Mark) -> Result<(), DirectoryError> {
        let _lock = LockFile::try_unsigned(&self.path.join("marks.lock"))?;
        Ok(Journal::new(self.path.join(MARKS)).append(mark)?)
    }

    /// The result of a campaign; nothing where the laboratory was killed before it was set up.
    ///
    /// # Errors
    /// If it cannot be trusted.
    pub fn opened(&self, facts: &CampaignFacts) -> Result<Option<OpenedResult>, DirectoryError> {
        match OpenedResult::open(&self.result(facts)) {
            Ok(result) => Ok(Some(result)),
            Err(
                StoreError::Missing { .. } | StoreError::NoDirectory(_) | StoreError::NotBegun(_),
            ) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// The name of the file with what a campaign came to.
fn file_name(facts: &CampaignFacts) -> String {
    format!("{}.json", facts.directory())
}
