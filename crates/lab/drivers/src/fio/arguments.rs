//! What fio's arguments say about its output.

use crate::closed_loop;
use crate::error::ArgumentError;
use crate::getopt::{Known, Options};

/// Options with which there is no report of a run on standard output, and why.
const REFUSED: [(Known, &str, &str); 19] = [
    (("-S", "--server", false), SERVES, LEAVE_OUT),
    (("-N", "--server-internal", true), SERVES, LEAVE_OUT),
    (("-D", "--daemonize", true), ELSEWHERE, LEAVE_OUT),
    (("-C", "--client", true), OTHER_HOST, START_THERE),
    (("-R", "--remote-config", true), OTHER_HOST, START_THERE),
    (("-o", "--output", true), ELSEWHERE, LEAVE_OUT),
    (("-m", "--minimal", false), FORMAT, LEAVE_OUT),
    (("-f", "--append-terse", false), FORMAT, LEAVE_OUT),
    (("-L", "--status-interval", true), SEVERAL, LEAVE_OUT),
    (("-h", "--help", false), NO_RUN, LEAVE_OUT),
    (("-v", "--version", false), NO_RUN, LEAVE_OUT),
    (("-c", "--cmdhelp", false), NO_RUN, LEAVE_OUT),
    (("-i", "--enghelp", false), NO_RUN, LEAVE_OUT),
    (("-s", "--showcmd", false), NO_RUN, LEAVE_OUT),
    (("-P", "--parse-only", false), NO_RUN, LEAVE_OUT),
    (("-T", "--cpuclock-test", false), NO_RUN, LEAVE_OUT),
    (("-G", "--crctest", false), NO_RUN, LEAVE_OUT),
    (("-M", "--memcpytest", false), NO_RUN, LEAVE_OUT),
    (("-A", "--merge-blktrace-only", false), NO_RUN, LEAVE_OUT),
];

const SERVES: &str = "the tool would wait for clients without end";
const ELSEWHERE: &str = "the report would not be on standard output";
const OTHER_HOST: &str = "the load would run on another host, unseen";
const START_THERE: &str = "measure on that host";
const FORMAT: &str = "the output would not be JSON alone";
const SEVERAL: &str = "there would be several reports";
const NO_RUN: &str = "the tool would run no job";
const LEAVE_OUT: &str = "leave it out";

const JOB_FILE_STDIN: &str = "-";

/// The options above, those with a value that must not be taken for a job file, and those that
/// cautions depend on.
const KNOWN: &[Known] = &known();

const PLAIN: [Known; 14] = [
    ("-F", "--output-format", true),
    ("-l", "--latency-log", true),
    ("-e", "--eta", true),
    ("-O", "--eta-interval", true),
    ("-E", "--eta-newline", true),
    ("-x", "--section", true),
    ("-a", "--alloc-size", true),
    ("-p", "--profile", true),
    ("-j", "--max-jobs", true),
    ("", "--direct", true),
    ("", "--name", true),
    ("", "--numjobs", true),
    ("", "--rate_process", true),
    ("", "--rate_iops", true),
];

const fn known() -> [Known; REFUSED.len() + PLAIN.len()] {
    let mut all = [("", "", false); REFUSED.len() + PLAIN.len()];
    let mut index = 0;
    while index < REFUSED.len() {
        all[index] = REFUSED[index].0;
        index += 1;
    }
    while index < all.len() {
        all[index] = PLAIN[index - REFUSED.len()];
        index += 1;
    }
    all
}

pub(super) fn check(args: &[String]) -> Result<(), ArgumentError> {
    let options = Options::of(KNOWN, args);
    let refuse =
        |argument: &str, reason, advice| Err(ArgumentError::new("fio", argument, reason, advice));
    for ((_, long, _), reason, advice) in REFUSED {
        if options.has(long) {
            return refuse(long, reason, advice);
        }
    }
    if let Some(format) = options.value("--output-format")
        && !["json", "json+"].contains(&format)
    {
        return refuse(&format!("--output-format={format}"), FORMAT, LEAVE_OUT);
    }
    if args.iter().any(|word| word == JOB_FILE_STDIN) {
        return refuse(JOB_FILE_STDIN, "standard input is empty", "name a job file");
    }
    Ok(())
}

/// A process or thread for each copy of each job on the command line; what job files hold is not
/// known.
pub(super) fn threads(args: &[String]) -> Option<u32> {
    let options = Options::of(KNOWN, args);
    if !options.operands.is_empty() || options.has("--profile") {
        return None;
    }
    let mut every: u32 = 1;
    let mut jobs: Vec<u32> = Vec::new();
    let mut is_global = true;
    let mut rest = args.iter();
    while let Some(word) = rest.next() {
        let (option, value) = match word.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (word.as_str(), None),
        };
        if !["--name", "--numjobs"].contains(&option) {
            continue;
        }
        let value = value.or_else(|| rest.next().map(String::as_str))?;
        match (option, jobs.last_mut()) {
            ("--name", _) => {
                is_global = value == "global";
                jobs.extend((!is_global).then_some(every));
            }
            (_, Some(copies)) if !is_global => *copies = value.parse().ok()?,
            _ => every = value.parse().ok()?,
        }
    }
    let all = jobs
        .iter()
        .try_fold(0_u32, |sum, copies| sum.checked_add(*copies));
    all.filter(|all| *all > 0)
}

pub(super) fn cautions(args: &[String]) -> Vec<String> {
    let options = Options::of(KNOWN, args);
    let on_command_line = args.iter().any(|word| word.starts_with("--name"));
    let mut cautions = Vec::new();
    if on_command_line && options.value("--direct") != Some("1") {
        cautions.push(
            "Without --direct=1 requests may be served by the page cache: what is measured may be \
             memory, and writes that end before the device has them."
                .to_owned(),
        );
    }
    if options.has("--rate_iops") || options.has("--rate_process") {
        cautions.push(
            "With a rate, requests are started on a schedule, at most iodepth at a time, but a \
             latency counts from the actual start: what a late request waited is left out \
             (coordinated omission). Low rates let CPUs and devices fall asleep, which shows as \
             latency."
                .to_owned(),
        );
    } else {
        cautions.push(closed_loop::caution(
            "fio has no remedy: --rate_iops holds a rate but counts from the actual start.",
        ));
    }
    cautions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fio;
    use crate::command_lines::{args, assert_accepted, assert_refused};

    #[test]
    fn what_would_never_end_or_not_be_read_is_refused() {
        let refused = [
            ("--server", "--server"),
            ("--server=ip:::1", "--server"),
            ("-S", "--server"),
            ("--daemonize=/tmp/pid x.fio", "--daemonize"),
            ("--client=there x.fio", "--client"),
            ("--output=file x.fio", "--output"),
            ("-o file x.fio", "--output"),
            ("--name=a --output-format=terse", "--output-format=terse"),
            ("--output-format json,normal", "--output-format=json,normal"),
            ("--minimal x.fio", "--minimal"),
            ("--status-interval=1 x.fio", "--status-interval"),
            ("--parse-only x.fio", "--parse-only"),
            ("-", "-"),
        ];
        assert_refused(&Fio, &refused);
        let accepted = [
            "x.fio",
            "--name=a --rw=read --size=1m",
            "--output-format=json+ x.fio",
            "--section output x.fio",
            "--name=a --client_id=3",
        ];
        assert_accepted(&Fio, &accepted);
    }

    #[test]
    fn a_caution_says_what_the_arguments_call_for() {
        let said = |line| cautions(&args(line)).join("\n");
        assert!(said("--name=a --rw=read").contains("page cache"));
        assert!(!said("--name=a --rw=read --direct=1").contains("page cache"));
        assert!(!said("job.fio").contains("page cache"));
        assert!(said("job.fio").contains("Closed loop"));
        let rate = said("--name=a --rate_iops=100 --rate_process=poisson");
        assert!(rate.contains("actual start") && !rate.contains("Closed loop"));
    }
}
