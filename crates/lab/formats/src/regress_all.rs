//! The results of regress-all's `perform`: a tree of files `test.result`.
//!
//! ```text
//! RUN/CHECKOUT/[patch-NAME.N/][modify-NAME.N/]REPEAT/test.result
//! ```
//!
//! A file has lines `VALUE number unit name`, and behind the values of a test its status,
//! `STATUS test message`. Each test of each repeat is a run; its name is the benchmark, and the names of
//! its values are metrics. What differs from checkout to checkout is the variant.

use crate::fault::{Fault, shown};
use crate::run::{Contents, File, Run, direction, sample};

/// The name of the files.
pub(crate) const FILE: &str = "test.result";

/// The words of lines that have no status.
pub(crate) const START: &str = "START";
pub(crate) const VALUE: &str = "VALUE";

/// A line's first word, which is in capitals, and what follows it. `perform.pl` puts a blank between them, `regress.pl` a
/// tab.
pub(crate) fn split(line: &str) -> Option<(&str, &str)> {
    let (word, rest) = line.split_once([' ', '\t'])?;
    let is_word = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_uppercase());
    is_word.then_some((word, rest))
}

/// The runs in the files of a tree, or in one of them.
///
/// # Errors
/// A line `VALUE` without a finite number, a unit and a name, with its line; no value at all.
pub fn read(files: &[File]) -> Result<Contents, Fault> {
    let mut contents = Contents::default();
    for file in files
        .iter()
        .filter(|file| files.len() == 1 || is_result(&file.path))
    {
        if file.path.split('/').any(|name| name.starts_with("btrace")) {
            contents
                .notes
                .push(format!("{} was left out: it was profiled", file.path));
            continue;
        }
        one(file, &mut contents)?;
    }
    let path = files.first().map_or(FILE, |file| file.path.as_str());
    contents.not_empty(
        path,
        "expected lines `VALUE number unit name` before a line `PASS test`, found none",
    )
}

fn is_result(path: &str) -> bool {
    path.rsplit('/').next() == Some(FILE)
}

fn one(file: &File, contents: &mut Contents) -> Result<(), Fault> {
    let text = String::from_utf8_lossy(&file.bytes);
    let variant = variant(&file.path);
    let mut values: Vec<(f64, &str, &str)> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let Some((word, rest)) = split(line) else {
            continue;
        };
        if word == VALUE {
            values.push(value(rest).ok_or_else(|| {
                Fault::line(
                    &file.path,
                    number,
                    format!("expected `VALUE number unit name`, found `{}`", shown(line)),
                )
            })?);
            continue;
        }
        let test = rest.split_whitespace().next().unwrap_or_default();
        let own = std::mem::take(&mut values);
        // A start has no values yet, and is none of the statuses.
        if word == START {
            continue;
        }
        if word != "PASS" {
            contents.notes.push(format!(
                "{}:{number}: {} did not pass ({word}) and was left out",
                file.path,
                shown(test)
            ));
            continue;
        }
        if own.is_empty() {
            continue;
        }
        contents.runs.push(Run {
            at: format!("{} line {number}", file.path),
            variant: variant.clone(),
            samples: own
                .into_iter()
                .map(|(value, unit, name)| sample(Some(test), name, unit, direction(unit), value))
                .collect(),
            ..Run::default()
        });
    }
    if !values.is_empty() {
        contents.notes.push(format!(
            "{}: the values at its end were left out: no status follows them",
            file.path
        ));
    }
    Ok(())
}

fn value(rest: &str) -> Option<(f64, &str, &str)> {
    let mut words = rest.trim_start().splitn(3, ' ');
    let number: f64 = words.next()?.parse().ok()?;
    let unit = words.next()?;
    let name = words.next()?.trim();
    (number.is_finite() && !unit.is_empty() && !name.is_empty()).then_some((number, unit, name))
}

/// Checkout, patches and modifications: what lies between the run's directory and the repeat's.
fn variant(path: &str) -> Option<String> {
    let mut names: Vec<&str> = path.split('/').collect();
    names.pop();
    if names.last().is_some_and(|name| is_repeat(name)) {
        names.pop();
    }
    let first = names.iter().rposition(|name| is_date(name))?;
    names.get(first..).map(|names| names.join("/"))
}

/// A repeat has three digits.
fn is_repeat(name: &str) -> bool {
    name.len() == 3 && name.bytes().all(|byte| byte.is_ascii_digit())
}

/// A run or a checkout is named by its time, `2026-11-21T00:00:00Z`.
fn is_date(name: &str) -> bool {
    name.len() == 20
        && name
            .bytes()
            .zip("dddd-dd-ddTdd:dd:ddZ".bytes())
            .all(|(byte, pattern)| match pattern {
                b'd' => byte.is_ascii_digit(),
                _ => byte == pattern,
            })
}
