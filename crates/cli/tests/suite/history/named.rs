//! What a history file and a command line name: paths, versions, dates, placeholders and revisions.

use std::fs;

use super::{HISTORY, Histories};
use crate::support::Said;

/// The history file of a list of versions.
fn listed(list: &str) -> String {
    HISTORY.replace("git = \"repo\"", &format!("{list}\nobtain = [[\"true\"]]"))
}

/// `history run`, `history watch` and `bisect` with the history file.
fn all(histories: &Histories, ends: [&str; 2]) -> [Said; 3] {
    let laboratory = &histories.laboratory;
    let bisect = [
        "bisect",
        ends[0],
        ends[1],
        "--history",
        "history.toml",
        "--out",
        "b",
    ];
    [
        histories.run(&[]),
        laboratory.call(&["history", "watch", "history.toml", "--out", "w"]),
        laboratory.call(&bisect),
    ]
}

#[test]
fn inputs_that_no_revision_has() {
    let with =
        |inputs: &str| HISTORY.replace("[measure]", &format!("inputs = {inputs}\n[measure]"));
    let histories = Histories::with(&with("[\"build.sh\", \"bild.sh\"]"), &[100, 105]);
    histories.laboratory.write("repo/between", "");
    histories.commit("echo 110 > built", "2026-01-03");
    fs::remove_file(histories.laboratory.path("repo/between")).unwrap();
    fs::create_dir(histories.laboratory.path("repo/new")).unwrap();
    histories.laboratory.write("repo/new/file", "");
    histories.commit("echo 120 > built", "2026-01-04");
    for said in all(&histories, ["HEAD~2", "HEAD"]) {
        said.code(2)
            .says(&["`inputs` in [build]: no commit up to HEAD ever had `bild.sh`; name files"]);
    }
    // Nothing is left of it.
    for directory in ["h", "w", "b"] {
        let path = histories.laboratory.path(directory);
        assert!(!path.exists(), "{directory}");
    }
    histories
        .dry_run_of(&with("[\"*.sh\"]"))
        .code(2)
        .says(&["no commit up to HEAD ever had `*.sh`; patterns are not expanded"]);
    // All commits count, not only those that are measured.
    histories
        .dry_run_of(&with("[\"build.sh\", \"./between\", \"new\"]"))
        .code(0);
    let range = "HEAD~3..HEAD~2";
    for more in [
        &["--dry-run", "--fill", range][..],
        &["--dry-run", "--until", "HEAD~2"],
        &["--confirm", range],
    ] {
        histories.run(more).code(0);
    }
    let bisect = || {
        let words = "bisect HEAD~3 HEAD~2 --history history.toml --out b";
        let words: Vec<&str> = words.split(' ').collect();
        let said = histories.laboratory.call(&words).code(0);
        said.prints(&["introduced the change"]);
    };
    bisect();
    // So does what only a control has that is not on the branch.
    histories.git(&["checkout", "--quiet", "-b", "side"], "2026-01-05");
    histories.laboratory.write("repo/aside", "");
    let control = histories.commit("echo 130 > built", "2026-01-05");
    histories.git(&["checkout", "--quiet", "main"], "2026-01-05");
    let inputs = with("[\"build.sh\", \"aside\"]");
    histories
        .dry_run_of(&format!("{inputs}[revisions]\ncontrol = \"{control}\"\n"))
        .code(0);
    bisect();
}

#[test]
fn lists_of_versions() {
    let histories = Histories::new(&listed("list = [\"true\"]"));
    for said in all(&histories, ["2026-01-01", "2026-02-01"]) {
        said.code(2)
            .says(&["`list` in [source] names no version: `true` printed no line"]);
    }
    histories.laboratory.write("patch", "");
    for list in [
        "list = [\"true\"]",
        "versions = { \"1.1\" = \"2026-01-01\" }",
    ] {
        histories.laboratory.write("history.toml", listed(list));
        histories.run(&["--patch", "patch"]).code(2).says(&[
            "--patch: the revisions come from `",
            "only commits of `git`",
        ]);
    }
    // It is executed in the directory of the file, with that directory filled in and braces as they are meant.
    histories
        .laboratory
        .write("versions.txt", "1.0 2026-01-01 x\n1.1 2026-02-01 x\n");
    let list = "list = [\"awk\", '{{print $1, $2}}', \"{history}/versions.txt\", \"versions.txt\"]";
    histories
        .dry_run_of(&listed(list))
        .code(2)
        .says(&["the list of versions has `1.0` twice"]);
    let history = listed(&list.replace(", \"versions.txt\"", ""));
    histories
        .dry_run_of(&history)
        .code(0)
        .prints(&["2 of 2 revisions", "1.1  2026-02-01"]);
    let words = "bisect 2025-12-31 1.1 --history history.toml --out b";
    let words: Vec<&str> = words.split(' ').collect();
    histories
        .laboratory
        .call(&words)
        .code(2)
        .says(&["`GOOD` is \"2025-12-31\", which is before the first revision, 1.0 of 2026-01-01"]);
    assert!(!histories.laboratory.path("b").exists());
    // A history may begin before all revisions, and not end there; nor is there a control.
    histories.run(&["--dry-run", "--since", "2025"]).code(0);
    let refused = |key: &str, said: Said| {
        let early = format!("`{key}` is \"2025\", which is before the first revision, 1.0 of");
        said.code(2).says(&[&early]);
    };
    refused("--until", histories.run(&["--until", "2025"]));
    refused("--fill", histories.run(&["--fill", "2024..2025"]));
    for key in ["until", "control"] {
        let table = format!("{history}[revisions]\n{key} = \"2025\"\n");
        refused(key, histories.dry_run_of(&table));
    }
    assert!(!histories.laboratory.path("h").exists());
}

#[test]
fn mistakes_are_told_when_the_file_is_read() {
    let histories = Histories::new(HISTORY);
    let braces = "write `{{` and `}}` for braces";
    for (old, new, expected) in [
        (
            "steps = [[\"sh\", \"build.sh\"]]",
            "steps = [[\"awk\", \"{print}\"]]",
            ["history.toml:6:19: unknown placeholder `{print}`", braces],
        ),
        (
            "steps = [[\"sh\", \"build.sh\"]]",
            "shell = true\nsteps = [\"echo ${CFLAGS}\"]",
            ["history.toml:7:17: unknown placeholder `{CFLAGS}`", braces],
        ),
        (
            "[measure]",
            "version = [[\"echo\", \"{tree}\"]]\n[measure]",
            [
                "history.toml:7:22: unknown placeholder `{tree}`",
                "known here: `history`",
            ],
        ),
        (
            "[measure]",
            "[tests]\ncommands = [[\"echo\", \"{\"]]\n[measure]",
            ["history.toml:8:23: `{` is never closed", braces],
        ),
        (
            "[measure]",
            "[revisions]\nsince = 2024-01-29\n[measure]",
            [
                "history.toml:8:9: expected a string, found the date 2024-01-29",
                "write the date in quotes: \"2024-01-29\"",
            ],
        ),
        (
            "git = \"repo\"",
            "versions = { \"1.0\" = 2026-01-05 }",
            ["found the date 2026-01-05", "write the date in quotes"],
        ),
    ] {
        histories
            .dry_run_of(&HISTORY.replace(old, new))
            .code(2)
            .says(&expected);
    }
}

/// The copy of the repository has its branches and tags only.
#[test]
fn names_are_those_of_the_repository() {
    let histories = Histories::with(HISTORY, &[100, 110]);
    let lost = histories.commit("exit 1", "2026-01-03");
    histories.git(&["reset", "--quiet", "--hard", "HEAD~1"], "2026-01-03");
    let bisect = |words: &[&str]| {
        let words = [&["bisect"], words].concat();
        histories.laboratory.call_in("repo", &words)
    };
    let found = format!("{} introduced the change", &lost[..12]);
    let ends = ["HEAD~1", "HEAD@{1}", "--fails", "--out", "../b"];
    bisect(&[&ends[..], &["--confirm-runs", "5", "--", "sh", "build.sh"]].concat())
        .code(0)
        .prints(&[&found]);
    // A person may name a revision by its date, whatever is checked out.
    bisect(&["start", "2026-01-01", &lost]).code(0);
    histories.git(&["checkout", "--quiet", "HEAD~1"], "2026-01-03");
    bisect(&["good", "2026-01-02"]).code(0).prints(&[&found]);
}
