//! What was measured keeps its meaning when the file, the branch, its tags or a patch change.

use super::{HISTORY, Histories};

#[test]
fn the_control_stays_when_the_history_begins_earlier() {
    let sizes = [100, 110, 120, 130, 140];
    let histories = Histories::new(HISTORY);
    let mut commits = Vec::new();
    for (day, size) in (1..).zip(sizes) {
        let script = format!("echo {size} > built");
        commits.push(histories.commit(&script, &format!("2026-01-{day:02}")));
    }
    let from = |revision: &str, more: &str| {
        let table = format!("{HISTORY}[revisions]\nsince = \"{revision}\"\n{more}");
        histories.laboratory.write("history.toml", table);
    };
    from(&commits[2], "");
    histories.run(&[]).code(0);
    from(&commits[0], "");
    histories
        .run(&["--dry-run"])
        .code(0)
        .prints(&[&format!("control: {}", &commits[2][..12])]);
    histories.run(&[]).code(0);
    let shown = histories.show().code(0);
    shown.prints(&["120 B at the control", "-16.7%", "-8.3%", "+8.3%", "+16.7%"]);
    // Another one that somebody asks for is another: all is measured against it.
    from(&commits[0], &format!("control = \"{}\"\n", commits[0]));
    histories.run(&[]).code(0);
    let shown = histories.show().code(0);
    shown.prints(&[
        "100 B at the control",
        "+10.0%",
        "+20.0%",
        "+30.0%",
        "+40.0%",
    ]);
}

#[test]
fn a_patch_of_the_same_name_is_another_program() {
    let histories = Histories::with(HISTORY, &[100, 110]);
    histories.run(&[]).code(0);
    for size in [120, 90] {
        let patch = format!(
            "--- a/build.sh\n+++ b/build.sh\n@@ -1 +1 @@\n-echo 110 > built\n+echo {size} > built\n"
        );
        histories.laboratory.write("fix.patch", patch);
        histories.run(&["--patch", "fix.patch"]).code(0);
    }
    let shown = histories.show().code(0).prints(&["-10.0%"]);
    assert!(!shown.out.contains("+5.00%"), "{shown:?}");
}

#[test]
fn tags_are_those_of_now() {
    let histories = Histories::with(HISTORY, &[100, 110, 120]);
    histories.run(&[]).code(0);
    let show = |code| {
        let words = ["history", "show", "h", "--revision", "v1.1"];
        histories.laboratory.call(&words).code(code)
    };
    show(2);
    for (at, size) in [("HEAD~1", "110"), ("HEAD", "120")] {
        histories.git(&["tag", "--force", "v1.1", at], "2026-01-04");
        histories.run(&[]).code(0);
        show(0).prints(&["tags: v1.1", &format!("echo {size} > built")]);
    }
}

#[test]
fn a_clone_that_was_shallow_is_so_no_more() {
    let histories = Histories::with(HISTORY, &[100, 110, 120, 130]);
    let laboratory = &histories.laboratory;
    let url = format!("file://{}", laboratory.path("repo").display());
    let git = |words: &[&str], directory: &str| {
        crate::support::git(&laboratory.path(directory), None, words);
    };
    git(&["clone", "--quiet", "--depth", "2", &url, "shallow"], ".");
    laboratory.write("history.toml", HISTORY.replace("\"repo\"", "\"shallow\""));
    histories.run(&[]).code(0);
    git(&["fetch", "--quiet", "--unshallow"], "shallow");
    let said = histories.run(&[]).code(0);
    assert!(!said.err.contains("shallow clone"), "{said:?}");
    histories.show().code(0).prints(&["4 revisions measured"]);
}

#[test]
fn submodules_are_where_the_repository_came_from() {
    let history = HISTORY.replace("git = \"repo\"", "git = \"clone\"\nsubmodules = true");
    let histories = Histories::with(&history, &[100]);
    let laboratory = &histories.laboratory;
    std::fs::create_dir(laboratory.path("lib")).unwrap();
    let in_lib = |words: &[&str]| crate::support::git(&laboratory.path("lib"), None, words);
    in_lib(&["init", "--quiet", "--initial-branch", "main"]);
    laboratory.write("lib/size", "110\n");
    in_lib(&["add", "--all"]);
    in_lib(&["commit", "--quiet", "--message", "lib"]);
    let allow = ["-c", "protocol.file.allow=always"];
    let add = ["submodule", "--quiet", "add", "../lib", "lib"];
    histories.git(&[&allow[..], &add[..]].concat(), "2026-01-02");
    histories.commit("cat lib/size > built", "2026-01-02");
    let words = ["clone", "--quiet", "--origin", "origin", "repo", "clone"];
    crate::support::git(&laboratory.path("."), None, &words);
    laboratory.write("gitconfig", "[protocol \"file\"]\n\tallow = always\n");
    let config = laboratory.path("gitconfig");
    let words = ["history", "run", "history.toml", "--out", "h"];
    let mut command = laboratory.perflab(&words);
    let output = command.env("GIT_CONFIG_GLOBAL", config).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    histories.show().code(0).prints(&["+10.0%"]);
}

/// What the branch does not have is shown, and says nothing of its changes.
#[test]
fn changes_are_those_of_the_branch() {
    let noisy = |day: u32| 1000 + day * 37 % 11 + if day < 15 { 0 } else { 50 };
    let sizes: Vec<u32> = (1..=28).map(noisy).collect();
    let histories = Histories::with(&HISTORY.replace("together = 3", "together = 10"), &sizes);
    histories.run(&[]).code(0);
    let changes = || {
        let said = histories.laboratory.call(&["history", "changes", "h"]);
        said.code(0)
    };
    let found = changes();
    let range = found
        .out
        .lines()
        .find_map(|line| line.split_once("--confirm "));
    let (before, _) = range.unwrap().1.split_once("..").unwrap();
    let script = histories.git(&["show", &format!("{before}:build.sh")], "2026-02-01");
    let patch =
        format!("--- a/build.sh\n+++ b/build.sh\n@@ -1 +1 @@\n-{script}\n+echo 1 > built\n");
    histories.laboratory.write("x.patch", patch);
    histories
        .run(&["--patch", "x.patch", "--until", before])
        .code(0);
    assert_eq!(changes().out, found.out);
    // The same changes in other commits.
    histories.git(&["reset", "--quiet", "--hard", "HEAD~20"], "2026-02-01");
    for day in 9..=28 {
        let script = format!("echo {} > built # again", noisy(day));
        histories.commit(&script, &format!("2026-01-{day:02}"));
    }
    histories.run(&[]).code(0);
    let again = changes().prints(&["1 change in 1 series", "# again"]);
    let (_, range) = again.out.split_once("--confirm ").unwrap();
    histories.run(&["--confirm", range.trim()]).code(0);
    changes().prints(&["confirmed in campaign"]);
}

#[test]
fn a_control_outside_of_the_branch_has_the_quirks_of_its_time() {
    let histories = Histories::with(HISTORY, &[100, 110]);
    histories.git(&["checkout", "--quiet", "-b", "release"], "2026-01-03");
    let control = histories.commit("echo 200 > built", "2026-01-03");
    histories.git(&["checkout", "--quiet", "main"], "2026-01-03");
    let quirk = "[[quirks]]\nat = \"2026-01-02\"\nwhat = \"x\"\nbefore = [[\"sh\", \"-c\", \"! grep 200 build.sh\"]]\n";
    let table = format!("{HISTORY}[revisions]\ncontrol = \"{control}\"\n{quirk}");
    histories.laboratory.write("history.toml", table);
    histories.run(&[]).code(0);
    histories.show().code(0).prints(&["200 B at the control"]);
}

#[test]
fn a_history_without_a_name_has_that_of_its_file() {
    let histories = Histories::with(&HISTORY.replace("name = \"h\"\n", ""), &[100, 110]);
    let text = histories.laboratory.read("history.toml");
    histories.laboratory.write("sizes.toml", text);
    let words = ["history", "run", "sizes.toml", "--out", "h"];
    histories.laboratory.call(&words).code(0);
    histories.show().code(0).prints(&["sizes: 2 revisions"]);
    // A directory holds one history, whichever command made it.
    let campaigns = histories.journal("campaigns.jsonl");
    histories.run(&[]).code(2).says(&[
        "h is the directory of the history `sizes`, not of `history`",
        "give the file `name = \"sizes\"`",
    ]);
    assert_eq!(histories.journal("campaigns.jsonl"), campaigns);
    let named = format!(
        "name = \"sizes\"\n{}",
        histories.laboratory.read("history.toml")
    );
    histories.laboratory.write("history.toml", named);
    histories.run(&[]).code(0);
}
