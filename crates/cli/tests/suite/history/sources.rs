//! Where revisions come from, and what cannot be measured.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use super::{EXPERIMENT, HISTORY, Histories};

#[test]
fn versions_need_no_repository() {
    let history = HISTORY.replace(
        "git = \"repo\"",
        "versions = { \"1.0\" = \"2026-01-01\", \"1.1\" = \"2026-02-01\" }\nobtain = [[\"sh\", \"-c\", \"echo 'echo 1{name} > built' | tr -d . > build.sh\"]]",
    );
    let histories = Histories::new(&history);
    histories.run(&[]).code(0);
    histories
        .show()
        .code(0)
        .prints(&["110 B at the control", "1.1", "+0.91%"]);
    // What only git has is neither shown nor asked for.
    let words = ["history", "show", "h", "--revision", "1.1"];
    let one = histories.laboratory.call(&words).code(0);
    assert!(
        !one.out.contains("since") && !one.out.contains("0 commits"),
        "{one:?}"
    );
    for every in ["tag", "merge"] {
        let said = histories.run(&["--dry-run", "--every", every]).code(2);
        said.says(&["only revisions of git have tags and merges"]);
    }
}

#[test]
fn names_that_a_shell_would_take_apart() {
    let histories = Histories::with(
        &HISTORY.replace("\"repo\"", "\"a 'b\\n$(c)\\\" -d\""),
        &[100],
    );
    let odd = "a 'b\n$(c)\" -d";
    let repository = histories.laboratory.path("repo");
    fs::write(repository.join("--help"), "x").unwrap();
    fs::write(repository.join("new\nline \"quoted\""), "x").unwrap();
    symlink("/etc/passwd", repository.join("out")).unwrap();
    histories.commit("echo 110 > built", "2026-01-02");
    histories.git(&["tag", "-f", "--", "a;b`c`"], "2026-01-02");
    fs::rename(&repository, histories.laboratory.path(odd)).unwrap();
    histories
        .run(&["--since", "a;b`c`", "--dry-run"])
        .code(0)
        .prints(&["1 of 2 revisions"]);
    histories
        .run(&["--since=--upload-pack=touch x", "--dry-run"])
        .code(2)
        .says(&["names no commit"]);
    histories.run(&[]).code(0);
    histories.show().code(0).prints(&["+10.0%"]);
}

/// Such a lock keeps git from moving what `HEAD` names, and so from new revisions.
#[test]
fn locks_of_a_git_that_was_killed_are_removed() {
    let histories = Histories::with(HISTORY, &[100, 110]);
    histories.run(&[]).code(0);
    histories.commit("echo 120 > built", "2026-01-03");
    for lock in ["HEAD.lock", "refs/heads/main.lock", "packed-refs.lock"] {
        histories
            .laboratory
            .write(&format!("h/mirror.git/{lock}"), "");
    }
    histories.run(&[]).code(0);
    assert_eq!(histories.measured().len(), 3, "{:?}", histories.measured());
}

#[test]
fn the_branch_is_there_though_head_names_none() {
    let history = HISTORY.replace("git = \"repo\"", "git = \"repo\"\nbranch = \"work\"");
    let histories = Histories::with(&history, &[100, 110]);
    histories.git(&["branch", "-m", "work"], "2026-01-02");
    histories.git(&["symbolic-ref", "HEAD", "refs/heads/none"], "2026-01-02");
    histories.run(&[]).code(0);
    histories.show().code(0).prints(&["100 B at the control"]);
}

#[test]
fn a_program_outside_of_its_revision_is_refused() {
    let history = HISTORY.replace("[measure]", "programs = [\"built\"]\n[measure]");
    let histories = Histories::with(&history, &[100]);
    let linked = histories.commit("ln -s /etc/passwd built", "2026-01-02");
    let missing = histories.commit("true", "2026-01-03");
    histories.run(&[]).code(0);
    let shown = histories.show().code(0);
    shown.prints(&[
        &linked[..12],
        "it is a link to /etc/passwd, outside of the revision",
        &missing[..12],
        "the build made no program",
    ]);
    histories.laboratory.write(
        "history.toml",
        HISTORY.replace("[measure]", "programs = [\"../x\"]\n[measure]"),
    );
    histories
        .run(&[])
        .code(2)
        .says(&["is not a path inside of the revision"]);
}

#[test]
fn a_branch_that_was_rewritten() {
    let histories = Histories::with(HISTORY, &[100, 110, 120]);
    histories.run(&[]).code(0);
    let lost = histories.git(&["rev-parse", "HEAD"], "2026-01-04");
    histories.git(&["reset", "--quiet", "--hard", "HEAD~1"], "2026-01-04");
    histories.commit("echo 140 > built", "2026-01-04");
    histories.git(&["reflog", "expire", "--expire=now", "--all"], "2026-01-04");
    histories.git(&["gc", "--quiet", "--prune=now"], "2026-01-04");
    histories.run(&[]).code(0);
    // What was measured stays, and what is new is there.
    histories
        .show()
        .code(0)
        .prints(&["+20.0%", "+40.0%", &lost[..12]]);
}

#[test]
fn a_shallow_clone_has_what_it_has() {
    let histories = Histories::with(HISTORY, &[100, 110, 120, 130]);
    let (from, to) = (
        histories.laboratory.path("repo"),
        histories.laboratory.path("shallow"),
    );
    let url = format!("file://{}", from.display());
    let cloned = Command::new("git")
        .args(["clone", "--quiet", "--depth", "2", &url])
        .arg(&to)
        .status()
        .unwrap();
    assert!(cloned.success());
    histories
        .laboratory
        .write("history.toml", HISTORY.replace("\"repo\"", "\"shallow\""));
    let old = histories.git(&["rev-parse", "HEAD~3"], "2026-01-04");
    histories
        .run(&["--dry-run", "--since", &old])
        .code(2)
        .says(&["is a shallow clone, so it may lack it"]);
    histories
        .run(&["--dry-run"])
        .code(0)
        .says(&["shallow clone"])
        .prints(&["2 of 2 revisions"]);
    histories.run(&[]).code(0);
    histories.show().code(0).prints(&["2 revisions measured"]);
}

#[test]
fn sources_that_are_none() {
    let histories = Histories::new(HISTORY);
    histories
        .run(&["--dry-run"])
        .code(2)
        .says(&["`HEAD` names no commit"]);
    for (git, expected) in [
        ("git = \"nowhere\"", "there is no directory"),
        ("git = \"tmp\"", "not a git repository"),
        ("", "neither `git` nor `versions` nor `list`"),
    ] {
        histories
            .dry_run_of(&HISTORY.replace("git = \"repo\"", git))
            .code(2)
            .says(&[expected]);
    }
}

/// A revision may have links to anywhere, and building there would change what is not its own.
#[test]
fn a_link_takes_no_build_out_of_the_revision() {
    let history = HISTORY.replace("[measure]", "directory = \"sub\"\n[measure]");
    let histories = Histories::new(&history);
    let laboratory = &histories.laboratory;
    fs::create_dir(laboratory.path("outside")).unwrap();
    let outside = laboratory.write(
        "outside/build.sh",
        "echo 100 > ../built; touch built-here\n",
    );
    let outside = outside.parent().unwrap();
    fs::create_dir(laboratory.path("repo/own")).unwrap();
    laboratory.write("repo/own/build.sh", "echo 100 > ../built\n");
    let link = laboratory.path("repo/sub");
    symlink("own", &link).unwrap();
    histories.commit("true", "2026-01-01");
    fs::remove_file(&link).unwrap();
    symlink(outside, &link).unwrap();
    histories.commit("true", "2026-01-02");
    fs::remove_file(&link).unwrap();
    histories.commit("true", "2026-01-03");
    let said = histories.run(&[]).code(0);
    said.says(&[
        "cannot be built: `directory` of [build] is \"sub\", which leads to ",
        ", outside of the revision; see ",
        "is \"sub\", which the revision does not have: ",
    ]);
    assert!(!laboratory.path("outside/built-here").exists());
    histories.show().code(0).prints(&["1 revision measured"]);
}

#[test]
fn an_experiment_that_does_not_use_the_revision() {
    let histories = Histories::with(HISTORY, &[100, 110]);
    histories
        .laboratory
        .write("exp.toml", EXPERIMENT.replace("{tree}/built", "/dev/null"));
    histories
        .run(&["--dry-run"])
        .code(2)
        .says(&["does not use `{tree}`"]);
    histories.laboratory.write(
        "exp.toml",
        format!("{EXPERIMENT}\n[variants.other]\nvars = {{ tree = '.' }}\n"),
    );
    histories
        .run(&["--dry-run"])
        .code(2)
        .says(&["the experiment has 2 variants", "any, other"]);
}

/// What a kill leaves within the first milliseconds, step by step.
#[test]
fn a_history_that_was_never_begun_can_be_begun() {
    let histories = Histories::with(HISTORY, &[100, 110]);
    let left = ["lock", "campaigns/", ".history.toml.4711.tmp"];
    for count in 1..=left.len() {
        let _ = fs::remove_dir_all(histories.laboratory.path("h"));
        fs::create_dir(histories.laboratory.path("h")).unwrap();
        for name in &left[..count] {
            let path = format!("h/{name}");
            match name.ends_with('/') {
                true => fs::create_dir(histories.laboratory.path(&path)).unwrap(),
                false => drop(histories.laboratory.write(&path, "")),
            }
        }
        histories.run(&[]).code(0);
        assert!(
            !histories
                .laboratory
                .path("h/.history.toml.4711.tmp")
                .exists()
        );
    }
}

#[test]
fn a_directory_of_something_else_is_left_alone() {
    let histories = Histories::with(HISTORY, &[100, 110]);
    fs::create_dir(histories.laboratory.path("h")).unwrap();
    histories.laboratory.write("h/precious", "x");
    histories
        .run(&[])
        .code(2)
        .says(&["expected a new or empty directory for the history"]);
    fs::remove_file(histories.laboratory.path("h/precious")).unwrap();
    histories.run(&[]).code(0);
    histories.laboratory.write(
        "history.toml",
        HISTORY.replace("name = \"h\"", "name = \"other\""),
    );
    histories
        .run(&[])
        .code(2)
        .says(&["is the directory of the history `h`, not of `other`"]);
}
