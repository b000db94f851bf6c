//! `perflab compare` on plain files of numbers: what it refuses, and what it makes of little.

use crate::support::Laboratory;

/// Numbers around a centre in no order: multiples of an irrational number, without their integers.
pub fn scattered(count: usize, centre: f64, width: f64) -> Vec<f64> {
    (1..=count)
        .map(|index| centre + width * (index as f64 * 0.618_033_988_75).fract())
        .collect()
}

/// A laboratory with the file `good` of thirty numbers.
pub fn with_good() -> Laboratory {
    let laboratory = Laboratory::new();
    write(&laboratory, "good", &scattered(30, 100.0, 2.0));
    laboratory
}

/// Writes numbers, one per line.
pub fn write(laboratory: &Laboratory, name: &str, values: &[f64]) {
    let lines: Vec<String> = values.iter().map(|value| format!("{value}\n")).collect();
    laboratory.write(name, lines.concat());
}

/// Numbers of six processes, thirty in a row each: alike within a process.
fn iterations() -> Vec<f64> {
    let processes = scattered(6, 90.0, 20.0);
    let noise = scattered(180, 0.0, 1.0);
    noise
        .iter()
        .enumerate()
        .map(|(index, noise)| processes[index / 30] + noise)
        .collect()
}

#[test]
fn files_that_cannot_be_read() {
    let laboratory = with_good();
    for (name, content, code, words) in [
        (
            "garbage",
            Some("1\n2\nbogus\n4\n"),
            4,
            ["garbage: line 3", "`bogus`"],
        ),
        (
            "endless",
            Some("1\ninf\n"),
            4,
            ["endless: line 2", "finite number"],
        ),
        (
            "undefined",
            Some("# a comment\n1\nNaN\n"),
            4,
            ["undefined: line 3", "finite number"],
        ),
        (
            "empty",
            Some(""),
            4,
            ["empty: expected a number", "0 lines"],
        ),
        (
            "comments",
            Some("# one\n\n# two\n"),
            4,
            ["comments: expected a number", "3 lines"],
        ),
        ("absent", None, 2, ["cannot read absent", "No such file"]),
    ] {
        if let Some(content) = content {
            laboratory.write(name, content);
        }
        for pair in [
            ["a=good", &format!("b={name}")],
            [&format!("a={name}"), "b=good"],
        ] {
            let said = laboratory
                .call(&["compare", pair[0], pair[1]])
                .code(code)
                .says(&words);
            assert!(said.out.is_empty(), "{}", said.out);
        }
    }
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_numbers() {
    let laboratory = with_good();
    let good = laboratory.read("good");
    laboratory.write("marked", format!("\u{feff}{good}"));
    let compare = |pair: [&str; 2]| laboratory.call(&[&["compare"], &pair[..]].concat());
    let plain = compare(["a=good", "b=good"]).code(0);
    assert_eq!(compare(["a=marked", "b=good"]).code(0).out, plain.out);
    let import = ["import", "a=marked", "b=good", "--out", "result"];
    let said = laboratory.call(&import).code(0);
    said.says(&["marked: columns, 30 runs"]);
    let kept = laboratory.read("result/imported/1/marked");
    assert_eq!(kept, laboratory.read("marked"), "evidence is kept as it is");
}

#[test]
fn differences_of_extreme_size_have_few_digits() {
    let laboratory = with_good();
    write(&laboratory, "far", &scattered(30, 2e9, 2e7));
    write(&laboratory, "near", &scattered(30, 1e-9, 1e-11));
    for form in ["text", "markdown"] {
        let flags = ["--format", form, "--gate", "none"];
        let compare =
            |label: &str| laboratory.call(&[&["compare", "good=good", label], &flags[..]].concat());
        let far = compare("far=far").code(0).prints(&["+1.9", "e9% [+1.9"]);
        assert!(!far.out.contains("0000%"), "{}", far.out);
        compare("near=near")
            .code(0)
            .prints(&["-100.0% [-100.0, -100.0]"]);
    }
}

#[test]
fn columns_and_delimiters() {
    let laboratory = with_good();
    laboratory.write("table", "x,1.5\nx,1.75\nx,oops\n");
    let arguments = ["compare", "a=table", "b=good", "-C", "2", "-d", ","];
    laboratory
        .call(&arguments)
        .code(4)
        .says(&["table: line 3", "column 2", "`oops`"]);
    laboratory
        .call(&["compare", "a=good", "b=table", "-C", "0"])
        .code(2);
    laboratory
        .call(&["compare", "a=good", "b=table", "-d", ""])
        .code(2)
        .says(&["delimiter"]);
}

#[test]
fn labels_and_flags_that_make_no_sense() {
    let laboratory = with_good();
    for (arguments, code, words) in [
        (&["a=good"][..], 4, "only the variant `a` has such runs"),
        (&["a=good", "a=good"], 2, "label `a` is given twice"),
        (
            &["a=good", "b=good", "--baseline", "c"],
            2,
            "no variant `c`",
        ),
        (
            &["a=good", "b=good", "--confidence", "10%"],
            2,
            "--confidence",
        ),
        (&["a=good", "b=good", "--confidence", "lots"], 2, "lots"),
        (&["a=good", "b=good", "--margin", "0%"], 2, "--margin"),
        (&["a=good", "b=good", "--margin", "100%"], 2, "--margin"),
        (
            &["a=good", "b=good", "--iterations", "0"],
            2,
            "--iterations",
        ),
        (&["a=good", "good"], 2, "no result directory"),
    ] {
        laboratory
            .call(&[&["compare"], arguments].concat())
            .code(code)
            .says(&[words]);
    }
}

#[test]
fn one_value_a_side_proves_nothing() {
    let laboratory = Laboratory::new();
    laboratory.write("one", "5\n");
    laboratory.write("two", "50\n");
    let said = laboratory
        .call(&["compare", "a=one", "b=two", "--format", "json"])
        .code(0);
    let row = &said.json()["rows"][0];
    assert_eq!(row["typical"]["verdict"], "not-proven");
    assert_eq!(row["mean"]["verdict"], "not-proven");
    assert!(
        row["warnings"].to_string().contains("too few runs"),
        "{row:#}"
    );
}

#[test]
fn values_that_do_not_vary() {
    let laboratory = Laboratory::new();
    write(&laboratory, "seven", &[7.0; 10]);
    write(&laboratory, "eight", &[8.0; 10]);
    laboratory
        .call(&["compare", "a=seven", "b=seven"])
        .code(0)
        .prints(&["do not vary at all"]);
    laboratory
        .call(&["compare", "a=seven", "b=eight"])
        .code(1)
        .prints(&["worse", "+14.3%"]);
}

#[test]
fn iterations_do_not_pass_for_runs() {
    let laboratory = with_good();
    write(&laboratory, "inside", &iterations());
    let compare = ["compare", "a=good", "b=inside"];
    laboratory.call(&compare).code(4).says(&[
        "180 numbers in inside are autocorrelated",
        "--iterations N",
        "--independent",
    ]);
    laboratory
        .call(&["compare", "a=inside", "b=good"])
        .code(4)
        .says(&["are autocorrelated"]);

    let said = laboratory.call(&[&compare[..], &["--independent", "--format", "json"]].concat());
    assert_eq!(said.json()["rows"][0]["candidate"]["n"], 180);
    // Told how many belong to one process, it counts the processes.
    let arguments = [
        "compare",
        "a=inside",
        "b=inside",
        "--iterations",
        "30",
        "--format",
        "json",
    ];
    let said = laboratory.call(&arguments).code(0);
    assert_eq!(said.json()["rows"][0]["candidate"]["n"], 6);
}

/// Of values in coarse steps most pairs are equal: the two differ for sure, but the typical difference is none,
/// and has no direction.
#[test]
fn a_difference_of_none_is_neither_faster_nor_slower() {
    let laboratory = Laboratory::new();
    let steps = |low: usize| -> Vec<f64> {
        (0..400)
            .map(|run| {
                if (run * 7919) % 400 < low {
                    100.0
                } else {
                    105.0
                }
            })
            .collect()
    };
    write(&laboratory, "a", &steps(280));
    write(&laboratory, "b", &steps(220));
    for (base, other) in [("a", "b"), ("b", "a")] {
        let compare = [
            "compare",
            &format!("{base}={base}"),
            &format!("{other}={other}"),
            "--questions=typical",
            "--independent",
            "--gate=none",
            "--format=json",
        ];
        let said = laboratory.call(&compare).code(0);
        let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
        let typical = &report["rows"][0]["typical"];
        assert_eq!(typical["difference"], 0.0, "{typical}");
        assert!(typical["p"].as_f64().unwrap() < 0.001, "{typical}");
        assert_eq!(typical["verdict"], "not-proven", "{typical}");
    }
}

/// A few runs of very uneven times: the interval of the mean would reach below nothing at all.
#[test]
fn what_is_positive_falls_by_no_more_than_all_of_it() {
    let laboratory = Laboratory::new();
    write(&laboratory, "old", &[1.0, 1.3, 0.8, 1.1, 2.5]);
    write(&laboratory, "new", &[0.1, 0.2, 3.0, 0.1, 0.1]);
    let said = laboratory
        .call(&["compare", "old=old", "new=new", "--format", "json"])
        .code(0);
    let row = &said.json()["rows"][0];
    assert_eq!(row["relative"], true, "{row}");
    assert_eq!(row["mean"]["low"], -1.0, "{row}");
    assert!(row["mean"]["high"].as_f64().unwrap() > 0.0, "{row}");
    assert_eq!(row["candidate"]["mean_low"], 0.0, "{row}");
}

fn lines<'v>(values: impl IntoIterator<Item = &'v f64>) -> String {
    let lines = values.into_iter().map(|value| format!("{value}\n"));
    lines.collect()
}

/// A robustness check stops a verdict only where the p-value without it would have given one among all tests.
#[test]
fn a_verdict_that_many_tests_exclude_is_not_said_to_be_stopped() {
    let laboratory = Laboratory::new();
    let base = [97.8, 98.0, 99.0, 99.1, 99.5, 99.7, 101.1, 102.0];
    let candidate = [100.2, 100.3, 100.5, 100.6, 100.7, 100.9, 101.4, 102.4];
    laboratory.write("a.txt", lines(&base));
    laboratory.write("b.txt", lines(&candidate));
    let compare = |questions: &str| {
        let files = ["a=a.txt", "b=b.txt"];
        let flags = [
            "compare",
            "--independent",
            "--format",
            "json",
            "--questions",
            questions,
        ];
        let report = laboratory
            .call(&[&flags[..], &files].concat())
            .code(0)
            .json();
        report["rows"][0]["warnings"].to_string()
    };
    // scipy.stats.mannwhitneyu says 0.04988, scipy.stats.brunnermunzel 0.0635: what is left for the typical run of
    // three tests is 0.05 * 4 / 5.25 = 0.038.
    let alone = compare("typical");
    assert!(alone.contains("scatter differently"), "{alone}");
    let among_three = compare("typical,mean");
    assert!(
        !among_three.contains("scatter differently"),
        "{among_three}"
    );
}

#[test]
fn the_order_of_lines_and_of_files_changes_no_p_value() {
    let laboratory = Laboratory::new();
    let few: Vec<f64> = (0..9_u8)
        .map(|run| 98.0 + 1.7 * f64::from(run * 5 % 9))
        .collect();
    let many: Vec<f64> = (0..31_u8)
        .map(|run| 100.0 + 0.9 * f64::from(run * 7 % 31))
        .collect();
    laboratory.write("few", lines(&few));
    laboratory.write("many", lines(&many));
    laboratory.write("turned-few", lines(few.iter().rev()));
    laboratory.write("turned-many", lines(many.iter().rev()));
    let compare = |a: &str, b: &str| {
        let files = [format!("a={a}"), format!("b={b}")];
        let flags = ["compare", "--independent", "--format", "json"].map(String::from);
        let row = laboratory.call(&[&flags[..], &files].concat()).json()["rows"][0].clone();
        ["typical", "mean"].map(|question| row[question]["p"].as_f64().unwrap())
    };
    let expected = compare("few", "many");
    for (a, b) in [
        ("turned-few", "turned-many"),
        ("many", "few"),
        ("turned-many", "few"),
    ] {
        let found = compare(a, b);
        let is_near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-12 * b;
        assert!(
            found.iter().zip(&expected).all(is_near),
            "{a} {b}: {found:?} {expected:?}"
        );
    }
}

/// No verdict `same` is possible of differences that are absolute.
#[test]
fn a_margin_is_mentioned_where_it_counts() {
    let laboratory = with_good();
    write(&laboratory, "zeros", &scattered(30, -1.0, 2.0));
    write(&laboratory, "better", &scattered(30, 100.1, 2.0));
    write(&laboratory, "others", &scattered(30, -1.1, 2.0));
    let words = |a: &str, b: &str| {
        let sides = [format!("a={a}"), format!("b={b}")];
        let said = laboratory.call(&["compare", &sides[0], &sides[1], "--margin", "5%"]);
        let words: Vec<&str> = said.out.split_whitespace().collect();
        words.join(" ")
    };
    assert!(words("good", "better").contains("; same: within 5%"));
    let absolute = words("zeros", "others");
    assert!(absolute.contains("differences are absolute"), "{absolute}");
    assert!(!absolute.contains("same: within"), "{absolute}");
}
