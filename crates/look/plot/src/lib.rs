//! Plots as data, drawn in three ways: as SVG, as text for a terminal, and as a figure that a script in a page
//! lets people interact with.
//!
//! A [`Plot`] says what is to be seen: two [`Axis`], and [`Layer`]s of marks on them, in the units in which
//! people read them. What draws it knows nothing of measurements, so all three drawings show the same numbers.

mod axis;
mod figure;
mod marks;
mod shown;
mod svg;
mod text;
mod ticks;

pub use axis::{Axis, Scale};
pub use figure::figure;
pub use marks::{Area, Cell, Interval, Layer, Marker, Marks, Point, Summary, Tone, Which};
pub use shown::{clean, steers};
pub use svg::{escaped, svg};
pub use text::{TextStyle, text};

/// What is to be seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
    /// What it shows, in a few words.
    pub title: String,
    /// What there is to see, for those who cannot.
    pub description: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// Marks, the later ones above the earlier ones.
    pub layers: Vec<Layer>,
}
