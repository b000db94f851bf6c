//! What every foreign format has in common: runs with samples.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use indexmap::IndexMap;
use perflab_experiment::{Better, Metric, Sample};

use crate::fault::Fault;

/// One process that was measured, or what the format comes nearest to it with.
///
/// Values that one process made, such as iterations, are several samples of one run: a reader never
/// makes runs of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Run {
    /// Where the run stands in its file, for people: `line 5`, `/benchmarks/0/runs/2`.
    pub at: String,
    /// Number, block and unit in a result of our own.
    pub place: Option<Place>,
    /// What the file itself tells apart as things to compare.
    pub variant: Option<String>,
    /// The workload, where there may be several.
    pub workload: Option<String>,
    /// Names and values of parameters.
    pub parameters: IndexMap<String, String>,
    /// The command that was executed.
    pub command: Option<String>,
    /// When the run began, as the file has it.
    pub started: Option<String>,
    /// How the run ended, if not well; such a run has no samples.
    pub failure: Option<String>,
    /// The process's exit code, where it is known.
    pub exit_code: Option<i32>,
    /// What was measured; all values are finite.
    pub samples: Vec<Sample>,
}

/// Where a run stands in a result of our own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Number in the plan, from 1.
    pub run: u32,
    /// Block, from 1.
    pub block: u32,
    /// Unit, from 1 for each variant.
    pub unit: u32,
}

/// What a reader found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Contents {
    /// The runs, in the file's order.
    pub runs: Vec<Run>,
    /// What was left out, or cannot be known, one sentence each.
    pub notes: Vec<String>,
}

impl Contents {
    /// These, or a fault of a file in which there is no run though there should be.
    pub(crate) fn not_empty(self, path: &str, expected: &str) -> Result<Self, Fault> {
        match self.runs.is_empty() {
            true => Err(Fault::new(path, expected)),
            false => Ok(self),
        }
    }
}

/// A file to read: its path below what was named, with `/`, and its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// The path; used in messages, and where the format is a tree.
    pub path: String,
    /// The content.
    pub bytes: Vec<u8>,
}

/// A text without the byte order mark that editors and spreadsheets of some systems put before it.
pub(crate) fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text)
}

/// Files as readers take them: without byte order marks.
pub(crate) fn without_marks(files: &[File]) -> Cow<'_, [File]> {
    let is_marked = |file: &File| without_mark(&file.bytes).len() < file.bytes.len();
    if !files.iter().any(is_marked) {
        return files.into();
    }
    let plain = files.iter().map(|file| File {
        path: file.path.clone(),
        bytes: without_mark(&file.bytes).to_vec(),
    });
    plain.collect()
}

/// The places of the first two that are equal.
pub(crate) fn twins<K: Eq + Hash>(keys: impl IntoIterator<Item = K>) -> Option<[usize; 2]> {
    let mut seen = HashMap::new();
    let mut keys = keys.into_iter().enumerate();
    keys.find_map(|(place, key)| Some([seen.insert(key, place)?, place]))
}

/// A sample, from its pieces.
pub(crate) fn sample(
    benchmark: Option<&str>,
    name: &str,
    unit: &str,
    better: Better,
    value: f64,
) -> Sample {
    Sample {
        benchmark: benchmark.map(str::to_owned),
        metric: Arc::new(Metric::new(name, unit, better)),
        value,
        step: None,
    }
}

/// Which way of a metric is better, in a word.
pub(crate) fn word(better: Better) -> &'static str {
    match better {
        Better::Lower => "lower",
        Better::Neither => "neither",
        Better::Higher => "higher",
    }
}

/// Which way a unit is better where the format does not say: what is counted per second more, all
/// else less.
pub(crate) fn direction(unit: &str) -> Better {
    let rate = ["/s", "/sec", "/second", "/us", "/ms", "/ns", "/min"]
        .iter()
        .any(|end| unit.ends_with(end));
    if rate { Better::Higher } else { Better::Lower }
}

/// The name of a benchmark in formats that have one name only: workload, benchmark and parameters.
///
/// The workload is left out if `whole` is not asked for and there is a benchmark.
pub(crate) fn benchmark(run: &Run, benchmark: Option<&str>, whole: bool) -> String {
    let workload = run
        .workload
        .as_deref()
        .filter(|_| whole || benchmark.is_none());
    let mut words: Vec<String> = workload
        .into_iter()
        .chain(benchmark)
        .map(str::to_owned)
        .collect();
    words.extend(
        run.parameters
            .iter()
            .map(|(name, value)| format!("{name}={value}")),
    );
    words.join("/")
}

/// Those of the words that are there and not empty, as one name.
pub(crate) fn joined<'w>(words: impl IntoIterator<Item = Option<&'w str>>) -> String {
    let words = words.into_iter().flatten();
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join("/")
}

/// Whether names need the workload: there are several.
pub(crate) fn several_workloads(runs: &[Run]) -> bool {
    let mut workloads = runs.iter().map(|run| &run.workload);
    let first = workloads.next();
    workloads.any(|workload| Some(workload) != first)
}

/// Whether names need the variant: there are several.
pub(crate) fn several_variants(runs: &[Run]) -> bool {
    let mut variants = runs.iter().map(|run| &run.variant);
    let first = variants.next();
    variants.any(|variant| Some(variant) != first)
}
