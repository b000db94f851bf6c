//! What is shown of revisions.

use std::fs;
use std::path::PathBuf;

use perflab_testing::needs;
use serde_json::Value;

use super::{EXPERIMENT, HISTORY, Histories, contents};

#[test]
fn revisions_are_in_the_order_of_the_branch_whatever_their_clocks_say() {
    let histories = Histories::new(HISTORY);
    let days = [
        (100, "2026-01-03"),
        (110, "2026-01-01"),
        (120, "2026-01-02"),
    ];
    let commits = days.map(|(size, day)| histories.commit(&format!("echo {size} > built"), day));
    histories.run(&[]).code(0);
    let shown = histories
        .laboratory
        .call(&["history", "show", "h", "--format", "json"]);
    let view: Value = serde_json::from_str(&shown.code(0).out).unwrap();
    let revisions = view["revisions"].as_array().unwrap().iter();
    let ids: Vec<&str> = revisions
        .map(|seen| seen["revision"]["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, commits);
}

#[test]
fn what_a_campaign_came_to_is_read_once() {
    let histories = Histories::with(HISTORY, &[100, 110]);
    histories.run(&[]).code(0);
    let shown = histories.show().code(0).out;
    let path = histories.laboratory.path("h/summaries");
    let kept: Vec<PathBuf> = contents(&path).into_keys().collect();
    let [kept] = kept.as_slice() else {
        panic!("{kept:?}");
    };
    // A damaged one is as good as none.
    fs::write(kept, "{").unwrap();
    assert_eq!(histories.show().code(0).out, shown);
    fs::remove_file(kept).unwrap();
    histories.run(&[]).code(0);
    let mut summary: Value = serde_json::from_slice(&fs::read(kept).unwrap()).unwrap();
    summary["points"] = Value::Array(Vec::new());
    fs::write(kept, summary.to_string()).unwrap();
    assert_ne!(histories.show().code(0).out, shown);
    // Whoever touches the result has it read again.
    let runs = histories.laboratory.path("h/campaigns/000001/runs.jsonl");
    let text = fs::read(&runs).unwrap();
    fs::write(&runs, text).unwrap();
    assert_eq!(histories.show().code(0).out, shown);
}

#[test]
fn a_revision_with_its_commits_files_and_functions() {
    needs("cc", "gcc");
    let history = HISTORY.replace("[measure]", "programs = [\"built\"]\n[measure]");
    let histories = Histories::new(&history);
    histories.laboratory.write(
        "exp.toml",
        EXPERIMENT.replace(
            "\"cat\", \"{tree}/built\"",
            "\"sh\", \"-c\", \"wc -c < {tree}/built\"",
        ),
    );
    let commit = |program: &str, day: &str| {
        histories.laboratory.write("repo/a.c", program);
        histories.commit("cc -O1 -o built a.c", day)
    };
    let first = commit(
        "int stays(void) { return 1; }\nint goes(void) { return 2; }\nint main(void) { return stays() + goes(); }\n",
        "2026-01-01",
    );
    let between = commit("int broken\n", "2026-01-02");
    let last = commit(
        "int stays(void) { return 1; }\nint comes(int x) { return x * x * 7; }\nint main(int x) { return stays() + comes(x); }\n",
        "2026-01-03",
    );
    histories.git(&["tag", "v2", &last], "2026-01-03");
    histories.run(&[]).code(0);
    let show = |name: &str| {
        histories
            .laboratory
            .call(&["history", "show", "h", "--revision", name])
    };
    show("v2").code(0).prints(&[
        &last,
        "tags: v2",
        "build 000002: PASS",
        "built: ",
        "against the control",
        &format!("since {} of 2026-01-01", &first[..12]),
        "2 commits",
        &between[..12],
        "1 file\n  a.c",
        "1 came, 1 went",
        "comes",
        "goes",
    ]);
    assert!(!show("v2").out.contains("stays"));
    show(&first).code(0).prints(&["build 000001: PASS"]);
    show("nothing")
        .code(2)
        .says(&["no revision that was measured is called `nothing`"]);
    let ambiguous = show("").code(2);
    ambiguous.says(&["no revision"]);
    let view = histories
        .laboratory
        .call(&["history", "show", "h", "--format", "json"])
        .code(0)
        .json();
    assert_eq!(view["revisions"].as_array().unwrap().len(), 3);
    let names: Vec<&str> = view["series"]
        .as_array()
        .unwrap()
        .iter()
        .map(|series| series["subject"]["metric"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["size", "time", "size", "code"]);
    histories
        .laboratory
        .call(&["history", "show", "h", "--metric", "sise"])
        .code(2)
        .says(&["did you mean `size`"]);
}
