//! `runs/000017/perflab-samples-1.txt`: the samples of a metric (of a benchmark) of which a run has very many.
//!
//! A line is a sample, as the shortest decimal number that is read back as the same value. If samples of other metrics
//! come between it and the one before it, their number follows behind a space, so that all samples of a run come back in
//! the order in which they were measured. The file is on the disk before the record that has its hash.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use indexmap::IndexMap;
use perflab_experiment::{Metric, Sample};

use crate::atomic;
use crate::error::{LineProblem, StoreError};
use crate::frozen_files::sha256;
use crate::raw_output;
use crate::record::RunRecord;
use crate::sample_file::{PREFIX, SampleFile};

/// Samples of a metric that a record holds itself. A thousand make a line of 80 kB, which is read in a millisecond; a
/// file costs a sync of the disk. Tools that measure a benchmark again and again report fewer, and load generators that
/// report each request report more.
const MOST: usize = 1000;

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
