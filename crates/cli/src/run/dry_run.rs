//! What would run, without running it.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::time::Duration;

use perflab_experiment::{Experiment, Plan, counted, format_duration};

use crate::settings;

/// The plan in words: what would run, how often, in which order, and the time limits. A time is estimated only once
/// a block was measured.
pub(super) fn dry_run(experiment: &Experiment, plan: &Plan, seed: Option<u64>) -> String {
    let design = &experiment.design;
    let mut out = String::new();
    let mut line = |text: String| {
        let _ = writeln!(out, "{text}");
    };
    line(format!(
        "{}: {}",
        experiment.name,
        experiment
            .question
            .as_deref()
            .unwrap_or("no question given")
    ));
    let cells = counted(plan.cells.len(), "cell");
    let runs = counted(design.runs, "run");
    let all = counted(plan.runs.len(), "run");
    let blocks = counted(design.blocks(), "block");
    line(match experiment.observed_in_block() {
        0 => format!(
            "{cells} x {runs} = {all}, in {blocks} of {} of each cell",
            design.block
        ),
        observed => format!(
            "{cells} x ({runs} + {} observed) = {all}, in {blocks} of {} + {observed} of each cell",
            design.blocks() * observed,
            design.block
        ),
    });
    let slices = match (design.slices, design.slice) {
        (Some(slices), _) => Some(format!("{slices} slices")),
        (None, slice) => slice.map(|slice| format!("slices of about {}", format_duration(slice))),
    };
    if let Some(slices) = slices {
        line(match design.together {
            false => format!("the runs of a block take turns, in {slices}"),
            true => format!(
                "the runs of a block are executed at once, in {slices}, between which they swap their CPUs"
            ),
        });
    }
    let limits: BTreeSet<Duration> = plan
        .cells
        .iter()
        .filter_map(|cell| experiment.workload(cell).ok())
        .map(|workload| workload.timeout.unwrap_or(design.timeout))
        .collect();
    let limits: Vec<String> = limits.into_iter().map(format_duration).collect();
    line(format!(
        "time limit of a run: {}{}; after the first block `perflab run` estimates the time left",
        limits.join(" or "),
        design.limit.map_or_else(String::new, |limit| format!(
            ", of the experiment: {}",
            format_duration(limit)
        ))
    ));
    line(format!("baseline: {}", experiment.baseline()));
    for (name, workload) in &experiment.workloads {
        if workload.possible.is_some() {
            line(format!(
                "before the first run {name} is asked which of its cells can be measured here; the others are left out"
            ));
        }
    }
    for settings in settings::named(experiment) {
        line(format!("changes settings of the machine for {settings}"));
    }
    line(match seed {
        Some(seed) => format!("seed {seed}"),
        None => {
            "no seed given: each run draws its own; the order below is that of seed 0".to_owned()
        }
    });
    for run in &plan.runs {
        if let Some(cell) = plan.cells.get(run.cell) {
            let (block, number, cell) = (run.block, run.run, &cell.id);
            let observed = if run.observed { "  observed" } else { "" };
            line(format!(
                "block {block:>3}  run {number:>5}  {cell}{observed}"
            ));
        }
    }
    out
}
