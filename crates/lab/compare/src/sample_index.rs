//! Where the samples of records are, so that those of one metric are found without a look at all others.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use perflab_experiment::{Metric, Sample};
use perflab_store::RunRecord;

use crate::configuration::Configuration;
use crate::row::Row;

/// Where a sample is.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// The number of its run's side.
    side: u32,
    /// The number of its benchmark.
    benchmark: u32,
    record: u32,
    sample: u32,
}

/// What runs share that are compared with others: a variant under a configuration.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Side<'r> {
    variant: Cow<'r, str>,
    workload: Cow<'r, str>,
    parameters: Configuration<'r>,
    observed: bool,
}

/// The samples of records, by metric and side.
#[derive(Debug, Clone, Default)]
pub struct SampleIndex {
    metrics: Vec<Arc<Metric>>,
    numbers: HashMap<String, usize>,
    sides: HashMap<Side<'static>, u32>,
    /// By benchmark, or none.
    benchmarks: HashMap<Option<String>, u32>,
    /// Of each metric, one side after the other, each in the order of the records.
    samples: Vec<Vec<Place>>,
    /// The same with one benchmark of a side after the other.
    by_benchmark: Vec<Vec<Place>>,
}

impl SampleIndex {
    /// Of all samples of records.
    pub fn of(records: &[RunRecord]) -> Self {
        let mut all = Self::default();
        let mut sides: HashMap<Side<'_>, u32> = HashMap::new();
        // Most runs tell the same metrics in the same order.
        let mut expected: Vec<usize> = Vec::new();
        for (place, record) in (0..).zip(records) {
            let next = sides.len() as u32;
            let side = Side {
                variant: Cow::Borrowed(&record.variant),
                workload: Cow::Borrowed(&record.workload),
                parameters: Configuration(Cow::Borrowed(&record.parameters)),
                observed: record.is_observed(),
            };
            let side = *sides.entry(side).or_insert(next);
            for (index, sample) in record.samples.iter().enumerate() {
                let metric = match expected.get(index) {
                    Some(metric) if all.metrics.get(*metric) == Some(&sample.metric) => *metric,
                    _ => all.number(&sample.metric),
                };
                match expected.get_mut(index) {
                    Some(expected) => *expected = metric,
                    None => expected.push(metric),
                }
                let benchmark = all.benchmark(&sample.benchmark);
                if let Some(own) = all.samples.get_mut(metric) {
                    own.push(Place {
                        side,
                        benchmark,
                        record: place,
                        sample: index as u32,
                    });
                }
            }
        }
        for own in &mut all.samples {
            own.sort_by_key(|place| place.side);
        }
        all.by_benchmark = all.samples.clone();
        for own in &mut all.by_benchmark {
            own.sort_by_key(|place| (place.side, place.benchmark));
        }
        let kept = sides
            .into_iter()
            .map(|(side, number)| (side.kept(), number));
        all.sides = kept.collect();
        all
    }

    /// The number of a metric, which may be new.
    fn number(&mut self, metric: &Arc<Metric>) -> usize {
        if let Some(number) = self.numbers.get(&metric.name) {
            return *number;
        }
        let number = self.metrics.len();
        self.numbers.insert(metric.name.clone(), number);
        self.metrics.push(Arc::clone(metric));
        self.samples.push(Vec::new());
        number
    }

    /// The number of a benchmark, which may be new.
    fn benchmark(&mut self, name: &Option<String>) -> u32 {
        if let Some(number) = self.benchmarks.get(name) {
            return *number;
        }
        let number = self.benchmarks.len() as u32;
        self.benchmarks.insert(name.clone(), number);
        number
    }

    /// What was measured, in the order in which runs tell of it.
    pub fn metrics(&self) -> &[Arc<Metric>] {
        &self.metrics
    }

    /// Which of them has a name.
    pub fn number_of(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    /// How many samples there are.
    pub fn count(&self) -> usize {
        self.samples.iter().map(Vec::len).sum()
    }

    /// Of the samples of one of the metrics the places of record and sample, one side after the other.
    pub fn samples(&self, metric: usize) -> impl Iterator<Item = (usize, usize)> {
        let own = self.samples.get(metric).into_iter().flatten();
        own.map(|place| (place.record as usize, place.sample as usize))
    }

    /// The samples of a row's variant in runs that passed, each with its record and that record's place, in the
    /// same records that they were found in and in their order.
    pub fn of_row<'r>(
        &self,
        row: &Row,
        variant: &str,
        records: &'r [RunRecord],
    ) -> impl Iterator<Item = (usize, &'r RunRecord, &'r Sample)> {
        let number = self.numbers.get(&row.key.metric.name);
        let all = number.and_then(|number| self.by_benchmark.get(*number));
        let side = self.sides.get(&Side {
            variant: Cow::Borrowed(variant),
            workload: Cow::Borrowed(&row.key.workload),
            parameters: Configuration(Cow::Borrowed(&row.key.parameters)),
            observed: row.key.observed,
        });
        let benchmark = self.benchmarks.get(&row.key.benchmark);
        let own = all
            .zip(side.zip(benchmark))
            .and_then(|(all, (side, benchmark))| {
                let meant = (*side, *benchmark);
                let from = all.partition_point(|place| (place.side, place.benchmark) < meant);
                let to = all.partition_point(|place| (place.side, place.benchmark) <= meant);
                all.get(from..to)
            });
        // Records share their metrics, so that a look at one is enough.
        let mut meant: Option<&Arc<Metric>> = None;
        own.into_iter().flatten().filter_map(move |place| {
            let record = records.get(place.record as usize)?;
            let sample = record.samples.get(place.sample as usize)?;
            let is_same = meant.is_some_and(|meant| Arc::ptr_eq(meant, &sample.metric));
            if !record.status.passed() || !is_same && *sample.metric != row.key.metric {
                return None;
            }
            meant = Some(&sample.metric);
            Some((place.record as usize, record, sample))
        })
    }
}

impl Side<'_> {
    fn kept(self) -> Side<'static> {
        Side {
            variant: Cow::Owned(self.variant.into_owned()),
            workload: Cow::Owned(self.workload.into_owned()),
            parameters: Configuration(Cow::Owned(self.parameters.0.into_owned())),
            observed: self.observed,
        }
    }
}
