//! Expressions, events and LTTng's answers: each rule of the language with the place that states it.
//!
//! Each way to evaluate a filter is a column, and all columns must give the same answers.

mod documented;
mod rules;
mod texts;

use perflab_filter::{Checked, Fields, check, parse};

use crate::executed::{by_interpreter, by_native, by_oracle};
use crate::naive::{self, Answer, Argument, Event, Value};

/// A rule, and expressions that are answered otherwise without it.
pub struct Rule {
    pub says: &'static str,
    /// A document, or a file of the sources of lttng-tools or lttng-ust.
    pub source: &'static str,
    /// Expression, event and answer. The event is as [`event`] reads it.
    pub vectors: &'static [(&'static str, &'static str, Answer)],
}

/// A way to evaluate a filter.
type Column = fn(&str, &Event) -> Answer;

const COLUMNS: &[(&str, Column)] = &[
    ("naive", naive::answer),
    ("eBPF", by_oracle),
    ("interpreter", by_interpreter),
    ("native code", by_native),
];

pub fn all() -> impl Iterator<Item = &'static Rule> {
    let rules = documented::RULES.iter().chain(rules::RULES);
    rules.chain(texts::RULES)
}

/// What is wrong with the answers of `column`: it gives one, and what there is to say about it.
fn wrong(
    column: &str,
    expected: impl Fn(Answer) -> Option<Answer>,
    answer: impl Fn(&str, &Event) -> (Option<Answer>, String),
) -> Vec<String> {
    let mut wrong = Vec::new();
    for rule in all() {
        for &(text, fields, documented) in rule.vectors {
            let (got, shown) = answer(text, &event(fields));
            if got != expected(documented) {
                let (says, source) = (rule.says, rule.source);
                wrong.push(format!(
                    "{column}: {got:?}, not {documented:?}: {text}\n{shown}event: {fields}\n{says} ({source})\n"
                ));
            }
        }
    }
    wrong
}

#[test]
fn every_column_answers_as_lttng_does() {
    for (column, answer) in COLUMNS {
        let answer = |text: &str, event: &Event| (Some(answer(text, event)), String::new());
        let wrong = wrong(column, Some, answer);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

/// What is a filter for this probe, what lacks a name, and what is none at all.
#[test]
fn the_crate_tells_filters_from_others() {
    let answer = |text: &str, event: &Event| match checked(text, event) {
        Ok(_) => (None, String::new()),
        Err((got, shown)) => (Some(got), shown + "\n"),
    };
    let is_refused = |answer: Answer| matches!(answer, Answer::Missing | Answer::Refused);
    let wrong = wrong(
        "check",
        |answer| is_refused(answer).then_some(answer),
        answer,
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What the crate makes of `text` as a filter for events like this one: [`Answer::Missing`] or [`Answer::Refused`] if it
/// is none, with what the crate says.
pub fn checked(text: &str, event: &Event) -> Result<Checked, (Answer, String)> {
    let Ok(fields) = Fields::new(event.fields()) else {
        panic!("a type is unknown: {event:?}");
    };
    let problem = match parse(text) {
        Ok(tree) => match check(&tree, &fields) {
            Ok(checked) => return Ok(checked),
            Err(problem) => problem,
        },
        Err(problem) => problem,
    };
    let kind = if problem.is_missing() {
        Answer::Missing
    } else {
        Answer::Refused
    };
    Err((kind, problem.shown(text)))
}

/// Reads an event: `TYPE NAME=VALUE` for each argument, separated by `; `. Text is as it stands, but `\0` is a zero;
/// bytes are decimal with commas; `null` is an absent text. `$ctx.NAME=VALUE` replaces what is usual there.
pub fn event(text: &str) -> Event {
    let mut event = Event::new(Vec::new());
    for part in text.split("; ").filter(|part| !part.is_empty()) {
        let (what, value) = part.rsplit_once('=').expect("a part has a value");
        if let Some(context) = what.strip_prefix("$ctx.") {
            let mut known = event.context.iter_mut();
            let known = known.find(|(name, _)| *name == context);
            let (_, known) = known.expect("the name of a context");
            *known = match known {
                Value::Text(_) => self::value("cstr", value),
                _ => self::value("i64", value),
            };
            continue;
        }
        let (kind, name) = what.rsplit_once(' ').expect("a type and a name");
        let (value, kind, name) = (self::value(kind, value), kind.into(), name.into());
        event.arguments.push(Argument { kind, name, value });
    }
    event
}

fn value(kind: &str, text: &str) -> Value {
    match kind {
        "f32" => Value::Double(text.parse::<f32>().expect("a number").into()),
        "f64" => Value::Double(text.parse().expect("a number")),
        "cstr" | "str" | "bytes" if text == "null" => Value::Text(None),
        "cstr" | "str" => Value::Text(Some(text.replace(r"\0", "\0").into_bytes())),
        "bytes" => {
            let bytes = text.split(',').filter(|byte| !byte.is_empty());
            Value::Text(Some(
                bytes.map(|byte| byte.parse().expect("a byte")).collect(),
            ))
        }
        "u64" | "ptr" => Value::Integer(text.parse::<u64>().expect("a number") as i64),
        _ => Value::Integer(text.parse().expect("a number")),
    }
}
