//! The documents hold: every command that they show is run and its output compared, every example
//! file is parsed, and nothing that the program has is left out.
//!
//! `TRYCMD=overwrite cargo test -p perflab --test suite documents` puts the real output into the
//! documents; read the difference before you keep it.

use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;

use perflab_experiment::{Experiment, Outcome, Plan, Status};
use perflab_formats::TestFormat;
use perflab_history::{HistoryFile, View};
use perflab_store::{Meta, RunRecord};
use perflab_testing::needs;
use serde_json::Value;

use crate::support::copy;

/// The files that the examples use, beside this one.
const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/documents");

/// Columns of the page that the examples are shown on.
const COLUMNS: &str = "110";

/// Other programs that examples may call.
const PROGRAMS: [&str; 3] = ["cat", "ls", "sh"];

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

fn files_below(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_below(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// What stands in the repository for people to read.
fn documents() -> Vec<PathBuf> {
    let is_markdown = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "md");
    let mut documents: Vec<PathBuf> = files_below(&root().join("docs"))
        .into_iter()
        .filter(is_markdown)
        .collect();
    documents.extend(
        [root().join("README.md")]
            .into_iter()
            .filter(|path| path.exists()),
    );
    documents
}

pub fn document(name: &str) -> String {
    fs::read_to_string(root().join("docs").join(name)).unwrap()
}

/// The fenced blocks of a document: language and text. What is outside of them has no language.
pub fn blocks(text: &str) -> Vec<(Option<&str>, String)> {
    let mut blocks: Vec<(Option<&str>, String)> = vec![(None, String::new())];
    let mut inside = false;
    for line in text.lines() {
        if let Some(language) = line.strip_prefix("```") {
            inside = !inside;
            blocks.push((inside.then_some(language.trim()), String::new()));
        } else if let Some((_, block)) = blocks.last_mut() {
            block.push_str(line);
            block.push('\n');
        }
    }
    blocks
}

/// Makes the directory in which a document's examples are run: that of the fixtures, or one like the
/// repository for the page that people read there.
fn prepare(laboratory: &Path, document: &Path) {
    let is = |path: &str| document == root().join(path);
    if is("README.md") || is("docs/instrument.md") {
        copy(
            Path::new(FIXTURES),
            &laboratory.join("crates/cli/tests/documents"),
        );
        copy(&root().join("experiments"), &laboratory.join("experiments"));
    } else {
        copy(Path::new(FIXTURES), laboratory);
    }
}

fn perflab(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_perflab"))
        .args(arguments)
        .env(
            "PERFLAB_LOCK",
            std::env::temp_dir().join("perflab-documents.lock"),
        )
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The document whose commands find a change in measured times. It has the machine for itself, see `.config/nextest.toml`.
const MEASURES: &str = "tutorial-history.md";

/// Runs the commands of a document in a directory made for it, and says whether all printed what is shown.
fn prints_what_is_shown(document: &Path) -> bool {
    let laboratory = tempfile::tempdir().unwrap();
    prepare(laboratory.path(), document);
    let lock = tempfile::tempdir().unwrap();
    std::env::set_current_dir(laboratory.path()).unwrap();
    let cases = trycmd::TestCases::new();
    let lock_file = lock.path().join("lock").display().to_string();
    let variables = [
        ("PERFLAB_LOCK", lock_file.as_str()),
        ("COLUMNS", COLUMNS),
        ("NO_COLOR", "1"),
        ("LC_ALL", "C"),
    ];
    for (name, value) in variables {
        cases.env(name, value);
    }
    let program = |path: &str| trycmd::schema::Bin::Path(path.into());
    cases.register_bin("perflab", program(env!("CARGO_BIN_EXE_perflab")));
    for name in PROGRAMS {
        cases.register_bin(name, program(&format!("/bin/{name}")));
    }
    cases.case(document);
    let same = catch_unwind(AssertUnwindSafe(|| cases.run())).is_ok();
    std::env::set_current_dir(root()).unwrap();
    same
}

#[test]
fn every_command_shown_prints_what_is_shown() {
    let (mut wrong, mut shown) = (Vec::new(), 0);
    for document in documents() {
        if document.ends_with(MEASURES)
            || !fs::read_to_string(&document)
                .unwrap()
                .contains("```console")
        {
            continue;
        }
        shown += 1;
        if !prints_what_is_shown(&document) {
            wrong.push(document);
        }
    }
    assert!(shown >= 10, "documents are missing: {shown}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_command_that_finds_a_measured_change_prints_what_is_shown() {
    assert!(prints_what_is_shown(&root().join("docs").join(MEASURES)));
}

#[test]
fn commands_are_shown_only_where_they_are_run() {
    for path in documents() {
        for (language, text) in blocks(&fs::read_to_string(&path).unwrap()) {
            let shown = text.lines().find(|line| line.starts_with("$ "));
            assert!(
                language == Some("console") || shown.is_none(),
                "{}: {shown:?} is in no block marked `console`",
                path.display()
            );
        }
    }
}

#[test]
fn every_example_of_an_experiment_is_one() {
    let mut complete = 0;
    for path in documents() {
        for (language, text) in blocks(&fs::read_to_string(&path).unwrap()) {
            if language != Some("toml") {
                continue;
            }
            let name = path.display().to_string();
            if text.contains("[variants.") && text.contains("[workloads.") {
                Experiment::parse(&text, &name).unwrap_or_else(|error| panic!("{error}"));
                complete += 1;
            } else {
                toml::from_str::<toml::Table>(&text)
                    .unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
            }
        }
    }
    assert!(complete >= 2, "{complete}");
}

#[test]
fn the_examples_that_are_run_are_those_that_are_shown() {
    for (name, page) in [
        ("sort.toml", "experiment-file.md"),
        ("relink/relink.toml", "how-to/relink.md"),
        ("history/primes.toml", "history.md"),
        ("history/history.toml", "history.md"),
        ("tutorial/words.toml", "tutorial-history.md"),
        ("tutorial/history.toml", "tutorial-history.md"),
    ] {
        let text = fs::read_to_string(Path::new(FIXTURES).join(name)).unwrap();
        let page = document(page);
        assert!(
            blocks(&page).into_iter().any(|(_, block)| block == text),
            "{name}"
        );
    }
}

/// The words that begin with a dash, of those lines of a help text that introduce a flag.
fn flags(help: &str) -> BTreeSet<&str> {
    help.lines()
        .map(str::trim_start)
        .filter(|line| line.starts_with('-'))
        .filter_map(|line| line.split_whitespace().find(|word| word.starts_with("--")))
        .map(|word| word.split(['[', '=', ',']).next().unwrap())
        .collect()
}

/// The commands that a help text lists.
fn commands(help: &str) -> Vec<&str> {
    help.lines()
        .skip_while(|line| !line.starts_with("Commands:"))
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .filter(|command| *command != "help")
        .collect()
}

#[test]
fn every_command_and_flag_is_described() {
    let page = document("command-line.md");
    let help = perflab(&["--help"]);
    let commands_of_all = commands(&help);
    assert!(
        commands_of_all.contains(&"run") && commands_of_all.len() > 4,
        "{commands_of_all:?}"
    );
    let mut below = 0;
    for command in commands_of_all {
        let heading = format!("\n## perflab {command}\n");
        let (_, section) = page
            .split_once(&heading)
            .unwrap_or_else(|| panic!("no section for {command}"));
        let section = section.split("\n## ").next().unwrap();
        let help = perflab(&["help", command]);
        // Of a command that has commands, those of each too.
        let mut texts = vec![help.clone()];
        texts.extend(
            commands(&help)
                .iter()
                .map(|own| perflab(&["help", command, own])),
        );
        below += texts.len() - 1;
        let all = texts.iter().flat_map(|text| flags(text));
        for flag in all.filter(|flag| *flag != "--help") {
            assert!(
                section.contains(&format!("{flag}`")) || section.contains(&format!("{flag} ")),
                "`perflab {command} {flag}` is not described"
            );
        }
    }
    assert!(below >= 7, "{below}");
}

/// All names of fields in a JSON Schema.
fn fields(schema: &Value, names: &mut BTreeSet<String>) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::Object(properties)) = members.get("properties") {
                names.extend(properties.keys().cloned());
            }
            members.values().for_each(|member| fields(member, names));
        }
        Value::Array(elements) => elements.iter().for_each(|element| fields(element, names)),
        _ => {}
    }
}

fn assert_described(page: &str, schema: &Value) {
    let text = document(page);
    let mut names = BTreeSet::new();
    fields(schema, &mut names);
    assert!(names.len() > 3, "{names:?}");
    for name in names {
        assert!(
            text.contains(&format!("`{name}`")),
            "`{name}` is not described in {page}"
        );
    }
}

#[test]
fn every_key_of_the_experiment_file_is_described() {
    assert_described("experiment-file.md", &Experiment::schema());
}

#[test]
fn every_key_of_the_history_file_is_described() {
    assert_described("history.md", &HistoryFile::schema());
    assert_described("history.md", &View::schema());
}

#[test]
fn every_field_of_a_result_is_described() {
    for format in ["result", "plan", "steady"] {
        let printed = perflab(&["schema", format]);
        assert_described("result-format.md", &serde_json::from_str(&printed).unwrap());
    }
    assert_described(
        "result-format.md",
        schemars::schema_for!(RunRecord).as_value(),
    );
    assert_described("result-format.md", schemars::schema_for!(Meta).as_value());
    assert_described("result-format.md", schemars::schema_for!(Plan).as_value());
}

#[test]
fn every_field_of_the_doctors_report_is_described() {
    let printed = perflab(&["schema", "doctor"]);
    assert_described("command-line.md", &serde_json::from_str(&printed).unwrap());
}

#[test]
fn every_status_is_described() {
    let text = document("result-format.md");
    let schema = schemars::schema_for!(Status);
    let mut names = Vec::new();
    for choice in schema.as_value()["oneOf"].as_array().unwrap() {
        names.push(choice["const"].as_str().unwrap().to_owned());
    }
    assert!(names.len() >= 10, "{names:?}");
    for name in names {
        assert!(text.contains(&format!("`{name}`")), "{name}");
    }
}

/// Severity, name and the name in regress-all's report stand in one row of the table.
#[test]
fn every_outcome_has_its_row() {
    let text = document("result-format.md");
    for outcome in Outcome::ALL {
        let row = format!(
            "| {} | `{outcome}` | `{}` |",
            outcome.severity(),
            outcome.report_name()
        );
        assert_eq!(text.matches(&row).count(), 1, "{row}");
    }
}

#[test]
fn every_format_of_test_reports_has_a_section() {
    let page = document("formats.md");
    for format in TestFormat::ALL {
        let heading = format!("\n### {}\n", format.name());
        assert!(page.contains(&heading), "{}", format.name());
    }
}

#[test]
fn every_driver_has_a_section() {
    let page = document("drivers.md");
    let schema = Experiment::schema();
    let mut drivers = Vec::new();
    for choice in schema["$defs"]["Driver"]["enum"].as_array().unwrap() {
        drivers.push(choice.as_str().unwrap());
    }
    assert!(drivers.contains(&"generic"), "{drivers:?}");
    for driver in drivers {
        assert!(page.contains(&format!("\n## {driver}\n")), "{driver}");
    }
}

#[test]
fn the_example_of_a_driver_is_the_real_one() {
    let lines = |text: &str| text.lines().map(str::trim).collect::<Vec<_>>().join("\n");
    let real = ["src/fs_mark.rs", "tests/suite/recorded/fs_mark.rs"]
        .map(|path| fs::read_to_string(root().join("crates/lab/drivers").join(path)).unwrap());
    assert!(real.concat().lines().count() < 100);
    let page = document("how-to/add-a-driver.md");
    let code = |(language, text): (_, String)| (language == Some("rust")).then(|| lines(&text));
    let shown: Vec<String> = blocks(&page).into_iter().filter_map(code).collect();
    assert!(shown.len() >= 5);
    for part in shown {
        assert!(lines(&real.concat()).contains(&part), "{part}");
    }
}

/// The page's other commands are run by `scripts/prove-instrument`.
#[test]
fn the_probes_shown_are_those_of_redis() {
    let sites = fs::read_to_string(root().join("experiments/probes/sites")).unwrap();
    let real: BTreeSet<&str> = sites.lines().map(str::trim).collect();
    let mut shown = 0;
    for (language, text) in blocks(&document("instrument.md")) {
        for line in text.lines().map(str::trim) {
            let site = match language {
                Some("sites") => Some(line),
                Some("c") => line
                    .strip_prefix("PERFLAB_PROBE(redis, ")
                    .and_then(|line| line.strip_suffix(");")),
                _ => None,
            };
            if let Some(site) = site {
                assert!(real.contains(site), "{site}");
                shown += 1;
            }
        }
    }
    assert_eq!(shown, 5);
}

#[test]
fn every_statistical_page_is_in_the_overview() {
    let overview = document("statistics/README.md");
    for path in files_below(&root().join("docs/statistics")) {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        assert!(
            name == "README.md" || overview.contains(&format!("({name})")),
            "{name}"
        );
    }
}

/// The name by which a heading is linked to: lower case, blanks as dashes, no punctuation.
fn anchors(text: &str) -> Vec<String> {
    let outside: String = blocks(text)
        .into_iter()
        .filter(|(language, _)| language.is_none())
        .map(|(_, text)| text)
        .collect();
    outside
        .lines()
        .filter_map(|line| line.strip_prefix('#'))
        .map(|line| {
            line.trim_start_matches('#')
                .trim()
                .to_lowercase()
                .chars()
                .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
                .map(|c| if c == ' ' { '-' } else { c })
                .collect()
        })
        .collect()
}

#[test]
fn every_link_leads_somewhere() {
    let mut links = 0;
    for path in documents() {
        let text = fs::read_to_string(&path).unwrap();
        for (language, text) in blocks(&text) {
            if language.is_some() {
                continue;
            }
            for target in text
                .split("](")
                .skip(1)
                .filter_map(|rest| rest.split(')').next())
            {
                if target.contains("://") {
                    continue;
                }
                let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
                let file = if file.is_empty() {
                    path.clone()
                } else {
                    path.parent().unwrap().join(file)
                };
                assert!(file.exists(), "{}: {target}", path.display());
                let known = || anchors(&fs::read_to_string(&file).unwrap());
                assert!(
                    anchor.is_empty() || known().iter().any(|name| name == anchor),
                    "{}: {target}",
                    path.display()
                );
                links += 1;
            }
        }
    }
    assert!(links > 20, "{links}");
}

/// The table of proofs lives in a script; people read it in a document.
#[test]
fn every_group_of_proofs_is_described() {
    needs("python3", "python3");
    let listed = Command::new(root().join("scripts/prove"))
        .arg("list")
        .output()
        .unwrap();
    assert!(listed.status.success());
    let listed = String::from_utf8(listed.stdout).unwrap();
    let page = document("how-to/test-a-change.md");
    let mut lines = listed.lines();
    let mut count = 0;
    while let Some(line) = lines.next() {
        let Some((name, minutes)) = line.split_once(": about ") else {
            continue;
        };
        let proves = lines.next().unwrap().trim_start();
        let proves = proves.strip_prefix("proves: ").unwrap();
        let row = format!("| {name} | {proves} | {minutes} |\n");
        assert!(page.contains(&row), "the table lacks: {row}");
        count += 1;
    }
    assert!(count >= 11, "{count}");
}
