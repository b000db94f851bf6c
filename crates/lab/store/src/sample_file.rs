//! One file with samples of a run: what a record says of it, and how it is read.

use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;

use perflab_experiment::Metric;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::LineProblem;
use crate::frozen_files::sha256;
use crate::raw_output;
use crate::regular_file;

/// The longest line of a sample, with what comes between it and the one before it.
const LONGEST_LINE: usize = 48;

/// Told from the files of a workload, which may write into the same directory.
pub(crate) const PREFIX: &str = "perflab-samples-";

/// A file with samples of a run, and what they are like.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SampleFile {
    /// The file's name, in the directory of the run's raw output.
    pub file: String,
    /// SHA-256 of the file, in hexadecimal.
    pub sha256: String,
    /// The benchmark that the values belong to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub benchmark: Option<String>,
    /// What was measured.
    #[serde(flatten)]
    pub metric: Arc<Metric>,
    /// Number of samples.
    pub count: usize,
    /// The smallest, in the metric's unit.
    pub min: f64,
    /// The largest.
    pub max: f64,
    /// Their mean.
    pub mean: f64,
    /// Their median.
    pub median: f64,
}

/// Whether a file in the directory of a run's raw output has samples, by its name.
pub fn is_sample_file(name: &str) -> bool {
    name.starts_with(PREFIX)
}

impl SampleFile {
    pub(crate) fn new(
        file: String,
        sha256: String,
        metric: &Metric,
        benchmark: Option<&str>,
        mut values: Vec<f64>,
    ) -> Self {
        values.sort_unstable_by(f64::total_cmp);
        let count = values.len();
        let at = |place: usize| values.get(place).copied().unwrap_or_default();
        let (min, max) = (at(0), at(count - 1));
        Self {
            file,
            sha256,
            benchmark: benchmark.map(str::to_owned),
            metric: Arc::new(metric.clone()),
            count,
            min,
            max,
            // The sum of huge values is infinite, which JSON does not know.
            mean: (values.iter().sum::<f64>() / count as f64).clamp(min, max),
            median: at((count - 1) / 2) / 2.0 + at(count / 2) / 2.0,
        }
    }

    /// The samples, each with the number of others that come between it and the one before it.
    pub(crate) fn read(
        &self,
        directory: &Path,
        run: u32,
    ) -> Result<Vec<(usize, f64)>, LineProblem> {
        let path = Path::new(&self.file);
        if path.file_name() != Some(path.as_os_str()) || !is_sample_file(&self.file) {
            let reason = format!(
                "expected the name of a file with samples, found `{}`",
                self.file
            );
            return Err(LineProblem::Malformed(reason));
        }
        let file = || raw_output::recorded(directory, run).join(path);
        let wrong = |found: String| LineProblem::Samples {
            file: file(),
            found,
        };
        let most = self.count.saturating_mul(LONGEST_LINE);
        let content = read(directory, run, path, most).map_err(|error| match error.kind() {
            ErrorKind::NotFound => wrong("no file".to_owned()),
            ErrorKind::PermissionDenied => LineProblem::Closed {
                file: file(),
                found: error.to_string(),
            },
            _ => wrong(error.to_string()),
        })?;
        if sha256(&content) != self.sha256 {
            return Err(wrong("it altered (its SHA-256 is another one)".to_owned()));
        }
        let text = String::from_utf8_lossy(&content);
        let samples = text.lines().map(|line| {
            let (value, others) = line.split_once(' ').unwrap_or((line, "0"));
            let value = value.parse().ok().filter(|value: &f64| value.is_finite());
            let sample = others.parse().ok().zip(value);
            sample.ok_or_else(|| wrong(format!("`{}`", line.chars().take(80).collect::<String>())))
        });
        let samples = samples.collect::<Result<Vec<_>, LineProblem>>()?;
        match samples.len() {
            count if count == self.count => Ok(samples),
            count => Err(wrong(format!("{count} samples, not {}", self.count))),
        }
    }
}

/// The content of a file of a run that has so many bytes at most. The run's directory may get its name just now.
fn read(directory: &Path, run: u32, file: &Path, most: usize) -> io::Result<Vec<u8>> {
    let read = || {
        let output = raw_output::recorded(directory, run);
        if !raw_output::is_no_link(&output) && output.exists() {
            return Err(io::Error::other("a symbolic link on the way to it"));
        }
        let mut opened = regular_file::open(&output.join(file))?;
        if opened.metadata()?.len() > most as u64 {
            return Err(io::Error::other("more bytes than its samples take"));
        }
        let mut content = Vec::new();
        opened.read_to_end(&mut content)?;
        Ok(content)
    };
    read().or_else(|error| match error.kind() {
        ErrorKind::NotFound => read(),
        _ => Err(error),
    })
}
