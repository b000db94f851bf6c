//! Which format a test report has, by its content.

use super::format::TestFormat;
use super::libtest::Event;
use super::tap_line::{Line, parse};
use super::text::{between, lines};
use super::xml;
use super::{cargo_names, ctest, go_test, prove, pytest, result_lines};
use crate::run::{File, without_mark};

/// The format of a report; nothing if it looks like none.
///
/// The first line that only one format has decides. Lines of results alone are taken for those of the laboratory if every
/// line of the file is one.
pub fn detect_tests(file: &File) -> Option<TestFormat> {
    let text = String::from_utf8_lossy(without_mark(&file.bytes));
    if text.trim_start().starts_with('<') {
        return is_junit(&text).then_some(TestFormat::Junit);
    }
    let mut are_results = true;
    let mut any = false;
    for (_, line) in lines(&text) {
        if let Some(format) = of_line(&line) {
            return Some(format);
        }
        if !line.trim().is_empty() && !line.starts_with('#') {
            any = true;
            are_results &= result_lines::is_line(&line);
        }
    }
    (any && are_results).then_some(TestFormat::ResultLines)
}

/// Whether the first element is one of JUnit.
fn is_junit(text: &str) -> bool {
    let mut reader = xml::Reader::new(text.trim_start());
    matches!(
        reader.next(),
        Ok(Some(xml::Event::Start {
            name: "testsuites" | "testsuite",
            ..
        }))
    )
}

fn of_line(line: &str) -> Option<TestFormat> {
    if line.starts_with('{') {
        return match go_test::is_event(line) {
            true => Some(TestFormat::GoTest),
            false => Event::parse(line).map(|_| TestFormat::CargoTest),
        };
    }
    let trimmed = line.trim_start();
    if trimmed.starts_with("Nextest run ID ") {
        return Some(TestFormat::Nextest);
    }
    let is_count = |end| {
        let count = between(line, "running ", end);
        count.is_some_and(|count| count.parse::<u64>().is_ok())
    };
    if is_count(" tests")
        || is_count(" test")
        || cargo_names::program(line).is_some()
        || cargo_names::not_built(line, 0).is_some()
    {
        return Some(TestFormat::CargoTest);
    }
    if line.starts_with("Test project ") || ctest::is_result(line) {
        return Some(TestFormat::Ctest);
    }
    if pytest::is_frame(line) {
        return Some(TestFormat::Pytest);
    }
    // `ok` alone, and `not ok` with words behind it, may be in any text.
    let is_tap = match parse(line) {
        Line::Version | Line::Plan { .. } | Line::BailOut(_) => true,
        Line::Point(point) => point.number.is_some(),
        _ => matches!(prove::parse(line), Some(prove::Line::File(name, _)) if name.ends_with(".t")),
    };
    is_tap.then_some(TestFormat::Tap)
}
