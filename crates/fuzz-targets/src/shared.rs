//! Functions that several targets need.

use std::cell::RefCell;
use std::path::PathBuf;

use perflab_drivers::{Driver, Output, Usage};
use perflab_experiment::Sample;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

/// The first line of an input, without its line end, and everything behind it. Targets whose
/// subject has options take them from there.
pub fn first_line(input: &[u8]) -> (&[u8], &[u8]) {
    split_at(input, b'\n')
}

/// What comes before the first of these bytes, and what comes after it.
pub fn split_at(input: &[u8], separator: u8) -> (&[u8], &[u8]) {
    match input.iter().position(|&byte| byte == separator) {
        Some(end) => (&input[..end], &input[end + 1..]),
        None => (input, &[]),
    }
}

/// Reads an output with a driver, after success and after failure: standard output up to the first NUL, standard error
/// after it. Samples go to `check`. Returns standard output.
pub fn read_output<'i>(
    driver: &dyn Driver,
    output: &'i [u8],
    check: impl Fn(&[Sample]),
) -> &'i [u8] {
    let (stdout, stderr) = split_at(output, 0);
    for exit_code in [0, 1] {
        let usage = Usage {
            exit_code,
            ..Usage::default()
        };
        match driver.read(&Output {
            stdout,
            stderr,
            usage,
        }) {
            Ok(samples) => {
                assert_eq!(exit_code, 0);
                assert!(!samples.is_empty());
                let is_sound = |sample: &Sample| sample.value.is_finite() && sample.value >= 0.0;
                assert!(samples.iter().all(is_sound));
                check(&samples);
            }
            Err(error) => {
                let message = error.to_string();
                assert!(
                    !message.contains('\n') && message.len() < 2_000,
                    "{message}"
                );
            }
        }
    }
    stdout
}

thread_local! {
    static DIRECTORIES: RefCell<Vec<TempDir>> = const { RefCell::new(Vec::new()) };
}

/// A new empty directory for what a target has to have on the disk. It is removed when this thread ends. libFuzzer
/// ends its process without that, so `prove-fuzz` sets `TMPDIR` and removes everything below it.
pub fn directory() -> PathBuf {
    let directory = tempfile::Builder::new()
        .prefix("perflab-fuzz-")
        .tempdir()
        .expect("a temporary directory can be made");
    let path = directory.path().to_owned();
    DIRECTORIES.with_borrow_mut(|all| all.push(directory));
    path
}

/// A line of JSON as the store seals it: the object's closing brace gives way to a checksum. Without
/// this no mutated line would ever pass the checksum and be looked at.
pub fn seal(object: &[u8]) -> Vec<u8> {
    let mut line = object.strip_suffix(b"}").unwrap_or(object).to_vec();
    let checksum = crc32fast::hash(&line);
    line.extend_from_slice(format!(",\"crc\":\"{checksum:08x}\"}}").as_bytes());
    line
}

/// The same with its line end, as files of one line have it.
pub fn sealed_line(object: &[u8]) -> Vec<u8> {
    [&seal(object), b"\n".as_slice()].concat()
}

/// The SHA-256 of a content, in hexadecimal.
pub fn sha256(content: &[u8]) -> String {
    let hash = Sha256::digest(content);
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A `meta.json` whose hashes fit these files.
pub fn meta_of(experiment: &[u8], plan: &[u8], environment: &[u8]) -> Vec<u8> {
    let meta = serde_json::json!({
        "schema": 1,
        "perflab": "0.1.0",
        "created": "2026-03-01T12:00:00Z",
        "name": "small",
        "argv": ["perflab", "run"],
        "sha256": {
            "experiment": sha256(experiment),
            "plan": sha256(plan),
            "fingerprint": sha256(environment),
        },
    });
    sealed_line(meta.to_string().as_bytes())
}

/// Each complete line with its checksum; what follows the last line end was cut off.
pub fn sealed_lines(input: &[u8]) -> Vec<u8> {
    let mut content = Vec::new();
    for line in input.split_inclusive(|&byte| byte == b'\n') {
        match line.strip_suffix(b"\n") {
            Some(object) => content.extend(sealed_line(object)),
            None => content.extend_from_slice(line),
        }
    }
    content
}

/// The same for a result whose lines are chained: each names the one before it, the first one `before`. Those that begin
/// with `-` are left out after that, as if somebody had removed them.
pub struct ChainedLines {
    /// The lines that are left.
    pub content: Vec<u8>,
    /// Whether a line is left after one that was removed.
    pub has_gap: bool,
}

impl ChainedLines {
    /// Seals and chains the lines of an input.
    pub fn new(before: &[u8], input: &[u8]) -> Self {
        let mut before = before.to_vec();
        let (mut content, mut is_removed, mut has_gap) = (Vec::new(), false, false);
        for line in input.split_inclusive(|&byte| byte == b'\n') {
            let Some(object) = line.strip_suffix(b"\n") else {
                content.extend_from_slice(line);
                continue;
            };
            let (object, removed) = match object.strip_prefix(b"-") {
                Some(object) => (object, true),
                None => (object, false),
            };
            let mut open = object.strip_suffix(b"}").unwrap_or(object).to_vec();
            let link =
                u64::from_be_bytes(*Sha256::digest(&before).first_chunk().expect("32 bytes"));
            open.extend_from_slice(format!(",\"previous\":\"{link:016x}\"}}").as_bytes());
            before = sealed_line(&open);
            if !removed {
                content.extend_from_slice(&before);
                has_gap |= is_removed;
            }
            is_removed |= removed;
        }
        Self { content, has_gap }
    }
}

/// Whether a text has characters that would steer a terminal. Line ends are none.
pub fn has_control(text: &str) -> bool {
    text.chars()
        .any(|character| character.is_control() && character != '\n')
}
