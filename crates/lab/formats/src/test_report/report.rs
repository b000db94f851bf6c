//! What every report of a test runner has in common.

use perflab_experiment::Outcome;

/// What a reader found in a report.
///
/// It holds at most a million tests and 256 MiB of names and messages; a report with more is refused. A message is at
/// most 8 lines and about 1000 bytes, and there are at most 100 notes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TestReport {
    /// The tests, in the report's order. A name that comes twice is a test that was executed twice, and both results
    /// count: whether it is flaky is not decided here.
    pub tests: Vec<Test>,
    /// What was left out, or cannot be known, one sentence each.
    pub notes: Vec<String>,
}

/// How one test ended, or what holds tests.
#[derive(Debug, Clone, PartialEq)]
pub struct Test {
    /// Test or group.
    pub kind: Kind,
    /// The name, from the outermost part: a suite, package or file, then the test. That of the whole report is empty.
    pub name: Vec<String>,
    /// How it ended.
    pub outcome: Outcome,
    /// How long it took, in seconds, where the report tells: finite, and not below 0.
    pub seconds: Option<f64>,
    /// The first lines of what the report says of the end: a failure, a reason.
    pub message: Option<String>,
    /// The line of the report that tells the outcome, from 1.
    pub line: usize,
}

/// Whether a name is that of a test, or of what holds tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A test.
    Test,
    /// A file, package or program that holds tests, or the whole report. It passed if it was built, began, and ran to its
    /// end. That one of its tests failed is said by that test alone.
    Group,
}

impl Test {
    /// The parts of the name in one text, as `tests/test_sums.py::TestMany::test_adds_many`. For people: two names may
    /// read the same.
    pub fn full_name(&self) -> String {
        self.name.join("::")
    }
}
