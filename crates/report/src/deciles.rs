//! Rows decile by decile: where in the distribution the two sides differ.

use perflab_stats::Resampling;
use perflab_stats::location::Scale;
use perflab_stats::shift_function::shift_function;

use crate::aligned::aligned;
use crate::model::{Decile, Report, Row};
use crate::number;
use crate::terminal::TextOptions;

/// Always the same draws: the same runs give the same report.
const DRAWS: Resampling = Resampling {
    draws: 2000,
    seed: 1,
};

/// Adds the deciles to every row, but the pooled ones; a row that is too small gets a warning.
pub fn add_deciles(report: &mut Report) {
    let confidence = report.confidence;
    for row in &mut report.rows {
        let sides = [&row.base, &row.candidate];
        if sides.iter().any(|side| side.values.len() != side.n) {
            let warning = "no deciles: several values make one unit of evidence";
            row.warnings.push(warning.to_owned());
            continue;
        }
        let scale = if row.relative {
            Scale::Ratio
        } else {
            Scale::Shift
        };
        let [base, candidate] = sides.map(|side| side.values.as_slice());
        match shift_function(base, candidate, scale, confidence, DRAWS) {
            Ok(deciles) => {
                row.deciles = deciles
                    .into_iter()
                    .map(|decile| Decile {
                        quantile: decile.quantile,
                        base: decile.a,
                        candidate: decile.b,
                        difference: decile.difference,
                        low: decile.low,
                        high: decile.high,
                        p: decile.p,
                        p_adjusted: decile.p_adjusted,
                    })
                    .collect();
            }
            Err(error) => row.warnings.push(format!("no deciles: {error}")),
        }
    }
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
