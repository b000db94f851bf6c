//! From the JSON to runs.

use perflab_experiment::counted;
use std::borrow::Cow;
use std::io::Read;

use perflab_experiment::Better;
use serde::Deserialize;

use crate::fault::Fault;
use crate::run::{Contents, File, Run, sample, twins};

/// The version of the format that is read; older ones had another shape.
const VERSION: &str = "1.0";

/// How a file in gzip begins (RFC 1952).
pub(crate) const GZIP: [u8; 2] = [0x1f, 0x8b];

/// More than this is no result, but an attack on the memory.
const MOST_BYTES: u64 = 1 << 30;

#[derive(Deserialize)]
struct Suite {
    version: String,
    #[serde(default)]
    metadata: Metadata,
    benchmarks: Vec<Benchmark>,
}

#[derive(Deserialize)]
struct Benchmark {
    #[serde(default)]
    metadata: Metadata,
    #[serde(default)]
    runs: Vec<Process>,
}

#[derive(Deserialize)]
struct Process {
    #[serde(default)]
    metadata: Metadata,
    #[serde(default)]
    values: Vec<f64>,
}

/// What all benchmarks or runs have in common stands further up.
#[derive(Deserialize, Default)]
struct Metadata {
    name: Option<String>,
    unit: Option<String>,
    date: Option<String>,
}

/// The runs in a file: a worker process each.
///
/// # Errors
/// Anything but the JSON of pyperf's format 1.0, plain or in gzip; a benchmark without a name; two of
/// one name; a file without values.
pub fn read(file: &File) -> Result<Contents, Fault> {
    const EXPECTED: &str = "the JSON that pyperf writes";
    let text = decompressed(file)?;
    let suite: Suite =
        serde_json::from_slice(&text).map_err(|error| Fault::json(&file.path, EXPECTED, &error))?;
    if suite.version != VERSION {
        return Err(Fault::new(
            &file.path,
            format!(
                "expected version {VERSION} of pyperf's format, found `{}`; `python3 -m pyperf \
                 convert` of a newer pyperf rewrites old files",
                crate::fault::shown(&suite.version)
            ),
        ));
    }
    let mut names = Vec::new();
    let mut contents = Contents::default();
    for (index, benchmark) in suite.benchmarks.iter().enumerate() {
        let first = benchmark.runs.first().map(|run| &run.metadata);
        let levels = [Some(&benchmark.metadata), Some(&suite.metadata), first];
        let said = |of: fn(&Metadata) -> &Option<String>| {
            levels
                .iter()
                .flatten()
                .find_map(|level| of(level).as_deref())
        };
        let Some(name) = said(|metadata| &metadata.name) else {
            return Err(Fault::new(
                &file.path,
                format!("expected a `name` in the metadata of /benchmarks/{index}, found none"),
            ));
        };
        names.push(name);
        let (metric, unit) = match said(|metadata| &metadata.unit) {
            None | Some("second") => ("time", "s"),
            Some("byte") => ("memory", "bytes"),
            Some("integer") => ("value", ""),
            Some(other) => ("value", other),
        };
        let mut calibrating = 0;
        for (place, process) in benchmark.runs.iter().enumerate() {
            if process.values.is_empty() {
                calibrating += 1;
                continue;
            }
            contents.runs.push(Run {
                at: format!("/benchmarks/{index}/runs/{place}"),
                started: process.metadata.date.clone(),
                samples: process
                    .values
                    .iter()
                    .map(|value| sample(Some(name), metric, unit, Better::Lower, *value))
                    .collect(),
                ..Run::default()
            });
        }
        if calibrating > 0 {
            contents.notes.push(format!(
                "left out {} of {name} that only calibrated and made no values",
                counted(calibrating, "run")
            ));
        }
    }
    if let Some([first, second]) = twins(&names) {
        return Err(Fault::new(
            &file.path,
            format!(
                "/benchmarks/{first} and /benchmarks/{second} are both `{}`, and may be two sides or one; put each into \
                 a file of its own",
                crate::fault::shown(names[first])
            ),
        ));
    }
    contents.not_empty(
        &file.path,
        "expected a run with values, found none in any benchmark",
    )
}

/// The JSON, out of gzip if it begins as gzip does.
fn decompressed(file: &File) -> Result<Cow<'_, [u8]>, Fault> {
    if !file.bytes.starts_with(&GZIP) {
        return Ok(Cow::Borrowed(&file.bytes));
    }
    let mut text = Vec::new();
    flate2::read::MultiGzDecoder::new(file.bytes.as_slice())
        .take(MOST_BYTES)
        .read_to_end(&mut text)
        .map_err(|error| {
            Fault::new(
                &file.path,
                format!("expected a whole gzip file, found: {error}"),
            )
        })?;
    if text.len() as u64 == MOST_BYTES {
        return Err(Fault::new(
            &file.path,
            format!("expected less than {MOST_BYTES} bytes when decompressed, found more"),
        ));
    }
    Ok(Cow::Owned(text))
}
