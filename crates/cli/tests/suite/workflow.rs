//! The workflows in the documents: their steps are executed as the service would, on a pull request that is slower, on
//! one that is not, and on a branch into which a slower one was merged.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use perflab_testing::needs;

use crate::support::Laboratory;

const MERGES: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../docs/how-to/measure-on-merge.md"
);

const RECIPE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../docs/how-to/github-actions.md"
);

/// The text of a fenced block.
fn block<'t>(text: &'t str, language: &str) -> &'t str {
    let (_, rest) = text.split_once(&format!("```{language}\n")).unwrap();
    rest.split("```").next().unwrap()
}

/// The script of a step, without the indentation.
fn step(workflow: &str, name: &str) -> String {
    let (_, rest) = workflow.split_once(&format!("- name: {name}\n")).unwrap();
    let (_, rest) = rest.split_once("run: |\n").unwrap();
    let indentation = rest.len() - rest.trim_start().len();
    let is_own = |line: &&str| line.len() - line.trim_start().len() >= indentation;
    let lines = rest.lines().take_while(is_own);
    let script: Vec<&str> = lines.map(|line| &line[indentation..]).collect();
    script.join("\n")
}

/// Checks out a pull request as the service does: merged into its base, which went on since it was made.
fn checkout(laboratory: &Laboratory, program: &str) {
    needs("git", "git");
    fs::create_dir(laboratory.path("origin")).unwrap();
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(laboratory.path("origin"));
        command.args(["-c", "user.name=a", "-c", "user.email=a@example.org"]);
        let output = command.args(arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    let commit = || {
        git(&["add", "."]);
        git(&["commit", "--quiet", "--message", "it"]);
    };
    git(&["init", "--quiet", "--initial-branch", "main"]);
    laboratory.program("origin/program", "sleep 0.05\n");
    commit();
    git(&["checkout", "--quiet", "-b", "topic"]);
    laboratory.program("origin/program", program);
    commit();
    git(&["checkout", "--quiet", "main"]);
    laboratory.write("origin/later", "");
    commit();
    git(&["merge", "--quiet", "--no-ff", "--no-edit", "topic"]);
    let from = format!("file://{}", laboratory.path("origin").display());
    let into = laboratory.path("head").display().to_string();
    git(&["clone", "--quiet", "--depth", "2", &from, &into]);
}

fn execute(laboratory: &Laboratory, script: &str) -> Output {
    let binary = Path::new(env!("CARGO_BIN_EXE_perflab"));
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new("bash");
    command.args(["-e", "-c", script]);
    command.current_dir(laboratory.path(""));
    command.env(
        "PATH",
        format!("{}:{path}", binary.parent().unwrap().display()),
    );
    command.env("PERFLAB_LOCK", laboratory.path("lock"));
    command.env("GITHUB_STEP_SUMMARY", laboratory.path("summary.md"));
    command.output().unwrap()
}

/// Whether a proven verdict, which is bold, has this word in the table. The question may have it, too.
fn says(comment: &str, word: &str) -> bool {
    let rows = comment.lines().filter(|line| line.starts_with('|'));
    rows.flat_map(|row| row.split('|'))
        .any(|cell| cell.trim().starts_with("**") && cell.contains(word))
}

/// What the last step ends with.
fn pull_request(head: &str) -> (Laboratory, Output) {
    let recipe = fs::read_to_string(RECIPE).unwrap();
    let laboratory = Laboratory::new();
    checkout(&laboratory, head);
    laboratory.write("head/perf.toml", block(&recipe, "toml"));
    let workflow = block(&recipe, "yaml");
    assert!(workflow.contains("with: { path: head, fetch-depth: 2 }"));
    let base = execute(
        &laboratory,
        &step(workflow, "Check out what it is merged into"),
    );
    assert!(base.status.success(), "{base:?}");
    assert_eq!(laboratory.read("base/program"), "#!/bin/sh\nsleep 0.05\n");
    assert!(laboratory.path("base/later").exists());
    let measured = execute(&laboratory, &step(workflow, "Measure both in turns"));
    assert!(measured.status.success(), "{measured:?}");
    let said = execute(&laboratory, &step(workflow, "Say what is proven"));
    assert!(laboratory.path("report/index.html").exists());
    assert_eq!(
        laboratory.read("summary.md"),
        laboratory.read("comparison.md")
    );
    (laboratory, said)
}

#[test]
fn a_slower_pull_request_fails_and_its_comment_says_why() {
    let (laboratory, said) = pull_request("sleep 0.15\n");
    assert_eq!(said.status.code(), Some(1), "{said:?}");
    let comment = laboratory.read("comparison.md");
    assert!(says(&comment, "slower"), "{comment}");
}

#[test]
fn a_faster_one_passes() {
    let (laboratory, said) = pull_request("exit 0\n");
    assert_eq!(said.status.code(), Some(0), "{said:?}");
    let comment = laboratory.read("comparison.md");
    assert!(says(&comment, "faster"), "{comment}");
}

#[test]
fn a_commit_that_is_slower_is_commented_on_once() {
    needs("git", "git");
    needs("jq", "jq");
    let recipe = fs::read_to_string(MERGES).unwrap();
    let laboratory = Laboratory::new();
    fs::create_dir_all(laboratory.path("perf")).unwrap();
    let mut files = recipe.split("```toml\n").skip(1);
    let mut file = || files.next().unwrap().split("```").next().unwrap();
    laboratory.write("perf/perf.toml", file());
    laboratory.write("perf/history.toml", file());
    laboratory.write("Makefile", "program: source\n\tcp source program\n");
    laboratory.write(".gitignore", "*\n!source\n!Makefile\n!perf\n!perf/*\n");
    let directory = laboratory.path("");
    let git = |words: &[&str]| crate::support::git(&directory, None, words);
    git(&["init", "--quiet", "--initial-branch", "main"]);
    let mut commits = Vec::new();
    for number in 1..=36 {
        let milliseconds = if number < 19 { 10 } else { 60 };
        laboratory.program(
            "source",
            &format!("# {number}\nsleep 0.{milliseconds:03}\n"),
        );
        git(&["add", "--all"]);
        git(&[
            "commit",
            "--quiet",
            "--message",
            &format!("number {number}"),
        ]);
        commits.push(git(&["rev-parse", "HEAD"]));
    }
    laboratory.program("gh", "echo \"$@\" >> said\n");
    let workflow = block(&recipe, "yaml");
    let settings = "export HISTORY=$PWD/history GITHUB_REPOSITORY=a/b PATH=$PWD:$PATH\n";
    for _ in 0..2 {
        for name in [
            "Measure what tells most",
            "Find confirmed changes",
            "Comment on their commits",
            "Write the pages",
        ] {
            let script = format!("{settings}{}", step(workflow, name));
            let done = execute(&laboratory, &script);
            assert!(done.status.success(), "{name}: {done:?}");
        }
    }
    let said = laboratory.read("said");
    assert_eq!(said.lines().count(), 1, "{said}");
    // The likeliest is one of several, which are named.
    let place = |after: &str| {
        let (_, rest) = said.split_once(after).unwrap();
        commits.iter().position(|commit| rest.starts_with(commit))
    };
    // The first slower one may be the fastest of these, which ranks do not tell from the ones before.
    let commented = place("api repos/a/b/commits/").unwrap();
    assert!((17..=19).contains(&commented), "{said}");
    let (from, to) = (place(" % from ").unwrap(), place(" to ").unwrap());
    assert!(from < 18 && 18 <= to, "{said}");
    assert!(said.contains("This one is the likeliest"), "{said}");
    assert!(laboratory.path("pages/index.html").exists());
}
