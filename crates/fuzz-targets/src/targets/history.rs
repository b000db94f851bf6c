//! Any text as a history file, as a list of versions, as what `git log` prints, and as the symbols of a program. The
//! first byte says which: `h`, `v`, `l` or `s`.
//!
//! What is accepted as a history file comes back from a file that is written of it. Of what `git log` prints, revisions
//! can be selected in each way, ascending, with both ends.

use perflab_history::{
    Every, HistoryFile, Pattern, Revision, Word, read_log, select, symbol_changes, symbols,
    versions,
};

/// Whether the input is worth keeping in a corpus.
pub fn run(input: &[u8]) -> bool {
    let Some((kind, rest)) = input.split_first() else {
        return false;
    };
    match kind {
        b'h' => return std::str::from_utf8(rest).is_ok_and(file),
        b'v' => {
            if let Ok(found) = versions(&String::from_utf8_lossy(rest)) {
                assert!(found.is_sorted_by_key(|revision| revision.time));
                selected(&found);
            }
        }
        b'l' => {
            if let Ok(found) = read_log(rest) {
                selected(&found);
            }
        }
        b's' => {
            let found = symbols(rest);
            let none = symbol_changes(&found, &found);
            assert!(none.came.is_empty() && none.went.is_empty() && none.resized.is_empty());
        }
        _ => return false,
    }
    true
}

fn file(text: &str) -> bool {
    match HistoryFile::parse(text, "input.toml") {
        Ok(file) => {
            let written = toml::to_string(&file).expect("an accepted history can be written");
            let again =
                HistoryFile::parse(&written, "input.toml").expect("what was written is accepted");
            assert_eq!(again, file, "{written}");
        }
        Err(error) => {
            assert!((1..=text.split('\n').count()).contains(&error.line()));
            assert!(error.to_string().starts_with("input.toml:"));
        }
    }
    true
}

fn selected(revisions: &[Revision]) {
    for revision in revisions {
        assert!(!revision.date().is_empty() && revision.name().len() <= revision.id.len());
    }
    let words = [
        Word::Commit,
        Word::Day,
        Word::Week,
        Word::Month,
        Word::Tag,
        Word::Merge,
    ];
    for every in words.into_iter().map(Every::Word) {
        match select(revisions, None, None, every, Some(&Pattern::new("v*"))) {
            Ok(places) => {
                assert!(places.is_sorted_by(|a, b| a < b));
                assert_eq!(places.first(), Some(&0));
                assert_eq!(places.last(), revisions.len().checked_sub(1).as_ref());
            }
            Err(_) => assert!(revisions.is_empty()),
        }
    }
}
