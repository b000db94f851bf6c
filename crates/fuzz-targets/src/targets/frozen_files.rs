//! Any bytes as one of the files of a result beside its records, with checksums and hashes that fit.
//! The first byte says which: `e`xperiment, `p`lan, `f`ingerprint, `m`eta, or `=` for the meta file as
//! it is; `s`topped, or `S` for that file as it is. Whatever is in them, a list of results is still
//! made.

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use perflab_store::{Index, Notice, OpenedResult};
use serde_json::Value;

use crate::result::Files;
use crate::shared::directory;

/// The directory of results, in which the result is `small`.
static ROOT: LazyLock<PathBuf> = LazyLock::new(|| {
    let root = directory();
    fs::create_dir(root.join("small")).expect("a directory can be made");
    fs::write(root.join("small/runs.jsonl"), "").expect("a file can be written");
    root
});

/// Whether the input is worth keeping in a corpus.
pub fn run(input: &[u8]) -> bool {
    let Some((&which, content)) = input.split_first() else {
        return false;
    };
    if !matches!(which, b'e' | b'p' | b'f' | b'm' | b'=' | b's' | b'S') {
        return false;
    }
    let files = Files::with(which, content);
    let path = ROOT.join("small");
    files.write(&path);

    let opened = OpenedResult::open(&path);
    let is_readable = opened.is_ok();
    match opened {
        Ok(result) => {
            assert_eq!(result.experiment.text.as_bytes(), files.experiment);
            evidence(&result);
            if let Some(content) = &files.stopped {
                how_it_ended(&result, content);
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    let index = Index::rebuild(&ROOT).expect("an index is made of any results");
    let list = index.list().expect("it can be listed");
    assert_eq!(list.len(), 1);
    assert_eq!(is_readable, list[0].error.is_none(), "{:?}", list[0]);
    true
}

/// No file that the meta file names as evidence is there, and none outside is looked at.
fn evidence(result: &OpenedResult) {
    let imported = result.meta.origin.imported.as_ref();
    let named = imported.map_or(0, |imported| imported.files.len());
    assert_eq!(result.notices.len(), named);
    for notice in &result.notices {
        assert!(matches!(notice, Notice::Evidence { .. }), "{notice}");
    }
}

/// The note is what the file says.
fn how_it_ended(result: &OpenedResult, content: &[u8]) {
    let note = serde_json::to_value(result.stopped).expect("a note can be written");
    let said: Value = serde_json::from_slice(content).expect("it was read");
    for field in ["schema", "reason", "blocks"] {
        assert!(!note[field].is_null() && note[field] == said[field]);
    }
}
