//! Plots as data, drawn in two ways: as SVG for a page, and as text for a terminal.
//!
//! A [`Plot`] says what is to be seen: two [`Axis`], and [`Layer`]s of marks on them, in the units in which
//! people read them. What draws it knows nothing of measurements, so both drawings show the same numbers.

mod axis;
mod marks;
mod plot;
mod svg;
mod text;
mod ticks;
mod untrusted_text;

pub use axis::{Axis, Scale};
pub use marks::{Area, Cell, Interval, Layer, Marker, Marks, Point, Summary, Tone, Which};
pub use plot::Plot;
pub use svg::{escaped, svg};
pub use text::{TextOptions, text};
pub use untrusted_text::{clean, steers};
