//! `perflab bench` takes hyperfine's flags with hyperfine's meanings. What is executed is seen in a
//! log that the commands themselves write.

use crate::support::Laboratory;

/// The lines that the commands of a bench appended to `log`.
#[track_caller]
pub fn log(arguments: &[&str]) -> Vec<String> {
    let laboratory = Laboratory::new();
    laboratory
        .call(&[&["bench", "--quiet"], arguments].concat())
        .code(0);
    laboratory.read("log").lines().map(str::to_owned).collect()
}

#[test]
fn an_exact_number_of_runs() {
    assert_eq!(log(&["-r", "7", "echo x >> log"]).len(), 7);
    assert_eq!(log(&["-r", "1", "echo x >> log"]).len(), 1);
    assert_eq!(log(&["-w", "2", "-r", "3", "echo x >> log"]).len(), 5);
    assert_eq!(log(&["-N", "-r", "4", "sh -c 'echo x >> log'"]).len(), 4);
}

#[test]
fn bounds_on_the_number_of_runs() {
    assert_eq!(log(&["-M", "4", "echo x >> log"]).len(), 4);
    // Nine seconds and more would be over any budget.
    let runs = log(&["-m", "5", "-M", "5", "echo x >> log"]);
    assert_eq!(runs.len(), 5);
}

#[test]
fn the_time_to_fill() {
    let runs = |seconds: &str| {
        let short = ["--min-benchmarking-time", seconds, "-m", "2"];
        log(&[&short[..], &["echo x >> log; sleep 0.02"]].concat()).len()
    };
    assert_eq!(runs("0"), 3);
    assert!((6..=30).contains(&runs("0.5")));
}

#[test]
fn what_is_executed_around_the_runs() {
    let around = [
        "-s",
        "echo setup >> log",
        "-p",
        "echo prepare >> log",
        "-C",
        "echo conclude >> log",
    ];
    let rest = [
        "-c",
        "echo cleanup >> log",
        "-w",
        "1",
        "-r",
        "2",
        "echo run >> log",
    ];
    let run = ["prepare", "run", "conclude"];
    let expected = [&["setup"][..], &run, &run, &run, &["cleanup"]].concat();
    assert_eq!(log(&[&around[..], &rest].concat()), expected);
}

#[test]
fn prepare_and_conclude_for_each_command() {
    let lines = log(&[
        "--order",
        "sequential",
        "-r",
        "1",
        "-p",
        "echo before a >> log",
        "-p",
        "echo before b >> log",
        "-C",
        "echo after a >> log",
        "-C",
        "echo after b >> log",
        "echo a >> log",
        "echo b >> log",
    ]);
    assert_eq!(
        lines,
        ["before a", "a", "after a", "before b", "b", "after b"]
    );
}

#[test]
fn parameters_are_filled_in_everywhere() {
    let arguments = [
        "--order",
        "sequential",
        "-r",
        "1",
        "-s",
        "echo setup {n} >> log",
        "-p",
        "echo prepare {n} >> log",
        "-C",
        "echo conclude {n} >> log",
        "-c",
        "echo cleanup {n} >> log",
    ];
    let mut lines = log(&[&arguments[..], &["-L", "n", "x,y", "echo run {n} >> log"]].concat());
    for value in ["x", "y"] {
        let own: Vec<String> = lines.drain(..5).collect();
        let expected = ["setup", "prepare", "run", "conclude", "cleanup"]
            .map(|what| format!("{what} {value}"));
        assert_eq!(own, expected);
    }
}

#[test]
fn lists_multiply_and_scans_count() {
    let sequential = ["--order", "sequential", "-r", "1"];
    let lists = ["-L", "a", "1,2", "-L", "b", "x,y", "echo {a}{b} >> log"];
    assert_eq!(
        log(&[&sequential[..], &lists].concat()),
        ["1x", "2x", "1y", "2y"]
    );
    let scan = ["-P", "n", "0.5", "2", "-D", "0.5", "echo {n} >> log"];
    assert_eq!(
        log(&[&sequential[..], &scan].concat()),
        ["0.5", "1.0", "1.5", "2.0"]
    );
}

#[test]
fn runs_have_numbers() {
    let lines = log(&["-w", "1", "-r", "3", "echo $HYPERFINE_ITERATION >> log"]);
    assert_eq!(lines, ["warmup-0", "0", "1", "2"]);
}

/// The number of a run is the command's alone: what comes before and after it has the caller's variable, or none.
#[test]
fn what_is_not_measured_has_no_number() {
    for (own, seen) in [(None, ""), (Some("77"), "77")] {
        let laboratory = Laboratory::new();
        let aside = |what| format!("echo {what} $HYPERFINE_ITERATION >> log");
        let [setup, prepare, conclude, cleanup] =
            ["setup", "prepare", "conclude", "cleanup"].map(aside);
        let arguments = [
            "bench", "-q", "-w", "1", "-r", "2", "--seed", "3", "-s", &setup, "-p", &prepare, "-C",
            &conclude, "-c", &cleanup, "true a", "true b",
        ];
        let mut command = laboratory.perflab(&arguments);
        match own {
            Some(own) => command.env("HYPERFINE_ITERATION", own),
            None => command.env_remove("HYPERFINE_ITERATION"),
        };
        assert!(command.status().unwrap().success());
        let log = laboratory.read("log");
        assert_eq!(log.lines().count(), 16, "{log}");
        for line in log.lines() {
            let (_, number) = line.split_once(' ').unwrap_or((line, ""));
            assert_eq!(number, seen, "{log}");
        }
    }
}

/// What hyperfine 1.20.0 fills in: the first number as it is given, from then on as many digits as the sum has.
#[test]
fn numbers_of_a_scan_are_written_as_hyperfine_does() {
    for (scan, numbers) in [
        ("1 3 0.4", "1 1.4 1.8 2.2 2.6 3.0"),
        ("1 2 0.25", "1 1.25 1.50 1.75 2.00"),
        ("1 3 1.0", "1 2.0 3.0"),
        ("1 2 0.5", "1 1.5 2.0"),
        ("1.0 3 1", "1.0 2.0 3.0"),
        ("1 2.0 1", "1 2"),
        ("1.00 2 0.5", "1.00 1.50 2.00"),
        ("-1 0.5 0.5", "-1 -0.5 0.0 0.5"),
        ("-1.00 1 0.5", "-1.00 -0.50 0.00 0.5 1.0"),
        ("0.000 0.3 0.1", "0.000 0.1 0.2 0.3"),
        ("-0.0 1 1", "0.0 1"),
    ] {
        let [low, high, step] = scan.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{scan}");
        };
        let order = ["--order", "sequential", "-r", "1", "-N"];
        let scanned = ["-P", "n", low, high, "-D", step, "sh -c 'echo {n} >> log'"];
        let found = log(&[&order[..], &scanned].concat()).join(" ");
        assert_eq!(found, numbers, "{scan}");
    }
}

#[test]
fn exports_to_the_same_file_are_refused() {
    let laboratory = Laboratory::new();
    let call = |json: &str, csv: &str| {
        let exports = ["--export-json", json, "--export-csv", csv];
        laboratory.call(&[&["bench", "-r", "2", "echo >> ran"], &exports[..]].concat())
    };
    for (json, csv) in [("out", "out"), ("out", "./tmp/../out")] {
        call(json, csv).code(2).says(&["the same file, ", "out"]);
        assert!(!laboratory.path("out").exists());
    }
    assert!(!laboratory.path("ran").exists());
    call("/dev/null", "/dev/null").code(0);
    call("out.json", "out.csv").code(0);
}
