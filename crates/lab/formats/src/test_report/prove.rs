//! The lines of `prove` about files of tests.

use perflab_experiment::{Outcome, Status};

/// What `prove` says in addition to the lines of the protocol.
#[derive(Debug, PartialEq)]
pub(super) enum Line<'l> {
    /// A file begins; with the rest of the line, if it has ended already.
    File(&'l str, Option<Verdict<'l>>),
    /// The verdict on the file that began last.
    Verdict(Verdict<'l>),
    /// The table behind all files.
    Summary,
}

/// How a file ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Verdict<'l> {
    Ok,
    Skipped(&'l str),
    /// It exited with a code or by a signal. The line has both.
    Dubious(&'l str),
    /// Some tests failed.
    Failed(&'l str),
}

impl Verdict<'_> {
    /// The outcome of the file. Where its tests are told one by one, those that failed say so themselves.
    pub(super) fn outcome(self, has_tests: bool) -> Outcome {
        match self {
            Self::Ok => Outcome::PASS,
            Self::Skipped(_) => Outcome::SKIP,
            Self::Dubious(line) => match wait_status(line) {
                Some(status) if status & 0x7f != 0 => Status::Signal.into(),
                // Test::More exits with the number of tests that failed, at most 254. 255 is a death.
                Some(status) if has_tests && status >> 8 != 255 => Outcome::PASS,
                _ => Status::Exit.into(),
            },
            Self::Failed(_) if has_tests => Outcome::PASS,
            Self::Failed(_) => Outcome::FAIL,
        }
    }

    /// What is said of it.
    pub(super) fn message(self) -> &'static str {
        match self {
            Self::Ok | Self::Skipped(_) => "",
            Self::Dubious(_) => "the program did not end well",
            Self::Failed(_) => "tests failed",
        }
    }
}

/// The number behind `wstat`, as `wait` gives it.
fn wait_status(line: &str) -> Option<u32> {
    let (_, behind) = line.split_once("(wstat ")?;
    behind.split(',').next()?.trim().parse().ok()
}

/// The file and the signal in a line `t/a.t (Wstat: 9 (Signal: KILL) Tests: 1 Failed: 0)` of the table behind all files:
/// no other line tells of a signal.
pub(super) fn signal(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.split_once(" (Wstat: ")?;
    let (_, rest) = rest.split_once("(Signal: ")?;
    let (signal, _) = rest.split_once(')')?;
    Some((name.trim_end(), signal))
}

/// What a line is, if it is one of `prove`.
pub(super) fn parse(line: &str) -> Option<Line<'_>> {
    let line = line.trim_end();
    if line == "Test Summary Report" || (line.starts_with("Files=") && line.contains(", Tests=")) {
        return Some(Line::Summary);
    }
    if let Some(verdict) = verdict(line) {
        return Some(Line::Verdict(verdict));
    }
    // The name, a blank, and dots until all files of the list have the same width.
    let at = line.find(" ..")?;
    let (name, rest) = line.split_at(at);
    let rest = rest.trim_start().trim_start_matches('.');
    // Programs wait `for something ...` too. A file has no blanks, and an ending or a directory.
    let is_name = !name.contains(char::is_whitespace)
        && !name.starts_with('#')
        && (name.ends_with(".t") || name.contains(['/', '.']));
    match rest.trim() {
        "" if is_name => Some(Line::File(name, None)),
        rest if is_name => Some(Line::File(name, Some(verdict(rest)?))),
        _ => None,
    }
}

fn verdict(line: &str) -> Option<Verdict<'_>> {
    if line == "ok" {
        Some(Verdict::Ok)
    } else if let Some(reason) = line.strip_prefix("skipped: ") {
        Some(Verdict::Skipped(reason))
    } else if line.starts_with("Dubious, test returned ") {
        Some(Verdict::Dubious(line))
    } else {
        let counts = line.strip_prefix("Failed ")?.strip_suffix(" subtests")?;
        let (failed, all) = counts.split_once('/')?;
        let are_numbers = failed.parse::<u64>().is_ok() && all.parse::<u64>().is_ok();
        are_numbers.then_some(Verdict::Failed(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_verdicts_are_told() {
        assert_eq!(
            parse("t/fine.t .. ok"),
            Some(Line::File("t/fine.t", Some(Verdict::Ok)))
        );
        assert_eq!(parse("t/a.t ..... "), Some(Line::File("t/a.t", None)));
        assert_eq!(
            parse("t/none.t .. skipped: no server here"),
            Some(Line::File(
                "t/none.t",
                Some(Verdict::Skipped("no server here"))
            ))
        );
        assert_eq!(
            parse("Failed 4/9 subtests "),
            Some(Line::Verdict(Verdict::Failed("Failed 4/9 subtests")))
        );
        for other in [
            "",
            "ok 1",
            "wait ... what",
            "Connecting ...",
            "a b.t .. ok",
            "# a ..",
            "Failed to open",
        ] {
            assert_eq!(parse(other), None, "{other}");
        }
    }

    #[test]
    fn signals_are_in_the_table() {
        let line = "k.t     (Wstat: 9 (Signal: KILL) Tests: 1 Failed: 0)";
        assert_eq!(signal(line), Some(("k.t", "KILL")));
        assert_eq!(
            signal("t/sums.t (Wstat: 768 (exited 3) Tests: 8 Failed: 3)"),
            None
        );
    }

    #[test]
    fn a_program_that_dies_is_told_from_one_with_failed_tests() {
        let dubious = |wait: u32| {
            let line = format!("Dubious, test returned 3 (wstat {wait}, 0x300)");
            verdict(&line).expect("it is one").outcome(true)
        };
        assert_eq!(dubious(3 << 8), Outcome::PASS);
        assert_eq!(dubious(255 << 8), Outcome::Run(Status::Exit));
        assert_eq!(dubious(11), Outcome::Run(Status::Signal));
        assert_eq!(Verdict::Failed("").outcome(false), Outcome::FAIL);
    }
}
