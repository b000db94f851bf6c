//! What `cargo nextest run` prints.
//!
//! A line for each execution: `TRY 2 FAIL [ 0.023s] ( 2/11) sums tests::adds_wrongly`. Retries are tests of their own, in
//! their order. Behind `Summary` all that failed come again.

use perflab_experiment::{Outcome, Status};

use super::cargo_names::not_built;
use super::excerpt::Excerpt;
use super::gathered::{Gathered, group, test};
use super::report::TestReport;
use super::text::{between, lines, seconds};
use crate::fault::Fault;

/// An execution that has ended.
struct Ended<'l> {
    outcome: Outcome,
    seconds: Option<f64>,
    program: &'l str,
    test: &'l str,
}

/// The tests in a log.
pub(super) fn read(path: &str, text: &str) -> Result<TestReport, Fault> {
    let mut found = Gathered::new(path);
    let (mut last, mut excerpt) = (None, Excerpt::default());
    let (mut begins, mut end) = (false, 0);
    let mut is_stderr = false;
    let mut summary = None;
    for (number, line) in lines(text) {
        end = number;
        if let Some(total) = summary_line(&line) {
            summary = Some((number, total));
            break;
        }
        if let Some(own) = not_built(&line, number) {
            found.push(own)?;
            continue;
        }
        begins |= line.trim_start().starts_with("Nextest run ID ");
        if let Some(own) = ended(&line) {
            let place = found.len();
            let name = vec![own.program.to_owned(), own.test.to_owned()];
            found.push(test(name, own.outcome, number).took(own.seconds))?;
            let is_bad = own.outcome.is_as_expected() == Some(false);
            last = (is_bad && found.len() > place).then_some(place);
            (excerpt, is_stderr) = (Excerpt::default(), false);
            continue;
        }
        let Some(own) = last.and_then(|place| found.get_mut(place)) else {
            continue;
        };
        // Captured output is indented by four blanks. That to standard error has the reason, so it wins.
        let heading = line.trim_matches([' ', '─']);
        if heading == "stderr" && !is_stderr {
            (excerpt, is_stderr) = (Excerpt::default(), true);
        } else if let Some(said) = line.strip_prefix("    ")
            && !said.starts_with("running ")
            && !said.starts_with("note: run with `RUST_BACKTRACE=1`")
            && !excerpt.is_full()
        {
            excerpt.push(said);
            own.message = excerpt.clone().into_message();
        }
    }
    match summary {
        Some((line, time)) => found.push(group(Vec::new(), Outcome::PASS, line).took(time))?,
        None if begins => {
            let message = "the log has no summary, so that its end is missing";
            found.push(group(Vec::new(), Outcome::NOLOG, end).says(message))?;
        }
        None => {}
    }
    found.finish("lines `PASS [ 0.004s] PROGRAM TEST` of `cargo nextest run`")
}

/// The time behind `Summary`, where a line is that.
fn summary_line(line: &str) -> Option<Option<f64>> {
    let rest = line.trim_start().strip_prefix("Summary [")?;
    let (time, rest) = rest.split_once(']')?;
    let is_total = rest.contains(" tests run:") || rest.contains(" test run:");
    is_total.then(|| time.trim().strip_suffix('s').and_then(seconds))
}

/// The execution in a line, if it has ended there.
fn ended(line: &str) -> Option<Ended<'_>> {
    let (word, rest) = line.split_once(" [")?;
    let mut word = word.trim_start();
    // Captured output is indented less than these lines are at most, but has no such words.
    if let Some(tried) = word.strip_prefix("TRY ") {
        let (number, own) = tried.split_once(' ')?;
        number.parse::<u32>().ok()?;
        word = own;
    }
    let outcome = outcome(word)?;
    let (time, rest) = rest.split_once(']')?;
    let seconds = time.trim().strip_suffix('s').and_then(seconds);
    seconds?;
    let mut rest = rest.trim_start();
    // How many have ended, which older versions do not tell.
    if let Some(counted) = rest.strip_prefix('(') {
        rest = counted.split_once(')')?.1.trim_start();
    }
    let (program, test) = rest.split_once(' ')?;
    Some(Ended {
        outcome,
        seconds,
        program,
        test: test.trim(),
    })
}

fn outcome(word: &str) -> Option<Outcome> {
    let status = match word {
        // A leaky test passed, and left a process behind that has its output open.
        "PASS" | "LEAK" => Status::Pass,
        "FAIL" | "LEAK-FAIL" | "FL+LK" => Status::Fail,
        "TMT" | "TIMEOUT" => Status::Timeout,
        "XFAIL" => Status::NoRun,
        "ABORT" | "ABRT" | "SEGV" | "KILL" | "BUS" | "FPE" | "ILL" | "INT" | "QUIT" | "TERM"
        | "TRAP" | "SYS" | "HUP" | "PIPE" | "ALRM" | "USR1" | "USR2" => Status::Signal,
        _ => {
            let is_signal =
                between(word, "SIG", "").is_some_and(|name| !name.is_empty() && name.len() < 8);
            return is_signal.then_some(Status::Signal.into());
        }
    };
    Some(status.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_all_versions_are_read() {
        for (line, outcome, time) in [
            (
                "        PASS [   0.027s] ( 1/11) a b::c",
                Outcome::PASS,
                0.027,
            ),
            ("        PASS [   0.027s] a b::c", Outcome::PASS, 0.027),
            (
                "  TRY 1 FAIL [   1.036s] (─────) a b::c",
                Outcome::FAIL,
                1.036,
            ),
            (
                "     SIGABRT [   0.300s] a b::c",
                Outcome::Run(Status::Signal),
                0.3,
            ),
            (
                "   TRY 2 TMT [   2.559s] a b::c",
                Outcome::Run(Status::Timeout),
                2.559,
            ),
        ] {
            let found = ended(line).expect(line);
            assert_eq!((found.program, found.test), ("a", "b::c"));
            assert_eq!(
                (found.outcome, found.seconds),
                (outcome, Some(time)),
                "{line}"
            );
        }
        for other in [
            "        SLOW [>  1.000s] (─────) sums::whole sleeps",
            "TRY 1 TRMNTG [>  2.000s] (─────) sums::whole sleeps",
            "   FLAKY 2/2 [   0.013s] ( 9/11) sums::whole fails_first",
            "        PASS [ x ] a b",
            "PASS",
            "",
        ] {
            assert!(ended(other).is_none(), "{other}");
        }
    }
}
