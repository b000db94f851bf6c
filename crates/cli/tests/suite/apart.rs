//! Two results that were not measured together: what is claimed of a change, and what not.

use serde_json::Value;

use crate::support::Laboratory;

/// Measures two variants that say how long they took, to a millionth: `old` and `new` say how
/// long. No clock is asked, as what it says on a loaded machine proves neither a change nor its
/// absence; and what differs between runs is always the same, as chance makes slow modes now and then.
fn measured(laboratory: &Laboratory, name: &str, old: u32, new: u32) {
    laboratory.write(
        &format!("{name}.toml"),
        format!(
            "[design]\nruns = 8\nblock = 2\nseed = 1\nmargin = '95%'\n\
             [variants.old]\nenv = {{ N = '{old}' }}\n[variants.new]\nenv = {{ N = '{new}' }}\n\
             [workloads.w]\nshell = true\ndriver = 'generic'\n\
             command = 'n=$(basename {{run}} | tr -dc 1-9); echo took: $N.000$((n * 37 % 89 + 100))'\n\
             [[workloads.w.metrics]]\nname = 'took'\nunit = 's'\nbetter = 'lower'\nregex = 'took: (.*)'\n"
        ),
    );
    let file = format!("{name}.toml");
    laboratory.call(&["run", &file, "--out", name]).code(0);
}

fn row<'r>(report: &'r Value, metric: &str) -> &'r Value {
    let rows = report["rows"].as_array().unwrap();
    let is_wanted = |row: &&Value| row["metric"]["name"] == metric;
    rows.iter()
        .find(is_wanted)
        .unwrap_or_else(|| panic!("{metric}: {report:#}"))
}

#[test]
fn a_change_whose_cause_is_not_known_is_no_regression() {
    let laboratory = Laboratory::new();
    measured(&laboratory, "first", 2000, 2000);
    measured(&laboratory, "second", 40_000, 40_000);
    let both = ["compare", "a=first", "b=second", "--format", "json"];
    let report = laboratory.call(&both).code(4).json();
    for variant in ["old", "new"] {
        let row = row(&report, &format!("took of {variant}"));
        assert!(row["typical"]["difference"].as_f64().unwrap() > 1.0);
        assert_eq!(row["typical"]["p_adjusted"], Value::Null);
        assert_eq!(row["typical"]["verdict"], "not-proven");
        assert_eq!(row["headline"], "changed, cause unknown");
    }
    laboratory
        .call(&["compare", "a=first", "b=second"])
        .code(4)
        .prints(&[
            "took of old",
            "changed, cause unknown: typical run",
            "no verdict on old, new",
            "the change of old cannot be divided out: it is not started in the same way in both",
            "copy first/experiment.toml to both.toml in the directory of the original experiment file",
            "add the variants of b under other names",
            "perflab run both.toml",
        ]);
    let gate = ["compare", "a=first", "b=second", "--gate"];
    let gated = |by: &str| laboratory.call(&[&gate[..], &[by]].concat());
    gated("none").code(0);
    gated("same").code(4).prints(&["changed, cause unknown"]);
    // No margin makes that pass, so none is asked for.
    for name in ["first", "second"] {
        let experiment = laboratory.read(&format!("{name}.toml"));
        let file = format!("{name}-without.toml");
        laboratory.write(&file, experiment.replace("margin = '95%'\n", ""));
        laboratory
            .call(&["run", &file, "--out", &format!("{name}-without")])
            .code(0);
    }
    let without = ["compare", "a=first-without", "b=second-without"];
    laboratory
        .call(&[&without[..], &["--gate", "same"]].concat())
        .code(4)
        .prints(&["changed, cause unknown"]);
    // Something is claimed here, and it takes a margin, which is not that of the command line.
    let decided = ["compare", "a=first-without", "b=first-without"];
    laboratory
        .call(&[&decided[..], &["--gate", "same"]].concat())
        .code(2)
        .says(&["the experiment of the first result declares none"]);
}

#[test]
fn a_shared_baseline_decides() {
    let laboratory = Laboratory::new();
    measured(&laboratory, "first", 4000, 4000);
    measured(&laboratory, "second", 4000, 100_000);
    let both = ["compare", "a=first", "b=second", "--format", "json"];
    let report = laboratory.call(&both).code(1).json();
    let quotient = row(&report, "took of new / old");
    assert_eq!(quotient["typical"]["verdict"], "worse");
    assert_eq!(
        row(&report, "took of new")["typical"]["verdict"],
        "not-proven"
    );
    assert_eq!(report["design"]["undecided"], Value::Array(Vec::new()));
    // The gate asks for sameness of what is claimed, and nothing else.
    let same = [
        "compare", "a=first", "b=first", "--format", "json", "--gate",
    ];
    let gated = |gate: &str| laboratory.call(&[&same[..], &[gate]].concat());
    let report = gated("none").code(0).json();
    assert_eq!(
        row(&report, "took of new / old")["typical"]["verdict"],
        "same"
    );
    gated("same").code(0);
    // No eight runs show that nothing changed by a ten millionth of a percent.
    let experiment = laboratory.read("first.toml").replace("95%", "0.0000001%");
    laboratory.write("close.toml", experiment);
    laboratory
        .call(&["run", "close.toml", "--out", "close"])
        .code(0);
    laboratory
        .call(&["compare", "a=close", "b=close", "--gate", "same"])
        .code(3);
    // The other way round it is faster, which no gate minds.
    laboratory
        .call(&["compare", "a=second", "b=first"])
        .code(0)
        .prints(&["took of new / old"]);
}

#[test]
fn only_two_results_are_compared_with_each_other() {
    let laboratory = Laboratory::new();
    measured(&laboratory, "first", 10, 10);
    laboratory.write("plain.txt", "1\n2\n3\n");
    let refused: [(&[&str], &str); 4] = [
        (&["a=first", "b=plain.txt"], "plain.txt is no directory"),
        (
            &["a=first", "b=first", "c=first"],
            "two results can be compared with each other, not 3",
        ),
        (&["a=first", "a=first"], "the label `a` is given twice"),
        (
            &["a=first", "b=first", "--metric", "took"],
            "--metric is for one result",
        ),
    ];
    for (arguments, why) in refused {
        let all: Vec<&str> = ["compare"].iter().chain(arguments).copied().collect();
        laboratory.call(&all).code(2).says(&[why]);
    }
}
