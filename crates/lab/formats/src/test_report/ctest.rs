//! What `ctest` prints: a line for each test, its output before it with `-V`, or behind it with `--output-on-failure`.
//!
//! An exit code other than 0 is how a test of ctest says that it failed.

use std::collections::HashMap;

use perflab_experiment::{Outcome, Status};

use super::excerpt::Excerpt;
use super::gathered::{Gathered, group, test};
use super::report::TestReport;
use super::text::{between, lines, seconds};
use crate::fault::Fault;

/// The most tests whose output is kept until they end.
const MOST_OPEN: usize = 1000;

/// The most places in a name where dots are looked for.
const MOST_DOTS: usize = 100;

/// The result of a test.
#[derive(Debug, PartialEq)]
struct Ended<'l> {
    number: u64,
    name: &'l str,
    outcome: Outcome,
    reason: &'l str,
    seconds: Option<f64>,
}

/// The tests in a log.
pub(super) fn read(path: &str, text: &str) -> Result<TestReport, Fault> {
    let mut found = Gathered::new(path);
    let mut before: HashMap<u64, Excerpt> = HashMap::new();
    let (mut last, mut behind) = (None, Excerpt::default());
    let (mut begins, mut total, mut end) = (false, None, 0);
    for (number, line) in lines(text) {
        end = number;
        if let Some(own) = ended(&line) {
            let said = before.remove(&own.number).and_then(Excerpt::into_message);
            let is_bad = own.outcome.is_as_expected() == Some(false);
            let message = match (own.reason, said) {
                ("", Some(said)) if is_bad => said,
                (reason, _) => reason.to_owned(),
            };
            let place = found.len();
            let own = test(vec![own.name.to_owned()], own.outcome, number).took(own.seconds);
            found.push(own.says(&message))?;
            last = (is_bad && message.is_empty() && found.len() > place).then_some(place);
            behind = Excerpt::default();
            continue;
        }
        if let Some((own, said)) = output(&line) {
            if before.len() < MOST_OPEN || before.contains_key(&own) {
                before.entry(own).or_default().push(said);
            }
            continue;
        }
        begins |= line.starts_with("Test project ");
        total = total.or_else(|| total_time(&line).map(|time| (number, time)));
        let is_frame = line.trim_start().starts_with("Start ")
            || total.is_some()
            || line.contains("% tests passed");
        match last.and_then(|place| found.get_mut(place)) {
            // Behind each output there is a blank line.
            Some(_) if is_frame || line.is_empty() => last = None,
            Some(own) => {
                behind.push(&line);
                own.message = behind.clone().into_message();
            }
            None => {}
        }
    }
    match total {
        Some((line, time)) => found.push(group(Vec::new(), Outcome::PASS, line).took(time))?,
        None if begins => {
            let message = "the log has no total time, so that its end is missing";
            found.push(group(Vec::new(), Outcome::NOLOG, end).says(message))?;
        }
        None => {}
    }
    found.finish("lines `Test #1: NAME ... Passed` of ctest")
}

/// The time behind all tests.
fn total_time(line: &str) -> Option<Option<f64>> {
    Some(between(line, "Total Test time (real) =", " sec").and_then(seconds))
        .filter(|_| line.starts_with("Total Test time (real) ="))
}

/// `7: text`, of the test with this number.
fn output(line: &str) -> Option<(u64, &str)> {
    let (number, said) = line.split_once(": ")?;
    let number = number.parse().ok()?;
    let is_frame = [
        "Test command:",
        "Working Directory:",
        "Test timeout computed",
    ]
    .iter()
    .any(|start| said.starts_with(start));
    Some((number, if is_frame { "" } else { said }))
}

/// The result in a line ` 3/13 Test  #3: NAME .......Subprocess aborted***Exception:   0.64 sec`.
fn ended(line: &str) -> Option<Ended<'_>> {
    let (counted, rest) = line.split_once("Test")?;
    let is_counted = counted
        .bytes()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b' ' | b'/'));
    let (number, rest) = rest.trim_start().strip_prefix('#')?.split_once(": ")?;
    if !is_counted {
        return None;
    }
    let number = number.parse().ok()?;
    let (name, status) = parted(rest)?;
    let (status, time) = match status
        .strip_suffix(" sec")
        .and_then(|own| own.rsplit_once(' '))
    {
        Some((status, time)) => (status.trim_end(), seconds(time)),
        None => (status, None),
    };
    let (outcome, reason) = outcome(status);
    Some(Ended {
        number,
        name,
        outcome,
        reason,
        seconds: time,
    })
}

/// The name before the dots that fill its column, and what is behind them. A name may have dots too.
fn parted(rest: &str) -> Option<(&str, &str)> {
    let mut from = 0;
    for _ in 0..MOST_DOTS {
        let at = from + rest.get(from..)?.find(" ...")?;
        let status = rest[at..].trim_start_matches([' ', '.']);
        let before = status.split_once("***").map(|(before, _)| before);
        if status.starts_with("Passed") || before.is_some_and(|text| !text.contains('.')) {
            return Some((&rest[..at], status));
        }
        from = rest.len() - status.len();
    }
    None
}

/// What a status says, and the rest of it.
fn outcome(status: &str) -> (Outcome, &str) {
    if status.starts_with("Passed") {
        return (Outcome::PASS, "");
    }
    let (before, kind) = status.split_once("***").unwrap_or(("", status));
    let rest = |start: &str| kind.strip_prefix(start).map(str::trim);
    if rest("Timeout").is_some() {
        (Status::Timeout.into(), "")
    } else if let Some(what) = rest("Exception:") {
        (
            Status::Signal.into(),
            if what.is_empty() { before } else { what },
        )
    } else if let Some(why) = rest("Not Run") {
        let why = why.trim_matches(['(', ')']);
        match why {
            "Disabled" => (Outcome::SKIP, why),
            _ => (Status::NoRun.into(), why),
        }
    } else if rest("Skipped").is_some() {
        (Outcome::SKIP, "")
    } else {
        (Outcome::FAIL, rest("Failed").unwrap_or(kind))
    }
}

/// Whether a line is the result of a test.
pub(super) fn is_result(line: &str) -> bool {
    ended(line).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_have_dots() {
        let found =
            ended(" 1/13 Test  #1: a ... b.c .......***Failed    0.03 sec").expect("it is one");
        assert_eq!(
            (found.number, found.name, found.seconds),
            (1, "a ... b.c", Some(0.03))
        );
        let again = ended("    Test #2: adds wrongly .....................***Failed    0.01 sec")
            .expect("it is one");
        assert_eq!((again.name, again.outcome), ("adds wrongly", Outcome::FAIL));
        for other in [
            "",
            "Test #",
            "Test #x: a ... Passed",
            "My Test #1: a ...   Passed 1 sec",
            "1/1 Test #1: a ... what",
        ] {
            assert_eq!(ended(other), None, "{other}");
        }
    }
}
