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

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use perflab_drivers::{Driver, Generic, Output, Rule, Source, Stream, Usage};
use perflab_experiment::Better;
use perflab_fuzz::first_line;

/// Regular expressions are the user's own, and may be slow ones: these are not.
const PATTERNS: [&str; 5] = [
    "([0-9.]+)",
    "^rate: (\\S+)$",
    "(?<value>[^,\n]*),(\\w*)",
    "x|(.)",
    "(?s)^(?:.*\n)?total\\s+(.*?)\\s",
];

fuzz_target!(|input: &[u8]| -> Corpus {
    let (settings, stdout) = first_line(input);
    let Some(rule) = std::str::from_utf8(settings).ok().and_then(rule) else {
        return Corpus::Reject;
    };
    let (all, every_name) = (rule.all, rule.name == "*");
    let Ok(driver) = Generic::new(vec![rule]) else {
        return Corpus::Keep;
    };
    let output = Output { stdout, stderr: b"", usage: Usage::default() };
    match driver.read(&output) {
        Ok(samples) => {
            assert!(!samples.is_empty());
            assert!(samples.iter().all(|sample| sample.value.is_finite()));
            assert!(all || every_name || samples.len() == 1);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    Corpus::Keep
});

fn rule(settings: &str) -> Option<Rule> {
    let kind = settings.chars().next()?;
    let text = settings[kind.len_utf8()..].to_owned();
    let mut rule = Rule {
        name: "m".to_owned(),
        unit: "s".to_owned(),
        better: Better::Lower,
        part: None,
        stream: Stream::Stdout,
        source: Source::Values,
        all: kind.is_ascii_uppercase(),
        scale: 1000.0,
    };
    match kind.to_ascii_lowercase() {
        'r' => {
            let index = text.parse::<usize>().ok()?;
            rule.source = Source::Regex((*PATTERNS.get(index)?).to_owned());
        }
        'j' => rule.source = Source::JsonPointer(text),
        'c' => rule.source = Source::CsvColumn(text),
        _ => {
            let (unit, name) = text.split_once(' ').unwrap_or(("", "*"));
            (rule.unit, rule.name, rule.scale) = (unit.to_owned(), name.to_owned(), 1.0);
        }
    }
    Some(rule)
}
