//! What pgbench's arguments say about its report.

use crate::closed_loop;
use crate::error::ArgumentError;
use crate::getopt::{Known, Options, count, with};
use crate::slices::{Alike, share};

const KNOWN: &[Known] = &[
    ("-?", "--help", false),
    ("-b", "--builtin", true),
    ("-c", "--client", true),
    ("-D", "--define", true),
    ("-f", "--file", true),
    ("-h", "--host", true),
    ("-i", "--initialize", false),
    ("-j", "--jobs", true),
    ("-L", "--latency-limit", true),
    ("-M", "--protocol", true),
    ("-p", "--port", true),
    ("-P", "--progress", true),
    ("-R", "--rate", true),
    ("-s", "--scale", true),
    ("-t", "--transactions", true),
    ("-T", "--time", true),
    ("-U", "--username", true),
    ("-V", "--version", false),
    ("", "--aggregate-interval", true),
    ("", "--log-prefix", true),
    ("", "--max-tries", true),
    ("", "--random-seed", true),
    ("", "--sampling-rate", true),
    ("", "--show-script", true),
];

/// One of `count` slices: a share of the seconds, or of each client's transactions.
pub(super) fn slices(args: &[String], count: u32) -> Result<Vec<Vec<String>>, ArgumentError> {
    let options = Options::of(KNOWN, args);
    let (option, amount) = match options.number("-T") {
        Some(seconds) => ("-T", seconds),
        None => ("-t", options.number("-t").unwrap_or(10)),
    };
    let share = share("pgbench", option, amount, count, 1)?;
    Ok(vec![with(args, &[option.to_owned(), share.to_string()])])
}

pub(super) fn alike(args: &[String]) -> Alike {
    match Options::of(KNOWN, args).has("-T") {
        true => Alike::Time,
        false => Alike::Work,
    }
}

pub(super) fn check(args: &[String]) -> Result<(), ArgumentError> {
    let options = Options::of(KNOWN, args);
    let refuse = |argument: &str, reason, advice| {
        Err(ArgumentError::new("pgbench", argument, reason, advice))
    };
    if options.has("-i") {
        return refuse(
            "-i",
            "the tool would fill tables and measure nothing",
            "do it in `prepare`, or once before the experiment",
        );
    }
    for option in ["--help", "--version", "--show-script"] {
        if options.has(option) {
            return refuse(option, "the tool would measure nothing", "leave it out");
        }
    }
    if options.value("-b") == Some("list") {
        return refuse(
            "-b list",
            "the tool would measure nothing",
            "name a script: tpcb-like, simple-update or select-only",
        );
    }
    if options.value("-f") == Some("-") {
        return refuse("-f -", "standard input is empty", "name a file");
    }
    Ok(())
}

/// No thread is without a client.
pub(super) fn threads(args: &[String]) -> Option<u32> {
    let options = Options::of(KNOWN, args);
    let [jobs, clients] = ["-j", "-c"].map(|option| count(options.number(option), 1));
    Some(jobs.min(clients))
}

pub(super) fn cautions(args: &[String]) -> Vec<String> {
    let options = Options::of(KNOWN, args);
    let mut cautions = Vec::new();
    if !options.has("-t") && !options.has("-T") {
        cautions.push(
            "Without -t and -T each client does 10 transactions only, in which caches are cold and \
             connections are part of the time. Ask for seconds with -T."
                .to_owned(),
        );
    }
    if options.has("-R") {
        let skipped = if options.has("-L") {
            " Transactions that were skipped, being later than the limit before they began, are in \
             no latency: see `skipped`."
        } else {
            ""
        };
        cautions.push(format!(
            "Open loop: with -R a latency counts from the time at which the transaction was due \
             (corrected for coordinated omission), so it includes `schedule_lag_avg`.{skipped}"
        ));
    } else {
        if !options.has("-P") && !options.has("-L") {
            cautions.push(
                "Without -R, -L and -P no latency is measured: latency_avg is the number of clients \
                 divided by the rate of transactions, and no second finding beside tps."
                    .to_owned(),
            );
        }
        cautions.push(closed_loop::caution(
            "With -R the load is an open loop and latencies count from when they should.",
        ));
    }
    cautions.push(
        "Latencies are printed in steps of 0.001 ms: at 0.05 ms a step is 2 %. Small differences \
         show in tps only."
            .to_owned(),
    );
    cautions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pgbench;
    use crate::command_lines::{args, assert_accepted, assert_refused};

    #[test]
    fn what_measures_nothing_is_refused() {
        let refused = [
            ("-i", "-i"),
            ("-i -s 10 bench", "-i"),
            ("--initialize", "-i"),
            ("--init", "-i"),
            ("--version", "--version"),
            ("-b list", "-b list"),
            ("-f - -T 5", "-f -"),
            ("--show-script=select-only", "--show-script"),
        ];
        assert_refused(&Pgbench, &refused);
        let accepted = [
            "",
            "-S -T 10 -c 4 bench",
            "-h -i -T 5",
            "-nST5",
            "-f x.sql@2",
        ];
        assert_accepted(&Pgbench, &accepted);
    }

    #[test]
    fn cautions_tell_the_loops_apart() {
        let said = |line| cautions(&args(line)).join("\n");
        let closed = said("-S -T 10");
        assert!(closed.contains("Closed loop") && closed.contains("no latency is measured"));
        assert!(!said("-S -T 10 -P 1").contains("no latency is measured"));
        let open = said("-S -T 10 -R 100");
        assert!(open.contains("Open loop") && !open.contains("Closed loop"));
        assert!(!open.contains("skipped"));
        assert!(said("-S -T 10 --rate=100 -L 5").contains("skipped"));
        assert!(said("-S").contains("10 transactions only"));
    }
}
