//! `runs/000017/perflab-slices.jsonl`: what each execution of a run in slices measured, one in a line.
//!
//! It is output of a run, beside the record, which has the run's own values. A later reader may pass over it.

use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::Path;

use perflab_experiment::Sample;
use serde::{Deserialize, Serialize};

use crate::regular_file;

/// The file's name, in the directory of the run's raw output.
pub const SLICES_FILE: &str = "perflab-slices.jsonl";

/// Bytes of it that are read: those of some hundred thousand samples.
const MOST_BYTES: u64 = 1 << 26;

/// One execution of a slice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SliceRecord {
    /// The slice, from 1.
    pub slice: u32,
    /// Which of the slice's executions, from 1.
    pub execution: u32,
    /// The place, from 1, where all variants are executed at the same time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<u32>,
    /// When it began, in seconds since the first turn of the block.
    pub at_s: f64,
    /// How long it took, in seconds.
    pub wall_s: f64,
    /// What it measured.
    pub samples: Vec<Sample>,
}

impl SliceRecord {
    /// Its line.
    ///
    /// # Errors
    /// When a number is not finite.
    pub fn to_line(&self) -> serde_json::Result<String> {
        Ok(serde_json::to_string(self)? + "\n")
    }
}

/// The slices of a run, in the order of their execution; none where the run has no such file.
///
/// # Errors
/// When the file cannot be read, is too long, or has a line that is none of these.
pub fn read_slices(directory: &Path) -> io::Result<Vec<SliceRecord>> {
    let file = match regular_file::open(&directory.join(SLICES_FILE)) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        file => file?,
    };
    if file.metadata()?.len() > MOST_BYTES {
        return Err(io::Error::new(ErrorKind::InvalidData, "it is too long"));
    }
    let lines = BufReader::new(file.take(MOST_BYTES)).lines();
    lines
        .map(|line| serde_json::from_str(&line?).map_err(io::Error::from))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use perflab_experiment::{Better, Metric};
    use std::fs;

    #[test]
    fn slices_come_back_as_they_were_written() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(read_slices(directory.path()).unwrap(), []);
        let slice = |number| SliceRecord {
            slice: number,
            execution: 1,
            place: (number == 2).then_some(1),
            at_s: 0.25,
            wall_s: 0.05,
            samples: vec![Sample {
                benchmark: Some("GET".to_owned()),
                metric: Metric::new("rps", "1/s", Better::Higher).into(),
                value: 1e5 / 3.0,
                step: None,
            }],
        };
        let slices = [slice(1), slice(2)];
        let lines: String = slices
            .iter()
            .map(|slice| slice.to_line().unwrap())
            .collect();
        let file = directory.path().join(SLICES_FILE);
        fs::write(&file, &lines).unwrap();
        assert_eq!(read_slices(directory.path()).unwrap(), slices);
        for wrong in [&lines[..lines.len() - 10], "{}\n", "\u{0}"] {
            fs::write(&file, wrong).unwrap();
            assert!(read_slices(directory.path()).is_err(), "{wrong}");
        }
        fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
        assert!(read_slices(directory.path()).is_err());
    }
}
