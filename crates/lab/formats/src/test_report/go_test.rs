//! The events of `go test -json`, one a line.
//!
//! A test is named by its package and its own name, subtests as Go writes them: `TestTable/one_two`. A package is a group.
//! Go ends a package with its first panic, so that of the tests that had begun the panic is known, and nothing of those
//! that had not.

use std::collections::HashMap;

use perflab_experiment::{Outcome, Status};
use serde::Deserialize;

use super::excerpt::Excerpt;
use super::gathered::{Gathered, group, test};
use super::report::TestReport;
use super::text::{between, lines};
use crate::fault::Fault;

/// An event, with the members that count.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event {
    action: String,
    package: Option<String>,
    test: Option<String>,
    elapsed: Option<f64>,
    output: Option<String>,
    failed_build: Option<String>,
    import_path: Option<String>,
}

/// A package or a test that has begun.
#[derive(Default)]
struct Running {
    line: usize,
    excerpt: Excerpt,
    /// What its output shows of the end, which the result does not say.
    shows: Option<Status>,
}

impl Running {
    fn output(&mut self, text: &str) {
        let line = text.trim_end();
        if line.starts_with("panic: test timed out after ") {
            self.shows = Some(Status::Timeout);
        } else if line.starts_with("panic: ") || line.starts_with("fatal error: ") {
            self.shows = self.shows.or(Some(Status::Exit));
        } else if line.starts_with("signal: ") {
            self.shows = Some(Status::Signal);
        } else if line.contains(" [build failed]") || line.contains(" [setup failed]") {
            self.shows = Some(Status::NoBuild);
        }
        // What every test says at its beginning and end.
        let own = line.trim_start();
        let is_frame = own.starts_with("=== ")
            || [
                "--- PASS: ",
                "--- FAIL: ",
                "--- SKIP: ",
                "FAIL\t",
                "ok  \t",
                "coverage: ",
            ]
            .iter()
            .any(|start| own.starts_with(start));
        if !is_frame && !matches!(line, "FAIL" | "PASS") {
            self.excerpt.push(line.strip_prefix("    ").unwrap_or(line));
        }
    }
}

struct Reader<'f> {
    found: Gathered<'f>,
    packages: HashMap<String, Package>,
    /// What compilers said, by what they compiled.
    builds: HashMap<String, Excerpt>,
}

#[derive(Default)]
struct Package {
    own: Running,
    tests: HashMap<String, Running>,
    has_failed: bool,
}

/// The most tests that run at once, and compilations that have said something.
const MOST_OPEN: usize = 100_000;

/// The tests in a log.
pub(super) fn read(path: &str, text: &str) -> Result<TestReport, Fault> {
    let mut reader = Reader {
        found: Gathered::new(path),
        packages: HashMap::new(),
        builds: HashMap::new(),
    };
    let mut open = 0;
    for (number, line) in lines(text) {
        // Before Go 1.24, failures to build are text between the events.
        if let Some(package) = line.strip_prefix("FAIL\t").and_then(|rest| {
            rest.strip_suffix(" [build failed]")
                .or(rest.strip_suffix(" [setup failed]"))
        }) {
            reader.found.push(no_build(package, number))?;
            continue;
        }
        if !line.starts_with('{') {
            continue;
        }
        match serde_json::from_str::<Event>(&line) {
            Ok(event) => open += reader.event(event, number)?,
            Err(_) => reader
                .found
                .note_at(number, "the line is cut, and was left out"),
        }
        if open > MOST_OPEN {
            let message = format!(
                "expected at most {MOST_OPEN} tests and packages to begin and not end, found more"
            );
            return Err(Fault::line(path, number, message));
        }
    }
    reader.end()
}

fn no_build(package: &str, line: usize) -> super::report::Test {
    group(vec![package.to_owned()], Status::NoBuild.into(), line).says("it could not be built")
}

impl Reader<'_> {
    /// Takes an event. Returns how many tests and packages are open that were not before.
    fn event(&mut self, event: Event, line: usize) -> Result<usize, Fault> {
        if event.action == "build-output" {
            let what = event.import_path.unwrap_or_default();
            let said = event.output.unwrap_or_default();
            let opens = usize::from(!self.builds.contains_key(&what));
            // The first line repeats the name.
            if !said.starts_with("# ") {
                self.builds.entry(what).or_default().push_all(&said);
            }
            return Ok(opens);
        }
        let Some(name) = event.package else {
            return Ok(0);
        };
        let mut opens = usize::from(!self.packages.contains_key(&name));
        let package = self.packages.entry(name.clone()).or_default();
        let ended = match event.action.as_str() {
            "pass" => Some(Outcome::PASS),
            "fail" => Some(Outcome::FAIL),
            "skip" => Some(Outcome::SKIP),
            _ => None,
        };
        match (ended, event.test) {
            (None, Some(test)) => {
                opens += usize::from(!package.tests.contains_key(&test));
                let running = package.tests.entry(test).or_default();
                running.line = line;
                running.output(event.output.as_deref().unwrap_or_default());
            }
            (None, None) => {
                package.own.line = line;
                package
                    .own
                    .output(event.output.as_deref().unwrap_or_default());
            }
            (Some(outcome), Some(own)) => {
                let running = package.tests.remove(&own).unwrap_or_default();
                package.has_failed |= outcome == Outcome::FAIL;
                // A panic ends the package, and only the output of the test shows it.
                package.own.shows = package.own.shows.or(running.shows);
                let outcome = match running.shows {
                    Some(status) if outcome == Outcome::FAIL => status.into(),
                    _ => outcome,
                };
                let mut ended = test(vec![name, own], outcome, line).took(event.elapsed);
                if outcome != Outcome::PASS {
                    ended.message = running.excerpt.into_message();
                }
                self.found.push(ended)?;
            }
            (Some(outcome), None) => {
                let package = self.packages.remove(&name).unwrap_or_default();
                let build = event
                    .failed_build
                    .and_then(|what| self.builds.remove(&what));
                self.end_package(name, package, outcome, build, event.elapsed, line)?;
            }
        }
        Ok(opens)
    }

    fn end_package(
        &mut self,
        name: String,
        mut package: Package,
        outcome: Outcome,
        build: Option<Excerpt>,
        seconds: Option<f64>,
        line: usize,
    ) -> Result<(), Fault> {
        if let Some(build) = build {
            package.own.shows = Some(Status::NoBuild);
            package.own.excerpt = build;
        }
        // A test that has begun and not ended took the package with it.
        let mut left: Vec<(String, Running)> = package.tests.into_iter().collect();
        left.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let shown = left.iter().filter_map(|(_, running)| running.shows).next();
        let shows = package.own.shows.or(shown);
        let is_cut = !left.is_empty();
        for (own, running) in left {
            let outcome = running.shows.or(shows).unwrap_or(Status::Exit);
            let message = running.excerpt.into_message();
            let ended = test(vec![name.clone(), own], outcome.into(), running.line);
            let ended = ended.says(
                message
                    .as_deref()
                    .unwrap_or("the package ended while it ran"),
            );
            self.found.push(ended)?;
        }
        let outcome = match (outcome, shows) {
            (Outcome::FAIL, Some(status)) => status.into(),
            (Outcome::FAIL, None) if is_cut || !package.has_failed => Status::Exit.into(),
            (Outcome::FAIL, None) => Outcome::PASS,
            (other, _) => other,
        };
        let mut own = group(vec![name], outcome, line).took(seconds);
        if outcome.is_as_expected() == Some(false) {
            own.message = package.own.excerpt.into_message();
        }
        self.found.push(own)
    }

    /// What the log leaves open.
    fn end(mut self) -> Result<TestReport, Fault> {
        let mut packages: Vec<(String, Package)> = self.packages.drain().collect();
        packages.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        for (name, package) in packages {
            let mut left: Vec<(String, Running)> = package.tests.into_iter().collect();
            left.sort_unstable_by(|a, b| a.0.cmp(&b.0));
            for (own, running) in left {
                let cut = test(vec![name.clone(), own], Outcome::NOLOG, running.line);
                self.found.push(cut.says(NO_END))?;
            }
            let own = group(vec![name], Outcome::NOLOG, package.own.line);
            self.found.push(own.says(NO_END))?;
        }
        self.found.finish("events of `go test -json`")
    }
}

const NO_END: &str = "the log ends before it does";

/// Whether a line is such an event.
pub(super) fn is_event(line: &str) -> bool {
    between(line, "{", "}").is_some()
        && serde_json::from_str::<Event>(line)
            .is_ok_and(|event| event.package.is_some() || event.import_path.is_some())
}
