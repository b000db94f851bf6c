//! The formats of test reports by name.

use super::report::TestReport;
use super::{cargo_test, ctest, go_test, junit, nextest, pytest, result_lines, tap};
use crate::fault::Fault;
use crate::run::{File, without_mark};

/// A format of test reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TestFormat {
    /// What `cargo test` prints, as text or as JSON.
    CargoTest,
    /// What `ctest` prints.
    Ctest,
    /// The events of `go test -json`.
    GoTest,
    /// JUnit's XML, as many tools write it.
    Junit,
    /// What `cargo nextest run` prints.
    Nextest,
    /// What pytest prints.
    Pytest,
    /// The laboratory's own lines, `STATUS name [message]`, which are those of regress-all's `test.result`.
    ResultLines,
    /// Test Anything Protocol, versions 12 to 14, and what `prove` prints of it.
    Tap,
}

impl TestFormat {
    /// All of them, sorted by name.
    pub const ALL: [Self; 8] = [
        Self::CargoTest,
        Self::Ctest,
        Self::GoTest,
        Self::Junit,
        Self::Nextest,
        Self::Pytest,
        Self::ResultLines,
        Self::Tap,
    ];

    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::CargoTest => "cargo-test",
            Self::Ctest => "ctest",
            Self::GoTest => "go-test",
            Self::Junit => "junit",
            Self::Nextest => "nextest",
            Self::Pytest => "pytest",
            Self::ResultLines => "result-lines",
            Self::Tap => "tap",
        }
    }

    /// The format of this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The tests in a report.
    ///
    /// # Errors
    /// A report without any test; XML that is none; more than [`TestReport`] holds. With the file, and the line where
    /// there is one.
    pub fn read(self, file: &File) -> Result<TestReport, Fault> {
        let text = String::from_utf8_lossy(without_mark(&file.bytes));
        let (path, text) = (file.path.as_str(), text.as_ref());
        match self {
            Self::CargoTest => cargo_test::read(path, text),
            Self::Ctest => ctest::read(path, text),
            Self::GoTest => go_test::read(path, text),
            Self::Junit => junit::read(path, text),
            Self::Nextest => nextest::read(path, text),
            Self::Pytest => pytest::read(path, text),
            Self::ResultLines => result_lines::read(path, text),
            Self::Tap => tap::read(path, text),
        }
    }
}
