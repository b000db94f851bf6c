//! Histories: what is measured of a repository, that it is measured once, and that the repository is only read.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use perflab_testing::needs;
use serde_json::Value;

use crate::support::{Laboratory, Said};

/// Measures each revision twice; it prints how large its file is.
const EXPERIMENT: &str = r#"
[design]
runs = 2
block = 1
[variants.any]
vars = { tree = "." }
[workloads.w]
driver = "generic"
command = ["cat", "{tree}/built"]
[[workloads.w.metrics]]
name = "size"
unit = "bytes"
better = "lower"
regex = '^(\d+)'
"#;

const HISTORY: &str = r#"
name = "h"
[source]
git = "repo"
[build]
steps = [["sh", "build.sh"]]
[measure]
experiment = "exp.toml"
together = 3
"#;

/// A laboratory with a repository, an experiment and a history file.
struct Histories {
    laboratory: Laboratory,
}

impl Histories {
    fn new(history: &str) -> Self {
        needs("git", "git");
        let laboratory = Laboratory::new();
        laboratory.write("exp.toml", EXPERIMENT);
        laboratory.write("history.toml", history);
        fs::create_dir(laboratory.path("repo")).unwrap();
        let made = Self { laboratory };
        made.git(
            &["init", "--quiet", "--initial-branch", "main"],
            "2026-01-01",
        );
        made
    }

    /// One with revisions of these sizes, a day each from the first of January on.
    fn with(history: &str, sizes: &[u32]) -> Self {
        let made = Self::new(history);
        for (day, size) in (1..).zip(sizes) {
            made.commit(
                &format!("echo {size} > built"),
                &format!("2026-01-{day:02}"),
            );
        }
        made
    }

    /// Executes git in the repository, on a day.
    fn git(&self, words: &[&str], day: &str) -> String {
        let time = format!("{day}T12:00:00Z");
        let output = Command::new("git")
            .args([
                "-c",
                "user.name=n",
                "-c",
                "user.email=e",
                "-c",
                "commit.gpgSign=false",
            ])
            .args(words)
            .current_dir(self.laboratory.path("repo"))
            .env("GIT_AUTHOR_DATE", &time)
            .env("GIT_COMMITTER_DATE", &time)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{words:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout)
            .unwrap()
            .trim_end()
            .to_owned()
    }

    /// Commits a build script; the hash.
    fn commit(&self, script: &str, day: &str) -> String {
        self.laboratory
            .write("repo/build.sh", format!("{script}\n"));
        self.git(&["add", "--all"], day);
        self.git(
            &["commit", "--quiet", "--allow-empty", "--message", script],
            day,
        );
        self.git(&["rev-parse", "HEAD"], day)
    }

    fn run(&self, more: &[&str]) -> Said {
        self.laboratory
            .call(&[&["history", "run", "history.toml", "--out", "h"], more].concat())
    }

    fn show(&self) -> Said {
        self.laboratory.call(&["history", "show", "h"])
    }

    /// The lines of a journal.
    fn journal(&self, name: &str) -> Vec<Value> {
        let text = self.laboratory.read(&format!("h/{name}"));
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// How often each variant was measured in all campaigns.
    fn measured(&self) -> BTreeMap<String, usize> {
        let mut measured = BTreeMap::new();
        let campaigns = fs::read_dir(self.laboratory.path("h/campaigns")).unwrap();
        for campaign in campaigns {
            let text =
                fs::read_to_string(campaign.unwrap().path().join("runs.jsonl")).unwrap_or_default();
            for line in text.lines() {
                let record: Value = serde_json::from_str(line).unwrap();
                *measured
                    .entry(record["variant"].as_str().unwrap().to_owned())
                    .or_default() += 1;
            }
        }
        measured
    }
}

/// All files below a directory with their contents.
fn contents(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            found.extend(contents(&path));
        } else {
            found.insert(path.clone(), fs::read(&path).unwrap_or_default());
        }
    }
    found
}

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
    histories.run(&[]).code(0);
    assert_eq!(histories.journal("builds.jsonl").len(), 3);
    histories.run(&["--again"]).code(0);
    assert_eq!(histories.journal("builds.jsonl").len(), 4);
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
    histories
        .run(&["--dry-run", "--since", "nothing"])
        .code(2)
        .says(&["`nothing` names no commit"]);
    histories
        .run(&["--dry-run", "--since", "other", "--until", "v1.0"])
        .code(2)
        .says(&["is before `since`"]);
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
    std::os::unix::fs::symlink("/etc/passwd", repository.join("out")).unwrap();
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
    histories
        .laboratory
        .write("history.toml", HISTORY.replace("\"repo\"", "\"nowhere\""));
    histories
        .run(&["--dry-run"])
        .code(2)
        .says(&["there is no directory", "nowhere"]);
    histories
        .laboratory
        .write("history.toml", HISTORY.replace("\"repo\"", "\"tmp\""));
    histories
        .run(&["--dry-run"])
        .code(2)
        .says(&["not a git repository"]);
    histories
        .laboratory
        .write("history.toml", HISTORY.replace("git = \"repo\"", ""));
    histories
        .run(&["--dry-run"])
        .code(2)
        .says(&["neither `git` nor `versions` nor `list`"]);
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
        .says(&["cannot be built with the patch", "patch does not apply"]);
    histories.laboratory.write("a b.patch", patch(110, 120));
    let misnamed = histories.run(&["--patch", "a b.patch"]).code(2);
    misnamed.says(&["gives its name to a variant"]);
    histories
        .run(&["--patch", "none"])
        .code(2)
        .says(&["cannot read the patch none"]);
    assert_eq!(histories.journal("campaigns.jsonl").len(), 3);
}

#[test]
fn a_change_is_found_with_an_interval_of_revisions() {
    let noisy = |day: u32| 1000 + day * 37 % 11 + if day < 15 { 0 } else { 50 };
    let sizes: Vec<u32> = (1..=30).map(noisy).collect();
    let histories = Histories::with(&HISTORY.replace("together = 3", "together = 10"), &sizes);
    histories.run(&[]).code(0);
    let changes = |more: &[&str]| {
        let words = [&["history", "changes", "h"], more].concat();
        histories.laboratory.call(&words).code(0)
    };
    changes(&[]).prints(&[
        "1 change in 1 metric; the chance that any is false is at most 5%",
        "1. w size [bytes]: +5",
        "  > 2026-01-15",
    ]);
    let found = changes(&["--format", "json"]).json();
    let change = &found["changes"]["found"][0];
    assert!(change["p_adjusted"].as_f64().unwrap() < 0.01, "{change:#}");
    let place = |key: &str| change[key].as_u64().unwrap();
    assert!(place("low") <= 14 && place("high") >= 14, "{change:#}");
    // Both sides again, in a campaign that the series do not know.
    let said = changes(&[]).out;
    let range = said
        .lines()
        .find_map(|line| line.split_once("--confirm "))
        .unwrap()
        .1;
    let before = histories.laboratory.call(&["history", "show", "h"]).out;
    histories.run(&["--confirm", range]).code(0);
    assert_eq!(
        histories.laboratory.call(&["history", "show", "h"]).out,
        before
    );
    changes(&[]).prints(&["confirmed in campaign 4: +5", &range.replace("..", " to ")]);
    let found = changes(&["--format", "json"]).json();
    let confirmation = &found["changes"]["found"][0]["confirmation"];
    assert!(
        confirmation["low"].as_f64().unwrap() > 0.0,
        "{confirmation:#}"
    );
    let builds = histories.journal("builds.jsonl").len();
    histories.run(&["--confirm", range]).code(0);
    assert_eq!(
        histories.journal("builds.jsonl").len(),
        builds + 2,
        "fresh builds each time"
    );
    let few = Histories::with(HISTORY, &[100, 110, 120]);
    few.run(&[]).code(0);
    let said = few.laboratory.call(&["history", "changes", "h"]).code(0);
    said.prints(&["1 metric with fewer than 8 values"]);
}

/// Tests of a revision, by the exit code of the last command and what is printed.
const TESTS: &str = r#"
[tests]
commands = [["sh", "tests.sh"]]
runs = 2
"#;

#[test]
fn tests_of_each_revision_are_kept_and_told_by_severity() {
    let histories = Histories::new(&format!("{HISTORY}{TESTS}"));
    let tests = |sums: &str, flaky: &str| {
        format!(
            "echo TAP version 13; echo 1..3; echo {sums} 1 - sums; echo ok 2 - words; n=$(cat n 2>/dev/null || echo 0); \
             echo $((n + 1)) > n; if test $n = 0; then echo {flaky} 3 - often; else echo ok 3 - often; fi\n"
        )
    };
    for (day, (sums, flaky)) in (1..).zip([
        ("ok", "ok"),
        ("ok", "ok"),
        ("ok", "'not ok'"),
        ("'not ok'", "ok"),
        ("'not ok'", "ok"),
        ("'not ok'", "ok"),
    ]) {
        histories
            .laboratory
            .write("repo/tests.sh", tests(sums, flaky));
        histories.commit(&format!("echo {day} > built"), &format!("2026-01-{day:02}"));
    }
    histories.run(&[]).code(0);
    let trials = histories.journal("tests.jsonl");
    assert_eq!(trials.len(), 12, "two for each revision, the control too");
    let said = histories
        .laboratory
        .call(&["history", "show", "h", "--tests"])
        .code(0);
    let lines: Vec<&str> = said.out.lines().collect();
    assert_eq!(
        lines[0],
        "h: 3 tests, 1 FAIL, 2 PASS at the newest revision that was tested"
    );
    assert!(
        lines[2].starts_with("FAIL  ...FFF  broken") && lines[2].ends_with("  sums"),
        "{said:?}"
    );
    assert!(lines[2].contains("of 2026-01-04"), "{said:?}");
    assert!(
        lines[3].starts_with("PASS  ..~...  flaky") && lines[3].ends_with("  often"),
        "{said:?}"
    );
    assert!(said.out.contains("1 test never failed"), "{said:?}");
    let all = histories
        .laboratory
        .call(&["history", "show", "h", "--tests", "--all"])
        .code(0);
    assert!(all.out.contains("PASS  ......  passes"), "{all:?}");
    // Nothing is executed again.
    histories.run(&[]).code(0);
    assert_eq!(histories.journal("tests.jsonl").len(), 12);
    let json = histories
        .laboratory
        .call(&["history", "show", "h", "--format", "json"])
        .code(0);
    let view: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(view["tests"][0]["name"], serde_json::json!(["sums"]));
    assert_eq!(view["tests"][0]["state"], "broken");
    assert_eq!(
        view["tests"][1]["cells"][2]["outcomes"],
        serde_json::json!(["FAIL", "PASS"])
    );
}

#[test]
fn a_report_that_is_no_report_is_an_outcome() {
    let histories = Histories::new(&format!(
        "{HISTORY}[tests]\ncommands = [[\"sh\", \"tests.sh\"]]\nreport = \"results.xml\"\ntimeout = \"2s\"\n"
    ));
    let junit = "<testsuite name=\\\"s\\\"><testcase name=\\\"one\\\"/></testsuite>";
    for (day, script) in (1..).zip([
        format!("echo \"{junit}\" > results.xml"),
        "true".to_owned(),
        "ln -s /etc/passwd results.xml".to_owned(),
        "kill -9 $$".to_owned(),
        "sleep 60".to_owned(),
        "echo nonsense > results.xml; exit 3".to_owned(),
    ]) {
        histories
            .laboratory
            .write("repo/tests.sh", format!("{script}\n"));
        histories.commit(&format!("echo {day} > built"), &format!("2026-01-{day:02}"));
    }
    histories.run(&[]).code(0);
    let said = histories
        .laboratory
        .call(&["history", "show", "h", "--tests"])
        .code(0);
    let whole = said.out.lines().find(|line| line.ends_with("(all tests)"));
    assert!(
        whole.is_some_and(|line| line.starts_with("EXIT   LLSTE")),
        "{said:?}"
    );
    said.prints(&["L NOLOG", "S SIGNAL", "T TIMEOUT", "E EXIT"]);
}

#[test]
fn a_watch_measures_what_tells_most() {
    // Every sixth revision is measured at first; the change is at the 44th.
    let noisy = |number: u32| 1000 + number * 37 % 11 + if number < 44 { 0 } else { 80 };
    let sizes: Vec<u32> = (1..=72).map(noisy).collect();
    let history = HISTORY.replace("together = 3", "together = 12");
    let histories = Histories::new(&format!("{history}[revisions]\nevery = 4\n"));
    for (number, size) in (0_u32..).zip(&sizes) {
        let day = format!("2026-{:02}-{:02}", 1 + number / 28, 1 + number % 28);
        histories.commit(&format!("echo {size} > built"), &day);
    }
    let watch = |more: &[&str]| {
        let words = [&["history", "watch", "history.toml", "--out", "h"], more].concat();
        histories.laboratory.call(&words).code(0)
    };
    let said = watch(&[]);
    let why: Vec<&str> = said
        .err
        .lines()
        .filter_map(|line| line.strip_prefix("next: "))
        .collect();
    assert_eq!(why[0], "the newest revision");
    assert_eq!(why[1], "17 revisions that nothing is known of", "{said:?}");
    assert!(
        why[2..].contains(&"where w size [bytes] changed"),
        "{why:?}"
    );
    assert!(
        why[2..].contains(&"by how much w size [bytes] changed"),
        "{why:?}"
    );
    let changes = histories
        .laboratory
        .call(&["history", "changes", "h"])
        .code(0);
    changes.prints(&["1 change in 1 metric", "confirmed in campaign "]);
    // The one before it was measured too, though it is no fourth one.
    let measured = histories.measured();
    let hashes = histories.git(
        &["log", "--reverse", "--format=%h", "--abbrev=12"],
        "2026-01-01",
    );
    let hashes: Vec<&str> = hashes.lines().collect();
    for number in [43, 44] {
        assert!(
            measured.contains_key(hashes[number - 1]),
            "{number}: {measured:?}"
        );
    }
    assert!(measured.len() < 40, "{}", measured.len());
    // Nothing is left, until a revision comes.
    let said = watch(&[]);
    assert!(!said.err.contains("next:"), "{said:?}");
    histories.commit("echo 1090 > built", "2026-06-01");
    let said = watch(&["--campaigns", "1"]);
    assert!(
        said.err.contains("next: the newest revision") && said.err.contains("the budget is spent"),
        "{said:?}"
    );
}

#[test]
fn a_change_with_the_last_revisions_is_suspected() {
    // Too few of them to prove anything.
    let noisy = |number: u32| 1000 + number * 37 % 11 + if number < 28 { 0 } else { 60 };
    let sizes: Vec<u32> = (1..=30).map(noisy).collect();
    let histories = Histories::with(&HISTORY.replace("together = 3", "together = 10"), &sizes);
    histories.run(&[]).code(0);
    let said = histories
        .laboratory
        .call(&["history", "changes", "h"])
        .code(0);
    let said = said.prints(&[
        "0 changes in 1 metric",
        "suspected, not proven: w size [bytes] is higher since about ",
    ]);
    assert!(said.out.contains("of 2026-01-28"), "{said:?}");
}
