//! Cells that cannot be measured on this machine: they are left out, with the reason.

use std::path::Path;

use perflab_experiment::{Cell, Experiment, LeftOut};
use perflab_report::not_measured;
use perflab_runner::{ThisMachine, Trouble, impossible_cells};

use super::scratch::tempdir;
use crate::failure::{Code, Failure};
use crate::terminal;

/// Asks for each cell whether it can be measured here, and reports which ones are left out.
///
/// # Errors
/// Where a question has no answer, nothing is left, or a baseline is left out that something would be compared with.
pub(crate) fn left_out(
    experiment: &Experiment,
    home: &Path,
    machine: &ThisMachine,
    quiet: bool,
) -> Result<Vec<LeftOut>, Failure> {
    let mut workloads = experiment.workloads.values();
    if workloads.all(|workload| workload.possible.is_none()) {
        return Ok(Vec::new());
    }
    let scratch = tempdir()?;
    let left_out = impossible_cells(experiment, home, &scratch.0, machine);
    let left_out = left_out.map_err(|trouble| match trouble {
        Trouble::Fault(fault) => Failure::environment(format!(
            "whether each cell can be measured here is not known, so nothing was run:\n  {}",
            fault.detail
        )),
        Trouble::Interrupted => Failure::new(Code::Interrupted, "interrupted before the first run"),
        Trouble::Fatal(error) => Failure::environment(format!(
            "cannot ask whether each cell can be measured here: {error}"
        )),
    })?;
    check(experiment, &left_out)?;
    if !quiet {
        for sentence in sentences(&left_out) {
            terminal::say(&terminal::escape(&sentence));
        }
    }
    Ok(left_out)
}

/// The cells that are left out, a sentence for each reason.
fn sentences(left_out: &[LeftOut]) -> Vec<String> {
    let alike = LeftOut::by_reason(left_out);
    alike.iter().map(|alike| not_measured(alike)).collect()
}

/// Refuses what could not be compared: nothing at all, and variants without their baseline or control.
fn check(experiment: &Experiment, left_out: &[LeftOut]) -> Result<(), Failure> {
    let is_left_out = |cell: &Cell| left_out.iter().any(|own| own.cell.id == cell.id);
    let mut cells = experiment.cells();
    cells.retain(|cell| !is_left_out(cell));
    if cells.is_empty() {
        return Err(Failure::environment(format!(
            "no cell can be measured here, so nothing was run:\n  {}",
            sentences(left_out).join("\n  ")
        )));
    }
    let roles = [
        ("baseline", Some(experiment.baseline())),
        ("control", experiment.design.control.as_deref()),
    ];
    for (role, name) in roles {
        let is_missed = |own: &&LeftOut| {
            Some(own.cell.variant.as_str()) == name
                && cells.iter().any(|cell| cell.is_comparable(&own.cell))
        };
        if let Some(LeftOut { cell, reason }) = left_out.iter().find(is_missed) {
            return Err(Failure::environment(format!(
                "the {role} cannot be measured here, and other variants can, so nothing was run: {}: {reason}; choose \
                 another `{role}` in [design]",
                cell.id
            )));
        }
    }
    Ok(())
}
