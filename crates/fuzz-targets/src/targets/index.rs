//! Any bytes as damage to the index of a directory of results: two say how much of the file is left,
//! then three each which of its bytes is altered, and to what. It is rebuilt, or left alone as another
//! program's database, and never the reason for a failure.

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use perflab_experiment::{Experiment, Plan};
use perflab_store::{Environment, Index, Origin, ResultDir, StoreError};

use crate::shared::directory;

const EXPERIMENT: &str = include_str!("../../seeds/small.toml");

struct Results {
    root: PathBuf,
    /// The index as it should be.
    sound: Vec<u8>,
}

static RESULTS: LazyLock<Results> = LazyLock::new(|| {
    let root = directory();
    let experiment = Experiment::parse(EXPERIMENT, "small.toml").expect("it is sound");
    let plan = Plan::new(&experiment, 7);
    for name in ["first", "second"] {
        let origin = Origin {
            perflab: "0.1.0".to_owned(),
            created: "2026-03-01T12:00:00Z".to_owned(),
            name: name.to_owned(),
            argv: vec!["perflab".to_owned(), "run".to_owned()],
            directory: None,
            until_decided: None,
            imported: None,
        };
        let environment = Environment::unknown();
        ResultDir::create(&root.join(name), EXPERIMENT, &plan, &environment, origin)
            .expect("a result can be set up");
    }
    drop(Index::rebuild(&root).expect("an index can be made"));
    let sound = fs::read(root.join("index.sqlite")).expect("the index is there");
    Results { root, sound }
});

/// Whether the input is worth keeping in a corpus.
pub fn run(input: &[u8]) -> bool {
    let Results { root, sound } = &*RESULTS;
    let file = root.join("index.sqlite");
    fs::write(&file, damaged(sound, input)).expect("a file can be written");
    // What is found in the rows may be anything: SQLite has no checksums.
    match Index::refresh(root) {
        Ok(index) => match index.list() {
            Ok(_) => {}
            Err(error) => assert!(!error.to_string().is_empty()),
        },
        Err(StoreError::ForeignIndex(_)) => fs::remove_file(&file).expect("it is left alone"),
        Err(error) => panic!("{error}"),
    }
    let index = Index::rebuild(root);
    let index = index.expect("an index can be rebuilt");
    assert_eq!(index.list().expect("it is sound").len(), 2);
    true
}

fn damaged(sound: &[u8], input: &[u8]) -> Vec<u8> {
    let mut content = sound.to_vec();
    let Some((length, changes)) = input.split_first_chunk::<2>() else {
        return content;
    };
    content.truncate(usize::from(u16::from_be_bytes(*length)));
    for change in changes.chunks_exact(3) {
        let place = usize::from(u16::from_be_bytes([change[0], change[1]]));
        if let Some(byte) = content.get_mut(place) {
            *byte = change[2];
        }
    }
    content
}
