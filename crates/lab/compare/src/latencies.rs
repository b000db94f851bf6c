//! Latencies beside a throughput: who reads of 2 % more requests per second should see as well how
//! long each of them took.

use std::borrow::Cow;

use indexmap::{IndexMap, IndexSet};
use perflab_drivers::{Driver, Kind, Latency as Which};
use perflab_experiment::{Better, Experiment, Plan, Workload};
use perflab_stats::quantile::min_values;
use perflab_store::{RunRecord, SLICES};

use crate::analyse::analyse;
use crate::comparison::Comparison;
use crate::resolution::step;
use crate::row::{Latency, Row};
use crate::row_warning::RowWarning;
use crate::sample_selection::SampleSelection;
use crate::selection::Selection;
use crate::subjects::result_subjects;
use crate::verdict::Verdict;
use crate::warning::Warning;

/// Highest quantile that is shown where it is not known how many requests a run made.
const USUAL_TAIL: f64 = 0.99;

/// A latency that is shown.
#[derive(Debug, Clone, PartialEq)]
struct Chosen {
    metric: String,
    quantile: Option<f64>,
}

/// Adds to each throughput of the report how long the requests of the same runs took: the median, or
/// the mean where the tool says no better, and the highest quantile that the tool states and that the
/// number of requests in a run can carry.
///
/// Which metrics are throughputs and latencies, the driver says. They are estimates and take no share
/// of the report's error; what has rows of its own in the report is not shown again.
pub fn add_latencies(
    report: &mut Comparison,
    experiment: &Experiment,
    plan: &Plan,
    records: &[RunRecord],
    sample_selection: &SampleSelection,
    selection: &Selection,
) {
    let has_throughput = report.rows.iter().any(|row| is_throughput(row, experiment));
    if !has_throughput {
        return;
    }
    // Where results may end the measurement, a block under way counts for nothing.
    let counted: Cow<'_, [RunRecord]> = match &report.design.until_decided {
        Some(until) => {
            let own = records.iter().filter(|record| record.block <= until.blocks);
            own.cloned().collect()
        }
        None => Cow::Borrowed(records),
    };
    let tested: IndexSet<&str> = report
        .rows
        .iter()
        .map(|row| row.key.metric.name.as_str())
        .collect();
    let chosen: IndexMap<&str, Vec<Chosen>> = experiment
        .workloads
        .iter()
        .filter_map(|(name, workload)| {
            let driver = perflab_drivers::tool(workload.driver.name())?;
            let own = counted.iter().filter(|record| &record.workload == name);
            let mut chosen = choice(driver, own, selection.confidence);
            chosen.retain(|one| !tested.contains(one.metric.as_str()));
            Some((name.as_str(), chosen))
        })
        .collect();
    let names: IndexSet<&String> = chosen.values().flatten().map(|one| &one.metric).collect();
    if names.is_empty() {
        return;
    }
    let sample_selection = SampleSelection {
        metrics: names.into_iter().cloned().collect(),
        benchmarks: sample_selection.benchmarks.clone(),
        tails: Vec::new(),
    };
    let subjects = result_subjects(experiment, plan, &counted, &sample_selection, selection);
    let design = report.design.clone();
    let found = subjects.and_then(|own| analyse(&report.name, None, &own, design, selection));
    match found {
        Ok(found) => attach(report, experiment, &chosen, &found),
        Err(error) => report.warnings.push(Warning::NoLatencies(error)),
    }
}

/// Whether the driver of any workload says that a metric is a throughput, beside which latencies are shown.
pub fn is_any_throughput(metric: &str, experiment: &Experiment) -> bool {
    let mut workloads = experiment.workloads.values();
    workloads.any(|workload| measures_throughput(workload, metric))
}

fn is_throughput(row: &Row, experiment: &Experiment) -> bool {
    let workload = experiment.workloads.get(&row.key.workload);
    workload.is_some_and(|workload| measures_throughput(workload, &row.key.metric.name))
}

fn measures_throughput(workload: &Workload, metric: &str) -> bool {
    perflab_drivers::tool(workload.driver.name())
        .is_some_and(|driver| driver.kind(metric) == Kind::Throughput)
}

/// What is shown of a workload: one latency in the middle, one of the tail.
fn choice<'a>(
    driver: &dyn Driver,
    records: impl Iterator<Item = &'a RunRecord>,
    confidence: f64,
) -> Vec<Chosen> {
    let mut common: Option<IndexSet<&str>> = None;
    let mut fewest: Option<f64> = None;
    for record in records.filter(|record| record.status.passed()) {
        let samples = record.samples.iter();
        let names: IndexSet<&str> = samples.map(|sample| sample.metric.name.as_str()).collect();
        match &mut common {
            Some(common) => common.retain(|name| names.contains(name)),
            None => common = Some(names),
        }
        fewest = match (fewest, requests(driver, record)) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }
    let latencies: Vec<(&str, Which)> = common
        .iter()
        .flatten()
        .filter_map(|name| match driver.kind(name) {
            Kind::Latency(which) => Some((*name, which)),
            _ => None,
        })
        .collect();
    let carried = |quantile: f64| match fewest {
        Some(requests) => {
            min_values(quantile, confidence).is_ok_and(|needed| requests >= needed as f64)
        }
        None => quantile <= USUAL_TAIL,
    };
    let first = |wanted: Which| latencies.iter().find(|(_, which)| *which == wanted);
    let middle = first(Which::Quantile(0.5)).or_else(|| first(Which::Mean));
    let mut tail: Option<(&str, f64)> = None;
    for (name, which) in &latencies {
        if let Which::Quantile(quantile) = *which
            && (0.5..1.0).contains(&quantile)
            && quantile > tail.map_or(0.5, |(_, highest)| highest)
            && carried(quantile)
        {
            tail = Some((name, quantile));
        }
    }
    let middle = middle.map(|(name, which)| Chosen {
        metric: (*name).to_owned(),
        quantile: match which {
            Which::Quantile(quantile) => Some(*quantile),
            Which::Mean => None,
        },
    });
    let tail = tail.map(|(name, quantile)| Chosen {
        metric: name.to_owned(),
        quantile: Some(quantile),
    });
    middle.into_iter().chain(tail).collect()
}

/// About how many requests each benchmark made in a run, or in a slice of it, from its rates. The benchmarks count as
/// if they had taken turns, which is too few for those that were made at once.
fn requests(driver: &dyn Driver, record: &RunRecord) -> Option<f64> {
    let mut rates: IndexMap<Option<&str>, f64> = IndexMap::new();
    for sample in &record.samples {
        if sample.metric.unit == "1/s" && driver.kind(&sample.metric.name) == Kind::Throughput {
            rates
                .entry(sample.benchmark.as_deref())
                .or_insert(sample.value);
        }
    }
    let requests = record.usage?.wall_s / rates.values().map(|rate| rate.recip()).sum::<f64>();
    // Each slice has its own quantile.
    let requests = requests / record.evidence.get(SLICES).unwrap_or(&1.0);
    (requests.is_finite() && requests > 0.0).then_some(requests)
}

/// Puts what was found beside the first throughput of each subject, and beside what is pooled.
fn attach(
    report: &mut Comparison,
    experiment: &Experiment,
    chosen: &IndexMap<&str, Vec<Chosen>>,
    found: &Comparison,
) {
    for index in 0..report.rows.len() {
        let (before, rest) = report.rows.split_at_mut(index);
        let Some(row) = rest.first_mut() else { break };
        let again = |other: &Row| is_beside(other, row) && !other.latencies.is_empty();
        let Some(chosen) = chosen.get(row.key.workload.as_str()) else {
            continue;
        };
        if is_throughput(row, experiment) && !before.iter().any(again) {
            row.latencies = latencies(row, chosen, &found.rows);
            for latency in &mut row.latencies {
                latency.step = step(&values(found, &row.key.workload, latency));
            }
            let margin = report.margin;
            row.warnings.extend(contradictions(row, margin));
        }
    }
    for pooled in &mut report.pooled {
        let benchmarks = report
            .rows
            .iter()
            .filter(|row| row.key.metric == pooled.key.metric && row.variant == pooled.variant);
        let mut choices = benchmarks.map(|row| {
            let shown = row.latencies.iter().map(|latency| Chosen {
                metric: latency.metric.name.clone(),
                quantile: latency.quantile,
            });
            shown.collect::<Vec<Chosen>>()
        });
        let first = choices.next().unwrap_or_default();
        if choices.all(|other| other == first) {
            pooled.latencies = latencies(pooled, &first, &found.pooled);
        }
    }
}

/// Whether two rows are of the same runs, whatever their metrics.
fn is_beside(a: &Row, b: &Row) -> bool {
    (&a.key.workload, &a.key.benchmark, &a.variant)
        == (&b.key.workload, &b.key.benchmark, &b.variant)
        && a.key.parameters == b.key.parameters
}

fn latencies(row: &Row, chosen: &[Chosen], found: &[Row]) -> Vec<Latency> {
    let of = |chosen: &Chosen| {
        let own = found
            .iter()
            .find(|other| other.key.metric.name == chosen.metric && is_beside(other, row))?;
        Some(Latency {
            metric: own.key.metric.clone(),
            quantile: chosen.quantile,
            base: own.base.clone(),
            candidate: own.candidate.clone(),
            relative: own.relative,
            difference: own.typical.difference,
            low: own.typical.low,
            high: own.typical.high,
            step: None,
        })
    };
    chosen.iter().filter_map(of).collect()
}

/// All values of a latency under one workload: the more there are, the better steps show.
fn values(found: &Comparison, workload: &str, latency: &Latency) -> Vec<f64> {
    let rows = found
        .rows
        .iter()
        .filter(|row| row.key.workload == workload && row.key.metric == latency.metric);
    rows.flat_map(|row| row.base.values.iter().chain(&row.candidate.values))
        .copied()
        .collect()
}

/// A warning of each latency that goes against the verdict on the throughput.
fn contradictions(row: &Row, margin: Option<f64>) -> Vec<RowWarning> {
    let verdicts = [row.typical.verdict, row.mean.verdict];
    let has = |verdict| verdicts.contains(&verdict);
    let verdict = match (has(Verdict::Better), has(Verdict::Worse)) {
        (true, false) => Verdict::Better,
        (false, true) => Verdict::Worse,
        (false, false) if has(Verdict::Same) => Verdict::Same,
        _ => return Vec::new(),
    };
    let contradiction = |latency: &Latency| {
        let least = match verdict {
            Verdict::Same if latency.relative => margin.unwrap_or(0.0),
            _ => 0.0,
        };
        let lower = latency.high.is_some_and(|high| high < -least);
        let higher = latency.low.is_some_and(|low| low > least);
        let (better, worse) = match latency.metric.better {
            Better::Lower => (lower, higher),
            Better::Higher => (higher, lower),
            Better::Neither => return None,
        };
        let found = match verdict {
            Verdict::Better | Verdict::Same if worse => Verdict::Worse,
            Verdict::Worse | Verdict::Same if better => Verdict::Better,
            _ => return None,
        };
        Some(RowWarning::LatencyContradicts {
            verdict,
            found,
            latency: latency.metric.name.clone(),
        })
    };
    row.latencies.iter().filter_map(contradiction).collect()
}
