//! A result, as far as it can be trusted, with its comparisons.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use perflab_compare::{
    Comparison, Origins, ResultInput, Row, SampleIndex, SampleSelection, Selection, compare_result,
    is_any_throughput,
};
use perflab_experiment::{Experiment, Metric};
use perflab_store::{RunRecord, Salvage};

use crate::indexed_comparison::{IndexedComparison, MOST_DECILED};

/// A result, as far as it can be trusted.
#[derive(Debug)]
pub(crate) struct SalvagedResult {
    pub(crate) salvage: Salvage,
    /// What was measured, and where its samples are.
    places: SampleIndex,
    /// The comparison that the experiment asks for, or why there is none.
    report: OnceLock<Result<IndexedComparison, String>>,
    /// Index of each record, by the number of its run.
    by_run: HashMap<u32, usize>,
    /// Of each metric that the report has not, a comparison of its own.
    others: Vec<OnceLock<Result<IndexedComparison, String>>>,
    /// The records without samples, to be lent to a comparison that needs few of them.
    bare: Mutex<Vec<Vec<RunRecord>>>,
    /// What is missing or cannot be trusted.
    pub(crate) problems: Vec<String>,
}

impl SalvagedResult {
    pub(crate) fn read(path: &Path) -> Self {
        let salvage = Salvage::read(path);
        let mut problems: Vec<String> = salvage.problems.iter().map(ToString::to_string).collect();
        let experiment = salvage.experiment.as_ref();
        let mistake = experiment.and_then(|experiment| experiment.parsed.as_ref().err());
        problems.extend(mistake.map(ToString::to_string));
        let places = SampleIndex::of(&salvage.records);
        Self {
            others: places.metrics().iter().map(|_| OnceLock::new()).collect(),
            places,
            by_run: (salvage.records.iter().map(|record| record.run))
                .zip(0..)
                .collect(),
            report: OnceLock::new(),
            bare: Mutex::default(),
            salvage,
            problems,
        }
    }

    /// The comparison that the experiment asks for, or why there is none. It is made when it is first asked for,
    /// as a list of many results does not need it.
    pub(crate) fn report(&self) -> Result<&IndexedComparison, &str> {
        let compare = || {
            let report = self.compare(&SampleSelection::default(), self.records())?;
            Ok(IndexedComparison::new(report, &self.places))
        };
        let report = self.report.get_or_init(compare).as_ref();
        report.map_err(String::as_str)
    }

    /// The experiment, if it is understood.
    pub(crate) fn experiment(&self) -> Option<&Experiment> {
        self.salvage.experiment.as_ref()?.parsed.as_ref().ok()
    }

    pub(crate) fn name(&self) -> &str {
        match &self.salvage.meta {
            Some(meta) => &meta.origin.name,
            None => "a result without a name",
        }
    }

    /// What was measured, in the order in which runs tell of it.
    pub(crate) fn metrics(&self) -> &[Arc<Metric>] {
        self.places.metrics()
    }

    pub(crate) fn records(&self) -> &[RunRecord] {
        &self.salvage.records
    }

    /// Where the record of a run is among all.
    pub(crate) fn place_of(&self, run: u32) -> Option<usize> {
        self.by_run.get(&run).copied()
    }

    pub(crate) fn record(&self, run: u32) -> Option<&RunRecord> {
        self.records().get(self.place_of(run)?)
    }

    /// The report that has a metric, or why there is none.
    pub(crate) fn report_of(&self, metric: usize) -> Result<&IndexedComparison, &str> {
        let Some(name) = self.metrics().get(metric).map(|metric| &metric.name) else {
            return Err("there is no such metric");
        };
        if self.is_asked(metric) {
            return self.report();
        }
        let own = self.others.get(metric).ok_or("there is no such metric")?;
        let compare = || self.compare_alone(metric, name);
        own.get_or_init(compare).as_ref().map_err(String::as_str)
    }

    /// Whether the experiment asks about a metric.
    pub(crate) fn is_asked(&self, metric: usize) -> bool {
        self.report().is_ok_and(|report| report.has(metric))
    }

    /// Whether the deciles of a row are computed: where values are many, only the first rows of what the experiment
    /// asks about get theirs.
    pub(crate) fn affords_deciles(&self, row: &Row) -> bool {
        let is_first = || self.report().is_ok_and(|report| report.is_deciled(row));
        self.places.count() <= MOST_DECILED || is_first()
    }

    /// Values of a report and the runs behind them.
    pub(crate) fn origins(&self, report: &Comparison) -> Origins<'_> {
        Origins::with_index(self.records(), &self.places, report)
    }

    /// A row of the main report as it was after so many blocks. Samples of other rows are left out, as a page
    /// that is open during an experiment asks for it again and again.
    pub(crate) fn row_after(&self, blocks: u32, row: &Row) -> Option<Row> {
        let baseline = &self.report().ok()?.baseline;
        let reduce = |record: &RunRecord| {
            let is_own = record.workload == row.key.workload
                && record.parameters == row.key.parameters
                && (record.variant == row.variant || record.variant == *baseline);
            let samples = record.samples.iter().filter(|sample| {
                is_own
                    && sample.metric.name == row.key.metric.name
                    && sample.benchmark == row.key.benchmark
            });
            record.with_samples(samples.cloned().collect())
        };
        let early = self
            .records()
            .iter()
            .filter(|record| record.block <= blocks);
        let records: Vec<RunRecord> = early.map(reduce).collect();
        let sample_selection = SampleSelection {
            metrics: vec![row.key.metric.name.clone()],
            ..SampleSelection::default()
        };
        let report = self.compare(&sample_selection, &records).ok()?;
        let mut rows = report.rows.into_iter();
        rows.find(|other| other.key == row.key && other.variant == row.variant)
    }

    /// The comparison of a metric that the experiment does not ask about.
    fn compare_alone(&self, metric: usize, name: &str) -> Result<IndexedComparison, String> {
        let sample_selection = SampleSelection {
            metrics: vec![name.to_owned()],
            ..SampleSelection::default()
        };
        let needs_others = self
            .experiment()
            .is_some_and(|experiment| is_any_throughput(name, experiment));
        if needs_others {
            let report = self.compare(&sample_selection, self.records())?;
            return Ok(IndexedComparison::new(report, &self.places));
        }
        // Without the samples of all other metrics, which may be many, it takes far less time.
        let mut records = self.bare_records();
        for (place, sample) in self.places.samples(metric) {
            let sample = self
                .records()
                .get(place)
                .and_then(|record| record.samples.get(sample));
            if let (Some(record), Some(sample)) = (records.get_mut(place), sample) {
                record.samples.push(sample.clone());
            }
        }
        let report = self.compare(&sample_selection, &records);
        for record in &mut records {
            record.samples.clear();
        }
        self.bare().push(records);
        Ok(IndexedComparison::new(report?, &self.places))
    }

    fn bare_records(&self) -> Vec<RunRecord> {
        let lent = self.bare().pop();
        let without = |record: &RunRecord| record.with_samples(Vec::new());
        lent.unwrap_or_else(|| self.records().iter().map(without).collect())
    }

    fn bare(&self) -> MutexGuard<'_, Vec<Vec<RunRecord>>> {
        self.bare.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn compare(
        &self,
        sample_selection: &SampleSelection,
        records: &[RunRecord],
    ) -> Result<Comparison, String> {
        let result = ResultInput::of_salvage(&self.salvage)?;
        let selection = Selection::of(result.experiment, result.origin);
        compare_result(
            &ResultInput { records, ..result },
            sample_selection,
            &selection,
        )
        .map_err(|error| error.to_string())
    }
}
