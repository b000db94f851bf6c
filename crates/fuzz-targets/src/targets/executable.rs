//! Any bytes as a program whose build is to be identified.

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use perflab_machine::Executable;

use crate::shared::{directory, has_control};

static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| directory().join("program"));

/// Whether the input is worth keeping in a corpus.
pub fn run(input: &[u8]) -> bool {
    fs::write(&*PROGRAM, input).expect("a file can be written");
    let found = Executable::of(&PROGRAM).expect("any file is identified");
    assert_eq!(found.bytes, input.len() as u64);
    assert_eq!(found.sha256.len(), 64);
    assert!(
        found
            .interpreter
            .is_none_or(|text| !has_control(&text) && !text.contains('\n'))
    );
    assert!(
        found
            .build_id
            .is_none_or(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()))
    );
    true
}
