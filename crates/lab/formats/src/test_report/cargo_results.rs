//! How libtest and cargo say that a test or a program ended.

use perflab_experiment::{Outcome, Status};

use super::text::seconds;

/// `ok`, `FAILED`, `ignored, reason`, with a time behind it: the outcome, the reason and the time.
pub(super) fn word(rest: &str) -> Option<(Outcome, &str, Option<f64>)> {
    let (rest, time) = match rest
        .strip_suffix("s>")
        .and_then(|rest| rest.rsplit_once(" <"))
    {
        Some((rest, time)) => (rest, seconds(time)),
        None => (rest, None),
    };
    match rest {
        "ok" => Some((Outcome::PASS, "", time)),
        "FAILED" => Some((Outcome::FAIL, "", time)),
        "ignored" => Some((Outcome::SKIP, "", time)),
        _ if rest.starts_with("bench: ") => Some((Outcome::PASS, "", time)),
        _ => Some((Outcome::SKIP, rest.strip_prefix("ignored, ")?, time)),
    }
}

/// How a program ended: `PATH (signal: 6, SIGABRT: process abort signal)` or `PATH (exit status: 3)`.
pub(super) fn exit(how: &str) -> (Outcome, &str) {
    let how = how
        .rsplit_once(" (")
        .and_then(|(_, how)| how.strip_suffix(')'))
        .unwrap_or(how);
    let status = match how.starts_with("signal: ") {
        true => Status::Signal,
        false => Status::Exit,
    };
    (status.into(), how)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_tests() {
        assert_eq!(word("ok"), Some((Outcome::PASS, "", None)));
        assert_eq!(
            word("FAILED <0.125s>"),
            Some((Outcome::FAIL, "", Some(0.125)))
        );
        assert_eq!(
            word("ignored, too slow"),
            Some((Outcome::SKIP, "too slow", None))
        );
        let bench = word("bench:          42 ns/iter (+/- 3)");
        assert_eq!(bench, Some((Outcome::PASS, "", None)));
        for other in ["", "okay", "FAILED here", "ignored by all"] {
            assert_eq!(word(other), None, "{other}");
        }
    }

    #[test]
    fn ends_of_programs() {
        let signal = "`/a (b)/c --test` (signal: 6, SIGABRT: process abort signal)";
        let how = "signal: 6, SIGABRT: process abort signal";
        assert_eq!(exit(signal), (Outcome::Run(Status::Signal), how));
        assert_eq!(
            exit("`/a` (exit status: 3)"),
            (Outcome::Run(Status::Exit), "exit status: 3")
        );
    }
}
