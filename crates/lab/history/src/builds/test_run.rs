//! Executes the tests of a build.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use perflab_experiment::{Outcome, Status};
use perflab_formats::{File, Kind, Test, TestFormat, TestReport, detect_tests};
use perflab_store::write_file;

use super::error::BuildError;
use super::make::Builder;
use super::site::text_of;
use super::wanted::Built;
use super::words::Words;
use crate::file::TestsTable;
use crate::journal::Journal;
use crate::revision::Revision;
use crate::test_runs::{JOURNAL, LOGS, SCHEMA, TESTS, TestFacts, TestRunFacts, directory};

/// Largest report that is read.
const LARGEST: u64 = 256 << 20;

impl Builder<'_> {
    /// Executes the tests of a build once, and records how each ended. Returns the worst outcome as well; nothing for a
    /// revision that was not built.
    ///
    /// # Errors
    /// If nothing can be executed or recorded; tests that fail are facts.
    pub fn test(
        &mut self,
        revision: &Revision,
        built: &Built,
        table: &TestsTable,
    ) -> Result<Option<(TestRunFacts, Outcome)>, BuildError> {
        let Some(tree) = &built.tree else {
            return Ok(None);
        };
        let journal: Journal<TestRunFacts> = Journal::new(self.home.join(JOURNAL));
        let last = journal.read()?.iter().map(|facts| facts.test_run).max();
        let test_run = last.unwrap_or(0) + 1;
        let logs = self.home.join(LOGS).join(directory(test_run));
        // A laboratory that was killed may have left logs of tests that are not in the journal.
        perflab_store::remove_all(&logs)?;
        fs::create_dir_all(&logs).map_err(BuildError::io("make", &logs))?;
        let host = self.workshop.host;
        let started = host.timestamp().to_string();
        let begun = host.now();
        // The report of a test run before would count as that of this one.
        let removed = table
            .report
            .as_ref()
            .map_or(Ok(()), |path| remove_report(tree, path));
        let (status, detail, printed) = self.execute_tests(revision, tree, table, &logs)?;
        let seconds = (host.now() - begun).as_secs_f64();
        let read = match &table.report {
            Some(path) => removed.and_then(|()| read_report(&report_path(tree, path)?, path)),
            None => Ok(File {
                path: "what the tests printed".to_owned(),
                bytes: printed,
            }),
        };
        if let (Some(_), Ok(file)) = (&table.report, &read) {
            let path = logs.join("report");
            fs::write(&path, &file.bytes).map_err(BuildError::io("write", &path))?;
        }
        let read = read.and_then(|file| parse(&file, table.format.as_deref()));
        let (format, report, fault) = match read {
            Ok((format, report)) => (Some(format), report, None),
            Err(fault) => (None, TestReport::default(), Some(fault)),
        };
        let mut notes = report.notes;
        let mut tests: Vec<TestFacts> = report.tests.into_iter().map(facts).collect();
        let has_failed = |test: &TestFacts| test.outcome.is_as_expected() == Some(false);
        let is_unexplained = !status.passed() && !tests.iter().any(has_failed);
        let is_unknown = fault.is_some();
        notes.extend(fault);
        if is_unknown || is_unexplained {
            // The tests as a whole have an outcome where no test of the report says what went wrong.
            let outcome = match status {
                Status::Pass => Outcome::NOLOG,
                status => Outcome::Run(status),
            };
            tests.push(TestFacts {
                name: Vec::new(),
                outcome,
                seconds: Some(seconds),
                message: detail.clone(),
            });
        }
        // What was left out is no word on the others.
        let told = tests.iter().map(|test| test.outcome);
        let told = told.filter(|outcome| outcome.is_as_expected() == Some(false));
        let worst = told.max().unwrap_or(Outcome::PASS);
        let text = serde_json::to_vec(&tests)
            .map_err(|error| BuildError::io("write", &logs)(io::Error::from(error)))?;
        write_file(&logs, TESTS, &text)?;
        let facts = TestRunFacts {
            schema: SCHEMA,
            test_run,
            key: built.key.to_string(),
            revision: revision.id.clone(),
            table: table.hash(),
            started,
            seconds,
            status,
            detail,
            format: format.map(|format| format.name().to_owned()),
            notes,
        };
        journal.append(&facts)?;
        Ok(Some((facts, worst)))
    }

    /// Executes the commands, until one fails: how they ended, and what they printed.
    fn execute_tests(
        &self,
        revision: &Revision,
        tree: &Path,
        table: &TestsTable,
        logs: &Path,
    ) -> Result<(Status, Option<String>, Vec<u8>), BuildError> {
        let words = Words {
            revision,
            tree: Some(text_of(tree)?),
            history: self.origin,
        };
        let mut printed = Vec::new();
        for (number, command) in (1..).zip(&table.commands) {
            let log = logs.join(format!("{number}-test.log"));
            let argv = words.argv(command)?;
            let (status, detail) =
                self.workshop
                    .outcome("test", &argv, tree, &log, table.timeout)?;
            match read_report(&log, "of what the tests printed") {
                Ok(file) => printed.extend(file.bytes),
                Err(why) => return Ok((Status::Fail, Some(why), printed)),
            }
            if !status.passed() {
                return Ok((status, detail, printed));
            }
        }
        Ok((Status::Pass, None, printed))
    }
}

fn facts(test: Test) -> TestFacts {
    TestFacts {
        // What holds tests has a name of its own, so that no test is taken for it.
        name: match test.kind {
            Kind::Test => test.name,
            Kind::Group => test.name.into_iter().chain([String::new()]).collect(),
        },
        outcome: test.outcome,
        seconds: test.seconds,
        message: test.message,
    }
}

/// Where a report is, whose directory must be inside of the revision: a revision may have links that lead out of it.
fn report_path(tree: &Path, relative: &str) -> Result<PathBuf, String> {
    let path = tree.join(relative);
    let unreadable =
        |error: io::Error| format!("cannot find the directory of the report {relative}: {error}");
    let inside = tree.canonicalize().map_err(unreadable)?;
    let directory = path
        .parent()
        .unwrap_or(tree)
        .canonicalize()
        .map_err(unreadable)?;
    match directory.starts_with(inside) {
        true => Ok(directory.join(path.file_name().unwrap_or_default())),
        false => Err(format!("the report {relative} is outside of the revision")),
    }
}

/// Removes a report, if there is one.
fn remove_report(tree: &Path, relative: &str) -> Result<(), String> {
    let Ok(path) = report_path(tree, relative) else {
        // The tests may make its directory; where it leads elsewhere, that is told when the report is read.
        return Ok(());
    };
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(format!(
            "cannot remove the report {relative} of an earlier test run: {error}"
        )),
        _ => Ok(()),
    }
}

/// A file of the revision, which is the user's: a link is not followed, and it may be too large.
fn read_report(path: &Path, name: &str) -> Result<File, String> {
    let there = fs::symlink_metadata(path);
    let metadata = there.map_err(|error| format!("there is no report {name}: {error}"))?;
    if !metadata.is_file() {
        return Err(format!("the report {name} is no file"));
    }
    if metadata.len() > LARGEST {
        return Err(format!(
            "the report {name} has more than {} MiB",
            LARGEST >> 20
        ));
    }
    let bytes =
        fs::read(path).map_err(|error| format!("cannot read the report {name}: {error}"))?;
    Ok(File {
        path: name.to_owned(),
        bytes,
    })
}

fn parse(file: &File, format: Option<&str>) -> Result<(TestFormat, TestReport), String> {
    let format = match format {
        Some(name) => TestFormat::by_name(name),
        None => detect_tests(file),
    };
    let format =
        format.ok_or("the format of the report is not known; name it by `format` in [tests]")?;
    let report = format.read(file).map_err(|fault| fault.to_string())?;
    Ok((format, report))
}
