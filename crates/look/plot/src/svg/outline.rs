//! What markers look like, on the axes and in the legend.

use std::fmt::{self, Write as _};

use super::markup::{Rounded, fine, short};
use crate::marks::{Marker, Marks};

/// A marker as a path. Discs are lines of no length with round ends.
pub(super) struct Outline {
    marker: Marker,
    x: Rounded,
    y: Rounded,
}

impl Outline {
    pub(super) fn new(marker: Marker, x: f64, y: f64) -> Self {
        let (x, y) = (fine(x), fine(y));
        Self { marker, x, y }
    }
}

impl fmt::Display for Outline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let around = match self.marker {
            Marker::Disc => "h0",
            Marker::Ring => "m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z",
            Marker::Cross => "m-3-3l6 6m0-6l-6 6",
            Marker::Plus => "m-4 0h8m-4-4v8",
            Marker::Star => "m-4 0h8m-4-4v8m-3-7l6 6m0-6l-6 6",
            Marker::Triangle | Marker::HollowTriangle => "m0-4l4 7h-8z",
            Marker::Wedge | Marker::HollowWedge => "m0 4l4-7h-8z",
            Marker::Square | Marker::HollowSquare => "m-3-3h6v6h-6z",
            Marker::Diamond | Marker::HollowDiamond => "m0-4l4 4l-4 4l-4-4z",
        };
        write!(f, "M{} {}{around}", self.x, self.y)
    }
}

pub(super) fn class_of(marker: Marker) -> &'static str {
    match marker {
        Marker::Disc => "disc",
        Marker::Triangle | Marker::Wedge | Marker::Square | Marker::Diamond => "solid",
        _ => "strokes",
    }
}

/// How marks look, for the legend.
pub(super) fn sample(out: &mut String, marks: &Marks, x: f64, y: f64) {
    let (class, path) = match marks {
        Marks::Points { marker, .. } => {
            (class_of(*marker), Outline::new(*marker, x, y).to_string())
        }
        Marks::Line(_) | Marks::Rule { .. } | Marks::Summaries(_) => {
            ("line", format!("M{} {}h12", short(x - 6.0), short(y)))
        }
        Marks::Areas(_) | Marks::Stripe { .. } => (
            "area",
            format!("M{} {}h12v8h-12z", short(x - 6.0), short(y - 4.0)),
        ),
        Marks::Intervals(_) | Marks::Cells(_) => {
            ("solid", Outline::new(Marker::Square, x, y).to_string())
        }
    };
    let _ = write!(out, "<path class=\"{class}\" d=\"{path}\"/>");
}
