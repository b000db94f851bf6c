//! Evidence in an output: numbers that are read as metrics are.

use perflab_drivers::{Evidence, Numbers, Output, Source, Stream, Target, Usage};

fn evidence(rules: &[(&str, Source)]) -> Evidence {
    let rules = rules.iter();
    let rules = rules.map(|(name, source)| ((*name).to_owned(), Stream::Stdout, source.clone()));
    Evidence::new(rules).expect("usable rules")
}

fn numbers(pairs: &[(&str, f64)]) -> Numbers {
    let pairs = pairs.iter();
    pairs
        .map(|(name, number)| ((*name).to_owned(), *number))
        .collect()
}

fn written(stdout: &str) -> Output<'_> {
    Output {
        stdout: stdout.as_bytes(),
        stderr: b"",
        usage: Usage {
            wall_s: 1.0,
            ..Usage::default()
        },
    }
}

#[test]
fn evidence_is_read_as_metrics_are_and_in_any_unit() {
    let evidence = evidence(&[
        ("calls", Source::Regex("calls: ([0-9]+)".to_owned())),
        ("bytes", Source::Values),
    ]);
    let output = "calls: 7\nVALUE 2 ms time\nVALUE 3e3 kB bytes\n";
    let found = evidence.read(&written(output)).expect("readable output");
    assert_eq!(found, numbers(&[("calls", 7.0), ("bytes", 3000.0)]));
    for (output, expected) in [
        (
            "VALUE 3 kB bytes\n",
            "stdout: expected exactly one value of `calls` (regular expression `calls: ([0-9]+)`), the evidence \
             `calls`, found none",
        ),
        (
            "calls: 7\nVALUE 3 kB bytes\nVALUE 4 MB bytes\n",
            "stdout: expected exactly one value of `bytes` (lines `VALUE number unit name`), the evidence `bytes`, \
             found 2, on lines 2, 3",
        ),
    ] {
        let error = evidence.read(&written(output)).expect_err("no evidence");
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn evidence_of_turns_is_the_sum_of_those_of_a_target() {
    let evidence = evidence(&[("calls", Source::JsonPointer("/calls".to_owned()))]);
    let target = |variant: &str| Target {
        variant: variant.to_owned(),
        arguments: Vec::new(),
    };
    let targets = ["a", "b"].map(target);
    let mut lines = String::new();
    for (target, slice, calls) in [(0, 1, 1), (1, 1, 10), (1, 2, 20), (0, 2, 2)] {
        lines += &format!(
            "{{\"target\":{target},\"slice\":{slice},\"at_s\":0,\"wall_s\":0.1,\"calls\":{calls}}}\n"
        );
    }
    let found = evidence.read_turns(&written(&lines), &targets, 2);
    let expected = [3.0, 30.0].map(|calls| numbers(&[("calls", calls)]));
    assert_eq!(found.expect("readable output"), expected);
    let without = lines.replace(",\"calls\":20", "");
    let error = evidence.read_turns(&written(&without), &targets, 2);
    let error = error.expect_err("a slice without evidence").to_string();
    assert!(error.starts_with("stdout, line 3: expected"), "{error}");
    assert!(error.contains("the evidence `calls`"), "{error}");
    // Where nothing is asked for, nothing is read.
    let nothing = Evidence::default().read_turns(&written("no JSON"), &targets, 2);
    assert_eq!(
        nothing.expect("nothing to read"),
        [numbers(&[]), numbers(&[])]
    );
}
