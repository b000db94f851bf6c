//! Values that an instrument shows in steps: what a driver declares is recorded, and a report claims no more than it.

use serde_json::Value;

use crate::support::{Laboratory, RUN, Said};

/// A redis-benchmark whose 1000 requests take so many whole milliseconds, one after the other and over again.
fn laboratory(milliseconds: &str) -> Laboratory {
    let laboratory = Laboratory::new();
    std::fs::create_dir(laboratory.path("bin")).unwrap();
    laboratory.program(
        "bin/redis-benchmark",
        &format!(
            "cd \"$(dirname \"$0\")\"\necho >> runs\nset -- {milliseconds}\n\
             shift $(( ($(wc -l < runs) - 1) % $# ))\n\
             awk -v ms=\"$1\" 'BEGIN {{ printf \"\\\"GET\\\",\\\"%.2f\\\"\\n\", 1000000 / ms }}'\n"
        ),
    );
    laboratory.write(
        "exp.toml",
        "[design]\nruns = 12\nblock = 3\nseed = 1\nmargin = '1%'\n[variants.a]\n[variants.b]\n[workloads.w]\n\
         driver = 'redis-benchmark'\nargs = ['-n', '1000', '-t', 'get']",
    );
    measure(&laboratory, &RUN);
    laboratory
}

/// Calls the laboratory with that redis-benchmark.
fn measure(laboratory: &Laboratory, words: &[&str]) {
    let mut command = laboratory.perflab(words);
    let bin = laboratory.path("bin").display().to_string();
    command.env("PATH", format!("{bin}:/usr/bin:/bin"));
    Said::from(command.output().unwrap()).code(0);
}

fn compared(laboratory: &Laboratory) -> Value {
    let arguments = ["compare", "result", "--gate", "none", "--format", "json"];
    laboratory.call(&arguments).code(0).json()
}

fn ends(answer: &Value) -> [f64; 2] {
    ["low", "high"].map(|end| answer[end].as_f64().unwrap())
}

fn warnings(report: &Value) -> Vec<String> {
    let all = report["warnings"].as_array().unwrap().iter();
    all.map(|warning| warning.as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn the_step_of_each_value_is_recorded() {
    let laboratory = laboratory("20 21");
    for record in laboratory.records() {
        let sample = &record["samples"][0];
        let [value, step] = ["value", "step"].map(|name| sample[name].as_f64().unwrap());
        assert!(
            (step / (value * value / 1e6) - 1.0).abs() < 1e-9,
            "{record}"
        );
    }
}

#[test]
fn runs_that_are_all_rounded_alike_prove_nothing_within_a_step() {
    let laboratory = laboratory("20");
    let report = compared(&laboratory);
    let row = &report["rows"][0];
    for question in ["typical", "mean"] {
        let answer = &row[question];
        let [low, high] = ends(answer);
        // All that is known: neither side is beyond its step of 5 %.
        assert!((-0.055..=-0.045).contains(&low), "{question}: {answer}");
        assert!((0.045..=0.055).contains(&high), "{question}: {answer}");
        assert_eq!(answer["verdict"], "not-proven", "{question}");
    }
    for side in ["base", "candidate"] {
        let side = &row[side];
        let of_mean = ["mean_low", "mean_high"].map(|end| side[end].as_f64().unwrap());
        assert_eq!(of_mean, [48_750.0, 51_250.0]);
    }
    assert!(row["mde"].as_f64().unwrap() > 0.049, "{row}");
    let said = "values of rps lie in steps of 5.0%, which intervals and verdicts allow for: make runs longer, or measure \
                in finer steps";
    let all = warnings(&report);
    assert_eq!(
        all.iter().filter(|warning| *warning == said).count(),
        1,
        "{all:#?}"
    );
    // However they are written.
    for format in ["text", "markdown"] {
        let arguments = ["compare", "result", "--gate", "none", "--format", format];
        let said = laboratory.call(&arguments).code(0);
        said.prints(&["values of rps lie in steps of 5.0%"]);
    }
    laboratory
        .call(&["report", "result", "-o", "pages"])
        .code(0);
    let pages = std::fs::read_to_string(laboratory.path("pages/index.html")).unwrap();
    assert!(pages.contains("values of rps lie in steps of 5.0%"));
    let planned = laboratory.call(&["plan", "result", "--show", "1%"]);
    planned.says(&["may be hidden by the steps that the values lie in"]);
}

/// A rate that all runs share shows by itself no more than that its time may be a single step.
#[test]
fn two_results_have_the_steps_that_are_declared() {
    let laboratory = laboratory("20");
    measure(&laboratory, &["run", "exp.toml", "--out", "other"]);
    let report = report_of(&laboratory, &["old=result", "new=other"]);
    let rows = report["rows"].as_array().unwrap();
    assert!(rows.len() >= 2, "{report:#}");
    for row in rows {
        // A quotient has the steps of both of its values.
        let [low, high] = ends(&row["typical"]);
        assert!(low > -0.12 && high < 0.12, "{row}");
    }
    let said = "of a lie in steps of 5.0%";
    let all = warnings(&report);
    assert!(all.iter().any(|warning| warning.contains(said)), "{all:#?}");
}

/// The report on these files or results.
fn report_of(laboratory: &Laboratory, arguments: &[&str]) -> Value {
    let all = [
        &["compare"],
        arguments,
        &["--gate", "none", "--format", "json"],
    ];
    laboratory.call(&all.concat()).code(0).json()
}

#[test]
fn steps_are_found_in_values_that_nobody_declared() {
    let laboratory = Laboratory::new();
    let files = ["old=old.txt", "new=new.txt"];
    let rates = |milliseconds: [f64; 6]| -> String {
        let lines = milliseconds.map(|ms| format!("{:.2}\n", 1e6 / ms));
        lines.concat().repeat(3)
    };
    laboratory.write("old.txt", rates([20.0, 20.0, 20.0, 20.0, 21.0, 20.0]));
    laboratory.write("new.txt", rates([20.0, 21.0, 20.0, 20.0, 20.0, 20.0]));
    let flags = ["--unit", "1/s", "--better", "higher", "--margin", "3%"];
    let report = report_of(&laboratory, &[&files[..], &flags].concat());
    let row = &report["rows"][0];
    for question in ["typical", "mean"] {
        let [low, high] = ends(&row[question]);
        assert!(low < -0.03 && high > 0.03, "{row}");
        assert_eq!(row[question]["verdict"], "not-proven", "{row}");
    }
    assert!(
        warnings(&report)
            .iter()
            .any(|warning| warning.contains("lie in steps of"))
    );
    // Counts repeat exactly.
    laboratory.write("old.txt", "1201\n".repeat(9));
    laboratory.write("new.txt", "1201\n".repeat(9));
    let report = report_of(&laboratory, &[&files[..], &["--margin", "1%"]].concat());
    assert_eq!(ends(&report["rows"][0]["typical"]), [0.0, 0.0]);
    assert!(
        warnings(&report)
            .iter()
            .all(|warning| !warning.contains("steps"))
    );
}

/// All runs of the candidate end at a limit, whose digits are fewer than those of the baseline: no step hides so much. And
/// a third variant that is coarser than the other two tells nothing of them.
#[test]
fn each_side_has_its_own_steps() {
    let laboratory = Laboratory::new();
    let lines = |of: &dyn Fn(u32) -> f64| -> String {
        (0..20).map(|run| format!("{}\n", of(run))).collect()
    };
    let noise = |run: u32| f64::from(run * 37 % 101) / 1e5;
    laboratory.write("old.txt", lines(&|run| 0.12 + noise(run)));
    laboratory.write("new.txt", lines(&|run| 0.124 + noise(run + 7)));
    laboratory.write("limit.txt", "5\n".repeat(20));
    let files = ["old=old.txt", "new=new.txt", "limit=limit.txt"];
    let flags = ["--unit", "s", "--better", "lower"];
    let report = report_of(&laboratory, &[&files[..], &flags].concat());
    for row in report["rows"].as_array().unwrap() {
        for question in ["typical", "mean"] {
            assert_eq!(row[question]["verdict"], "worse", "{row}");
        }
        let [low, high] = ends(&row["typical"]);
        let expected = match row["variant"] == "limit" {
            true => 30.0..60.0,
            false => 0.025..0.045,
        };
        assert!(expected.contains(&low) && expected.contains(&high), "{row}");
    }
}
