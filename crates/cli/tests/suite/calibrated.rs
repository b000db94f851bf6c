//! `compare --calibrate`: how often such a report is false.

use serde_json::Value;

use crate::support::Laboratory;

/// Three files of numbers: the second differs.
fn written(laboratory: &Laboratory) {
    let run = |seed: u64, factor: f64| -> String {
        let mut state = seed;
        let mut noise = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64 / f64::from(1 << 24)
        };
        (0..20)
            .map(|_| format!("{:.5}\n", factor * (10.0 + noise())))
            .collect()
    };
    laboratory.write("old.txt", run(1, 1.0));
    laboratory.write("new.txt", run(2, 1.2));
    laboratory.write("same.txt", run(3, 1.0));
}

#[test]
fn reports_on_shuffled_labels_are_counted() {
    let laboratory = Laboratory::new();
    written(&laboratory);
    let files = ["old=old.txt", "new=new.txt", "again=same.txt"];
    let all: Vec<&str> = [
        "compare",
        "--calibrate=400",
        "--independent",
        "--format",
        "json",
    ]
    .into_iter()
    .chain(files)
    .collect();
    let report = laboratory.call(&all).code(1).json();
    // What is there is proven, and gone once the labels are shuffled.
    assert_eq!(report["rows"][0]["typical"]["verdict"], "worse");
    let found = &report["calibration"];
    assert_eq!(
        (&found["reports"], &found["control"]),
        (&400.into(), &Value::Null)
    );
    let share = |name: &str| found["candidates"][name].as_f64().unwrap();
    // Some are found, or nothing was looked for.
    assert!((0.0025..=0.083).contains(&share("share")), "{found}");
    assert!(share("low") <= share("share") && share("share") <= share("high"));
    assert_eq!(
        laboratory.call(&all).code(1).json(),
        report,
        "the same shuffles each time"
    );
    let text: Vec<&str> = ["compare", "--calibrate=20", "--independent"]
        .into_iter()
        .chain(files)
        .collect();
    laboratory
        .call(&text)
        .code(1)
        .prints(&["calibration: after the labels", "of 20"]);
}

/// What is found of the control is counted for itself.
#[test]
fn the_control_has_a_share_of_its_own() {
    let laboratory = Laboratory::new();
    let workload = "[workloads.w]\nshell = true\ndriver = 'generic'\n\
                    command = 'echo rate: $(od -An -N1 -tu1 /dev/urandom)'\n\
                    [[workloads.w.metrics]]\nname = 'rate'\nunit = ''\nbetter = 'lower'\nregex = 'rate: (.*)'\n";
    laboratory
        .run(&format!(
            "[design]\nruns = 12\nblock = 12\ncontrol = 'again'\n[variants.old]\n[variants.new]\n[variants.again]\n{workload}"
        ))
        .code(0);
    let report = laboratory
        .call(&["compare", "result", "--calibrate=400", "--format", "json"])
        .json();
    let found = &report["calibration"];
    for family in ["candidates", "control"] {
        let share = found[family]["share"].as_f64().unwrap();
        assert!((0.0025..=0.083).contains(&share), "{family}: {found}");
    }
}

#[test]
fn numbers_of_reports_that_make_no_sense_are_refused() {
    let laboratory = Laboratory::new();
    written(&laboratory);
    for number in ["0", "-1", "many", "1000001"] {
        let flag = format!("--calibrate={number}");
        laboratory
            .call(&["compare", &flag, "old=old.txt", "new=new.txt"])
            .code(2)
            .says(&["--calibrate"]);
    }
}
