//! Levels of repetition in a report: published numbers, through records as the laboratory keeps them.

use perflab_compare::{Comparison, Costs, RowWarning, SampleSelection, Selection, result_report};
use perflab_experiment::{Experiment, Plan};
use perflab_report::{TextOptions, detail};
use perflab_store::RunRecord;
use serde_json::json;

/// Five builds with four runs each: intraclass correlation 0.9551, design effect 3.865.
const VALUES: [f64; 20] = [
    102.1, 101.8, 102.4, 102.0, 99.7, 100.2, 99.9, 100.3, 101.1, 100.6, 101.0, 100.8, 98.9, 99.3,
    99.1, 98.8, 100.9, 101.3, 101.1, 100.7,
];

fn experiment(refresh: &str) -> Experiment {
    let text = format!(
        "schema = 1\n[design]\nruns = 20\nblock = 4\nrefresh = \"{refresh}\"\nmetrics = [\"wall\"]\n\
         [variants.old]\nbuild = [[\"make\"]]\n[variants.new]\nbuild = [[\"make\"]]\n\
         [workloads.w]\ndriver = \"command\"\ncommand = [\"true\"]\n"
    );
    Experiment::parse(&text, "levels.toml").unwrap()
}

/// A run takes a second, a build nine more. `samples` of each run differ by one from each other.
fn records(plan: &Plan, samples: u32) -> Vec<RunRecord> {
    let mut second = 0;
    let mut seen = std::collections::HashMap::new();
    let mut units = std::collections::HashSet::new();
    plan.runs
        .iter()
        .map(|run| {
            let variant = plan.cells[run.cell].variant.clone();
            second += if units.insert((variant.clone(), run.unit)) { 10 } else { 1 };
            let place = seen.entry(variant.clone()).or_insert(0_usize);
            let value = VALUES[*place];
            *place += 1;
            let list: Vec<_> = (0..samples)
                .map(|i| json!({"name": "wall", "unit": "s", "better": "lower", "value": value + f64::from(i)}))
                .collect();
            serde_json::from_value(json!({
                "schema": 2, "run": run.run, "block": run.block, "cell": plan.cells[run.cell].id,
                "variant": variant, "workload": "w", "unit": run.unit, "status": "PASS", "argv": [],
                "started": format!("2026-01-01T00:{:02}:{:02}Z", second / 60, second % 60),
                "usage": {"wall_s": 0.5, "user_s": 0.0, "system_s": 0.0, "voluntary_switches": 0,
            "involuntary_switches": 0}, "environment_padding_bytes": 0, "samples": list
            }))
            .unwrap()
        })
        .collect()
}

fn report(refresh: &str, samples: u32) -> Comparison {
    let experiment = experiment(refresh);
    let plan = Plan::new(&experiment, 1);
    let records = records(&plan, samples);
    let (sample_selection, selection) = (SampleSelection::default(), Selection::default());
    result_report(&experiment, &plan, &records, &sample_selection, &selection).unwrap()
}

#[test]
fn builds_and_runs() {
    let report = report("rebuild", 1);
    let [old, new] = report.rows[0].levels.as_slice() else {
        panic!("{:?}", report.rows[0].levels);
    };
    assert_eq!((old.variant.as_str(), new.variant.as_str()), ("old", "new"));
    assert!((old.intraclass_correlation - 0.9551).abs() < 5e-5);
    assert!((old.design_effect - 3.865).abs() < 5e-4);
    let [build, run] = old.levels.as_slice() else {
        panic!("{:?}", old.levels);
    };
    assert_eq!(
        (build.name.as_str(), build.repetitions, build.best),
        ("build", 5, None)
    );
    assert_eq!((run.name.as_str(), run.repetitions), ("run", 4));
    assert!((build.share - 0.9551).abs() < 5e-5 && (build.share + run.share - 1.0).abs() < 1e-12);
    assert_eq!((build.cost_s, run.cost_s), (Some(9.0), Some(1.0)));
    // sqrt(9 / 1 * 0.0449 / 0.9551) is below one: no build is worth a second run.
    assert_eq!(run.best, Some(1.0));
    let text = detail(
        &report.rows[0],
        &report,
        &TextOptions {
            width: 200,
            colour: false,
            ascii: false,
        },
    );
    assert!(
        text.contains("old: 5 x build: 95.5% of the variance, 9.000 s each; 4 x run:"),
        "{text}"
    );
    assert!(
        text.contains("intraclass correlation 0.96, design effect 3.87"),
        "{text}"
    );
}

#[test]
fn samples_are_a_level_of_their_own() {
    let report = report("rebuild", 3);
    let levels = &report.rows[0].levels[0].levels;
    let names: Vec<&str> = levels.iter().map(|level| level.name.as_str()).collect();
    assert_eq!(names, ["build", "run", "sample"]);
    assert_eq!(levels[2].repetitions, 3);
    assert!((levels[2].cost_s.unwrap() - 0.5 / 3.0).abs() < 1e-12);
    assert!((levels[1].cost_s.unwrap() - 0.5).abs() < 1e-12);
}

#[test]
fn runs_that_share_nothing_have_one_level() {
    assert!(report("keep", 1).rows[0].levels.is_empty());
    assert_eq!(report("keep", 2).rows[0].levels[0].levels[0].name, "run");
}

#[test]
fn runs_that_hang_together_are_flagged_unless_they_share_a_build() {
    let flagged = |refresh| {
        let report = report(refresh, 1);
        report.rows[0]
            .warnings
            .contains(&RowWarning::Autocorrelated)
    };
    assert!(flagged("keep") && !flagged("rebuild"));
}

#[test]
fn costs_are_those_between_starts() {
    let experiment = experiment("rebuild");
    let costs = Costs::of(&records(&Plan::new(&experiment, 1), 1)).unwrap();
    assert_eq!((costs.run_s, costs.unit_s), (1.0, Some(9.0)));
    // Four runs share a build.
    assert_eq!(costs.mean_s, 3.25);
    assert_eq!(Costs::of(&[]), None);
}
