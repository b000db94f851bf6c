//! A history and an experiment for a command.

use std::path::{Path, PathBuf};

use perflab_experiment::{Command, Experiment, Template};
use perflab_history::{BuildTable, HistoryFile, Measure, Repository, Revisions, SourceTable};
use toml::Value;

use super::arguments::BisectArguments;
use crate::failure::Failure;
use crate::history::file::Read;

/// Runs of each side that confirm the answer.
const RUNS: u32 = 20;

/// What the command line describes, as if it stood in files.
pub(super) fn read(arguments: &BisectArguments, repository: &Repository) -> Result<Read, Failure> {
    let home = repository.root()?;
    let git = text_of(&home)?;
    let file = HistoryFile {
        schema: 1,
        name: "bisect".to_owned(),
        question: None,
        source: SourceTable {
            git: Some(git),
            ..SourceTable::default()
        },
        revisions: Revisions::default(),
        build: BuildTable {
            steps: arguments.build.iter().map(|line| in_shell(line)).collect(),
            shell: true,
            ..BuildTable::default()
        },
        measure: Measure {
            experiment: "bisect.toml".to_owned(),
            variant: None,
            together: 1,
            runs: None,
            refresh: None,
            layout: None,
        },
        tests: None,
        quirks: Vec::new(),
    };
    let text = toml::to_string(&file).map_err(|error| {
        Failure::usage(format!("cannot write the history of the command: {error}"))
    })?;
    let experiment = experiment(&arguments.command)?;
    Ok(Read {
        text,
        file,
        experiment_home: home.clone(),
        experiment_path: home.join("bisect.toml"),
        home,
        experiment,
    })
}

/// An experiment that executes the command in the directory of the revision.
fn experiment(command: &[String]) -> Result<Experiment, Failure> {
    let words = ["env", "-C", "{tree}", "--"].map(str::to_owned).into_iter();
    let words = words.chain(
        command
            .iter()
            .map(|word| Template::literal(word).to_string()),
    );
    let table = |entries: Vec<(&str, Value)>| {
        let entries = entries
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value));
        Value::Table(entries.collect())
    };
    let named = |name: &str, value: Value| table(vec![(name, value)]);
    let all = table(vec![
        ("name", "bisect".into()),
        (
            "design",
            table(vec![("runs", i64::from(RUNS).into()), ("block", 1.into())]),
        ),
        (
            "variants",
            named("revision", named("vars", named("tree", ".".into()))),
        ),
        (
            "workloads",
            named(
                "command",
                table(vec![
                    ("driver", "command".into()),
                    ("command", Value::Array(words.map(Value::from).collect())),
                ]),
            ),
        ),
    ]);
    let text = toml::to_string(&all)
        .map_err(|error| Failure::usage(format!("the command cannot be written down: {error}")))?;
    Experiment::parse(&text, "the command").map_err(Failure::usage)
}

/// A line for a shell, with nothing in it to be replaced.
fn in_shell(line: &str) -> Command {
    Command {
        argv: vec![Template::literal(line).to_string()],
        shell: true,
    }
}

fn text_of(path: &Path) -> Result<String, Failure> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| {
        Failure::usage(format!(
            "the path of the repository is not UTF-8: {}",
            path.display()
        ))
    })
}

/// The directory of builds and runs, where none is named.
pub(super) fn out(good: &str, bad: &str) -> PathBuf {
    let plain = |name: &str| -> String {
        let plain = |c: char| {
            if c.is_ascii_alphanumeric() || matches!(c, '.' | '_') {
                c
            } else {
                '-'
            }
        };
        name.chars().map(plain).collect()
    };
    Path::new(crate::results::RESULTS).join(format!("bisect-{}-{}", plain(good), plain(bad)))
}
