//! What pytest prints: a line for each test with `-v`, the summary with `-rA` or without it, or both.
//!
//! A test that passed and could not be taken down has two lines and is one test here. Without `-v` and `-rA` the names of
//! those that passed are not in the log, only their number.

use std::collections::{HashMap, HashSet};

use perflab_experiment::{Outcome, Status, counted};

use super::excerpt::Excerpt;
use super::gathered::{Gathered, group, test};
use super::pytest_ids::{Said, Word, parts, progress, summary};
use super::report::{Kind, TestReport};
use super::text::{duration, lines};
use crate::fault::Fault;

struct Reader<'f> {
    found: Gathered<'f>,
    /// The place of each test that a line has named, for what is said of it later.
    places: HashMap<String, usize>,
    /// The tests that could not be taken down, as headings name them: `TestMany.test_adds_many`.
    teardown: HashSet<String>,
    in_summary: bool,
    /// How the session ended, with the line.
    end: Option<(usize, Total)>,
    crash: Option<(usize, String)>,
    begins: bool,
}

/// The last line: how many tests there were of each sort, and the time.
#[derive(Default)]
struct Total {
    passed: u64,
    skipped: u64,
    seconds: Option<f64>,
}

/// The tests in a log.
pub(super) fn read(path: &str, text: &str) -> Result<TestReport, Fault> {
    let mut reader = Reader {
        found: Gathered::new(path),
        places: HashMap::new(),
        teardown: HashSet::new(),
        in_summary: false,
        end: None,
        crash: None,
        begins: false,
    };
    let mut last = 0;
    for (number, line) in lines(text) {
        last = number;
        reader.line(number, &line)?;
    }
    reader.finish(last)
}

impl Reader<'_> {
    fn line(&mut self, number: usize, line: &str) -> Result<(), Fault> {
        let heading = line.trim_matches(['=', ' ', '!', '_']);
        if line.starts_with('=') {
            self.begins |= heading == "test session starts";
            self.in_summary = heading == "short test summary info";
        }
        if let Some(name) = heading.strip_prefix("ERROR at teardown of ") {
            self.teardown.insert(name.to_owned());
            return Ok(());
        }
        if line.starts_with("!!!!") && self.crash.is_none() {
            self.crash = Some((number, heading.to_owned()));
        } else if line.starts_with("INTERNALERROR> ") || line.starts_with("Fatal Python error: ") {
            self.crash.get_or_insert((number, line.to_owned()));
        }
        if let Some(total) = total(heading) {
            self.end = Some((number, total));
            self.in_summary = false;
            return Ok(());
        }
        if self.in_summary {
            return match summary(line) {
                Some(said) => self.in_summary(&said, number),
                None => Ok(()),
            };
        }
        match progress(line) {
            Some(said) => self.in_progress(&said, number),
            None => Ok(()),
        }
    }

    fn in_progress(&mut self, said: &Said<'_>, line: usize) -> Result<(), Fault> {
        // The error of a test that has ended is that of taking it down.
        if said.word == Word::Error
            && let Some(place) = self.places.get(said.id)
            && let Some(own) = self.found.get_mut(*place)
        {
            own.outcome = own.outcome.max(Outcome::NOCLEAN);
            own.line = line;
            return Ok(());
        }
        self.push(said, said.word.outcome(), line)
    }

    fn in_summary(&mut self, said: &Said<'_>, line: usize) -> Result<(), Fault> {
        let mut outcome = said.word.outcome();
        let name = parts(said.id);
        if let (Word::Error, [_, own @ ..]) = (said.word, name.as_slice())
            && self.teardown.contains(&own.join("."))
        {
            outcome = Outcome::NOCLEAN;
        }
        let known = self.places.get(said.id).copied();
        let Some(own) = known.and_then(|place| self.found.get_mut(place)) else {
            return self.push(said, outcome, line);
        };
        // A retry was told before; only the last end is in the summary.
        if said.word == Word::Rerun {
            return Ok(());
        }
        own.outcome = own.outcome.max(outcome);
        if own.message.is_none() || outcome == Outcome::NOCLEAN {
            let message = Excerpt::of(said.reason).into_message();
            own.message = message.or(own.message.take());
        }
        Ok(())
    }

    fn push(&mut self, said: &Said<'_>, outcome: Outcome, line: usize) -> Result<(), Fault> {
        let place = self.found.len();
        let mut own = test(parts(said.id), outcome, line).says(said.reason);
        if !said.id.contains("::") {
            own.kind = Kind::Group;
        }
        self.found.push(own)?;
        if self.found.len() > place {
            self.places.insert(said.id.to_owned(), place);
        }
        Ok(())
    }

    fn finish(mut self, last: usize) -> Result<TestReport, Fault> {
        let count = |found: &mut Gathered<'_>, outcome| {
            let own = found.since(0).iter();
            own.filter(|own| own.outcome == outcome).count() as u64
        };
        let is_known = self.begins || self.end.is_some() || self.found.len() > 0;
        if let Some((line, total)) = &self.end {
            for (outcome, all, word) in [
                (Outcome::PASS, total.passed, "passed"),
                (Outcome::SKIP, total.skipped, "skipped"),
            ] {
                let named = count(&mut self.found, outcome);
                // Of those that passed some could not be taken down.
                let of_both = match outcome {
                    Outcome::PASS => count(&mut self.found, Outcome::NOCLEAN),
                    _ => 0,
                };
                if all > named + of_both {
                    let more = all - named;
                    let more = counted(more, "test");
                    let what = format!(
                        "{more} {word} whose names the log does not have; run pytest with `-v`"
                    );
                    self.found.note_at(*line, &what);
                }
            }
        }
        let own = match (self.crash, &self.end) {
            (Some((line, what)), _) => {
                let status = match what.starts_with("Fatal Python error: ") {
                    true => Status::Signal,
                    false => Status::Exit,
                };
                group(Vec::new(), status.into(), line).says(&what)
            }
            (None, Some((line, total))) => {
                group(Vec::new(), Outcome::PASS, *line).took(total.seconds)
            }
            (None, None) => group(Vec::new(), Outcome::NOLOG, last)
                .says("the log has no last line, so that its end is missing"),
        };
        if is_known {
            self.found.push(own)?;
        }
        self.found
            .finish("tests of pytest, as `pytest -v` or `-rA` prints them")
    }
}

/// `3 failed, 6 passed, 1 skipped in 0.13s`, or with hours behind it.
fn total(heading: &str) -> Option<Total> {
    let (counts, time) = heading.rsplit_once(" in ")?;
    let mut total = Total {
        seconds: Some(duration(time.split(' ').next()?)?),
        ..Total::default()
    };
    if counts == "no tests ran" {
        return Some(total);
    }
    for part in counts.split(", ") {
        let (number, word) = part.split_once(' ')?;
        let number: u64 = number.parse().ok()?;
        match word {
            "passed" => total.passed = number,
            "skipped" => total.skipped = number,
            "failed" | "xfailed" | "xpassed" | "error" | "errors" | "warning" | "warnings"
            | "deselected" | "rerun" => {}
            _ => return None,
        }
    }
    Some(total)
}

/// Whether a line begins or ends a session.
pub(super) fn is_frame(line: &str) -> bool {
    let heading = line.trim_matches(['=', ' ']);
    line.starts_with("====")
        && (heading == "test session starts" || heading == "short test summary info")
        || total(heading).is_some_and(|total| total.passed > 0 || line.starts_with("===="))
}
