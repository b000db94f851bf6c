//! What is recorded of the programs that a build has made.

use std::fs;
use std::io::Read;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::facts::ProgramFacts;
use super::symbols::{Symbol, symbols};

/// Largest program that is read.
const MOST_BYTES: u64 = 2 << 30;

/// The facts of a program, given its path in the directory of the revision, and its functions.
///
/// # Errors
/// If it is not there, is a link that leads out of the directory, or cannot be read; in words.
pub(super) fn program(tree: &Path, path: &str) -> Result<(ProgramFacts, Vec<Symbol>), String> {
    let bytes =
        read(tree, path).map_err(|what| format!("the build made no program `{path}`: {what}"))?;
    let found = symbols(&bytes);
    let digits = Sha256::digest(&bytes);
    let code = found
        .iter()
        .map(|symbol| symbol.size)
        .fold(0, u64::saturating_add);
    let facts = ProgramFacts {
        path: path.to_owned(),
        bytes: bytes.len() as u64,
        sha256: digits.iter().map(|byte| format!("{byte:02x}")).collect(),
        code_bytes: (!found.is_empty()).then_some(code),
        symbols: None,
    };
    Ok((facts, found))
}

fn read(tree: &Path, path: &str) -> Result<Vec<u8>, String> {
    let words = |error: std::io::Error| error.to_string();
    let real = tree.join(path).canonicalize().map_err(words)?;
    let root = tree.canonicalize().map_err(words)?;
    if !real.starts_with(&root) {
        return Err(format!(
            "it is a link to {}, outside of the revision",
            real.display()
        ));
    }
    let file = fs::File::open(&real).map_err(words)?;
    let metadata = file.metadata().map_err(words)?;
    if !metadata.is_file() || metadata.len() > MOST_BYTES {
        return Err("it is not a file of at most 2 GiB".to_owned());
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES)
        .read_to_end(&mut bytes)
        .map_err(words)?;
    Ok(bytes)
}
