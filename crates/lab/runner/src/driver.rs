//! The driver that an experiment's workload asks for.

use perflab_drivers::{Driver, Evidence, Generic, Rule, Source, Stream, by_name};
use perflab_experiment::{CsvColumn, EvidenceRule, Extract, MetricRule, Workload};

use crate::fault::Fault;

/// Makes the driver of a workload.
///
/// # Errors
/// When its rules make no sense together.
pub fn driver_of(workload: &Workload) -> Result<Box<dyn Driver>, Fault> {
    let rules = workload.metrics.iter().map(rule).collect();
    if workload.takes_turns {
        let driver = Generic::new(rules).map_err(|error| Fault::no_run(error.to_string()))?;
        return Ok(Box::new(driver.taking_turns()));
    }
    by_name(workload.driver.name(), rules).map_err(|error| Fault::no_run(error.to_string()))
}

/// Makes what reads the evidence of a workload.
///
/// # Errors
/// When one of its rules cannot be used.
pub(crate) fn evidence_of(workload: &Workload) -> Result<Evidence, Fault> {
    let rules = workload.evidence.iter();
    let rules = rules.map(|rule: &EvidenceRule| {
        let (stream, source) = (stream(rule.stream), source(&rule.extract));
        (rule.name.clone(), stream, source)
    });
    Evidence::new(rules).map_err(|error| Fault::no_run(error.to_string()))
}

fn rule(rule: &MetricRule) -> Rule {
    Rule {
        name: rule.metric.name.clone(),
        unit: rule.metric.unit.clone(),
        better: rule.metric.better,
        benchmark: rule.benchmark.clone(),
        stream: stream(rule.stream),
        source: source(&rule.extract),
        all: rule.all,
        scale: rule.scale,
        combine: rule.combine,
    }
}

fn stream(stream: perflab_experiment::Stream) -> Stream {
    match stream {
        perflab_experiment::Stream::Stdout => Stream::Stdout,
        perflab_experiment::Stream::Stderr => Stream::Stderr,
    }
}

fn source(extract: &Extract) -> Source {
    match extract {
        Extract::Regex(pattern) => Source::Regex(pattern.clone()),
        Extract::Json(pointer) => Source::JsonPointer(pointer.clone()),
        Extract::Csv(CsvColumn::Name(name)) => Source::CsvColumn(name.clone()),
        Extract::Csv(CsvColumn::Number(number)) => Source::CsvColumn(number.to_string()),
        Extract::Values => Source::Values,
    }
}
