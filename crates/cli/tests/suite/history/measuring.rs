//! What is measured of a repository: each revision once, and the repository is only read.

use std::fs;

use super::{HISTORY, Histories, contents};
use crate::support::Said;

#[test]
fn each_revision_is_measured_once_beside_the_control() {
    let histories = Histories::with(HISTORY, &[100, 110, 110, 120, 90]);
    let said = histories.run(&[]).code(0);
    said.says(&[
        "campaign 1: 3 revisions and the control",
        "campaign 2: 1 revision and the control",
        "all revisions are measured",
    ]);
    let measured = histories.measured();
    assert_eq!(measured.len(), 5);
    // The control is in both campaigns.
    let mut counts: Vec<usize> = measured.values().copied().collect();
    counts.sort_unstable();
    assert_eq!(counts, [2, 2, 2, 2, 4]);
    let shown = histories.show().code(0);
    shown.prints(&[
        "5 revisions measured in 2 campaigns",
        "100 B at the control",
        "+10.0%",
        "+20.0%",
        "-10.0%",
    ]);
    histories
        .run(&[])
        .code(0)
        .says(&["all revisions are measured"]);
    assert_eq!(histories.measured(), measured);
    assert_eq!(histories.journal("campaigns.jsonl").len(), 2);
    assert_eq!(
        histories.journal("builds.jsonl").len(),
        4,
        "two revisions have the same content"
    );
}

#[test]
fn new_revisions_are_measured_when_they_come() {
    let histories = Histories::with(HISTORY, &[100, 110]);
    histories.run(&[]).code(0);
    histories.commit("echo 130 > built", "2026-02-01");
    histories
        .run(&[])
        .code(0)
        .says(&["campaign 2: 1 revision and the control"]);
    histories
        .show()
        .code(0)
        .prints(&["3 revisions measured in 2 campaigns", "+30.0%"]);
}

#[test]
fn a_revision_of_a_campaign_that_was_given_up_is_measured_again() {
    let histories = Histories::with(HISTORY, &[100, 110, 120]);
    histories.run(&[]).code(0);
    // One run of each is there.
    histories.cut(1, 3);
    // Their builds are gone, so the campaign cannot go on.
    fs::remove_dir_all(histories.laboratory.path("h/trees")).unwrap();
    let said = histories.run(&[]).code(0);
    said.says(&[
        "campaign 1 is not resumed",
        "campaign 2: 2 revisions and the control",
    ]);
    let shown = histories.show().code(0);
    shown.prints(&["+10.0%", "+20.0%"]);
}

#[test]
fn a_revision_that_cannot_be_built_is_a_fact() {
    let histories = Histories::with(HISTORY, &[100]);
    let broken = histories.commit("echo it is broken; exit 3", "2026-01-02");
    histories.commit("echo 110 > built", "2026-01-03");
    let said = histories.run(&[]).code(0);
    said.says(&["cannot be built", "exit code 3; it said last: it is broken"]);
    histories
        .show()
        .code(0)
        .prints(&["not built:", &broken[..12], "it is broken", "+10.0%"]);
    let builds = histories.journal("builds.jsonl");
    let build = builds
        .iter()
        .find(|build| build["revision"] == *broken)
        .unwrap();
    assert_eq!(build["status"], "NOBUILD");
    let log = format!(
        "h/builds/{:06}/{}",
        build["build"].as_u64().unwrap(),
        build["steps"][1]["log"].as_str().unwrap()
    );
    assert_eq!(histories.laboratory.read(&log), "it is broken\n");
    // It is not tried again, unless asked for.
    let so_far = format!(
        "0 of 3 revisions to measure; 2 revisions are measured already; control: {{}}\n{{}}\n1 revision could not be built \
         so far: {}; it is built again if [build] has changed\n",
        &broken[..12]
    );
    let lines: Vec<&str> = so_far.split("{}").collect();
    let dry = histories.run(&["--dry-run"]).code(0).prints(&lines);
    assert_eq!(dry.out.lines().count(), 4, "{dry:?}");
    let again = histories.run(&["--dry-run", "--again"]).code(0);
    again.prints(&["1 of 3 revisions to measure", &broken[..12], "exit 3"]);
    histories.run(&[]).code(0);
    assert_eq!(histories.journal("builds.jsonl").len(), 3);
    histories.run(&["--again"]).code(0);
    assert_eq!(histories.journal("builds.jsonl").len(), 4);
    // Other commands are another build.
    let mended = HISTORY.replace("\"build.sh\"", "\"-c\", \"echo 120 > built\"");
    histories.laboratory.write("history.toml", mended);
    histories.run(&["--dry-run"]).code(0).prints(&lines);
    let said = histories.run(&[]).code(0);
    said.says(&["campaign 3: 1 revision and the control"]);
    let dry = histories.run(&["--dry-run"]).code(0);
    let dry = dry.prints(&["3 revisions are measured already"]);
    assert!(!dry.out.contains("could not be built"), "{dry:?}");
}

#[test]
fn without_its_control_nothing_is_measured() {
    let histories = Histories::new(HISTORY);
    histories.commit("exit 1", "2026-01-01");
    histories.commit("echo 110 > built", "2026-01-02");
    histories.run(&[]).code(5).says(&[
        "the control",
        "cannot be built",
        "choose another `control`",
    ]);
    assert!(histories.journal("campaigns.jsonl").is_empty());
}

#[test]
fn the_repository_is_only_read() {
    let histories = Histories::with(HISTORY, &[100, 110, 120]);
    histories.git(
        &["tag", "--annotate", "--message", "first", "v1.0", "HEAD~2"],
        "2026-01-04",
    );
    let repository = histories.laboratory.path("repo");
    let before = contents(&repository);
    histories.run(&[]).code(0);
    histories.run(&["--dry-run"]).code(0);
    assert_eq!(contents(&repository), before);
    // Commits of a build stay in the tree of that build.
    histories.laboratory.write("history.toml", HISTORY.replace(
        "steps = [[\"sh\", \"build.sh\"]]",
        "steps = [[\"sh\", \"build.sh\"], [\"sh\", \"-c\", \"git -c user.name=n -c user.email=e commit --quiet --all --allow-empty --message own && git tag own\"]]",
    ));
    histories.run(&[]).code(0);
    assert_eq!(contents(&repository), before);
}

#[test]
fn what_is_asked_for_is_selected() {
    let sizes: Vec<u32> = (0..20).collect();
    let histories = Histories::with(HISTORY, &sizes);
    histories.git(&["tag", "v1.0", "HEAD~10"], "2026-01-20");
    histories.git(&["tag", "other", "HEAD~5"], "2026-01-20");
    let first_line = |more: &[&str]| {
        let said = histories.run(&[&["--dry-run"], more].concat()).code(0);
        said.out
            .lines()
            .nth(1)
            .unwrap()
            .split(';')
            .next()
            .unwrap()
            .to_owned()
    };
    assert_eq!(first_line(&[]), "20 of 20 revisions to measure");
    assert_eq!(
        first_line(&["--every", "4"]),
        "6 of 20 revisions to measure"
    );
    assert_eq!(
        first_line(&["--every", "week"]),
        "5 of 20 revisions to measure"
    );
    assert_eq!(
        first_line(&["--every", "tag"]),
        "4 of 20 revisions to measure"
    );
    assert_eq!(
        first_line(&["--since", "v1.0"]),
        "11 of 20 revisions to measure"
    );
    assert_eq!(
        first_line(&["--since", "2026-01-05", "--until", "2026-01-06"]),
        "2 of 20 revisions to measure"
    );
    assert_eq!(
        first_line(&["--fill", "v1.0..other"]),
        "6 of 20 revisions to measure"
    );
    // A tag of what was merged.
    histories.git(
        &["checkout", "--quiet", "-b", "side", "HEAD~3"],
        "2026-01-20",
    );
    histories.commit("echo 77 > built", "2026-01-20");
    histories.git(&["tag", "v2.0"], "2026-01-20");
    histories.git(&["checkout", "--quiet", "main"], "2026-01-20");
    let merge = [
        "merge",
        "--quiet",
        "--strategy",
        "ours",
        "--message",
        "merge",
        "side",
    ];
    histories.git(&merge, "2026-01-21");
    let elsewhere = |key: &str, said: Said| {
        said.code(2).says(&[
            &format!("`{key}` is \"v2.0\", which is not in the history of the branch"),
            "write `first_parent = false` in [source]",
        ]);
    };
    for (flag, text) in [
        ("--since", "v2.0"),
        ("--until", "v2.0"),
        ("--fill", "v2.0..other"),
    ] {
        elsewhere(flag, histories.run(&["--dry-run", flag, text]));
    }
    let words = "history run history.toml --out c --confirm other..v2.0";
    let words: Vec<&str> = words.split(' ').collect();
    elsewhere("--confirm", histories.laboratory.call(&words));
    let quirk = "[[quirks]]\nat = \"v2.0\"\nwhat = \"x\"\n";
    let laboratory = &histories.laboratory;
    laboratory.write("history.toml", format!("{HISTORY}{quirk}"));
    elsewhere("at", histories.run(&["--dry-run"]));
    let all = HISTORY.replace("[build]", "first_parent = false\n[build]");
    laboratory.write("history.toml", all);
    let selected = first_line(&["--since", "v2.0"]);
    assert!(
        selected.ends_with(" of 22 revisions to measure"),
        "{selected}"
    );
    // Where all that was merged counts already, there is nothing to add.
    let orphan = ["commit-tree", "HEAD^{tree}", "-m", "orphan"];
    let orphan = histories.git(&orphan, "2026-01-22");
    let said = histories.run(&["--dry-run", "--since", &orphan]).code(2);
    said.says(&["not in the history of the branch", "or another `branch`\n"]);
    histories
        .run(&["--dry-run", "--since", "nothing"])
        .code(2)
        .says(&["`--since`: `nothing` names no commit"]);
    histories
        .run(&["--dry-run", "--since", "other", "--until", "v1.0"])
        .code(2)
        .says(&["is before the first"]);
    histories
        .run(&["--dry-run", "--fill", "v1.0"])
        .code(2)
        .says(&["expected two revisions as A..B"]);
    histories
        .run(&["--dry-run", "--every", "0"])
        .code(2)
        .says(&["a number from 1 on"]);
    assert!(
        !histories.laboratory.path("h").exists(),
        "a dry run makes nothing"
    );
}

#[test]
fn quirks_have_letters_and_commands() {
    let history = format!(
        "{HISTORY}\n[[quirks]]\nat = \"2026-01-03\"\nwhat = \"a new compiler\"\ncommands = [[\"cp\", \"build.sh\", \"after\"]]\nbefore = [[\"cp\", \"build.sh\", \"before\"]]\n"
    );
    let histories = Histories::with(&history, &[100, 110, 120, 130]);
    let said = histories.run(&["--dry-run"]).code(0);
    said.prints(&["quirk A  a new compiler  from", "of 2026-01-03"]);
    histories.run(&[]).code(0);
    let trees = contents(&histories.laboratory.path("h/trees"));
    let count = |name: &str| {
        trees
            .keys()
            .filter(|path| path.ends_with(format!("tree/{name}")))
            .count()
    };
    assert_eq!((count("before"), count("after")), (2, 2));
}

#[test]
fn a_patch_is_tried_against_its_base() {
    let histories = Histories::with(HISTORY, &[100, 110]);
    histories.run(&[]).code(0);
    let base = histories.git(&["rev-parse", "HEAD"], "2026-01-02");
    let patch = |before: u32, after: u32| {
        format!(
            "--- a/build.sh\n+++ b/build.sh\n@@ -1 +1 @@\n-echo {before} > built\n+echo {after} > built\n"
        )
    };
    histories.laboratory.write("larger.patch", patch(110, 120));
    histories
        .run(&["--patch", "larger.patch"])
        .code(0)
        .says(&["campaign 2: 2 revisions"]);
    let name = format!("{}.larger", &base[..12]);
    histories
        .show()
        .code(0)
        .prints(&["+10.0%", &name, "+20.0%", "larger on echo 110"]);
    let one = histories
        .laboratory
        .call(&["history", "show", "h", "--revision", &name]);
    one.code(0).prints(&["measured in campaigns/000002"]);
    // Tried once more, it is measured once more.
    histories.run(&["--patch", "larger.patch"]).code(0);
    assert_eq!(histories.measured()[&name], 4);
    histories.laboratory.write("wrong.patch", patch(111, 120));
    histories
        .run(&["--patch", "wrong.patch"])
        .code(2)
        .says(&[".wrong cannot be built", "patch does not apply"]);
    histories.laboratory.write("a b.patch", patch(110, 120));
    let misnamed = histories.run(&["--patch", "a b.patch"]).code(2);
    misnamed.says(&["gives its name to a variant"]);
    histories
        .run(&["--patch", "none"])
        .code(2)
        .says(&["cannot read the patch none"]);
    assert_eq!(histories.journal("campaigns.jsonl").len(), 3);
}
