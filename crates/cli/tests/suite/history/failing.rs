//! Revisions whose runs fail, among others whose runs pass; and a control that is alone.

use super::{EXPERIMENT, HISTORY, Histories};

/// A workload that fails for programs of these sizes, with this exit code.
fn workload(name: &str, sizes: &str, code: u32) -> String {
    format!(
        "[workloads.{name}]\ndriver = \"generic\"\nshell = true\n\
         command = \"if grep -qE '{sizes}' {{tree}}/built; then exit {code}; fi; cat {{tree}}/built\"\n\
         [[workloads.{name}.metrics]]\nname = \"size\"\nunit = \"bytes\"\nbetter = \"lower\"\nregex = '^(\\d+)'\n"
    )
}

#[test]
fn a_revision_that_fails_takes_nothing_from_the_others() {
    let histories = Histories::with(HISTORY, &[100, 110, 120, 130, 140]);
    // As many runs as it takes to see that a revision fails again and again.
    let design = "[design]\nruns = 3\nblock = 1\n[variants.any]\nvars = { tree = \".\" }\n";
    let workloads = [
        workload("w", "120", 7),
        workload("v", "120|130", 8),
        // One that the control lacks.
        workload("u", "100|120", 9),
    ];
    let laboratory = &histories.laboratory;
    laboratory.write("exp.toml", format!("{design}{}", workloads.concat()));
    let together = HISTORY.replace("together = 3", "together = 8");
    laboratory.write("history.toml", together);
    let names = histories.git(
        &["log", "--reverse", "--format=%h", "--abbrev=12"],
        "2026-01-01",
    );
    let names: Vec<&str> = names.lines().collect();
    let failing = format!(
        "runs of 3 revisions fail: {}; `perflab history show h` says how\n\
         all other revisions are measured, or could not be built\n",
        [names[0], names[2], names[3]].join(", ")
    );
    histories.run(&[]).code(0).says(&[&failing]);
    let measured = histories.measured();
    assert_eq!(measured.len(), 5);
    assert!(measured.values().all(|runs| *runs == 9), "{measured:?}");
    // It is a fact, and not tried again.
    let without = "no value of 3 revisions, as all runs of the control ";
    histories.run(&[]).code(0).says(&[without, &failing]);
    assert_eq!(histories.measured(), measured);
    let dry = |more: &[&str]| histories.run(&[&["--dry-run"], more].concat()).code(0);
    dry(&[]).prints(&[
        "0 of 5 revisions to measure; 2 revisions are measured already; runs of 3 revisions fail; control: ",
        "0 campaigns of",
    ]);
    let again = dry(&["--again"]).prints(&[
        "1 of 5 revisions to measure; 2 revisions are measured already; runs of 2 revisions fail; ",
        "1 campaign of",
    ]);
    assert!(again.out.contains(names[2]) && !again.out.contains(names[1]));
    let ended = "EXIT, the workload ended with exit code";
    let line = |day: u32, workload: &str, code: u32| {
        let name = names[day as usize - 1];
        format!("2026-01-{day:02}  {name}  {workload}: {ended} {code}")
    };
    // Of the third no run passed.
    let failed = format!(
        "\nnot measured:\n{}\n\nruns failed:\n{}\n{}\n",
        line(3, "w", 7),
        line(1, "u", 9),
        line(4, "v", 8)
    );
    let shown = histories.show().code(0);
    let without = format!(
        "no value of 3 revisions, as all runs of the control {} in campaign 1 failed: u: {ended} 9\n",
        names[0]
    );
    shown.prints(&[
        "4 revisions measured in 1 campaign",
        "+30.0%",
        &failed,
        &without,
    ]);
    let changes = laboratory.call(&["history", "changes", "h"]).code(0);
    changes.prints(&[
        &without,
        "runs of 3 revisions fail; `perflab history show h` says how\n",
    ]);
    let one = laboratory.call(&["history", "show", "h", "--revision", names[3]]);
    one.code(0).prints(&[
        &format!("\nruns failed: v: {ended} 8; see campaigns/000001/runs/0000"),
        &format!(
            "\nno value, as all runs of the control {} in campaign 1 failed: u: ",
            names[0]
        ),
        "+30.0%",
    ]);
    laboratory.call(&["report", "h", "-o", "pages"]).code(0);
    let first = laboratory.read("pages/index.html");
    assert!(first.contains(", runs of 3 failed"), "{first}");
    assert_eq!(first.matches("(runs failed)").count(), 3, "{first}");
    assert!(first.contains("no value of 3 revisions, "), "{first}");
    let page = laboratory.read(&format!("pages/revision-{}.html", names[3]));
    assert!(page.contains(&format!("v: {ended} 8; run ")), "{page}");
    assert!(page.contains(&format!("failed: u: {ended} 9")), "{page}");
    // A failure of the last runs counts, and no other.
    laboratory.write("exp.toml", format!("{design}{}", workload("w", "999", 7)));
    histories
        .run(&["--again"])
        .code(0)
        .says(&["runs of 1 revision fail"]);
    let failed = format!("\nruns failed:\n{}\n", line(4, "v", 8));
    histories.show().code(0).prints(&[&failed]);
    // A side of a confirmation may fail in one workload of several; the others are measured to their end.
    laboratory.write("exp.toml", format!("{design}{}", workloads.concat()));
    let range = format!("{}..{}", names[1], names[3]);
    histories.run(&["--confirm", &range]).code(0);
    let last = histories.journal("campaigns.jsonl").len();
    let runs = laboratory.read(&format!("h/campaigns/{last:06}/runs.jsonl"));
    assert_eq!(runs.lines().count(), 2 * 3 * 12);
}

#[test]
fn a_control_that_is_alone_is_measured() {
    let histories = Histories::with(HISTORY, &[100]);
    histories
        .run(&["--dry-run"])
        .code(0)
        .prints(&["1 campaign of"]);
    let name = histories.git(&["rev-parse", "--short=12", "HEAD"], "2026-01-01");
    let said = histories.run(&[]).code(0);
    said.says(&[&format!("campaign 1: the control {name}\n")]);
    for _ in 0..2 {
        histories
            .run(&[])
            .code(0)
            .says(&["all revisions are measured"]);
        assert_eq!(histories.measured(), [(name.clone(), 2)].into());
    }
    histories
        .show()
        .code(0)
        .prints(&["1 revision measured in 1 campaign"]);
    let one = histories
        .laboratory
        .call(&["history", "show", "h", "--revision", &name]);
    one.code(0).prints(&["measured in campaigns/000001\n"]);
    // One that cannot be built is no company.
    let other = Histories::with(HISTORY, &[100]);
    other.commit("exit 3", "2026-01-02");
    other
        .run(&[])
        .code(0)
        .says(&["cannot be built", ": the control "]);
    other
        .show()
        .code(0)
        .prints(&["1 revision measured in 1 campaign", "not built:"]);
    histories.commit("echo 110 > built", "2026-01-02");
    histories.run(&[]).code(0);
    histories.show().code(0).prints(&["+10.0%"]);
}

/// The experiment with so many runs, of which those of a program of size 100 fail until there is a file `ok`.
fn failing_without_ok(runs: u32) -> String {
    let command = "command = [\"cat\", \"{tree}/built\"]";
    let failing = "shell = true\ncommand = \"if grep -q 100 {tree}/built; then \
                   test -e {tree}/../../../../ok || exit 1; fi; cat {tree}/built\"";
    assert!(EXPERIMENT.contains(command));
    EXPERIMENT
        .replace(command, failing)
        .replace("runs = 2", &format!("runs = {runs}"))
}

#[test]
fn a_revision_is_measured_again_where_the_control_failed() {
    let histories = Histories::with(HISTORY, &[100, 110]);
    histories
        .laboratory
        .write("exp.toml", failing_without_ok(2));
    histories.run(&[]).code(4);
    histories.laboratory.write("ok", "");
    histories.run(&[]).code(0);
    histories.show().code(0).prints(&["+10.0%"]);
}

#[test]
fn without_its_control_a_campaign_ends() {
    let histories = Histories::with(HISTORY, &[100, 110]);
    histories
        .laboratory
        .write("exp.toml", failing_without_ok(6));
    let names = histories.git(&["log", "--format=%h", "--abbrev=12"], "2026-01-01");
    let (newest, control) = names.split_once('\n').unwrap();
    let failed = format!(
        "all runs of {control} failed in campaign 1, and it is the control, so no revision has a value in it: w: EXIT, the \
         workload ended with exit code 1; its output is in h/campaigns/000001/runs/00000"
    );
    let said = histories.run(&[]).code(4);
    let said = said.says(&[
        &failed,
        "failed 3 times in a row and never passed",
        &format!("runs of 1 revision fail: {control}; "),
        &format!(
            "1 revision measured in vain, as the control {control} failed: {newest}; the same command tries again"
        ),
    ]);
    // No revision is left of which anything else could be told.
    assert!(!said.err.contains("are measured"), "{said:?}");
    assert_eq!(histories.measured()[control], 3);
    histories.show().code(0).prints(&[
        "h: 0 revisions measured in 1 campaign; ",
        &format!(
            "\nnot measured:\n2026-01-01  {control}  w: EXIT, the workload ended with exit code 1\n"
        ),
        &format!("2026-01-02  {newest}  its runs passed, but those of the control failed\n"),
    ]);
    let one = ["history", "show", "h", "--revision", newest];
    let one = histories.laboratory.call(&one).code(0);
    one.prints(&[
        "not measured, as its runs passed, but those of the control failed: campaigns/000001\n",
    ]);
    let quiet = ["history", "watch", "history.toml", "--out", "h", "--quiet"];
    let quiet = histories.laboratory.call(&quiet).code(4);
    quiet.says(&["error: all runs of ", ", so no revision has a value in it"]);
    let range = format!("{control}..{newest}");
    let confirmed = histories.run(&["--confirm", &range]).code(4);
    confirmed.says(&[", so nothing is confirmed: w: EXIT, "]);
    // Its runs that failed are missing in no later campaign.
    histories.laboratory.write("ok", "");
    let last = histories.journal("campaigns.jsonl").len();
    let again = histories.run(&[]).code(0);
    let again = again.says(&["all revisions are measured"]);
    let new = histories
        .laboratory
        .read(&format!("h/campaigns/{:06}/runs.jsonl", last + 1));
    assert_eq!(new.lines().count(), 12, "{again:?}");
    histories.show().code(0).prints(&["+10.0%"]);
    let one = ["history", "show", "h", "--revision", newest];
    histories.laboratory.call(&one).code(0).prints(&[
        "\nmeasured in campaigns/000001, campaigns/000002, campaigns/000004\n\
         measured for confirmations and bisections in campaigns/000003\n",
    ]);
}

#[test]
fn nothing_more_is_measured_once_the_control_failed() {
    let sizes: Vec<u32> = (10..19).map(|ten| 10 * ten).collect();
    let histories = Histories::with(HISTORY, &sizes);
    histories
        .laboratory
        .write("exp.toml", failing_without_ok(6));
    let root = histories.git(&["rev-list", "--max-parents=0", "HEAD"], "2026-01-01");
    let control = &root[..12];
    let stops = format!("runs of the control {control} fail");
    let said = histories.run(&[]).code(4);
    said.says(&[
        &format!("{stops}: 5 revisions left to measure"),
        "; remove the cause, then give the same command again",
    ]);
    assert_eq!(histories.journal("campaigns.jsonl").len(), 1);
    let watch = ["history", "watch", "history.toml", "--out", "h"];
    let said = histories.laboratory.call(&watch).code(4);
    let not_resumed =
        format!("campaign 1 is not resumed: all its runs of the control {control} failed");
    said.says(&[
        &not_resumed,
        "next: the newest revision\ncampaign 2: ",
        &stops,
    ]);
    assert_eq!(histories.journal("campaigns.jsonl").len(), 2);
    histories.laboratory.write("ok", "");
    histories
        .run(&[])
        .code(0)
        .says(&["all revisions are measured"]);
}

#[test]
fn runs_of_the_control_that_failed_are_told_where_a_campaign_is_resumed() {
    let histories = Histories::with(HISTORY, &[100, 110]);
    // The second run of the control fails.
    let counted = "shell = true\ncommand = \"cd {tree}; if grep -q 100 built; then echo >> ../../../../n; \
                   test $(wc -l < ../../../../n) != 2 || exit 1; fi; cat built\"";
    let experiment = EXPERIMENT.replace("command = [\"cat\", \"{tree}/built\"]", counted);
    let experiment = experiment.replace("runs = 2", "runs = 6");
    histories.laboratory.write("exp.toml", experiment);
    histories.run(&[]).code(0);
    histories.cut(1, 8);
    histories.run(&[]).code(0).says(&[
        "resuming campaign 1\n",
        "note: 1 run of the control ",
        " had failed in campaign 1 before it was resumed, so its differences are from fewer runs\n",
    ]);
}

#[test]
fn a_patch_whose_runs_fail_is_a_failure() {
    let histories = Histories::with(HISTORY, &[100, 110]);
    let design = "[design]\nruns = 2\nblock = 1\n[variants.any]\nvars = { tree = \".\" }\n";
    let patch =
        "--- a/build.sh\n+++ b/build.sh\n@@ -1 +1 @@\n-echo 110 > built\n+echo 130 > built\n";
    histories.laboratory.write("larger.patch", patch);
    let base = histories.git(&["rev-parse", "--short=12", "HEAD"], "2026-01-01");
    for (fails, name) in [("130", format!("{base}.larger")), ("110", base.clone())] {
        let experiment = format!("{design}{}", workload("w", fails, 7));
        histories.laboratory.write("exp.toml", experiment);
        let said = histories.run(&["--patch", "larger.patch"]).code(4);
        said.says(&[
            &format!("runs of 1 revision fail: {name}; "),
            &format!("all runs of {name} failed in campaign "),
            ", so the patched revision is not compared with the one without it: w: EXIT, ",
        ]);
    }
}
