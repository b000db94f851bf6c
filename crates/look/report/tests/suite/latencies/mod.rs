//! Latencies beside a throughput: which, how they are written, and what goes against the verdict.

mod forms;
mod runs;

use perflab_compare::{Row, SampleSelection, Selection, add_latencies, result_report};
use perflab_experiment::{Experiment, Plan};
use perflab_report::row_warnings;
use perflab_report::text;
use perflab_store::RunRecord;
use serde_json::{Value, json};

use runs::{WIDE, experiment, noise, record, redis, redis_report, report_of, sample};

fn names(row: &Row) -> Vec<&str> {
    let latencies = row.latencies.iter();
    latencies
        .map(|latency| latency.metric.name.as_str())
        .collect()
}

#[test]
fn a_typical_and_a_slow_request_stand_beside_a_throughput() {
    let report = redis_report(1.0);
    assert_eq!(report.rows.len(), 2);
    for row in report.rows.iter().chain(&report.pooled) {
        assert_eq!(row.key.metric.name, "rps");
        assert_eq!(names(row), ["latency_p50", "latency_p99"]);
        let quantiles: Vec<_> = row.latencies.iter().map(|one| one.quantile).collect();
        assert_eq!(quantiles, [Some(0.5), Some(0.99)]);
    }
    for row in &report.rows {
        assert!(
            row.latencies
                .iter()
                .all(|latency| latency.step == Some(0.008))
        );
        assert_eq!(row.latencies[0].base.n, 12);
    }
    // Not among the tests: two rows and what is pooled, each about the typical run, the mean and slow runs.
    assert_eq!(report.tests, 9);
    assert!(
        report.rows.iter().all(|row| row.warnings.is_empty()),
        "{report:#?}"
    );
}

#[test]
fn what_has_rows_of_its_own_is_not_shown_again() {
    let sample_selection = SampleSelection {
        metrics: vec!["rps".to_owned(), "latency_p99".to_owned()],
        ..SampleSelection::default()
    };
    let report = report_of("redis-benchmark", 2.0, &sample_selection, redis(1.0));
    for row in &report.rows {
        let expected: &[&str] = match row.key.metric.name.as_str() {
            "rps" => &["latency_p50"],
            _ => &[],
        };
        assert_eq!(names(row), expected);
    }
    let sample_selection = SampleSelection {
        metrics: vec!["latency_p99".to_owned()],
        ..SampleSelection::default()
    };
    let report = report_of("redis-benchmark", 2.0, &sample_selection, redis(1.0));
    assert!(report.rows.iter().all(|row| row.latencies.is_empty()));
}

#[test]
fn a_tail_that_goes_against_the_verdict_is_noticed() {
    let report = redis_report(2.0);
    for row in &report.rows {
        assert_eq!(row.warnings.len(), 1, "{row:#?}");
        let warning = &row_warnings(row, &report)[0];
        assert!(
            warning.contains("better by rps, yet worse by latency_p99"),
            "{warning}"
        );
        assert!(
            warning.contains("--metric rps --metric latency_p99"),
            "{warning}"
        );
    }
    let text = text(&report, &WIDE);
    assert!(text.contains("(GET of new, SET of new)"), "{text}");
    // Both better: nothing to say.
    assert!(
        redis_report(0.5)
            .rows
            .iter()
            .all(|row| row.warnings.is_empty())
    );
}

#[test]
fn the_other_way_round_is_noticed_too() {
    let faster = redis(0.5);
    let slower = move |run, is_new| {
        let mut samples: Vec<Value> = faster(run, is_new);
        for sample in samples.iter_mut().filter(|sample| sample["name"] == "rps") {
            let change = if is_new { 0.9 } else { 1.0 };
            sample["value"] = json!(sample["value"].as_f64().unwrap() * change);
        }
        samples
    };
    let report = report_of("redis-benchmark", 2.0, &SampleSelection::default(), slower);
    let warning = &row_warnings(&report.rows[0], &report)[0];
    assert!(
        warning.contains("worse by rps, yet better by latency_p99"),
        "{warning}"
    );
}

#[test]
fn a_tail_is_shown_that_the_runs_can_carry() {
    let fio = |run: u32, _: bool| {
        let mut samples = vec![
            sample(Some("read"), "iops", "1/s", 1000.0 * noise(run)),
            sample(Some("read"), "bandwidth", "bytes/s", 4e6 * noise(run)),
            sample(Some("read"), "latency_avg", "us", 90.0 * noise(run)),
            sample(Some("read"), "slat_avg", "us", 3.0 * noise(run)),
        ];
        for (percent, us) in [
            ("50", 80.0),
            ("99", 200.0),
            ("99.9", 400.0),
            ("99.99", 900.0),
        ] {
            let name = format!("clat_p{percent}");
            samples.push(sample(Some("read"), &name, "us", us * noise(run)));
        }
        samples
    };
    for (wall_s, expected) in [
        // 200 requests: not even p99 (368).
        (0.2, vec!["clat_p50"]),
        (1.0, vec!["clat_p50", "clat_p99"]),
        // 3688 for p99.9, 36 888 for p99.99.
        (3.6, vec!["clat_p50", "clat_p99"]),
        (4.0, vec!["clat_p50", "clat_p99.9"]),
        (40.0, vec!["clat_p50", "clat_p99.99"]),
    ] {
        let report = report_of("fio", wall_s, &SampleSelection::default(), fio);
        assert_eq!(names(&report.rows[0]), expected, "{wall_s} s");
    }
    // Requests are counted by rates per second, not by bytes; and of two throughputs the first has them.
    let sample_selection = SampleSelection {
        metrics: vec!["bandwidth".to_owned(), "iops".to_owned()],
        ..SampleSelection::default()
    };
    let report = report_of("fio", 4.0, &sample_selection, fio);
    assert_eq!(names(&report.rows[0]), ["clat_p50", "clat_p99.9"]);
    assert_eq!(report.rows[1].key.metric.name, "iops");
    assert!(report.rows[1].latencies.is_empty());
}

#[test]
fn a_tool_that_says_no_more_than_a_mean_has_that_shown() {
    let pgbench = |run: u32, _: bool| {
        vec![
            sample(None, "tps", "1/s", 900.0 * noise(run)),
            sample(None, "latency_avg", "ms", 1.1 / noise(run)),
            sample(None, "latency_stddev", "ms", 0.2),
        ]
    };
    let report = report_of("pgbench", 5.0, &SampleSelection::default(), pgbench);
    assert_eq!(names(&report.rows[0]), ["latency_avg"]);
    assert_eq!(report.rows[0].latencies[0].quantile, None);
    let text = text(&report, &WIDE);
    assert!(text.contains("\n  latency_avg  old 1."), "{text}");
}

#[test]
fn without_a_driver_that_knows_there_are_none() {
    let experiment = Experiment::parse(
        "[design]\nruns = 12\nblock = 3\n[variants.old]\n[variants.new]\n[workloads.w]\n\
         driver = 'generic'\ncommand = ['client']\n\
         metrics = [{ name = 'rps', unit = '1/s', better = 'higher', regex = '(.*)' }]\n",
        "generic.toml",
    )
    .unwrap();
    let plan = Plan::new(&experiment, 1);
    let samples = redis(1.0);
    let records: Vec<RunRecord> = plan
        .runs
        .iter()
        .map(|run| record(&plan, run, 2.0, &samples(run.run, false)))
        .collect();
    let (sample_selection, selection) = (SampleSelection::default(), Selection::default());
    let mut report =
        result_report(&experiment, &plan, &records, &sample_selection, &selection).unwrap();
    let before = report.clone();
    add_latencies(
        &mut report,
        &experiment,
        &plan,
        &records,
        &sample_selection,
        &selection,
    );
    assert_eq!(report, before);
}

#[test]
fn blocks_under_way_do_not_count_where_results_may_end_it() {
    let experiment = experiment("redis-benchmark");
    let plan = Plan::new(&experiment, 1);
    let of = redis(1.0);
    let records: Vec<RunRecord> = plan
        .runs
        .iter()
        .take(plan.runs.len() - 1)
        .map(|run| record(&plan, run, 2.0, &of(run.run, false)))
        .collect();
    let sample_selection = SampleSelection::default();
    let selection = Selection {
        anytime: true,
        ..Selection::default()
    };
    let mut report =
        result_report(&experiment, &plan, &records, &sample_selection, &selection).unwrap();
    add_latencies(
        &mut report,
        &experiment,
        &plan,
        &records,
        &sample_selection,
        &selection,
    );
    let row = &report.rows[0];
    assert_eq!(row.base.n, 9);
    assert_eq!(row.latencies[0].base.n, 9);
}
