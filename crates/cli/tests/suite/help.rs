//! The examples that `--help` shows work, one after the other, in a directory as the repository is.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};

/// Commands whose examples make what those of the others look at; in this order.
const FIRST: [&str; 2] = ["init", "run"];

/// Makes the directory a repository of two revisions, the second of which is slower and fails.
const REPOSITORY: &str = "\
save() { git add bench test Makefile && \
    git -c user.name=n -c user.email=e -c commit.gpgSign=false commit --quiet --message \"$1\"; }
git init --quiet --initial-branch main .
printf 'all:\n\tchmod +x bench test\n' > Makefile
printf '#!/bin/sh\nsleep 0.01\n' > bench
printf '#!/bin/sh\ntrue\n' > test
save good && git tag v1.0
echo 'sleep 0.03' >> bench
echo 'exit 1' >> test
save bad";

/// Longest that a server is waited for, in seconds.
const PATIENCE: u32 = 60;

fn shell(directory: &Path, line: &str) -> Command {
    let binary = Path::new(env!("CARGO_BIN_EXE_perflab"));
    let path = std::env::var("PATH").unwrap();
    let mut command = Command::new("sh");
    command
        .args(["-c", line])
        .current_dir(directory)
        .env(
            "PATH",
            format!("{}:{path}", binary.parent().unwrap().display()),
        )
        .env("PERFLAB_LOCK", directory.join("lock"));
    command
}

fn perflab(directory: &Path, line: &str) -> Output {
    shell(directory, line).output().unwrap()
}

/// Of a server, which serves until it is asked to end. The port of the example may be taken: any will do.
fn served(directory: &Path, example: &str) -> Output {
    let (line, _) = example.split_once(" --port ").unwrap_or((example, ""));
    // It passes the signal on.
    let line = format!("exec timeout --preserve-status {PATIENCE} {line} --port 0");
    let mut server = shell(directory, &line)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    BufReader::new(server.stdout.take().unwrap())
        .read_line(&mut first)
        .unwrap();
    kill_process(Pid::from_child(&server), Signal::TERM).unwrap();
    let output = server.wait_with_output().unwrap();
    assert!(
        first.starts_with("http://127.0.0.1:"),
        "{example}: {output:?}"
    );
    output
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The names in the list of commands.
fn commands(directory: &Path) -> Vec<String> {
    let help = text(&perflab(directory, "perflab --help"));
    let list = help.split("Commands:\n").nth(1).unwrap();
    let names = list.lines().map_while(|line| line.strip_prefix("  "));
    names
        .filter(|line| !line.starts_with(' '))
        .map(|line| line.split_whitespace().next().unwrap().to_owned())
        .filter(|name| name != "help")
        .collect()
}

/// What stands under `Example:` or `Examples:`.
fn examples(directory: &Path, command: &str) -> Vec<String> {
    let help = text(&perflab(directory, &format!("perflab help {command}")));
    let (_, after) = help
        .split_once("\nExample")
        .unwrap_or_else(|| panic!("{command}: no example in its help:\n{help}"));
    after
        .lines()
        .skip(1)
        .map_while(|line| line.strip_prefix("  "))
        .map(str::to_owned)
        .collect()
}

fn copy(from: &Path, into: &Path) {
    let copied = Command::new("cp").arg("-r").args([from, into]).status();
    assert!(copied.unwrap().success(), "{}", from.display());
}

#[test]
fn every_command_has_an_example_that_works() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    copy(&root.join("experiments"), here);
    for entry in fs::read_dir(root.join("crates/cli/tests/documents")).unwrap() {
        let path = entry.unwrap().path();
        if path
            .extension()
            .is_some_and(|extension| extension == "txt" || extension == "json")
        {
            copy(&path, here);
        }
    }
    let made = shell(here, REPOSITORY).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    let mut names = commands(here);
    assert!(names.len() >= 8, "{names:?}");
    names.sort_by_key(|name| {
        FIRST
            .iter()
            .position(|first| first == name)
            .unwrap_or(FIRST.len())
    });

    let mut ended = BTreeMap::new();
    for name in names {
        let examples = examples(here, &name);
        assert!(!examples.is_empty(), "{name}: no example in its help");
        if name == "compare" {
            copy(&here.join("results/first"), &here.join("results/second"));
        }
        for example in examples {
            assert!(example.starts_with("perflab "), "{name}: {example}");
            let output = match name.as_str() {
                "serve" => served(here, &example),
                _ => perflab(here, &example),
            };
            // A verdict may go either way, on variants as on this machine: what it ends with is no
            // failure.
            let verdict = matches!(
                (name.as_str(), output.status.code()),
                ("compare", Some(1 | 3)) | ("bisect", Some(4)) | ("doctor", Some(5))
            );
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(
                output.status.success() || verdict,
                "{example}: {}\n{said}",
                output.status
            );
            ended.insert(example, output.status.code());
        }
    }
    assert!(ended.len() > 10, "{ended:?}");
}
