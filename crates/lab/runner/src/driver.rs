//! The driver that an experiment's workload asks for.

use perflab_drivers::{Driver, Generic, Rule, Source, Stream, by_name};
use perflab_experiment::{CsvColumn, Extract, MetricRule, Workload};

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

fn rule(rule: &MetricRule) -> Rule {
    Rule {
        name: rule.metric.name.clone(),
        unit: rule.metric.unit.clone(),
        better: rule.metric.better,
        benchmark: rule.benchmark.clone(),
        stream: match rule.stream {
            perflab_experiment::Stream::Stdout => Stream::Stdout,
            perflab_experiment::Stream::Stderr => Stream::Stderr,
        },
        source: match &rule.extract {
            Extract::Regex(pattern) => Source::Regex(pattern.clone()),
            Extract::Json(pointer) => Source::JsonPointer(pointer.clone()),
            Extract::Csv(CsvColumn::Name(name)) => Source::CsvColumn(name.clone()),
            Extract::Csv(CsvColumn::Number(number)) => Source::CsvColumn(number.to_string()),
            Extract::Values => Source::Values,
        },
        all: rule.all,
        scale: rule.scale,
        combine: rule.combine,
    }
}
