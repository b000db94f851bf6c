//! Logs to look at.

use std::fs;
use std::path::{Path, PathBuf};

use perflab_aof::{Log, OpenError, Opened, Policy, Progress, ReplayError, Replayed, replay};
use tempfile::TempDir;

/// Length of the first line.
pub const HEAD: usize = 41;

/// What a block has besides its payload.
pub const FRAME: usize = 35;

/// A directory, and the path of a log in it.
pub fn place() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("log.aof");
    (directory, path)
}

/// Opens a log, with all that it holds.
pub fn try_open(path: &Path, policy: Policy) -> Result<(Log, Opened, Vec<Vec<u8>>), OpenError> {
    let mut blocks = Vec::new();
    let (log, opened) = Log::open(path, policy, |payload, _| {
        blocks.push(payload.to_vec());
        Ok::<(), String>(())
    })?;
    assert_eq!(opened.blocks, blocks.len() as u64);
    Ok((log, opened, blocks))
}

/// The same for a log that can be opened.
pub fn open(path: &Path, policy: Policy) -> (Log, Opened, Vec<Vec<u8>>) {
    try_open(path, policy).unwrap()
}

/// A log with these blocks, closed.
pub fn write(path: &Path, payloads: &[&[u8]]) {
    let (log, _, _) = open(path, Policy::No);
    for payload in payloads {
        log.append(payload).unwrap();
    }
    log.close().unwrap();
}

/// The payloads of a log, of which nothing is torn. Looks at the bytes, so that it may be open.
pub fn payloads(path: &Path) -> Vec<Vec<u8>> {
    let (replayed, blocks) = scan(&fs::read(path).unwrap());
    assert_eq!(replayed.unwrap().torn, None);
    blocks
}

/// What a replay of these bytes says, and the payloads that it hands on.
pub fn scan(bytes: &[u8]) -> (Result<Replayed, ReplayError>, Vec<Vec<u8>>) {
    let (mut blocks, mut last) = (Vec::new(), HEAD as u64);
    let replayed = replay(&bytes, |payload, Progress { done, total }| {
        assert_eq!(done, last + (FRAME + payload.len()) as u64);
        assert_eq!(total, bytes.len() as u64);
        last = done;
        blocks.push(payload.to_vec());
        Ok::<(), String>(())
    });
    (replayed, blocks)
}

/// The names in a directory, sorted.
pub fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}
