//! What a reader has found so far, within bounds.

use perflab_experiment::Outcome;

use super::excerpt::Excerpt;
use super::report::{Kind, Test, TestReport};
use crate::fault::{Fault, shown};

/// The most tests in a report, and the most bytes of their names and messages.
const MOST_TESTS: usize = 1_000_000;
const MOST_BYTES: usize = 256 << 20;

/// The longest name, all parts together, in bytes, and the most parts.
const LONGEST_NAME: usize = 4096;
const MOST_PARTS: usize = 64;

/// The most notes; of more, the number is told.
const MOST_NOTES: usize = 100;

/// Tests and notes of one file.
pub(super) struct Gathered<'f> {
    path: &'f str,
    tests: Vec<Test>,
    notes: Vec<String>,
    more_notes: usize,
    bytes: usize,
}

impl<'f> Gathered<'f> {
    pub(super) fn new(path: &'f str) -> Self {
        Self {
            path,
            tests: Vec::new(),
            notes: Vec::new(),
            more_notes: 0,
            bytes: 0,
        }
    }

    /// Adds a test. One whose name is too long is left out with a note, as a name that is cut could be that of another.
    ///
    /// # Errors
    /// When there are too many, with the line.
    pub(super) fn push(&mut self, mut test: Test) -> Result<(), Fault> {
        test.name.retain(|part| !part.is_empty());
        test.seconds = test.seconds.filter(|time| time.is_finite() && *time >= 0.0);
        let length: usize = test.name.iter().map(String::len).sum();
        if length > LONGEST_NAME || test.name.len() > MOST_PARTS {
            let start = test.name.first().map_or("", String::as_str);
            self.note(format!(
                "{}:{}: a test was left out: its name has {length} bytes in {} parts and begins with `{}`",
                self.path,
                test.line,
                test.name.len(),
                shown(start)
            ));
            return Ok(());
        }
        if test.name.is_empty() && test.kind == Kind::Test {
            test.name.push("unnamed".to_owned());
        }
        let own = size_of::<Test>() + test.name.len() * size_of::<String>() + length;
        self.bytes += own + test.message.as_ref().map_or(0, String::len);
        if self.tests.len() >= MOST_TESTS || self.bytes > MOST_BYTES {
            return Err(Fault::line(
                self.path,
                test.line,
                format!(
                    "expected at most {MOST_TESTS} tests with {} MiB of names and messages, found more; split the report",
                    MOST_BYTES >> 20
                ),
            ));
        }
        self.tests.push(test);
        Ok(())
    }

    /// Says what was left out.
    pub(super) fn note(&mut self, note: String) {
        match self.notes.len() < MOST_NOTES {
            true => self.notes.push(note),
            false => self.more_notes += 1,
        }
    }

    /// Says the same with the line.
    pub(super) fn note_at(&mut self, line: usize, note: &str) {
        let note = format!("{}:{line}: {note}", self.path);
        self.note(note);
    }

    /// How many tests there are.
    pub(super) fn len(&self) -> usize {
        self.tests.len()
    }

    /// The tests from one on, to be completed by what the report says later.
    pub(super) fn since(&mut self, first: usize) -> &mut [Test] {
        self.tests.get_mut(first..).unwrap_or_default()
    }

    /// One test.
    pub(super) fn get_mut(&mut self, place: usize) -> Option<&mut Test> {
        self.tests.get_mut(place)
    }

    /// Puts a part before the names of the tests from one on.
    pub(super) fn prefix(&mut self, first: usize, part: &str) {
        if part.is_empty() {
            return;
        }
        for test in self.tests.get_mut(first..).unwrap_or_default() {
            let length: usize = test.name.iter().map(String::len).sum();
            // What would get too long stays as it is: it is still in the report, and the name is odd anyway.
            if length + part.len() <= LONGEST_NAME && test.name.len() < MOST_PARTS {
                test.name.insert(0, part.to_owned());
                self.bytes += part.len() + size_of::<String>();
            }
        }
    }

    /// Everything, or a fault of a report in which there is no test.
    pub(super) fn finish(mut self, expected: &str) -> Result<TestReport, Fault> {
        if self.tests.is_empty() {
            return Err(Fault::new(
                self.path,
                format!("expected {expected}, found none"),
            ));
        }
        if self.more_notes > 0 {
            self.notes
                .push(format!("and {} notes more", self.more_notes));
        }
        Ok(TestReport {
            tests: self.tests,
            notes: self.notes,
        })
    }
}

/// A test that ended so in this line.
pub(super) fn test(name: Vec<String>, outcome: Outcome, line: usize) -> Test {
    Test {
        kind: Kind::Test,
        name,
        outcome,
        seconds: None,
        message: None,
        line,
    }
}

/// What holds tests, ended so in this line.
pub(super) fn group(name: Vec<String>, outcome: Outcome, line: usize) -> Test {
    Test {
        kind: Kind::Group,
        ..test(name, outcome, line)
    }
}

impl Test {
    /// The same with the beginning of a text as its message.
    pub(super) fn says(mut self, text: &str) -> Self {
        self.message = Excerpt::of(text).into_message();
        self
    }

    /// The same with a duration in seconds.
    pub(super) fn took(mut self, seconds: Option<f64>) -> Self {
        self.seconds = seconds;
        self
    }
}
