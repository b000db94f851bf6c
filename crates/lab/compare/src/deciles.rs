//! Rows decile by decile: where in the distribution the two sides differ.

use perflab_stats::Resampling;
use perflab_stats::location::Scale;
use perflab_stats::shift_function::shift_function;

use crate::comparison::{Comparison, Design};
use crate::row::{Decile, Row};
use crate::row_warning::{NoDeciles, RowWarning};

/// Always the same draws: the same runs give the same report.
const DRAWS: Resampling = Resampling {
    draws: 2000,
    seed: 1,
};

/// Adds the deciles to every row, but the pooled ones; a row that has none gets a warning that says why.
pub fn add_deciles(report: &mut Comparison) {
    let Comparison {
        rows,
        design,
        confidence,
        ..
    } = report;
    for row in rows {
        match deciles(row, design, *confidence) {
            Ok(deciles) => row.deciles = deciles,
            Err(reason) => row.warnings.push(RowWarning::NoDeciles(reason)),
        }
    }
}

/// The deciles of a row that is not pooled.
///
/// # Errors
/// Why it has none.
pub fn deciles(row: &Row, design: &Design, confidence: f64) -> Result<Vec<Decile>, NoDeciles> {
    // Their intervals are for a number of runs that was fixed before.
    if design.until_decided.is_some() {
        return Err(NoDeciles::UntilDecided);
    }
    let sides = [&row.base, &row.candidate];
    if sides.iter().any(|side| side.values.len() != side.n) {
        return Err(NoDeciles::SharedUnits);
    }
    let scale = if row.relative {
        Scale::Ratio
    } else {
        Scale::Shift
    };
    let [base, candidate] = sides.map(|side| side.values.as_slice());
    let deciles = shift_function(base, candidate, scale, row.grids, confidence, DRAWS);
    let deciles = deciles.map_err(NoDeciles::Statistics)?;
    let of_row = deciles.into_iter().map(|decile| Decile {
        quantile: decile.quantile,
        base: decile.a,
        candidate: decile.b,
        difference: decile.difference,
        low: decile.low,
        high: decile.high,
        p: decile.p,
        p_adjusted: decile.p_adjusted,
    });
    Ok(of_row.collect())
}
