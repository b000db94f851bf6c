//! The unit of an axis.

use perflab_compare::Row;

use crate::number::Scale;

/// From a metric's unit to one that suits these values: the factor, and the unit.
pub(super) fn in_unit(values: &[f64], unit: &str) -> (f64, String) {
    let scale = Scale::of(values, unit);
    let own = scale.unit();
    let unit = if own.is_empty() { unit } else { own.trim() };
    (scale.factor, unit.to_owned())
}

/// The same for differences of a row: in percent where they are relative.
pub(super) fn differences_in_unit(row: &Row, values: &[f64]) -> (f64, String) {
    match row.relative {
        true => (100.0, "%".to_owned()),
        false => in_unit(values, &row.key.metric.unit),
    }
}

/// How an axis is called.
pub(super) fn titled(name: &str, unit: &str) -> String {
    if unit.is_empty() {
        name.to_owned()
    } else {
        format!("{name} ({unit})")
    }
}
