//! Rows decile by decile, as a table.

use perflab_compare::Row;

use crate::aligned::aligned;
use crate::number;
use crate::terminal::TextOptions;

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
            number::value_with_unit(value, &row.key.metric.unit)
        }
    };
    table.extend(row.deciles.iter().map(|decile| {
        let (base, candidate) = number::pair(decile.base, decile.candidate, &row.key.metric.unit);
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
