//! Rows decile by decile: where in the distribution the two sides differ.

use perflab_stats::Resampling;
use perflab_stats::location::Scale;
use perflab_stats::shift_function::shift_function;

use crate::aligned::aligned;
use crate::model::{Decile, Design, Report, Row};
use crate::number;
use crate::terminal::TextOptions;

/// Always the same draws: the same runs give the same report.
const DRAWS: Resampling = Resampling {
    draws: 2000,
    seed: 1,
};

/// Adds the deciles to every row, but the pooled ones; a row that has none gets a warning that says why.
pub fn add_deciles(report: &mut Report) {
    let Report {
        rows,
        design,
        confidence,
        ..
    } = report;
    for row in rows {
        match deciles(row, design, *confidence) {
            Ok(deciles) => row.deciles = deciles,
            Err(reason) => row.warnings.push(format!("no deciles: {reason}")),
        }
    }
}

/// The deciles of a row that is not pooled.
///
/// # Errors
/// Why it has none, in words.
pub fn deciles(row: &Row, design: &Design, confidence: f64) -> Result<Vec<Decile>, String> {
    // Their intervals are for a number of runs that was fixed before.
    if design.until_decided.is_some() {
        return Err("results may have ended the measurement".to_owned());
    }
    let sides = [&row.base, &row.candidate];
    if sides.iter().any(|side| side.values.len() != side.n) {
        return Err("several values make one unit of evidence".to_owned());
    }
    let scale = if row.relative {
        Scale::Ratio
    } else {
        Scale::Shift
    };
    let [base, candidate] = sides.map(|side| side.values.as_slice());
    let deciles = shift_function(base, candidate, scale, confidence, DRAWS);
    let deciles = deciles.map_err(|error| error.to_string())?;
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

/// A line for each decile of a row.
pub(crate) fn decile_table(row: &Row, baseline: &str, options: &TextOptions) -> String {
    if row.deciles.is_empty() {
        return String::new();
    }
    let header = [
        "decile",
        baseline,
        &row.variant,
        "difference",
        "interval",
        "p of 9",
    ];
    let mut table = vec![header.map(|word| options.show(word))];
    let difference = |value: f64| {
        if row.relative {
            format!("{:+.1}%", 100.0 * value)
        } else {
            number::value_with_unit(value, &row.metric.unit)
        }
    };
    table.extend(row.deciles.iter().map(|decile| {
        let (base, candidate) = number::pair(decile.base, decile.candidate, &row.metric.unit);
        [
            number::share(decile.quantile),
            base,
            candidate,
            difference(decile.difference),
            format!("[{}, {}]", difference(decile.low), difference(decile.high)),
            format!("{:.4}", decile.p_adjusted),
        ]
        .map(|cell| options.show(&cell))
    }));
    aligned(&table, 1)
}
