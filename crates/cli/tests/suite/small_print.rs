//! What a report says where its figures are tiny, its values mostly equal, its runs few or its numbers left over.

use serde_json::Value;

use crate::plain_files::{scattered, with_good, write};
use crate::support::{Laboratory, Said};

/// The report on the files `a` and `b`, with more flags.
fn compared(laboratory: &Laboratory, flags: &[&str]) -> Said {
    laboratory.call(&[&["compare", "a=a", "b=b", "--gate=none"], flags].concat())
}

fn row(laboratory: &Laboratory, flags: &[&str]) -> Value {
    let said = compared(laboratory, &[flags, &["--format=json"]].concat()).code(0);
    said.json()["rows"][0].clone()
}

/// A lone value at an end makes neighbours alike, however the file is shuffled: one order in thirty has it there.
#[test]
fn mostly_equal_values_are_no_iterations() {
    let laboratory = Laboratory::new();
    for equal in [44, 59] {
        let values = [vec![11.0], vec![10.0; equal]].concat();
        write(&laboratory, "a", &values);
        write(&laboratory, "b", &values);
        compared(&laboratory, &[]).code(0).prints(&["not proven"]);
        let out = format!("result-{equal}");
        laboratory
            .call(&["import", "a", "b", "--out", &out])
            .code(0);
    }
    // Of the same values in order, one process made the first half.
    write(&laboratory, "a", &[vec![11.0; 30], vec![10.0; 30]].concat());
    compared(&laboratory, &[])
        .code(4)
        .says(&["60 numbers in a are autocorrelated"]);
}

/// Numbers that are left over are no process: there are too many or too few of them.
#[test]
fn iterations_that_leave_numbers_over() {
    let laboratory = with_good();
    write(&laboratory, "left", &scattered(61, 100.0, 2.0));
    for arguments in [
        &["compare", "a=good", "b=left", "--iterations", "10"][..],
        &["steady", "left", "--iterations", "10"],
    ] {
        laboratory
            .call(arguments)
            .code(4)
            .says(&["left: ", "multiple of 10 numbers", "found 61"]);
    }
}

/// Times per something are times, and what is done per time is speed.
#[test]
fn times_per_operation_are_about_speed() {
    let laboratory = Laboratory::new();
    write(&laboratory, "a", &scattered(30, 100.0, 2.0));
    write(&laboratory, "b", &scattered(30, 110.0, 2.0));
    for (unit, better, word) in [
        ("ns/op", "lower", "slower"),
        ("us/op", "lower", "slower"),
        ("µs/iter", "lower", "slower"),
        ("ms/op", "lower", "slower"),
        ("s/op", "lower", "slower"),
        ("ms", "lower", "slower"),
        ("MB/s", "higher", "faster"),
        ("ops/ms", "higher", "faster"),
        ("B/op", "lower", "worse"),
        ("allocs/op", "lower", "worse"),
        ("ns/op", "higher", "better"),
    ] {
        compared(&laboratory, &["--unit", unit, "--better", better])
            .code(0)
            .prints(&[&format!("  {word}: typical run +")]);
    }
}

/// A millionth of a millionth, proven beyond doubt.
#[test]
fn a_proven_difference_is_never_shown_as_none() {
    let laboratory = Laboratory::new();
    write(&laboratory, "a", &scattered(30, 1e12, 3.0));
    write(&laboratory, "b", &scattered(30, 1e12 + 3.0, 3.0));
    for form in ["text", "markdown"] {
        let said = compared(&laboratory, &["--format", form]).code(0);
        for figure in ["0.0% [0.0, 0.0]", "0.000000%"] {
            assert!(!said.out.contains(figure), "{}", said.out);
        }
        said.prints(&["worse", "+3.00e-10% [+2."]);
    }
    let said = compared(&laboratory, &[]).code(0);
    let shown = said.out.split("found 4 times in 5: ").nth(1);
    assert!(shown.unwrap().starts_with(['4', '5', '6', '7', '8']));
    assert!(shown.unwrap().contains("e-11%\n"), "{}", said.out);
}

/// Three values without variance on each side differ by chance once in ten: no interval of no width.
#[test]
fn few_runs_that_do_not_vary_have_no_interval() {
    let laboratory = Laboratory::new();
    for (runs, other, is_open) in [(3, 11.0, true), (3, 10.0, true), (4, 11.0, false)] {
        write(&laboratory, "a", &vec![10.0; runs]);
        write(&laboratory, "b", &vec![other; runs]);
        let mean = &row(&laboratory, &[])["mean"];
        assert_eq!(mean["low"].is_null(), is_open, "{runs} {other}: {mean}");
        assert_eq!(mean["high"].is_null(), is_open, "{runs} {other}: {mean}");
        let said = compared(&laboratory, &[]).code(0);
        assert!(!said.out.contains("robustness"), "{}", said.out);
        let reason = "no end, as the runs are too few";
        assert_eq!(said.out.contains(reason), is_open, "{}", said.out);
    }
    // Equal constants whose means are rounded differ in nothing.
    write(&laboratory, "a", &[0.1; 9]);
    write(&laboratory, "b", &[0.1; 7]);
    let mean = &row(&laboratory, &[])["mean"];
    assert_eq!(
        (&mean["difference"], &mean["p"]),
        (&0.0.into(), &1.0.into())
    );
}

/// Seven of twenty values lie at the margin itself: it is in the interval, and what lies there is not the same.
#[test]
fn the_same_ends_before_the_margin() {
    let laboratory = Laboratory::new();
    write(&laboratory, "a", &[100.0; 20]);
    for (margin, at) in [("5%", 105.0), ("10%", 110.0), ("7%", 107.0)] {
        write(&laboratory, "b", &[vec![101.0; 13], vec![at; 7]].concat());
        let row = row(&laboratory, &["--margin", margin, "--independent"]);
        let high = row["typical"]["high"].as_f64().unwrap();
        assert!(high > at / 100.0 - 1.0 - 1e-9, "{row:#}");
        assert_ne!(row["typical"]["verdict"], "same", "{row:#}");
    }
}

/// A confidence that is not whole is not printed as if it were.
/// A mode that no run has shown makes `same` as wrong as any other verdict.
#[test]
fn few_runs_are_warned_of_with_every_verdict() {
    let laboratory = Laboratory::new();
    laboratory.write("a", "100.1\n99.9\n100.2\n99.8\n100\n");
    for (new, flags, verdict, is_warned) in [
        (
            "100.1\n99.8\n100\n99.9\n100.2\n",
            ["--margin", "2%"],
            "same",
            true,
        ),
        (
            "120.1\n119.8\n120\n119.9\n120.2\n",
            ["--margin", "2%"],
            "worse",
            true,
        ),
        (
            "101.1\n99\n104\n97.9\n100.2\n",
            ["--margin", "0.1%"],
            "not proven",
            false,
        ),
    ] {
        laboratory.write("b", new);
        let said = compared(&laboratory, &flags).prints(&[verdict]);
        let has_warning = said.out.contains("fewer than 6 runs on a side");
        assert_eq!(has_warning, is_warned, "{}", said.out);
    }
}

#[test]
fn a_confidence_just_below_one_keeps_its_digits() {
    let laboratory = with_good();
    let compare = ["compare", "a=good", "b=good"];
    for confidence in ["99.9999%", "99.95%", "99.99%"] {
        let text = laboratory
            .call(&[&compare[..], &["-c", confidence]].concat())
            .code(0);
        text.prints(&[&format!("intervals: {confidence} each")]);
        let plan = ["plan", "--sd", "1%", "--show", "1%", "--power", confidence];
        laboratory
            .call(&plan)
            .code(0)
            .prints(&[&format!("in {confidence} of experiments")]);
    }
}

#[test]
fn noise_that_is_none_is_refused() {
    let laboratory = Laboratory::new();
    let recorded = include_str!("../documents/noise.json");
    let plan = |text: &str, slice: &str| {
        laboratory.write("noise.json", text);
        let all = [
            "plan",
            "--noise",
            "noise.json",
            "--show",
            "1%",
            "--each",
            "5s",
            "--slice",
            slice,
        ];
        laboratory.call(&all)
    };
    plan(recorded, "20ms")
        .code(0)
        .prints(&["in slices of 20ms"]);
    plan(recorded, "6s")
        .code(2)
        .says(&["no longer than the run"]);
    plan("{", "20ms").code(2).says(&["noise.json is not what"]);
    let negative = recorded.replace("\"allan\": ", "\"allan\": -");
    plan(&negative, "30ms").code(4).says(&["no plan for CPU 0"]);
}

#[test]
fn warnings_are_broken_at_the_width_of_the_page() {
    let laboratory = with_good();
    let mut command = laboratory.perflab(&["compare", "a=good", "b=good"]);
    let said = Said::from(command.env("COLUMNS", "60").output().unwrap());
    let said = said.code(0).prints(&["warning: nothing is known of"]);
    let lines = said.out.lines();
    let warnings = lines.skip_while(|line| !line.starts_with("warning:"));
    assert!(warnings.map(str::len).max() <= Some(60), "{}", said.out);
}
