//! The run behind each value of a row.

use perflab_compare::{
    Comparison, Measured, Origins, Row, SampleIndex, SampleSelection, Selection, UntilDecided,
    result_report,
};
use perflab_experiment::{Better, Sample, Status};
use perflab_plot::Marks;
use perflab_report::plots::{runs, sided};
use perflab_store::RunRecord;
use proptest::prelude::*;

use super::made::{experiment, plan, record, records, rps};
use crate::common::metric;

fn report(records: &[RunRecord]) -> Comparison {
    let experiment = experiment(&["old", "new"], "");
    result_report(
        &experiment,
        &plan(records),
        records,
        &SampleSelection::default(),
        &Selection::default(),
    )
    .unwrap()
}

fn measured(value: f64, run: u32, block: u32) -> Measured {
    // Two runs in each block.
    let block_runs = (2 * block - 1, 2 * block);
    Measured {
        value,
        run,
        block,
        block_runs,
    }
}

#[test]
fn each_value_has_its_run_and_block() {
    let records = records();
    let report = report(&records);
    let origins = Origins::new(&records, &report);
    let row = &report.rows[0];
    for (variant, side) in [("old", &row.base), ("new", &row.candidate)] {
        let own: Vec<Measured> = records
            .iter()
            .filter(|record| record.variant == variant)
            .map(|record| measured(record.samples[0].value, record.run, record.block))
            .collect();
        assert_eq!(origins.of(row, variant), Some(own.clone()));
        let values: Vec<f64> = own.iter().map(|own| own.value).collect();
        assert_eq!(values, side.values);
    }
    assert_eq!(origins.of(row, "other"), None);
}

/// The order is that in which runs ended, as that of the values is.
#[test]
fn runs_that_ended_in_another_order_or_did_not_pass() {
    let mut records = records();
    records.swap(0, 2);
    records[4].status = Status::Fail;
    let report = report(&records);
    let origins = Origins::new(&records, &report);
    let old = origins.of(&report.rows[0], "old").unwrap();
    let runs: Vec<u32> = old.iter().map(|own| own.run).collect();
    assert_eq!(runs, [3, 1, 7, 9, 11, 13, 15, 17, 19]);
    let [base, _] = sided(&report.rows[0], "old", &origins);
    assert!(
        base.values
            .iter()
            .all(|(value, measured)| measured.is_some_and(|own| own.value == *value))
    );
}

#[test]
fn parts_metrics_parameters_and_workloads_are_told_apart() {
    let other = |value: f64| Sample {
        metric: metric("latency", "ms", Better::Lower).into(),
        ..rps(Some("GET"), value)
    };
    let mut all = Vec::new();
    for run in 1..=8 {
        let variant = if run % 2 == 0 { "new" } else { "old" };
        let base = f64::from(run * 100);
        let samples = vec![
            rps(Some("GET"), base),
            rps(Some("SET"), base + 1.0),
            other(base + 2.0),
        ];
        let mut record = record(run, 1, variant, samples);
        let clients = if run <= 4 { "1" } else { "50" };
        record.cell = format!("{variant}/load/clients={clients}");
        record
            .parameters
            .insert("clients".to_owned(), clients.to_owned());
        all.push(record);
    }
    let report = report(&all);
    let origins = Origins::new(&all, &report);
    let values = |benchmark: &str, clients: &str, variant: &str| -> Vec<f64> {
        let is_wanted = |row: &&Row| {
            row.key.benchmark.as_deref() == Some(benchmark)
                && row.key.parameters["clients"] == clients
        };
        let row = report.rows.iter().find(is_wanted).unwrap();
        origins
            .of(row, variant)
            .unwrap()
            .iter()
            .map(|own| own.value)
            .collect()
    };
    assert_eq!(values("GET", "1", "old"), [100.0, 300.0]);
    assert_eq!(values("SET", "1", "old"), [101.0, 301.0]);
    assert_eq!(values("GET", "50", "new"), [600.0, 800.0]);
    let mut latency = report.rows[0].clone();
    latency.key.metric = metric("latency", "ms", Better::Lower);
    let found: Vec<f64> = origins
        .of(&latency, "old")
        .unwrap()
        .iter()
        .map(|own| own.value)
        .collect();
    assert_eq!(found, [102.0, 302.0]);
    // What is pooled is of no single run.
    assert!(
        report
            .pooled
            .iter()
            .all(|row| origins.of(row, "old").is_none())
    );
    let [base, candidate] = sided(&report.pooled[0], "old", &origins);
    assert!(
        base.values
            .iter()
            .chain(&candidate.values)
            .all(|(_, measured)| measured.is_none())
    );
}

/// Where the results ended the measurement, blocks that were not finished do not count.
#[test]
fn only_blocks_that_count() {
    let records = records();
    let mut report = report(&records);
    report.design.until_decided = Some(UntilDecided {
        blocks: 3,
        most: 10,
        stopped: None,
    });
    let origins = Origins::new(&records, &report);
    let runs: Vec<u32> = origins
        .of(&report.rows[0], "new")
        .unwrap()
        .iter()
        .map(|own| own.run)
        .collect();
    assert_eq!(runs, [2, 4, 6]);
    // The row was made of all: its values are not these, and no wrong run is shown beside them.
    let [base, _] = sided(&report.rows[0], "old", &origins);
    assert_eq!(base.values.len(), 10);
    assert!(base.values.iter().all(|(_, measured)| measured.is_none()));
}

#[test]
fn slow_runs_are_as_many_as_the_report_counts() {
    let mut records = records();
    for record in records
        .iter_mut()
        .filter(|record| record.variant == "new" && record.block % 3 == 0)
    {
        record.samples[0].value *= 0.5;
    }
    let report = report(&records);
    let row = &report.rows[0];
    let slow = row.slow.as_ref().unwrap();
    let sides = sided(row, "old", &Origins::new(&records, &report));
    let counted = sides
        .each_ref()
        .map(|side| side.is_slow.iter().filter(|slow| **slow).count());
    assert_eq!(counted, [slow.base, slow.candidate]);
    assert_eq!(counted, [0, 3]);
    for ((value, _), slow) in sides[1].values.iter().zip(&sides[1].is_slow) {
        assert_eq!(*slow, *value < 700.0);
    }
}

/// Of few things each, so that they meet: variants, configurations in either order, metrics of one name with two units,
/// benchmarks, several samples of a run, runs that did not pass.
fn any_record() -> impl Strategy<Value = RunRecord> {
    let sample = (0..2_usize, 0..2_usize, 0..2_usize, 0..1000_u32);
    let sample = sample.prop_map(|(name, unit, benchmark, value)| Sample {
        metric: metric(["rps", "time"][name], ["ms", "s"][unit], Better::Lower).into(),
        ..rps([None, Some("GET")][benchmark], f64::from(value))
    });
    let samples = prop::collection::vec(sample, 0..5);
    (0..2_usize, 0..3_usize, any::<bool>(), 1..5_u32, samples).prop_map(
        |(variant, configuration, passes, block, samples)| {
            let mut record = record(0, block, ["old", "new"][variant], samples);
            let configurations = [vec![], vec!["x", "y"], vec!["y", "x"]];
            let parameters = configurations[configuration].iter();
            record.parameters = parameters
                .map(|name| ((*name).to_owned(), "1".to_owned()))
                .collect();
            record.status = if passes { Status::Pass } else { Status::Fail };
            record
        },
    )
}

proptest! {
    /// What is known of places finds what a look at every sample finds.
    #[test]
    fn places_lead_to_every_sample(mut all in prop::collection::vec(any_record(), 1..40), until in 1..6_u32) {
        for (run, record) in (1..).zip(&mut all) {
            record.run = run;
        }
        let mut whole = report(&records());
        whole.design.until_decided = Some(UntilDecided { blocks: until, most: 9, stopped: None });
        let places = SampleIndex::of(&all);
        let origins = [Origins::new(&all, &whole), Origins::with_index(&all, &places, &whole)];
        for (name, unit, benchmark, variant, configuration) in all.iter().flat_map(|record| {
            record.samples.iter().map(|sample| (
                sample.metric.name.as_str(), sample.metric.unit.as_str(), &sample.benchmark, &record.variant, &record.parameters,
            ))
        }) {
            let mut row = whole.rows[0].clone();
            row.key.metric = metric(name, unit, Better::Lower);
            row.key.benchmark = benchmark.clone();
            row.key.parameters = configuration.clone();
            let own = all.iter().filter(|record| {
                record.status.passed() && record.block <= until && record.variant == *variant
                    && record.parameters.iter().eq(configuration)
            });
            let expected: Vec<Measured> = own.flat_map(|record| {
                let samples = record.samples.iter();
                let samples = samples.filter(|sample| *sample.metric == row.key.metric && sample.benchmark == row.key.benchmark);
                let runs = || all.iter().filter(|other| other.block == record.block).map(|other| other.run);
                let block_runs = (runs().min().unwrap(), runs().max().unwrap());
                let measured = move |value| Measured { block_runs, ..measured(value, record.run, record.block) };
                samples.map(move |sample| measured(sample.value))
            }).collect();
            let expected = Some(expected).filter(|own| !own.is_empty());
            for origins in &origins {
                prop_assert_eq!(origins.of(&row, variant), expected.clone());
            }
        }
    }
}

/// Other variants have run in a block before its first value of a row, and after its last.
#[test]
fn stripes_end_where_blocks_end() {
    let records: Vec<RunRecord> = (1_u32..=24)
        .map(|run| {
            let variant = ["third", "old", "new", "third"][run as usize % 4];
            let value = 1000.0 + f64::from(run * 7 % 13);
            record(run, run.div_ceil(6), variant, vec![rps(None, value)])
        })
        .collect();
    let experiment = experiment(&["old", "new", "third"], "");
    let report = result_report(
        &experiment,
        &plan(&records),
        &records,
        &SampleSelection::default(),
        &Selection::default(),
    )
    .unwrap();
    let row = &report.rows[0];
    let sides = sided(row, "old", &Origins::new(&records, &report));
    let plot = runs(row, &sides, &|_| String::new());
    let stripes = plot.layers.iter().filter_map(|layer| match layer.marks {
        Marks::Stripe { low, high, .. } => Some((low, high)),
        _ => None,
    });
    assert_eq!(stripes.collect::<Vec<_>>(), [(0.5, 6.5), (12.5, 18.5)]);
}
