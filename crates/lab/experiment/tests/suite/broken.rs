//! Every broken file under `broken/` is refused with exactly the message stored beside it.
//!
//! After a change of wording: `PERFLAB_BLESS=1 cargo test -p perflab-experiment --test suite broken`, and
//! read the difference.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may panic as a test may"
)]

use std::fs;
use std::path::{Path, PathBuf};

use perflab_experiment::Experiment;

fn broken_files() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken");
    let mut files: Vec<PathBuf> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .collect();
    files.sort();
    files
}

#[test]
fn broken_files_are_refused_with_the_stored_message() {
    let bless = std::env::var_os("PERFLAB_BLESS").is_some();
    let mut wrong = Vec::new();
    let files = broken_files();
    assert!(files.len() > 90, "files are missing");
    for path in files {
        let name = path.file_name().unwrap().to_str().unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let Err(error) = Experiment::parse(&text, name) else {
            wrong.push(format!("{name} is accepted"));
            continue;
        };
        let message = format!("{error}\n");
        let golden = path.with_extension("txt");
        if bless {
            fs::write(&golden, &message).unwrap();
        } else if fs::read_to_string(&golden).unwrap_or_default() != message {
            wrong.push(format!("{name}:\n{message}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
