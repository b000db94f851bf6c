//! The laboratory's own lines of results, which are those of regress-all's `test.result`.
//!
//! ```text
//! STATUS name [message]
//! ```
//!
//! A status is a name of the laboratory or of regress-all's report. The name ends at a blank, or, where a tab follows the
//! status as in `regress.pl`, at the next tab. `START name` says that a test begins; one that has no status behind it has
//! no known end. `VALUE number unit name` are values, which [`crate::Format::RegressAll`] reads. Other lines are passed
//! over, so a program may print its own among them.

use indexmap::IndexMap;
use perflab_experiment::Outcome;

use super::gathered::{Gathered, test};
use super::report::TestReport;
use super::text::{lines, seconds};
use crate::fault::Fault;
use crate::regress_all::{START, VALUE, split};

/// The tests in lines.
pub(super) fn read(path: &str, text: &str) -> Result<TestReport, Fault> {
    let mut found = Gathered::new(path);
    let mut begun: IndexMap<String, usize> = IndexMap::new();
    for (number, line) in lines(text) {
        let Some((word, rest)) = split(&line) else {
            continue;
        };
        if word == VALUE {
            continue;
        }
        let (name, message) = name(&line, rest);
        if name.is_empty() {
            continue;
        }
        if word == START {
            begun.insert(name.to_owned(), number);
            continue;
        }
        let Some(outcome) = outcome(word) else {
            continue;
        };
        begun.shift_remove(name);
        let time = message.strip_prefix("Duration ").and_then(duration);
        let said = if time.is_some() { "" } else { message };
        found.push(
            test(vec![name.to_owned()], outcome, number)
                .took(time)
                .says(said),
        )?;
    }
    for (name, line) in begun {
        let own = test(vec![name], Outcome::NOLOG, line);
        found.push(own.says("it began, and no line says how it ended"))?;
    }
    found.finish("lines `STATUS name [message]`")
}

/// A status of the laboratory, or of the report.
fn outcome(word: &str) -> Option<Outcome> {
    Outcome::from_name(word).or_else(|| Outcome::from_report_name(word))
}

/// Name and message behind the status.
fn name<'l>(line: &str, rest: &'l str) -> (&'l str, &'l str) {
    let has_tabs = line.bytes().find(u8::is_ascii_whitespace) == Some(b'\t');
    let parts = match has_tabs {
        true => rest.split_once('\t'),
        false => rest.split_once(char::is_whitespace),
    };
    let (name, message) = parts.unwrap_or((rest, ""));
    (name.trim(), message.trim())
}

/// `0h00m10.05s` or `1m02.50s`, in seconds.
fn duration(text: &str) -> Option<f64> {
    let (minutes, rest) = text.strip_suffix('s')?.rsplit_once('m')?;
    let (hours, minutes) = minutes.split_once('h').unwrap_or(("0", minutes));
    Some(3600.0 * seconds(hours)? + 60.0 * seconds(minutes)? + seconds(rest)?)
}

/// Whether a line is of this format, so that a file of such lines can be told from any text.
pub(super) fn is_line(line: &str) -> bool {
    let Some((word, rest)) = split(line) else {
        return false;
    };
    match word == VALUE || word == START {
        true => !rest.is_empty(),
        false => outcome(word).is_some() && !name(line, rest).0.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_those_of_both_scripts() {
        assert_eq!(duration("0h00m10.05s"), Some(10.05));
        assert_eq!(duration("1h2m3s"), Some(3723.0));
        assert_eq!(duration("1m02.50s"), Some(62.5));
        for other in ["", "s", "5s", "xm1s", "1m-2s"] {
            assert_eq!(duration(other), None, "{other}");
        }
    }
}
