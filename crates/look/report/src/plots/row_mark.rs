//! How a row is named and coloured in plots that have many.

use perflab_compare::{Row, Verdict};
use perflab_plot::Tone;

use crate::difference::Estimate;
use crate::headline::headline;
use crate::sections::row_label;

/// What is said of a row where somebody points at it.
pub(super) fn label(row: &Row) -> String {
    format!(
        "{} {}: {}, {}",
        row_label(row),
        row.variant,
        Estimate::from(&row.typical).text(row),
        headline(row)
    )
}

/// How a verdict is coloured.
pub(super) fn tone(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Better => Tone::Better,
        Verdict::Worse => Tone::Worse,
        Verdict::Same | Verdict::Differs => Tone::Same,
        Verdict::NotProven => Tone::Open,
    }
}
