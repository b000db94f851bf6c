//! The plan: balanced, uniformly random within its blocks, and the same for ever.

use std::collections::{BTreeMap, BTreeSet};

use perflab_experiment::{Experiment, LeftOut, Plan};
use proptest::prelude::*;

const FULL: &str = include_str!("../files/full.toml");

/// A plan drawn by a second implementation, `golden/plan.py`.
const GOLDEN: &str = include_str!("../golden/plan.json");

fn parse(text: &str) -> Experiment {
    Experiment::parse(text, "test.toml").unwrap_or_else(|error| panic!("{error}"))
}

fn matrix(variants: usize, values: usize, design: &str) -> Experiment {
    let variants: String = (0..variants)
        .map(|v| format!("[variants.v{v}]\n[variants.v{v}.build]\ncommand = ['make']\n"))
        .collect();
    let values: Vec<String> = (0..values).map(|value| value.to_string()).collect();
    parse(&format!(
        "[design]\n{design}\n{variants}[workloads.w]\ndriver = 'command'\ncommand = ['x', '{{n}}']\n\
         [parameters]\nn = [{}]\n",
        values.join(", ")
    ))
}

/// For each variant, its units with the runs that they serve.
fn units(plan: &Plan) -> BTreeMap<&str, BTreeMap<u32, Vec<u32>>> {
    let mut units: BTreeMap<&str, BTreeMap<u32, Vec<u32>>> = BTreeMap::new();
    for run in &plan.runs {
        let variant = plan.cells[run.cell].variant.as_str();
        units
            .entry(variant)
            .or_default()
            .entry(run.unit)
            .or_default()
            .push(run.run);
    }
    units
}

#[test]
fn a_stored_plan_never_changes() {
    let stored: Plan = serde_json::from_str(GOLDEN).unwrap();
    assert_eq!(Plan::new(&matrix(2, 2, "runs = 4\nblock = 2"), 7), stored);
}

#[test]
fn a_plan_survives_json() {
    let plan = Plan::new(&parse(FULL), u64::MAX);
    let json = serde_json::to_string(&plan).unwrap();
    assert_eq!(serde_json::from_str::<Plan>(&json).unwrap(), plan);
}

#[test]
fn cells_that_are_left_out_have_no_run_and_the_others_keep_theirs() {
    let experiment = matrix(3, 2, "runs = 4\nblock = 2");
    let all = Plan::new(&experiment, 7);
    let cells = [1, 3].map(|place| all.cells[place].clone());
    let left_out = cells.map(|cell| LeftOut {
        cell,
        reason: "no such CPU".to_owned(),
    });
    let plan = all.clone().leaving_out(left_out.to_vec());
    assert_eq!(plan.left_out, left_out);
    assert_eq!((plan.cells.len(), plan.runs.len()), (4, 16));
    let is_left_out = |id: &str| left_out.iter().any(|own| own.cell.id == id);
    let mut others = all
        .runs
        .iter()
        .filter(|run| !is_left_out(&all.cells[run.cell].id));
    for (run, number) in plan.runs.iter().zip(1..) {
        let before = others.next().unwrap();
        assert_eq!(run.run, number);
        assert_eq!(plan.cells[run.cell], all.cells[before.cell]);
        assert_eq!(
            (run.block, run.seed, run.unit),
            (before.block, before.seed, before.unit)
        );
    }
    assert_eq!(others.next(), None);
    let json = serde_json::to_string(&plan).unwrap();
    assert_eq!(serde_json::from_str::<Plan>(&json).unwrap(), plan);
    assert!(!serde_json::to_string(&all).unwrap().contains("left_out"));
}

#[test]
fn a_damaged_plan_is_refused() {
    let damage = |from: &str, to: &str| {
        let damaged = GOLDEN.replacen(from, to, 1);
        assert_ne!(damaged, GOLDEN);
        serde_json::from_str::<Plan>(&damaged)
            .unwrap_err()
            .to_string()
    };
    assert!(damage("\"schema\": 1", "\"schema\": 2").contains("schema 2"));
    assert!(damage("\"run\": 2,", "\"run\": 3,").contains("run 2 was expected"));
    assert!(damage("\"cell\": 3,", "\"cell\": 4,").contains("only 4 cells"));
}

#[test]
fn another_seed_gives_another_order() {
    let experiment = parse(FULL);
    assert_ne!(
        Plan::new(&experiment, 1).runs,
        Plan::new(&experiment, 2).runs
    );
}

#[test]
fn every_run_has_its_own_unit_if_all_is_renewed_each_run() {
    for design in [
        "refresh = 'restart'",
        "refresh = 'rebuild'\nrefresh_every = 'run'",
    ] {
        let plan = Plan::new(&matrix(2, 3, &format!("runs = 4\nblock = 2\n{design}")), 1);
        for (_, units) in units(&plan) {
            assert_eq!(
                units.keys().copied().collect::<Vec<_>>(),
                (1..=12).collect::<Vec<_>>()
            );
            let in_order: Vec<u32> = units.values().flatten().copied().collect();
            assert!(
                in_order.is_sorted(),
                "units are numbered in order of execution"
            );
        }
    }
}

#[test]
fn the_runs_of_a_variant_in_a_block_share_a_unit_if_renewed_each_block() {
    let plan = Plan::new(&matrix(2, 3, "runs = 4\nblock = 2\nrefresh = 'rebuild'"), 1);
    assert!(plan.runs.iter().all(|run| run.unit == run.block));
}

#[test]
fn all_runs_of_a_variant_share_a_unit_if_kept() {
    let plan = Plan::new(&matrix(2, 3, "runs = 4\nblock = 2\nrefresh = 'keep'"), 1);
    assert!(plan.runs.iter().all(|run| run.unit == 1));
}

#[test]
fn cells_whose_systems_are_started_differently_never_share_a_unit() {
    let text = "
        [design]
        refresh = 'keep'
        [variants.a]
        start = ['server', '{threads}']
        [workloads.w]
        driver = 'command'
        command = ['x', '{clients}']
        [parameters]
        threads = [1, 2]
        clients = [1, 50]";
    let plan = Plan::new(&parse(text), 1);
    let shared: BTreeSet<(u32, &str)> = plan
        .runs
        .iter()
        .map(|run| {
            (
                run.unit,
                plan.cells[run.cell].parameters["threads"].as_str(),
            )
        })
        .collect();
    assert_eq!(
        shared.len(),
        2,
        "one unit for each number of threads, whatever the clients: {shared:?}"
    );
    assert_eq!(
        shared.iter().map(|(unit, _)| *unit).collect::<Vec<_>>(),
        [1, 2]
    );
}

/// Pearson's statistic against equal frequencies.
fn chi_square<K>(counts: &BTreeMap<K, u32>) -> f64 {
    let expected = f64::from(counts.values().sum::<u32>()) / counts.len() as f64;
    counts
        .values()
        .map(|&count| (f64::from(count) - expected).powi(2) / expected)
        .sum()
}

#[test]
fn all_orders_within_a_group_and_of_the_groups_are_equally_frequent() {
    let plan = Plan::new(&matrix(2, 3, "runs = 12000\nblock = 2"), 42);
    let (mut within, mut between) = (BTreeMap::new(), BTreeMap::new());
    for block in plan.runs.chunks(12) {
        let mut groups = Vec::new();
        for group in block.chunks(4) {
            let variants: Vec<&str> = group
                .iter()
                .map(|run| plan.cells[run.cell].variant.as_str())
                .collect();
            *within.entry(variants).or_insert(0) += 1;
            groups.push(plan.cells[group[0].cell].parameters["n"].as_str());
        }
        *between.entry(groups).or_insert(0) += 1;
    }
    // 4!/(2! 2!) and 3! orders; 20.52 is the 99.9 % quantile of chi-square with 5 degrees of freedom.
    assert_eq!((within.len(), between.len()), (6, 6));
    assert!(chi_square(&within) < 20.52, "{within:?}");
    assert!(chi_square(&between) < 20.52, "{between:?}");
}

#[test]
fn seeds_of_runs_are_all_different() {
    let plan = Plan::new(&parse(FULL), 3);
    let seeds: BTreeSet<u64> = plan.runs.iter().map(|run| run.seed).collect();
    assert_eq!(seeds.len(), plan.runs.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_plan_is_balanced(
        variants in 1usize..4, values in 1usize..4, block in 1u32..4, blocks in 1u32..5, seed: u64,
    ) {
        let experiment = matrix(variants, values, &format!("runs = {}\nblock = {block}", block * blocks));
        let plan = Plan::new(&experiment, seed);
        let size = variants * values * block as usize;
        prop_assert_eq!(plan.runs.len(), size * blocks as usize);
        prop_assert!(plan.runs.iter().zip(1..).all(|(run, number)| run.run == number));
        for (runs, number) in plan.runs.chunks(size).zip(1..) {
            prop_assert!(runs.iter().all(|run| run.block == number), "blocks come one after another");
            for cell in 0..plan.cells.len() {
                prop_assert_eq!(runs.iter().filter(|run| run.cell == cell).count(), block as usize);
            }
            for group in runs.chunks(variants * block as usize) {
                let first = &plan.cells[group[0].cell];
                prop_assert!(group.iter().all(|run| first.is_comparable(&plan.cells[run.cell])));
            }
        }
    }

    #[test]
    fn more_runs_only_add_blocks_at_the_end(blocks in 1u32..5, more in 1u32..5, seed: u64) {
        let mut experiment = matrix(2, 2, "");
        experiment.design.set_runs(3 * blocks).unwrap();
        let short = Plan::new(&experiment, seed);
        experiment.design.set_runs(3 * (blocks + more)).unwrap();
        let long = Plan::new(&experiment, seed);
        prop_assert_eq!(&long.runs[..short.runs.len()], &short.runs[..]);
    }
}
