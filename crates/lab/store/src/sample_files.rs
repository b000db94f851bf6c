//! `runs/000017/perflab-samples-1.txt`: the samples of a metric (of a benchmark) of which a run has very many.
//!
//! A line is a sample, as the shortest decimal number that is read back as the same value. If samples of other metrics
//! come between it and the one before it, their number follows behind a space, so that all samples of a run come back in
//! the order in which they were measured. The file is on the disk before the record that has its hash.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Write;
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;

use indexmap::IndexMap;
use perflab_experiment::{Metric, Sample};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::atomic;
use crate::error::{LineProblem, StoreError};
use crate::frozen_files::sha256;
use crate::raw_output;
use crate::record::RunRecord;
use crate::regular_file;

/// Samples of a metric that a record holds itself. A thousand make a line of 80 kB, which is read in a millisecond; a
/// file costs a sync of the disk. Tools that measure a benchmark again and again report fewer, and load generators that
/// report each request report more.
const MOST: usize = 1000;

/// The longest line of a sample, with what comes between it and the one before it.
const LONGEST_LINE: usize = 48;

/// Told from the files of a workload, which may write into the same directory.
const PREFIX: &str = "perflab-samples-";

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

/// The record as it is written. Samples that are too many for it are in files when this returns.
pub(crate) fn set_aside<'r>(
    directory: &Path,
    record: &'r RunRecord,
) -> Result<Cow<'r, RunRecord>, StoreError> {
    let samples = &record.samples;
    let mut series: IndexMap<(&Metric, Option<&str>), Vec<usize>> = IndexMap::new();
    if samples.len() > MOST {
        for (place, sample) in samples.iter().enumerate() {
            let key = (&*sample.metric, sample.benchmark.as_deref());
            series.entry(key).or_default().push(place);
        }
        series.retain(|_, places| places.len() > MOST);
    }
    if series.is_empty() {
        return Ok(Cow::Borrowed(record));
    }
    let output = raw_output::unnamed(directory, record.run)?;
    let mut files = Vec::new();
    for ((metric, benchmark), places) in &series {
        let file = format!("{PREFIX}{}.txt", files.len() + 1);
        let of_series = places
            .iter()
            .filter_map(|place| Some((*place, samples.get(*place)?.value)));
        let (mut text, mut next) = (String::new(), 0);
        for (place, value) in of_series.clone() {
            // Texts can always be written to.
            let _ = match place - next {
                0 => writeln!(text, "{value:?}"),
                others => writeln!(text, "{value:?} {others}"),
            };
            next = place + 1;
        }
        atomic::write(&output, &file, text.as_bytes())?;
        let values = of_series.map(|(_, value)| value).collect();
        let sha256 = sha256(text.as_bytes());
        files.push(SampleFile::new(file, sha256, metric, *benchmark, values));
    }
    let outside: HashSet<usize> = series.into_values().flatten().collect();
    let inside = samples.iter().enumerate();
    let inside = inside.filter(|(place, _)| !outside.contains(place));
    Ok(Cow::Owned(RunRecord {
        samples: inside.map(|(_, sample)| sample.clone()).collect(),
        sample_files: files,
        ..record.clone()
    }))
}

impl SampleFile {
    fn new(
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
    fn read(&self, directory: &Path, run: u32) -> Result<Vec<(usize, f64)>, LineProblem> {
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

/// Puts the samples of a record that are in files where they were.
pub(crate) fn load(directory: &Path, record: &mut RunRecord) -> Result<(), LineProblem> {
    let files = std::mem::take(&mut record.sample_files);
    if files.is_empty() {
        return Ok(());
    }
    let names: HashSet<&str> = files.iter().map(|file| file.file.as_str()).collect();
    if names.len() < files.len() {
        let reason = "expected files of different names in `sample_files`".to_owned();
        return Err(LineProblem::Malformed(reason));
    }
    let read = files
        .iter()
        .map(|file| Ok((file, file.read(directory, record.run)?)))
        .collect::<Result<Vec<_>, LineProblem>>()?;
    let count = read.iter().map(|(_, samples)| samples.len()).sum::<usize>();
    let mut all = vec![None; record.samples.len() + count];
    for (file, samples) in read {
        let mut next = 0_usize;
        for (others, value) in samples {
            let place = next.saturating_add(others);
            match all.get_mut(place) {
                Some(free @ None) => {
                    *free = Some(Sample {
                        benchmark: file.benchmark.clone(),
                        metric: Arc::clone(&file.metric),
                        value,
                        step: None,
                    });
                }
                _ => {
                    return Err(LineProblem::Malformed(format!(
                        "expected a place for each sample of {}, found none for one",
                        file.file
                    )));
                }
            }
            next = place + 1;
        }
    }
    let mut inside = std::mem::take(&mut record.samples).into_iter();
    let in_order = all.into_iter();
    record.samples = in_order
        .filter_map(|sample| sample.or_else(|| inside.next()))
        .collect();
    Ok(())
}
