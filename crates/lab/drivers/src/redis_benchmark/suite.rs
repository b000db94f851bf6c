//! The tests of the built-in suite, each executed apart where a run is cut into slices.

use perflab_experiment::Sample;

use super::options::Options;
use crate::error::ArgumentError;
use crate::operations::Operations;
use crate::slices::share;

/// The tests in the order of the tool, by the names that `-t` takes. Those for LRANGE push what they read themselves.
const TESTS: [&str; 19] = [
    "ping_inline",
    "ping_mbulk",
    "set",
    "get",
    "incr",
    "lpush",
    "rpush",
    "lpop",
    "rpop",
    "sadd",
    "hset",
    "spop",
    "zadd",
    "zpopmin",
    "lrange_100",
    "lrange_300",
    "lrange_500",
    "lrange_600",
    "mset",
];

/// Fewest requests of a client in a slice: below, its connection is what takes the time.
const LEAST_OF_A_CLIENT: i64 = 10;

/// Refuses threads: with them each slice takes a multiple of 250 ms, whatever the server does.
pub(super) fn check_slice(args: &[String]) -> Result<(), ArgumentError> {
    let options = Options::of(args);
    if options.is_threaded() {
        let option = match options.value("--threads") {
            Some(threads) if !options.has("--cluster") => format!("--threads {threads}"),
            _ => "--cluster".to_owned(),
        };
        return Err(ArgumentError::new(
            "redis-benchmark",
            option,
            "with it the tool notices the end of a test every 250 ms only, which is longer than a slice",
            "leave it out, or measure whole runs",
        ));
    }
    Ok(())
}

/// One of `count` slices: an execution for each test.
pub(super) fn slices(args: &[String], count: u32) -> Result<Vec<Vec<String>>, ArgumentError> {
    check_slice(args)?;
    let options = Options::of(args);
    let clients = options.number("-c").unwrap_or(50).max(1);
    let least = clients.saturating_mul(LEAST_OF_A_CLIENT);
    let requests = share("redis-benchmark", "-n", options.requests(), count, least)?;
    // What comes later counts, but behind the first word of a command all is the command's.
    let (own, command) = args.split_at(options.length());
    let execution = |tests: &[&str]| {
        let added = ["-n", &requests.to_string()].map(str::to_owned);
        let tests = tests.iter().flat_map(|tests| ["-t", tests]);
        let added = added.into_iter().chain(tests.map(str::to_owned));
        let words = own.iter().cloned().chain(added);
        words.chain(command.iter().cloned()).collect()
    };
    let executions = match (command.is_empty(), options.value("-t")) {
        (false, _) => vec![execution(&[])],
        (true, Some(tests)) => tests.split(',').map(|test| execution(&[test])).collect(),
        (true, None) => TESTS.iter().map(|test| execution(&[test])).collect(),
    };
    Ok(executions)
}

/// The requests of an execution. Of two tests, as where a list was filled for LRANGE, they belong to both together.
pub(super) fn operations(args: &[String], samples: &[Sample]) -> Operations {
    let rates = samples.iter().filter(|sample| sample.metric.name == "rps");
    let rows: Vec<&str> = rates.filter_map(|rate| rate.benchmark.as_deref()).collect();
    Operations {
        benchmark: matches!(rows.len(), 1 | 2).then(|| rows.join("+")),
        count: rows.len() as f64 * Options::of(args).requests() as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_lines::args;

    fn lines(line: &str, count: u32) -> Vec<String> {
        let slices = slices(&args(line), count).unwrap();
        let lines = slices.iter();
        lines.map(|execution| execution.join(" ")).collect()
    }

    #[test]
    fn each_test_has_an_execution_with_its_share_of_the_requests() {
        assert_eq!(
            lines("-p 7 -n 100000 -t set,lrange_100", 80),
            [
                "-p 7 -n 100000 -t set,lrange_100 -n 1250 -t set",
                "-p 7 -n 100000 -t set,lrange_100 -n 1250 -t lrange_100"
            ]
        );
        assert_eq!(lines("-q", 2).len(), TESTS.len());
        assert_eq!(
            lines("-c 1 -n 20 SET k -n v", 2),
            ["-c 1 -n 20 -n 10 SET k -n v"]
        );
    }

    #[test]
    fn a_test_whose_end_is_noticed_late_is_not_cut() {
        for (line, option) in [
            ("-n 100000 --threads 2", "`--threads 2`"),
            ("--cluster --threads 0", "`--cluster`"),
        ] {
            let error = slices(&args(line), 4).unwrap_err().to_string();
            assert!(
                error.contains("250 ms") && error.contains(option),
                "{error}"
            );
        }
        slices(&args("-n 100000 --threads 0"), 4).unwrap();
    }

    #[test]
    fn a_slice_has_work_for_each_client() {
        let error = slices(&args("-n 10000"), 80).unwrap_err().to_string();
        assert!(error.contains("at most 20 slices"), "{error}");
        slices(&args("-n 10000 -c 10"), 80).unwrap();
    }
}
