//! The identifiers of pytest's tests, and the lines that hold them.

use perflab_experiment::{Outcome, Status};

/// What a line says of a test.
#[derive(Debug, PartialEq)]
pub(super) struct Said<'l> {
    pub(super) word: Word,
    pub(super) id: &'l str,
    /// A reason, or the first line of a failure; may be cut by pytest.
    pub(super) reason: &'l str,
}

/// pytest's word for how a test, or a phase of it, ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    Passed,
    Failed,
    Skipped,
    XFail,
    XPass,
    /// A fixture, or a file, could not be set up or taken down.
    Error,
    /// It failed and is tried again, by a plugin.
    Rerun,
}

const WORDS: [(&str, Word); 7] = [
    ("PASSED", Word::Passed),
    ("FAILED", Word::Failed),
    ("SKIPPED", Word::Skipped),
    ("XFAIL", Word::XFail),
    ("XPASS", Word::XPass),
    ("ERROR", Word::Error),
    ("RERUN", Word::Rerun),
];

impl Word {
    /// The outcome. Whether an error was at the beginning or at the end, the caller knows.
    pub(super) fn outcome(self) -> Outcome {
        match self {
            Self::Passed => Outcome::PASS,
            Self::Failed | Self::Rerun => Outcome::FAIL,
            Self::Skipped => Outcome::SKIP,
            Self::XFail => Outcome::XFAIL,
            Self::XPass => Outcome::XPASS,
            Self::Error => Status::NoRun.into(),
        }
    }
}

/// `tests/test_sums.py::test_adds PASSED [ 7%]`, as `-v` prints it, or with the word first, as pytest-xdist does.
pub(super) fn progress(line: &str) -> Option<Said<'_>> {
    let line = line.trim_end();
    if let Some(rest) = line.strip_prefix("[gw") {
        let (_, rest) = rest.split_once("] ")?;
        let rest = rest.trim_start();
        let rest = match rest.strip_prefix('[') {
            Some(percent) => percent.split_once("] ")?.1,
            None => rest,
        };
        let (word, id) = rest.split_once(' ')?;
        let word = WORDS.iter().find(|(name, _)| *name == word)?.1;
        return is_id(id).then_some(Said {
            word,
            id,
            reason: "",
        });
    }
    let line = match line
        .strip_suffix("%]")
        .and_then(|rest| rest.rsplit_once('['))
    {
        Some((before, percent)) if percent.trim().parse::<u8>().is_ok() => before.trim_end(),
        _ => line,
    };
    let (_, behind) = line.split_once("::")?;
    let names = line.len() - behind.len();
    let find = |(name, word): &(&str, Word)| {
        let at = behind
            .match_indices(*name)
            .map(|(at, _)| names + at)
            .find(|at| {
                let is_apart = line[..*at].ends_with(' ');
                let rest = &line[at + name.len()..];
                is_apart && (rest.is_empty() || rest.starts_with(" ("))
            })?;
        Some((at, *word, name.len()))
    };
    let (at, word, length) = WORDS.iter().filter_map(find).min_by_key(|(at, ..)| *at)?;
    let reason = line[at + length..].trim();
    let reason = reason.strip_prefix('(').unwrap_or(reason);
    let id = line[..at].trim_end();
    is_id(id).then_some(Said {
        word,
        id,
        reason: reason.strip_suffix(')').unwrap_or(reason),
    })
}

/// `FAILED tests/test_sums.py::test_texts[x - y] - reason`, as the summary has it. `SKIPPED [1] tests/test_sums.py:13: reason`
/// names no test.
pub(super) fn summary(line: &str) -> Option<Said<'_>> {
    let (word, rest) = line.split_once(' ')?;
    let word = WORDS.iter().find(|(name, _)| *name == word)?.1;
    if word == Word::Skipped {
        return None;
    }
    // Values of parameters, in brackets, may hold anything.
    let values = rest
        .find('[')
        .filter(|open| rest.find(" - ").is_none_or(|dash| open < &dash));
    let end_of_values = values.and_then(|_| match rest.find("] - ") {
        Some(end) => Some(end + 1),
        None => rest.ends_with(']').then_some(rest.len()),
    });
    let end = end_of_values
        .or_else(|| rest.find(" - "))
        .unwrap_or(rest.len());
    let (id, reason) = rest.split_at(end);
    let is_file = word == Word::Error && id.ends_with(".py");
    (is_id(id) || is_file).then(|| Said {
        word,
        id,
        reason: reason.strip_prefix(" - ").unwrap_or_default(),
    })
}

fn is_id(id: &str) -> bool {
    id.split_once("::")
        .is_some_and(|(file, name)| !file.is_empty() && !file.contains(' ') && !name.is_empty())
}

/// File, classes and test. Values of parameters stay with the test, whatever is in them.
pub(super) fn parts(id: &str) -> Vec<String> {
    let (plain, values) = id.split_at(id.find('[').unwrap_or(id.len()));
    let mut parts: Vec<String> = plain.split("::").map(str::to_owned).collect();
    if let Some(last) = parts.last_mut() {
        last.push_str(values);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said<'l>(word: Word, id: &'l str, reason: &'l str) -> Option<Said<'l>> {
        Some(Said { word, id, reason })
    }

    #[test]
    fn progress_has_the_word_behind_the_name() {
        assert_eq!(
            progress("t/a.py::b PASSED          [  7%]"),
            said(Word::Passed, "t/a.py::b", "")
        );
        assert_eq!(
            progress("t/a.py::b SKIPPED (takes an hour)   [ 23%]"),
            said(Word::Skipped, "t/a.py::b", "takes an hour")
        );
        assert_eq!(
            progress("t/a.py::C::b[x PASSED y] FAILED"),
            said(Word::Failed, "t/a.py::C::b[x PASSED y]", "")
        );
        assert_eq!(
            progress("t/a.py::b XFAIL (cut off...)"),
            said(Word::XFail, "t/a.py::b", "cut off...")
        );
        assert_eq!(
            progress("[gw0] [ 12%] PASSED t/a.py::b "),
            said(Word::Passed, "t/a.py::b", "")
        );
        for other in [
            "t/a.py .F.",
            "PASSED t/a.py::b",
            "a b.py::c PASSED",
            "t/a.py::b",
            "x PASSED",
            "",
        ] {
            assert_eq!(progress(other), None, "{other}");
        }
    }

    #[test]
    fn the_summary_has_the_word_before_the_name() {
        assert_eq!(
            summary("FAILED a.py::b - x - y"),
            said(Word::Failed, "a.py::b", "x - y")
        );
        assert_eq!(
            summary("FAILED a.py::b[x - y] - z"),
            said(Word::Failed, "a.py::b[x - y]", "z")
        );
        assert_eq!(
            summary("FAILED a.py::b[x - y]"),
            said(Word::Failed, "a.py::b[x - y]", "")
        );
        assert_eq!(
            summary("FAILED a.py::b - [XPASS(strict)] c"),
            said(Word::Failed, "a.py::b", "[XPASS(strict)] c")
        );
        assert_eq!(summary("ERROR t/a.py"), said(Word::Error, "t/a.py", ""));
        assert_eq!(
            summary("ERROR t/a.py - ImportError: no"),
            said(Word::Error, "t/a.py", "ImportError: no")
        );
        assert_eq!(summary("SKIPPED [1] a.py:13: takes an hour"), None);
        assert_eq!(summary("ERROR collecting"), None);
        assert_eq!(summary("PASSED in no time"), None);
    }

    #[test]
    fn values_of_parameters_are_no_parts() {
        assert_eq!(parts("a.py::B::c[d::e]"), ["a.py", "B", "c[d::e]"]);
        assert_eq!(parts("a.py"), ["a.py"]);
    }
}
