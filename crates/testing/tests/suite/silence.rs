//! No test says by itself that it leaves something out: this crate fails it, or writes that down.

use std::fs;
use std::path::{Path, PathBuf};

/// Words by which a test would say so. This crate alone prints them.
const WORDS: [&str; 5] = [
    "skipped:",
    "is not installed",
    "not tested:",
    "not checked:",
    "left out:",
];

/// The macros that print.
const MACROS: [&str; 4] = ["println!", "eprintln!", "print!", "eprint!"];

fn sources_below(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources_below(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The sources of all other crates, with their tests.
fn sources() -> Vec<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    sources_below(own.parent().unwrap(), &mut found);
    let is_part = |path: &PathBuf| path.iter().any(|part| part == "src" || part == "tests");
    found.retain(|path| !path.starts_with(own) && is_part(path));
    found
}

/// Each call of a macro that prints: its line, from 1, and its text up to the first semicolon. That may be one of a
/// message, but the words that matter come before it.
fn prints(source: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for name in MACROS {
        for (at, _) in source.match_indices(name) {
            let before = source[..at].chars().next_back();
            // `eprint!` ends with `print!`, which would count it twice.
            if before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_') {
                continue;
            }
            let rest = &source[at..];
            let end = rest.find(';').unwrap_or(rest.len());
            found.push((source[..at].matches('\n').count() + 1, &rest[..end]));
        }
    }
    found
}

fn silent(source: &str) -> Vec<(usize, &str)> {
    let mut found = prints(source);
    found.retain(|(_, call)| WORDS.iter().any(|word| call.contains(word)));
    found
}

#[test]
fn no_test_passes_by_saying_that_it_was_skipped() {
    let sources = sources();
    assert!(
        sources.len() > 200,
        "sources are missing: {}",
        sources.len()
    );
    let mut wrong = Vec::new();
    for path in sources {
        let source = fs::read_to_string(&path).unwrap();
        for (line, call) in silent(&source) {
            wrong.push(format!("{}:{line}: {call}", path.display()));
        }
    }
    assert!(
        wrong.is_empty(),
        "a test that lacks something calls perflab_testing::needs or not_checked:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn such_words_would_be_found() {
    let source = "fn a() {\n    if missing() {\n        println!(\n            \
                  \"skipped: {tool}\"\n        );\n        return;\n    }\n}\n";
    let found = silent(source);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, 3);
    assert_eq!(silent("eprintln!(\"perf is not installed\");").len(), 1);
    assert_eq!(silent("assert_eq!(text, \"perf is not installed\");"), []);
    assert_eq!(
        silent("println!(\"{checked} events\"); // skipped: one"),
        []
    );
}
