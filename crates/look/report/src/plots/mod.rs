//! What a report has to show, as plots.

mod distribution;
mod forest;
mod points;
mod quantiles;
mod runs;
mod shift;
mod sides;
mod sweep;

pub use distribution::distribution;
pub use forest::forest;
pub use quantiles::quantiles;
pub use runs::runs;
pub use shift::shift;
pub use sides::{Sided, sided};
pub use sweep::{Sweep, sweep, sweeps};

use perflab_compare::{Row, Verdict};
use perflab_plot::Tone;

use crate::difference::Estimate;
use crate::headline::headline;
use crate::number::Scale;
use crate::sections::row_label;

/// Address of the page of a run, relative to the page with the plot.
pub type Link<'l> = &'l dyn Fn(u32) -> String;

/// What is said of a row where somebody points at it.
fn label(row: &Row) -> String {
    format!(
        "{} {}: {}, {}",
        row_label(row),
        row.variant,
        Estimate::from(&row.typical).written(row),
        headline(row)
    )
}

/// How a verdict is coloured.
fn tone(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Better => Tone::Better,
        Verdict::Worse => Tone::Worse,
        Verdict::Same | Verdict::Differs => Tone::Same,
        Verdict::NotProven => Tone::Open,
    }
}

/// From a metric's unit to one that suits these values: the factor, and the unit.
fn in_unit(values: &[f64], unit: &str) -> (f64, String) {
    let scale = Scale::of(values, unit);
    let own = scale.unit();
    let unit = if own.is_empty() { unit } else { own.trim() };
    (scale.factor, unit.to_owned())
}

/// How an axis is called.
fn titled(name: &str, unit: &str) -> String {
    if unit.is_empty() {
        name.to_owned()
    } else {
        format!("{name} ({unit})")
    }
}
