//! What a laboratory that was killed, or that failed, leaves: it is resumed, cleared away, or tried again.

use std::fs;
use std::process::Command;

use perflab_testing::needs;

use super::{EXPERIMENT, HISTORY, Histories};
use crate::support::Said;

#[test]
fn a_campaign_is_resumed_though_a_patch_was_measured_since() {
    let histories = Histories::with(HISTORY, &[100, 110, 120]);
    histories.run(&[]).code(0);
    histories.cut(1, 3);
    let patch =
        "--- a/build.sh\n+++ b/build.sh\n@@ -1 +1 @@\n-echo 120 > built\n+echo 130 > built\n";
    histories.laboratory.write("larger.patch", patch);
    histories.run(&["--patch", "larger.patch"]).code(0);
    histories.run(&[]).code(0).says(&["resuming campaign 1"]);
    let measured = histories.measured();
    assert!(measured.values().all(|runs| *runs <= 4), "{measured:?}");
}

#[test]
fn a_history_that_was_moved_is_measured_where_it_is() {
    let histories = Histories::with(HISTORY, &[100, 110, 120]);
    histories.run(&[]).code(0);
    histories.cut(1, 3);
    let path = |name: &str| histories.laboratory.path(name);
    fs::rename(path("h"), path("moved")).unwrap();
    let words = ["history", "run", "history.toml", "--out", "moved"];
    let said = histories.laboratory.call(&words).code(0);
    said.says(&["campaign 1 is not resumed", "was in another directory then"]);
    let shown = histories.laboratory.call(&["history", "show", "moved"]);
    shown.code(0).prints(&["+10.0%", "+20.0%"]);
}

/// The laboratory is killed when all runs are recorded, and before it has cleared its own away.
#[test]
fn what_a_kill_behind_the_last_run_leaves_is_cleared_away() {
    let histories = Histories::with(HISTORY, &[100, 110]);
    histories.run(&[]).code(0);
    let path = |name: &str| {
        histories
            .laboratory
            .path(&format!("h/campaigns/000001/{name}"))
    };
    fs::rename(path("runs/000004"), path("runs/000004.partial")).unwrap();
    fs::create_dir_all(path("scratch/build")).unwrap();
    fs::remove_dir_all(histories.laboratory.path("h/summaries")).unwrap();
    let before = histories.measured();
    histories.run(&[]).code(0);
    assert_eq!(histories.measured(), before);
    assert!(path("runs/000004").is_dir() && !path("scratch").exists());
}

#[test]
fn a_confirmation_is_measured_again_where_the_machine_has_changed() {
    let histories = Histories::with(HISTORY, &[100, 110]);
    histories.run(&[]).code(0);
    let range = "HEAD~1..HEAD";
    histories.run(&["--confirm", range]).code(0);
    histories.cut(2, 3);
    // A machine with fewer CPUs is another one.
    let words = [
        "history",
        "run",
        "history.toml",
        "--out",
        "h",
        "--confirm",
        range,
    ];
    let command = histories.laboratory.perflab(&words);
    needs("taskset", "util-linux");
    let status = histories.laboratory.read("/proc/self/status");
    let allowed = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))
        .unwrap();
    let Some((first, _)) = allowed.trim().split_once([',', '-']) else {
        eprintln!("one CPU has no other machine with fewer");
        return;
    };
    let settings = command.get_envs();
    let settings = settings.filter_map(|(name, value)| Some((name, value?)));
    let confined = Command::new("taskset")
        .args(["-c", first])
        .arg(command.get_program())
        .args(command.get_args())
        .envs(settings)
        .current_dir(histories.laboratory.path("."))
        .output()
        .unwrap();
    let said = Said::from(confined).code(0);
    said.says(&["the machine has changed", "campaign 3: "]);
}

/// Both sides of a change may be one build.
#[test]
fn a_confirmation_of_one_build_is_resumed() {
    let histories = Histories::with(HISTORY, &[100]);
    histories.commit("echo 100 > built", "2026-01-02");
    let range = "HEAD~1..HEAD";
    histories.run(&["--confirm", range]).code(0);
    histories.cut(1, 5);
    histories
        .run(&["--confirm", range])
        .code(0)
        .says(&["resuming campaign 1"]);
    assert_eq!(histories.journal("campaigns.jsonl").len(), 1);
}

/// A build that was put back has another number than the one that was noted last.
#[test]
fn a_build_of_another_number_is_another_build() {
    let histories = Histories::with(HISTORY, &[100, 110]);
    histories.run(&[]).code(0);
    for entry in fs::read_dir(histories.laboratory.path("h/trees")).unwrap() {
        let mark = entry.unwrap().path().join("complete");
        fs::write(mark, "77").unwrap();
    }
    histories.commit("echo 120 > built", "2026-01-03");
    let said = histories.run(&[]).code(0);
    assert_eq!(said.err.matches("built ").count(), 2, "{said:?}");
}

/// Root may remove it in any case.
#[test]
fn a_directory_that_a_build_has_closed_is_no_obstacle() {
    let histories = Histories::with(HISTORY, &[100]);
    let closing = "mkdir -p d/e; touch d/e/f; chmod 555 d/e d; exit 1";
    histories.commit(closing, "2026-01-02");
    histories.run(&[]).code(0).says(&["cannot be built"]);
    histories.commit("echo 110 > built", "2026-01-03");
    histories.run(&[]).code(0);
    histories.show().code(0).prints(&["+10.0%"]);
}

#[test]
fn the_control_is_built_again_once_it_can_be() {
    let histories = Histories::new(HISTORY);
    histories.commit(
        "test -e ../../../../ok || exit 1; echo 100 > built",
        "2026-01-01",
    );
    histories.commit("echo 110 > built", "2026-01-02");
    histories.run(&[]).code(5);
    for again in [&["--dry-run"][..], &["--dry-run", "--again"]] {
        let dry = histories.run(again).code(0);
        let dry = dry.prints(&["2 of 2 revisions to measure; control: ", "\nthe control "]);
        dry.prints(&[
            " could not be built so far; it is built again, and without it nothing is measured\n",
        ]);
    }
    histories.laboratory.write("ok", "");
    let watch = ["history", "watch", "history.toml", "--out", "h"];
    histories.laboratory.call(&watch).code(0);
    histories.show().code(0).prints(&["+10.0%"]);
}

/// A revision that was known not to build before anything was measured.
#[test]
fn a_revision_that_cannot_be_built_is_listed_however_it_was_met() {
    let histories = Histories::with(HISTORY, &[100]);
    let broken = histories.commit("exit 3", "2026-01-02");
    let same = histories.commit("exit 3", "2026-01-03");
    histories.commit("echo 110 > built", "2026-01-04");
    histories.run(&[]).code(0);
    histories
        .show()
        .code(0)
        .prints(&["not built:", &broken[..12], &same[..12]]);
    let campaigns = histories.journal("campaigns.jsonl").len();
    histories.run(&[]).code(0);
    assert_eq!(histories.journal("campaigns.jsonl").len(), campaigns);
    // A watch does not announce what it does not measure.
    histories.commit("exit 3", "2026-01-05");
    let watch = ["history", "watch", "history.toml", "--out", "h"];
    let said = histories.laboratory.call(&watch).code(0);
    assert!(!said.err.contains("next: "), "{said:?}");
    // The laboratory was killed after the builds.
    let path = |name: &str| histories.laboratory.path(&format!("h/{name}"));
    fs::remove_file(path("campaigns.jsonl")).unwrap();
    for name in ["summaries", "campaigns"] {
        fs::remove_dir_all(path(name)).unwrap();
        fs::create_dir(path(name)).unwrap();
    }
    histories.run(&[]).code(0);
    histories
        .show()
        .code(0)
        .prints(&["not built:", &broken[..12], &same[..12]]);
}

/// A campaign that cannot begin is no campaign.
#[test]
fn what_was_not_begun_is_not_counted() {
    let histories = Histories::with(HISTORY, &[100, 110]);
    let without = EXPERIMENT.replace("\"cat\"", "\"no-such-program\"");
    histories.laboratory.write("exp.toml", without);
    for _ in 0..2 {
        histories.run(&[]).code(5).says(&["no-such-program"]);
    }
    histories.laboratory.write("exp.toml", EXPERIMENT);
    histories.run(&[]).code(0);
    let shown = histories.show().code(0);
    shown.prints(&["2 revisions measured in 1 campaign"]);
    // The laboratory was killed before the result was there.
    let first = histories.laboratory.path("h/campaigns/000001");
    let runs = histories.laboratory.read("h/campaigns.jsonl");
    fs::rename(&first, histories.laboratory.path("gone")).unwrap();
    assert_eq!(runs.lines().count(), 1);
    histories.laboratory.call(&["history", "show", "h"]).code(4);
    histories
        .laboratory
        .call(&["report", "h", "-o", "pages"])
        .code(0);
    let campaigns = histories.laboratory.read("pages/campaigns.html");
    assert!(!campaigns.contains("campaigns/000001/"), "{campaigns}");
}
