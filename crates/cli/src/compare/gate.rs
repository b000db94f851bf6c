//! What makes a comparison fail.

use clap::ValueEnum;
use perflab_compare::{Comparison, Outcome, Row};

use crate::failure::Code;

/// What makes the command fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Gate {
    /// Exit code 1 when anything is proven worse.
    Regression,
    /// Exit code 3 when anything is not proven to be the same within the margin.
    Same,
    /// Never.
    None,
}

/// Whether something that was measured is in no row, so that no gate may end with 0.
pub fn has_uncompared(report: &Comparison) -> bool {
    report.rows.is_empty() || report.is_one_sided()
}

/// What the process ends with; `incomplete` where cells could not be measured.
pub fn verdict(reports: &[Comparison], incomplete: bool, gate: Gate) -> Option<Code> {
    let mut outcomes = reports
        .iter()
        .flat_map(Comparison::all_rows)
        // Of what was not measured together nothing is asked.
        .filter(|row| row.is_asked())
        .map(Row::outcome);
    match gate {
        Gate::Regression if outcomes.clone().any(Outcome::is_regression) => Some(Code::Regression),
        // What was not measured cannot pass.
        Gate::Regression | Gate::Same if incomplete => Some(Code::NoData),
        Gate::Same if outcomes.any(|outcome| outcome != Outcome::Same) => Some(Code::NotSame),
        _ => None,
    }
}
