//! JUnit's XML, as pytest, ctest, cargo-nextest, gotestsum, Maven's surefire, GoogleTest and others write it.
//!
//! There is no standard. Read is what all of them share: `testsuite` within `testsuites` or another `testsuite`,
//! `testcase`, and in it `failure`, `error` and `skipped`. Surefire and nextest also report the executions of a test that
//! was retried: `flakyFailure` and `flakyError` are those before it passed, `rerunFailure` and `rerunError` those after
//! its first failure. Each is a test of its own here.

use perflab_experiment::{Outcome, Status};

use super::excerpt::Excerpt;
use super::gathered::{Gathered, group, test};
use super::report::{Kind, Test, TestReport};
use super::text;
use super::xml::{Attributes, Event, NoXml, Reader};
use super::xml_references::beginning;
use crate::fault::Fault;

/// The most executions of one test, and the most suites within each other.
const MOST_FINDINGS: usize = 1000;
const DEEPEST: usize = 60;

/// What a report says of an execution that did not simply pass.
struct Finding {
    element: Element,
    kind: String,
    message: String,
    seconds: Option<f64>,
    text: Excerpt,
}

#[derive(Clone, Copy, PartialEq)]
enum Element {
    Failure,
    Error,
    Skipped,
}

/// Whether an execution came before the one that the case reports, is that one, or came after it.
#[derive(Clone, Copy, PartialEq)]
enum When {
    Before,
    Now,
    After,
}

fn known(element: &str) -> Option<(Element, When)> {
    match element {
        "failure" => Some((Element::Failure, When::Now)),
        "error" => Some((Element::Error, When::Now)),
        "skipped" => Some((Element::Skipped, When::Now)),
        "flakyFailure" => Some((Element::Failure, When::Before)),
        "flakyError" => Some((Element::Error, When::Before)),
        "rerunFailure" => Some((Element::Failure, When::After)),
        "rerunError" => Some((Element::Error, When::After)),
        _ => None,
    }
}

/// A case that is being read.
struct Case {
    name: Vec<String>,
    line: usize,
    seconds: Option<f64>,
    /// What ctest and GoogleTest say in attributes.
    status: String,
    is_left_out: bool,
    findings: Vec<(When, Finding)>,
    output: Excerpt,
}

/// The tests in a document.
pub(super) fn read(path: &str, text: &str) -> Result<TestReport, Fault> {
    let no_xml = |fault: NoXml| {
        let message = format!("expected JUnit's XML, but {}", fault.message);
        Fault::line(path, fault.line, message)
    };
    let mut found = Gathered::new(path);
    let mut suites: Vec<String> = Vec::new();
    let mut case: Option<Case> = None;
    let mut reader = Reader::new(text);
    while let Some(event) = reader.next().map_err(no_xml)? {
        match event {
            Event::Start {
                name,
                attributes,
                line,
            } => match (name, &mut case) {
                ("testsuite", None) => {
                    if suites.len() >= DEEPEST {
                        let message =
                            format!("expected at most {DEEPEST} suites within each other");
                        return Err(Fault::line(path, line, message));
                    }
                    let name = attributes.get("name").unwrap_or_default();
                    // What ctest calls a build without a name.
                    let name = Some(name.trim()).filter(|name| *name != "(empty)");
                    suites.push(name.unwrap_or_default().to_owned());
                }
                ("testcase", None) => case = Some(begun(&suites, &attributes, line)),
                (_, Some(case)) => case.begin(name, &attributes),
                (_, None) => {}
            },
            Event::Text(raw) => say(&mut case, reader.open(), &beginning(raw)),
            Event::Cdata(text) => {
                let end = text.floor_char_boundary(1 << 14);
                say(&mut case, reader.open(), text.get(..end).unwrap_or(text));
            }
            Event::End { name: "testcase" } => {
                if let Some(case) = case.take() {
                    end(case, &mut found)?;
                }
            }
            Event::End { name: "testsuite" } if case.is_none() => {
                suites.pop();
            }
            Event::End { .. } => {}
        }
    }
    found.finish("elements `testcase`")
}

fn begun(suites: &[String], attributes: &Attributes<'_>, line: usize) -> Case {
    let of = |name| attributes.get(name).unwrap_or_default().trim().to_owned();
    let (class, own) = (of("classname"), of("name"));
    let mut name = suites.to_vec();
    if class != own && name.last() != Some(&class) {
        name.push(class);
    }
    name.push(own);
    let status = of("status");
    let is_left_out = matches!(status.as_str(), "notrun" | "disabled" | "skipped")
        || matches!(of("result").as_str(), "suppressed" | "skipped");
    Case {
        name,
        line,
        // Surefire puts commas between thousands.
        seconds: text::seconds(&of("time").replace(',', "")),
        status,
        is_left_out,
        findings: Vec::new(),
        output: Excerpt::default(),
    }
}

impl Case {
    fn begin(&mut self, name: &str, attributes: &Attributes<'_>) {
        let Some((element, when)) = known(name) else {
            return;
        };
        if self.findings.len() >= MOST_FINDINGS {
            return;
        }
        let of = |name| attributes.get(name).unwrap_or_default().into_owned();
        let finding = Finding {
            element,
            kind: of("type"),
            message: of("message"),
            seconds: text::seconds(&of("time").replace(',', "")),
            text: Excerpt::default(),
        };
        self.findings.push((when, finding));
    }
}

/// Puts text where it belongs: to the finding that it is directly in, or to what the test printed.
fn say(case: &mut Option<Case>, open: &[&str], text: &str) {
    let Some(case) = case else {
        return;
    };
    match open {
        [.., parent, "stackTrace"] | [.., parent] if known(parent).is_some() => {
            if let Some((_, finding)) = case.findings.last_mut() {
                for line in text.lines().filter(|line| !is_frame(line)) {
                    finding.text.push(line);
                }
            }
        }
        [.., "testcase", "system-out" | "system-err"] => case.output.push_all(text),
        _ => {}
    }
}

fn end(case: Case, found: &mut Gathered<'_>) -> Result<(), Fault> {
    let (mut before, mut now, mut after) = (Vec::new(), Vec::new(), Vec::new());
    for (when, finding) in case.findings {
        match when {
            When::Before => before.push(finding),
            When::Now => now.push(finding),
            When::After => after.push(finding),
        }
    }
    let own = |finding: Finding, seconds, output: Excerpt| -> Test {
        if let Some(package) = of_gotestsum(&case.name, &finding, case.line) {
            return package;
        }
        let (outcome, kind) = ended(&finding, &case.status);
        let output = match outcome.is_as_expected() {
            Some(false) => output,
            _ => Excerpt::default(),
        };
        let message = said(finding, output);
        let mut own = match kind {
            Kind::Test => test(case.name.clone(), outcome, case.line),
            Kind::Group => group(case.name.clone(), outcome, case.line),
        };
        own.seconds = seconds;
        own.message = message;
        own
    };
    for finding in before {
        let seconds = finding.seconds;
        found.push(own(finding, seconds, Excerpt::default()))?;
    }
    // A test that failed and could not be cleaned up has both; the worse counts.
    let worst = now
        .into_iter()
        .max_by_key(|finding| ended(finding, &case.status).0);
    found.push(match worst {
        Some(finding) => own(finding, case.seconds, case.output),
        None if case.is_left_out => test(case.name.clone(), Outcome::SKIP, case.line),
        None => test(case.name.clone(), Outcome::PASS, case.line).took(case.seconds),
    })?;
    for finding in after {
        let seconds = finding.seconds;
        found.push(own(finding, seconds, Excerpt::default()))?;
    }
    Ok(())
}

/// How an execution ended, and whether it was one of a test.
fn ended(finding: &Finding, status: &str) -> (Outcome, Kind) {
    let (kind, message) = (finding.kind.as_str(), finding.message.as_str());
    let outcome = match finding.element {
        // The words of nextest.
        Element::Failure if kind.starts_with("test abort") => Status::Signal.into(),
        Element::Failure if kind.starts_with("test timeout") => Status::Timeout.into(),
        Element::Failure => Outcome::FAIL,
        Element::Error if kind.starts_with("execution failure") => Status::NoRun.into(),
        // Those of pytest.
        Element::Error if message == "collection failure" => {
            return (Status::NoRun.into(), Kind::Group);
        }
        Element::Error if message.starts_with("failed on setup") => Status::NoRun.into(),
        Element::Error if message.starts_with("failed on teardown") => Outcome::NOCLEAN,
        // A defect that no check of the test looked for.
        Element::Error => Status::Exit.into(),
        Element::Skipped if kind == "pytest.xfail" => Outcome::XFAIL,
        // ctest has one word for a test that did not want to run and for one that could not; the former says by what.
        Element::Skipped if status == "notrun" && !message.starts_with("SKIP_") => {
            Status::NoRun.into()
        }
        Element::Skipped => Outcome::SKIP,
    };
    (outcome, Kind::Test)
}

/// A package of Go that failed as a whole: gotestsum makes it a test `TestMain` without a class, so that the name is that
/// of the suite and this.
fn of_gotestsum(name: &[String], finding: &Finding, line: usize) -> Option<Test> {
    let [suite @ .., class, own] = name else {
        return None;
    };
    if finding.message != GOTESTSUM || own != "TestMain" || !class.is_empty() {
        return None;
    }
    let text = finding.text.clone().into_message().unwrap_or_default();
    let status = match () {
        () if text.contains("[build failed]") || text.contains("[setup failed]") => Status::NoBuild,
        () if text.starts_with("panic: test timed out") => Status::Timeout,
        () => Status::Exit,
    };
    Some(group(suite.to_vec(), status.into(), line).says(&text))
}

/// The message that gotestsum gives to each failure.
const GOTESTSUM: &str = "Failed";

/// What gotestsum repeats of the output of Go, with the name that the test has anyway.
fn is_frame(line: &str) -> bool {
    ["=== RUN ", "--- FAIL: ", "--- SKIP: "]
        .iter()
        .any(|start| line.starts_with(start))
}

/// The message of the element, else its text, else what the test printed.
fn said(finding: Finding, output: Excerpt) -> Option<String> {
    let mut message = Excerpt::default();
    for line in finding.message.lines().filter(|line| !is_frame(line)) {
        message.push(line);
    }
    let message = message.into_message();
    message
        .filter(|message| message != GOTESTSUM)
        .or_else(|| finding.text.into_message())
        .or_else(|| output.into_message())
}
