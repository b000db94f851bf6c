//! A result, as far as it can be trusted, with its comparisons.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use indexmap::IndexMap;
use perflab_compare::{
    Comparison, Origins, ResultInput, Row, SampleIndex, SampleSelection, Selection, compare_result,
    is_any_throughput, usable_cpus,
};
use perflab_experiment::{Experiment, Metric, Plan, Sample};
use perflab_store::{RunRecord, Salvage};

use crate::indexed_comparison::{IndexedComparison, MOST_DECILED};

/// A result, as far as it can be trusted.
#[derive(Debug)]
pub(crate) struct SalvagedResult {
    pub(crate) salvage: Salvage,
    pub(crate) experiment: Option<Experiment>,
    pub(crate) plan: Option<Plan>,
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
        let frozen = path.join("experiment.toml");
        let mut experiment = salvage.experiment.as_deref().and_then(|text| {
            let parsed = Experiment::parse(text, &frozen.display().to_string());
            parsed
                .map_err(|error| problems.push(error.to_string()))
                .ok()
        });
        if let (Some(experiment), Some(meta)) = (&mut experiment, &salvage.meta) {
            experiment.name.clone_from(&meta.origin.name);
        }
        let plan = salvage.plan.as_ref().and_then(|plan| {
            let parsed = serde_json::from_value::<Plan>(plan.clone());
            parsed
                .map_err(|error| problems.push(format!("plan.json: {error}")))
                .ok()
        });
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
            experiment,
            plan,
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
        Origins::known(self.records(), &self.places, report)
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
            with_samples(record, samples.cloned().collect())
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
            .experiment
            .as_ref()
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
        let without = |record: &RunRecord| with_samples(record, Vec::new());
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
        let (Some(meta), Some(experiment), Some(plan)) =
            (&self.salvage.meta, &self.experiment, &self.plan)
        else {
            return Err("what the runs were made for cannot be trusted".to_owned());
        };
        if !self.problems.is_empty() {
            return Err("a part of the result is missing or was altered".to_owned());
        }
        let known = ResultInput {
            directory: None,
            origin: &meta.origin,
            experiment,
            plan,
            records,
            stopped: self.salvage.stopped,
            notices: &self.salvage.notices,
            usable_cpus: self.salvage.fingerprint.as_ref().and_then(usable_cpus),
        };
        let selection = Selection::of(experiment, &meta.origin);
        compare_result(&known, sample_selection, &selection).map_err(|error| error.to_string())
    }
}

/// A record with other samples.
fn with_samples(record: &RunRecord, samples: Vec<Sample>) -> RunRecord {
    RunRecord {
        samples,
        evidence: IndexMap::new(),
        schema: record.schema,
        run: record.run,
        block: record.block,
        cell: record.cell.clone(),
        variant: record.variant.clone(),
        workload: record.workload.clone(),
        parameters: record.parameters.clone(),
        unit: record.unit,
        started: record.started.clone(),
        status: record.status,
        detail: record.detail.clone(),
        source: record.source.clone(),
        argv: Vec::new(),
        exit_code: record.exit_code,
        signal: record.signal,
        usage: record.usage,
        steps: Vec::new(),
        environment_padding_bytes: record.environment_padding_bytes,
        layout: record.layout.clone(),
        settings: record.settings.clone(),
        load1: record.load1,
        steal_share: record.steal_share,
    }
}
