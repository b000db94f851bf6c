//! Test Anything Protocol, versions 12 to 14, as programs print it and as `prove -v` shows it.
//!
//! A subtest is indented by four blanks, and its result follows it: `not ok 7 - many`. So its tests get the name of their
//! subtest once that line is read. A test without a description is called by its number. Of two tests of one stream with
//! the same description the second is called `NAME (2)`: they are two checks, not two executions of one.

use std::collections::HashMap;

use perflab_experiment::{Outcome, Status};

use super::excerpt::Excerpt;
use super::gathered::{Gathered, group, test};
use super::prove::{self, Verdict};
use super::report::TestReport;
use super::tap_line::{Directive, Line, Point, parse};
use super::text::{duration, lines};
use crate::fault::Fault;

/// The most subtests within each other. What is deeper is no TAP.
const DEEPEST: usize = 20;

/// What a block of YAML says of the place of a failure rather than of its reason.
const PLACES: [&str; 9] = [
    "duration_ms",
    "location",
    "failureType",
    "type",
    "code",
    "name",
    "operator",
    "stack",
    "at",
];

/// One stream of tests: that of a program, or of a subtest.
#[derive(Default)]
struct Stream {
    /// The place of its first test among all.
    first: usize,
    planned: Option<u64>,
    skip: Option<String>,
    points: u64,
    /// How often each description came.
    names: HashMap<String, u32>,
    /// The name of its subtest, where it is known beforehand.
    announced: Option<String>,
    /// Whether the name comes before the tests, and a brace ends them.
    in_braces: bool,
}

struct Reader<'f> {
    found: Gathered<'f>,
    /// The stream of the file, then those of the open subtests.
    streams: Vec<Stream>,
    /// The file that `prove` runs, and the line that said so.
    file: Option<(String, usize)>,
    bail_out: Option<String>,
    /// What Test::More says of a program that died.
    exited: Option<String>,
    /// The last test, while lines about it may follow, and what they say.
    last: Option<usize>,
    excerpt: Excerpt,
    /// The indentation of the block of YAML that is open, and whether the value is kept that is read.
    yaml: Option<usize>,
    keeps: bool,
    announced: Option<String>,
    has_prove: bool,
    is_summary: bool,
    /// Where the files that `prove` has run are among all.
    files: HashMap<String, usize>,
}

/// The tests in a stream, or in the streams that `prove` shows.
pub(super) fn read(path: &str, text: &str) -> Result<TestReport, Fault> {
    let mut reader = Reader {
        found: Gathered::new(path),
        streams: vec![Stream::default()],
        file: None,
        bail_out: None,
        exited: None,
        last: None,
        excerpt: Excerpt::default(),
        yaml: None,
        keeps: false,
        announced: None,
        has_prove: false,
        is_summary: false,
        files: HashMap::new(),
    };
    let mut end = 0;
    for (number, line) in lines(text) {
        end = number;
        reader.line(number, &line)?;
    }
    if !reader.has_prove {
        reader.end_stream(None, end)?;
    } else if reader.file.is_some() {
        reader
            .found
            .note_at(end, "the report ends within a file of tests");
        reader.end_stream(None, end)?;
    }
    reader.found.finish("lines `ok` and `not ok` of TAP")
}

impl Reader<'_> {
    fn line(&mut self, number: usize, line: &str) -> Result<(), Fault> {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let content = line.get(indent..).unwrap_or_default();
        if let Some(own) = self.yaml {
            if indent >= own && !content.starts_with("...") {
                self.yaml_line(indent - own, content);
                return Ok(());
            }
            self.yaml = None;
            if content.starts_with("...") {
                return Ok(());
            }
        }
        if indent == 0
            && let Some(line) = prove::parse(line)
            && self.prove_line(&line, number)?
        {
            return Ok(());
        }
        if self.is_summary {
            self.summary(line);
            return Ok(());
        }
        let line = parse(content);
        // A block of YAML is indented by two blanks more than its test.
        if line == Line::Yaml && self.last.is_some() && indent % 4 == 2 {
            self.yaml = Some(indent);
            return Ok(());
        }
        let depth = indent / 4;
        if !indent.is_multiple_of(4) || depth > DEEPEST {
            return Ok(());
        }
        match line {
            Line::Point(point) => self.point(depth, point, number),
            Line::Plan { count, skip } => {
                self.open(depth);
                self.last = None;
                let stream = self.stream(depth);
                stream.planned = Some(count);
                stream.skip = skip.map(str::to_owned);
                Ok(())
            }
            Line::BailOut(reason) => {
                self.bail_out = Some(format!("Bail out! {reason}"));
                Ok(())
            }
            Line::Comment(text) => {
                self.comment(text);
                Ok(())
            }
            Line::Close => {
                self.close(depth + 1);
                Ok(())
            }
            Line::Version | Line::Yaml | Line::Other => Ok(()),
        }
    }

    /// Takes a line of `prove`, or leaves it.
    fn prove_line(&mut self, line: &prove::Line<'_>, number: usize) -> Result<bool, Fault> {
        match line {
            prove::Line::File(name, verdict) => {
                if self.file.is_some() {
                    self.end_stream(None, number)?;
                }
                // What comes before the first file is what the programs printed to standard error.
                self.has_prove = true;
                self.streams = vec![self.new_stream()];
                self.file = Some(((*name).to_owned(), number));
                if let Some(verdict) = verdict {
                    self.end_stream(Some(*verdict), number)?;
                }
                Ok(true)
            }
            prove::Line::Verdict(verdict) if self.file.is_some() => {
                self.end_stream(Some(*verdict), number)?;
                Ok(true)
            }
            // `ok` alone is the result of a test that has neither number nor name.
            prove::Line::Verdict(_) => Ok(self.has_prove),
            prove::Line::Summary => {
                self.is_summary |= self.has_prove;
                Ok(self.has_prove)
            }
        }
    }

    /// A line of the table behind all files.
    fn summary(&mut self, line: &str) {
        let Some((name, signal)) = prove::signal(line) else {
            return;
        };
        let place = self.files.get(name);
        if let Some(file) = place.and_then(|place| self.found.get_mut(*place)) {
            file.outcome = Status::Signal.into();
            file.message = Excerpt::of(&format!("signal {signal}")).into_message();
        }
    }

    fn new_stream(&self) -> Stream {
        Stream {
            first: self.found.len(),
            ..Stream::default()
        }
    }

    /// Has streams of subtests down to a depth.
    fn open(&mut self, depth: usize) {
        while self.streams.len() <= depth {
            let announced = self.announced.take();
            let stream = Stream {
                announced,
                ..self.new_stream()
            };
            self.streams.push(stream);
        }
        self.close(depth + 1);
    }

    /// Ends the subtests from a depth on that have no result of their own, or whose result came before them.
    fn close(&mut self, depth: usize) {
        while self.streams.len() > depth.max(1) {
            let Some(stream) = self.streams.pop() else {
                return;
            };
            if let Some(name) = &stream.announced {
                self.found.prefix(stream.first, name);
            } else if !stream.in_braces {
                self.found.prefix(stream.first, "subtest");
            }
        }
    }

    fn stream(&mut self, depth: usize) -> &mut Stream {
        let place = depth.min(self.streams.len() - 1);
        &mut self.streams[place]
    }

    fn point(&mut self, depth: usize, point: Point<'_>, number: usize) -> Result<(), Fault> {
        // Subtests of subtests that were never closed end with the subtest around them.
        while self.streams.len() > depth + 2 {
            let deepest = self.streams.len() - 1;
            self.close(deepest);
        }
        while self.streams.len() <= depth {
            self.open(depth);
        }
        let subtest = match self.streams.len() > depth + 1 {
            true => self.streams.pop(),
            false => None,
        };
        let own = self.stream(depth);
        own.points += 1;
        let name = match (point.name.is_empty(), point.number) {
            (false, _) => point.name,
            (true, Some(number)) => number.to_string(),
            (true, None) => own.points.to_string(),
        };
        let count = own.names.entry(name.clone()).or_default();
        *count += 1;
        let name = match *count {
            1 => name,
            count => format!("{name} ({count})"),
        };
        if let Some(subtest) = subtest {
            self.found.prefix(subtest.first, &name);
        }
        let (outcome, reason) = match (point.is_ok, point.directive) {
            (true, Some(Directive::Skip(reason))) => (Outcome::SKIP, reason),
            (false, Some(Directive::Todo(reason))) => (Outcome::XFAIL, reason),
            (true, Some(Directive::Todo(reason))) => (Outcome::XPASS, reason),
            (false, _) => (Outcome::FAIL, ""),
            (true, None) => (Outcome::PASS, ""),
        };
        self.announced = None;
        let own = test(vec![name.clone()], outcome, number).says(reason);
        let place = self.found.len();
        self.found.push(own.took(point.seconds))?;
        self.excerpt = Excerpt::default();
        self.last = (self.found.len() > place).then_some(place);
        if point.opens {
            let stream = Stream {
                announced: Some(name),
                in_braces: true,
                ..self.new_stream()
            };
            self.streams.push(stream);
        }
        Ok(())
    }

    fn comment(&mut self, text: &str) {
        if let Some(name) = text.strip_prefix("Subtest: ") {
            self.announced = Some(name.trim().to_owned());
            self.last = None;
        } else if let Some(how) = text.strip_prefix("Looks like your test exited with ") {
            self.exited = Some(format!("exited with {how}"));
        } else if !text.starts_with("Looks like you ") {
            self.say(text);
        }
    }

    /// Adds a line to what the last test said, if it failed.
    fn say(&mut self, text: &str) {
        let Some(last) = self.last.and_then(|place| self.found.get_mut(place)) else {
            return;
        };
        if last.outcome == Outcome::FAIL && !self.excerpt.is_full() {
            self.excerpt.push(text);
            last.message = self.excerpt.clone().into_message();
        }
    }

    /// A line of the block behind a test. Only its first level has names; what is deeper belongs to a value.
    fn yaml_line(&mut self, deeper: usize, content: &str) {
        if deeper == 0 {
            let (name, value) = content.split_once(':').unwrap_or((content, ""));
            if name == "duration_ms" {
                let seconds = duration(&format!("{}ms", value.trim()));
                if let Some(last) = self.last.and_then(|place| self.found.get_mut(place)) {
                    last.seconds = last.seconds.or(seconds);
                }
            }
            self.keeps = !PLACES.contains(&name);
        }
        if self.keeps {
            self.say(content);
        }
    }

    /// Ends the stream of a program, and says how that ended.
    fn end_stream(&mut self, verdict: Option<Verdict<'_>>, line: usize) -> Result<(), Fault> {
        self.close(1);
        let own = self.new_stream();
        let stream = std::mem::replace(&mut self.streams, vec![own]);
        let Some(stream) = stream.into_iter().next() else {
            return Ok(());
        };
        let has_tests = self.found.len() > stream.first;
        let name: Vec<String> = self.file.take().map(|(name, _)| name).into_iter().collect();
        if let [file] = name.as_slice() {
            self.found.prefix(stream.first, file);
        }
        self.last = None;
        let (bail_out, exited) = (self.bail_out.take(), self.exited.take());
        let short = stream
            .planned
            .is_some_and(|planned| stream.points < planned);
        let long = stream
            .planned
            .is_some_and(|planned| stream.points > planned);
        let counts = format!(
            "planned {} tests, the report has {}",
            stream.planned.unwrap_or_default(),
            stream.points
        );
        let (outcome, message) = match (verdict, stream.skip) {
            (_, Some(reason)) => (Outcome::SKIP, reason),
            (Some(Verdict::Skipped(reason)), _) => (Outcome::SKIP, reason.to_owned()),
            _ if bail_out.is_some() => (Status::Exit.into(), bail_out.unwrap_or_default()),
            _ if exited.is_some() => (Status::Exit.into(), exited.unwrap_or_default()),
            (Some(verdict), _) if verdict.outcome(has_tests).is_as_expected() == Some(false) => {
                (verdict.outcome(has_tests), verdict.message().to_owned())
            }
            _ if short => (Outcome::NOLOG, counts),
            _ if long => (Outcome::FAIL, counts),
            (Some(_), _) => (Outcome::PASS, String::new()),
            (None, None) if stream.planned.is_some() => (Outcome::PASS, String::new()),
            (None, None) if has_tests => (
                Outcome::NOLOG,
                "the report has no plan, so that its end may be missing".to_owned(),
            ),
            (None, None) => return Ok(()),
        };
        let (place, file) = (self.found.len(), name.first().cloned());
        self.found.push(group(name, outcome, line).says(&message))?;
        if let Some(file) = file.filter(|_| self.found.len() > place) {
            self.files.insert(file, place);
        }
        Ok(())
    }
}
