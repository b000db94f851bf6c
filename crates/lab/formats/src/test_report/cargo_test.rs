//! What `cargo test` prints: the lines of libtest, or its JSON, between those of cargo.
//!
//! Cargo names each program on standard error, so a log needs both streams. Each program is a group. A test that prints
//! while it runs (`--nocapture`) puts its own lines between `test NAME ... ` and `ok`. Examples in documentation are named
//! after their line, which changes with each edit: several of one item are counted instead, in the order of the lines.

use std::collections::{BTreeMap, HashMap};

use perflab_experiment::{Outcome, counted};

use super::cargo_names::{Programs, example, not_built, program, without_mode};
use super::cargo_results::{exit, word};
use super::excerpt::Excerpt;
use super::gathered::{Gathered, group, test};
use super::libtest::{Event, Said};
use super::report::{Kind, TestReport};
use super::text::{between, lines, seconds};
use crate::fault::{Fault, shown};

/// The tests of one program, while its lines come.
struct Section {
    /// Empty where the log does not say.
    name: Vec<String>,
    /// How many tests it has.
    announced: u64,
    /// How many have ended.
    ended: u64,
    /// How many passed that the log names.
    passed: u64,
    /// Tests that have begun.
    running: BTreeMap<String, usize>,
    /// Where tests that failed are, by the names that their messages have.
    failed: HashMap<String, usize>,
    /// Examples of an item: their lines and places.
    examples: BTreeMap<String, Vec<(u64, usize)>>,
    /// In the list of messages, the test of which they are.
    messages: Option<Option<usize>>,
    excerpt: Excerpt,
}

struct Reader<'f> {
    found: Gathered<'f>,
    programs: Programs,
    /// The program that cargo said it starts.
    next: Option<Vec<String>>,
    open: Option<Section>,
    /// How many programs had no name.
    unnamed: usize,
    sections: usize,
}

/// The tests in a log.
pub(super) fn read(path: &str, text: &str) -> Result<TestReport, Fault> {
    let mut reader = Reader {
        found: Gathered::new(path),
        programs: Programs::default(),
        next: None,
        open: None,
        unnamed: 0,
        sections: 0,
    };
    let mut last = 0;
    for (number, line) in lines(text) {
        last = number;
        reader.line(number, &line)?;
    }
    reader.end(Outcome::NOLOG, "the log ends within it", None, last)?;
    if let Some(silent) = reader.next.take() {
        let what = format!(
            "the log has no tests of {}, and no end of it",
            shown(&silent.join(" "))
        );
        reader.found.note_at(last, &what);
    }
    if reader.unnamed == 1 && reader.sections == 1 {
        // The only program needs no number.
        for own in reader.found.since(0) {
            let is_numbered = own.name.first().is_some_and(|part| *part == numbered(1));
            if is_numbered && (own.kind == Kind::Group || own.name.len() > 1) {
                own.name.remove(0);
            }
        }
    } else if reader.unnamed > 0 {
        let names =
            "the log does not name the programs, so they are numbered; keep standard error too";
        reader.found.note_at(1, names);
    }
    reader
        .found
        .finish("lines `test NAME ... ok` of `cargo test`")
}

/// What a program is called whose name the log does not have.
fn numbered(place: usize) -> String {
    format!("program {place}")
}

impl Reader<'_> {
    fn line(&mut self, number: usize, line: &str) -> Result<(), Fault> {
        if line.starts_with('{')
            && let Some(event) = Event::parse(line)
        {
            return self.event(&event, number);
        }
        if let Some(program) = program(line) {
            self.end(Outcome::NOLOG, NO_RESULT, None, number)?;
            // A program with a harness of its own says nothing to cargo but whether it failed.
            if let Some(silent) = self.next.take() {
                self.found.push(group(silent, Outcome::PASS, number))?;
            }
            self.next = Some(self.programs.name(program));
            return Ok(());
        }
        if let Some(count) =
            between(line, "running ", " tests").or(between(line, "running ", " test"))
            && let Ok(count) = count.parse()
        {
            return self.begin(count, number);
        }
        if let Some(how) = line
            .trim()
            .strip_prefix("process didn't exit successfully: ")
        {
            let (outcome, how) = exit(how);
            return self.end(outcome, how, None, number);
        }
        if let Some(own) = not_built(line, number) {
            self.end(Outcome::NOLOG, NO_RESULT, None, number)?;
            return self.found.push(own);
        }
        match &self.open {
            Some(section) if section.messages.is_some() => self.message(number, line),
            Some(_) => self.result(number, line),
            None => Ok(()),
        }
    }

    fn begin(&mut self, announced: u64, line: usize) -> Result<(), Fault> {
        self.end(Outcome::NOLOG, NO_RESULT, None, line)?;
        self.sections += 1;
        let name = self.next.take().unwrap_or_else(|| {
            self.unnamed += 1;
            vec![numbered(self.unnamed)]
        });
        self.open = Some(Section {
            name,
            announced,
            ended: 0,
            passed: 0,
            running: BTreeMap::new(),
            failed: HashMap::new(),
            examples: BTreeMap::new(),
            messages: None,
            excerpt: Excerpt::default(),
        });
        Ok(())
    }

    /// A line before the messages: results, one a line, unless tests print.
    fn result(&mut self, number: usize, line: &str) -> Result<(), Fault> {
        if line == "failures:" || line == "successes:" {
            if let Some(section) = &mut self.open {
                section.messages = Some(None);
            }
            return Ok(());
        }
        if let Some(rest) = line.strip_prefix("test result: ") {
            return self.total(rest, number);
        }
        if let Some((name, rest)) = line
            .strip_prefix("test ")
            .and_then(|rest| rest.split_once(" ... "))
        {
            return match word(rest) {
                Some((outcome, reason, time)) => self.ended(name, outcome, time, reason, number),
                None => {
                    if let Some(section) = &mut self.open {
                        section.running.insert(name.to_owned(), number);
                    }
                    Ok(())
                }
            };
        }
        // `tests::adds_wrongly --- FAILED`, of `cargo test -q`.
        if let Some(name) = line.strip_suffix(" --- FAILED") {
            return self.ended(name, Outcome::FAIL, None, "", number);
        }
        // The end of a test that has printed lines.
        let running = self
            .open
            .as_ref()
            .and_then(|section| section.running.keys().next());
        if let (Some((outcome, reason, time)), Some(name)) = (word(line), running.cloned()) {
            return self.ended(&name, outcome, time, reason, number);
        }
        Ok(())
    }

    /// A line within the messages of tests that failed.
    fn message(&mut self, number: usize, line: &str) -> Result<(), Fault> {
        if let Some(rest) = line.strip_prefix("test result: ") {
            return self.total(rest, number);
        }
        let header = between(line, "---- ", " stdout ----").map(without_mode);
        let Some(section) = &mut self.open else {
            return Ok(());
        };
        if let Some(name) = header {
            let known = section.failed.get(name).copied();
            section.messages = Some(known);
            section.excerpt = Excerpt::default();
            return Ok(());
        }
        if line == "failures:" || line == "successes:" {
            section.messages = Some(None);
        } else if let Some(Some(place)) = section.messages
            && !line.starts_with("note: run with `RUST_BACKTRACE=1`")
            && !section.excerpt.is_full()
        {
            section.excerpt.push(line);
            if let Some(own) = self.found.get_mut(place) {
                own.message = section.excerpt.clone().into_message();
            }
        }
        Ok(())
    }

    fn ended(
        &mut self,
        raw: &str,
        outcome: Outcome,
        time: Option<f64>,
        reason: &str,
        line: usize,
    ) -> Result<(), Fault> {
        let Some(section) = &mut self.open else {
            return Ok(());
        };
        section.running.remove(raw);
        section.ended += 1;
        section.passed += u64::from(outcome == Outcome::PASS);
        let name = without_mode(raw);
        let mut parts = section.name.clone();
        let example = example(name);
        parts.push(example.map_or(name, |(item, _)| item).to_owned());
        let place = self.found.len();
        self.found
            .push(test(parts, outcome, line).took(time).says(reason))?;
        if self.found.len() == place {
            return Ok(());
        }
        if let Some((item, at)) = example {
            section
                .examples
                .entry(item.to_owned())
                .or_default()
                .push((at, place));
        }
        if outcome == Outcome::FAIL {
            section.failed.insert(name.to_owned(), place);
        }
        Ok(())
    }

    /// The line behind all tests of a program.
    fn total(&mut self, rest: &str, line: usize) -> Result<(), Fault> {
        let passed = rest
            .split("; ")
            .find_map(|part| part.strip_suffix(" passed"));
        let passed = passed.and_then(|part| part.rsplit(' ').next()?.parse::<u64>().ok());
        let time = rest
            .rsplit("finished in ")
            .next()
            .and_then(|time| time.strip_suffix('s'));
        let time = time.and_then(seconds);
        let named = self.open.as_ref().map_or(0, |section| section.passed);
        if let Some(more) = passed
            .unwrap_or_default()
            .checked_sub(named)
            .filter(|more| *more > 0)
        {
            let what =
                format!("{more} tests passed whose names the log does not have; leave out `-q`");
            self.found.note_at(line, &what);
        }
        self.end(Outcome::PASS, "", time, line)
    }

    /// Ends the program, or notes one that did not begin.
    fn end(
        &mut self,
        outcome: Outcome,
        how: &str,
        time: Option<f64>,
        line: usize,
    ) -> Result<(), Fault> {
        let Some(section) = self.open.take() else {
            // A program that was started and said nothing has no tests, or could not begin.
            if outcome != Outcome::NOLOG
                && let Some(name) = self.next.take()
            {
                self.found.push(group(name, outcome, line).says(how))?;
            }
            return Ok(());
        };
        let is_guilty = section.running.len() == 1;
        for (name, line) in &section.running {
            // Where several ran at once, nobody knows which of them ended the program.
            let own = if is_guilty { outcome } else { Outcome::NOLOG };
            if outcome == Outcome::PASS {
                self.found.note_at(*line, "a test began and has no result");
                continue;
            }
            let mut parts = section.name.clone();
            parts.push(without_mode(name).to_owned());
            self.found.push(test(parts, own, *line).says(how))?;
        }
        for places in section.examples.values() {
            let mut places = places.clone();
            places.sort_unstable();
            for (number, (_, place)) in (1..).zip(places).skip(1) {
                if let Some(name) = self
                    .found
                    .get_mut(place)
                    .and_then(|own| own.name.last_mut())
                {
                    *name = format!("{name} ({number})");
                }
            }
        }
        let told = section.ended + section.running.len() as u64;
        let missing = section.announced.saturating_sub(told);
        let how = match (outcome, missing) {
            (Outcome::PASS, _) => String::new(),
            (_, 0) => how.to_owned(),
            (_, missing) => format!(
                "{how}; {missing} of {} have no result",
                counted(section.announced, "test")
            ),
        };
        self.found
            .push(group(section.name, outcome, line).took(time).says(&how))
    }

    fn event(&mut self, event: &Event, line: usize) -> Result<(), Fault> {
        match event.said() {
            Some(Said::SuiteBegan(count)) => self.begin(count, line),
            Some(Said::SuiteEnded) => self.end(Outcome::PASS, "", event.exec_time, line),
            Some(Said::TestBegan(name)) => {
                if let Some(section) = &mut self.open {
                    section.running.insert(name, line);
                }
                Ok(())
            }
            Some(Said::TestEnded {
                program,
                name,
                outcome,
                before,
            }) => {
                if let (Some(program), Some(section)) = (program, &mut self.open)
                    && section.name != [program.as_str()]
                {
                    // Only the names of nextest's tests have the program, not its suite.
                    if section.name.len() == 1 {
                        self.unnamed = self.unnamed.saturating_sub(1);
                    }
                    section.name = vec![program];
                }
                for _ in 0..before {
                    self.ended(&name, Outcome::FAIL, None, "tried again", line)?;
                }
                self.ended(&name, outcome, event.exec_time, event.text(), line)
            }
            None => Ok(()),
        }
    }
}

const NO_RESULT: &str = "the log has no result of it";
