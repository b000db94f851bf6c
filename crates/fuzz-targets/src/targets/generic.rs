//! Any bytes as the output of any tool. The first line is the rule that reads the rest:
//!
//! | first letter | rule | what follows |
//! |---|---|---|
//! | `r` | regular expression | a digit that chooses one |
//! | `j` | JSON pointer | the pointer |
//! | `c` | CSV column | its name or number |
//! | any other | `VALUE` lines | unit and name, or nothing for all names |
//!
//! A capital letter says that each match is a sample.

use std::sync::LazyLock;

use perflab_drivers::generic::EVERY_NAME;
use perflab_drivers::{Driver, Generic, Output, Rule, Source, Stream, Usage};
use perflab_experiment::Better;

use crate::shared::first_line;

/// Regular expressions are the user's own, and may be slow ones: these are not.
const PATTERNS: [&str; 5] = [
    "([0-9.]+)",
    "^rate: (\\S+)$",
    "(?<value>[^,\n]*),(\\w*)",
    "x|(.)",
    "(?s)^(?:.*\n)?total\\s+(.*?)\\s",
];

/// Each pattern, for one match and for all. Made once: that takes longer than any reading.
static BY_PATTERN: LazyLock<Vec<[Generic; 2]>> = LazyLock::new(|| {
    let driver = |pattern: &str, all| {
        let rule = rule("m", "s", Source::Regex(pattern.to_owned()), all);
        Generic::new(vec![rule]).expect("the pattern is sound")
    };
    PATTERNS
        .iter()
        .map(|pattern| [driver(pattern, false), driver(pattern, true)])
        .collect()
});

/// Whether the input is worth keeping in a corpus.
pub fn run(input: &[u8]) -> bool {
    let (options, output) = first_line(input);
    let Ok(options) = std::str::from_utf8(options) else {
        return false;
    };
    let mut letters = options.chars();
    let Some(kind) = letters.next() else {
        return false;
    };
    let (text, all) = (letters.as_str(), kind.is_ascii_uppercase());
    let rule = match kind.to_ascii_lowercase() {
        'r' => {
            let drivers = text
                .parse()
                .ok()
                .and_then(|index: usize| BY_PATTERN.get(index));
            let Some(drivers) = drivers else {
                return false;
            };
            read(&drivers[usize::from(all)], output, !all);
            return true;
        }
        'j' => rule("m", "s", Source::JsonPointer(text.to_owned()), all),
        'c' => rule("m", "s", Source::CsvColumn(text.to_owned()), all),
        _ => {
            let (unit, name) = text.split_once(' ').unwrap_or(("", EVERY_NAME));
            Rule {
                scale: 1.0,
                ..rule(name, unit, Source::Values, all)
            }
        }
    };
    let single = !all && rule.name != EVERY_NAME;
    match Generic::new(vec![rule]) {
        Ok(driver) => read(&driver, output, single),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    true
}

fn rule(name: &str, unit: &str, source: Source, all: bool) -> Rule {
    Rule {
        name: name.to_owned(),
        unit: unit.to_owned(),
        better: Better::Lower,
        benchmark: None,
        stream: Stream::Stdout,
        source,
        all,
        scale: 1000.0,
        combine: None,
    }
}

fn read(driver: &Generic, stdout: &[u8], single: bool) {
    match driver.read(&Output {
        stdout,
        stderr: b"",
        usage: Usage::default(),
    }) {
        Ok(samples) => {
            assert!(!samples.is_empty());
            assert!(samples.iter().all(|sample| sample.value.is_finite()));
            assert!(!single || samples.len() == 1);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
