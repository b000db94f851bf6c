//! What marks are drawn with.

use super::style::TextOptions;
use crate::marks::{Layer, Marker, Marks, Tone, Which};

/// What fills areas.
pub(super) fn shade(style: &TextOptions) -> char {
    if style.ascii { ':' } else { '░' }
}

/// What a straight line across the plot is made of.
pub(super) fn rule(axis: Which, style: &TextOptions) -> char {
    match (axis, style.ascii) {
        (Which::X, true) => '|',
        (Which::X, false) => '│',
        (Which::Y, true) => '-',
        (Which::Y, false) => '─',
    }
}

/// What a layer is drawn with.
pub(super) fn symbol(layer: &Layer, style: &TextOptions) -> char {
    match &layer.marks {
        Marks::Points { marker, .. } => style.symbol(*marker),
        Marks::Line(_) | Marks::Intervals(_) | Marks::Summaries(_) | Marks::Cells(_) => {
            match layer.tone {
                Tone::Series(series) => style.symbol(Marker::of_series(usize::from(series))),
                _ => style.symbol(Marker::Disc),
            }
        }
        Marks::Areas(_) | Marks::Stripe { .. } => shade(style),
        Marks::Rule { axis, .. } => rule(*axis, style),
    }
}
