//! Which format a file has, by its content.

use serde_json::Value;

use crate::format::Format;
use crate::loose_json::without_nan;
use crate::run::{File, without_marks};
use crate::{asv, criterion, pyperf, regress_all};

/// The format of a file, or of the files in a directory; nothing if it looks like none.
///
/// Only the content counts for a file; for a directory the names of the files in it do.
pub fn detect(files: &[File], is_directory: bool) -> Option<Format> {
    let files = &without_marks(files);
    if is_directory {
        return directory(files);
    }
    let file = files.first()?;
    if file.bytes.starts_with(&pyperf::GZIP) {
        return Some(Format::Pyperf);
    }
    if let Ok(document) = serde_json::from_slice::<Value>(&without_nan(&file.bytes))
        && let Some(format) = json(&document)
    {
        return Some(format);
    }
    text(&String::from_utf8_lossy(&file.bytes))
}

fn directory(files: &[File]) -> Option<Format> {
    let ends = |end: &str| files.iter().any(|file| file.path.ends_with(end));
    if ends(&format!("/{}", criterion::SAMPLES)) {
        return Some(Format::Criterion);
    }
    if ends(regress_all::FILE) {
        return Some(Format::RegressAll);
    }
    let is_asv = |file: &File| {
        serde_json::from_slice::<Value>(&without_nan(&file.bytes))
            .is_ok_and(|document| json(&document) == Some(Format::Asv))
    };
    let mut results = files.iter().filter(|file| asv::is_result(file));
    results.any(is_asv).then_some(Format::Asv)
}

/// Members that no other format has.
fn json(document: &Value) -> Option<Format> {
    let has = |pointer: &str| document.pointer(pointer).is_some();
    if has("/results/0/command") {
        Some(Format::Hyperfine)
    } else if has("/benchmarks") && has("/context") {
        Some(Format::GoogleBenchmark)
    } else if has("/benchmarks") && has("/version") {
        Some(Format::Pyperf)
    } else if has("/0/primaryMetric") {
        Some(Format::Jmh)
    } else if has("/result_columns") {
        Some(Format::Asv)
    } else if is_message(document) {
        Some(Format::CargoCriterion)
    } else {
        None
    }
}

/// Whether this is a message of cargo-criterion. Other tools give reasons too, as nextest of a test that failed.
fn is_message(document: &Value) -> bool {
    let reason = document.get("reason").and_then(Value::as_str);
    matches!(reason, Some("benchmark-complete" | "group-complete"))
}

/// The first line that only one format has decides.
fn text(text: &str) -> Option<Format> {
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let first = words.next().unwrap_or_default();
        if first.starts_with("Benchmark") && words.next().is_some_and(is_number) {
            return Some(Format::GoBench);
        }
        if first == "VALUE" && line.split_whitespace().nth(1).is_some_and(is_number) {
            return Some(Format::RegressAll);
        }
        let is_criterion = line.starts_with('{')
            && serde_json::from_str(line)
                .is_ok_and(|document: Value| json(&document) == Some(Format::CargoCriterion));
        if is_criterion {
            return Some(Format::CargoCriterion);
        }
    }
    let numbers = || {
        text.lines()
            .filter_map(|line| line.split_whitespace().next())
            .filter(|word| !word.starts_with('#'))
    };
    (numbers().next().is_some() && numbers().all(is_number)).then_some(Format::Columns)
}

fn is_number(word: &str) -> bool {
    word.parse::<f64>().is_ok()
}
