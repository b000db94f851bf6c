//! The events that libtest writes as JSON, and that nextest writes alike.

use perflab_experiment::{Outcome, Status};
use serde::Deserialize;

/// One event; members of other kinds are passed over.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Event {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    event: String,
    #[serde(default)]
    name: String,
    pub(super) exec_time: Option<f64>,
    stdout: Option<String>,
    message: Option<String>,
    reason: Option<String>,
    test_count: Option<u64>,
}

/// What an event says.
#[derive(Debug, PartialEq)]
pub(super) enum Said {
    SuiteBegan(u64),
    SuiteEnded,
    TestBegan(String),
    TestEnded {
        /// The program, where the name has it, as nextest writes it.
        program: Option<String>,
        name: String,
        outcome: Outcome,
        /// How often the test was executed before, without success.
        before: u32,
    },
}

/// The most executions that are believed.
const MOST: u32 = 1000;

impl Event {
    /// The event in a line, if it is one.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let own: Self = serde_json::from_str(line).ok()?;
        matches!(own.kind.as_str(), "suite" | "test").then_some(own)
    }

    /// What it says, if it counts.
    pub(super) fn said(&self) -> Option<Said> {
        let ended = |outcome| {
            let (program, name, before) = parts(&self.name);
            Some(Said::TestEnded {
                program,
                name,
                outcome,
                before,
            })
        };
        match (self.kind.as_str(), self.event.as_str()) {
            ("suite", "started") => Some(Said::SuiteBegan(self.test_count.unwrap_or_default())),
            ("suite", "ok" | "failed") => Some(Said::SuiteEnded),
            ("test", "started") => Some(Said::TestBegan(parts(&self.name).1)),
            ("test", "ok") => ended(Outcome::PASS),
            ("test", "failed") if self.reason.as_deref() == Some("time limit exceeded") => {
                ended(Status::Timeout.into())
            }
            ("test", "failed") => ended(Outcome::FAIL),
            ("test", "ignored") => ended(Outcome::SKIP),
            _ => None,
        }
    }

    /// What a test said.
    pub(super) fn text(&self) -> &str {
        let texts = [&self.message, &self.stdout, &self.reason];
        let mut texts = texts.into_iter().flatten();
        texts
            .find(|text| !text.is_empty())
            .map_or("", String::as_str)
    }
}

/// The program, the test and how often it was tried before, of `sums::whole$fails_first#2`. Of the program of a library,
/// `sums::sums`, nextest says elsewhere only `sums`.
fn parts(name: &str) -> (Option<String>, String, u32) {
    let Some((program, test)) = name.split_once('$') else {
        return (None, name.to_owned(), 0);
    };
    let program = match program.split_once("::") {
        Some((package, own)) if package.replace('-', "_") == own => package,
        _ => program,
    };
    let (test, tries) = match test.rsplit_once('#') {
        Some((test, tries)) => (test, tries.parse().unwrap_or(1)),
        None => (test, 1_u32),
    };
    let before = tries.saturating_sub(1).min(MOST);
    (Some(program.to_owned()), test.to_owned(), before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_nextest_have_a_program_and_a_number() {
        let named =
            |program: &str, test: &str, before| (Some(program.to_owned()), test.to_owned(), before);
        assert_eq!(
            parts("sums::whole$fails_first#2"),
            named("sums::whole", "fails_first", 1)
        );
        assert_eq!(parts("a-b::a_b$c::d"), named("a-b", "c::d", 0));
        assert_eq!(parts("a$b#99999"), named("a", "b", MOST));
        assert_eq!(parts("tests::adds"), (None, "tests::adds".to_owned(), 0));
    }

    #[test]
    fn other_objects_are_no_events() {
        for other in ["{}", "{\"type\": \"bench\"}", "[]", "{", "{\"type\": 1}"] {
            assert!(Event::parse(other).is_none(), "{other}");
        }
        let timeout = r#"{"type": "test", "event": "timeout", "name": "a"}"#;
        assert_eq!(Event::parse(timeout).and_then(|event| event.said()), None);
    }
}
