//! A plot as lines of text, as wide as a terminal is, with Unicode or with ASCII alone.

mod axis;
mod canvas;
mod drawing;
mod numbers;
mod rows;
mod style;
mod symbols;

pub use drawing::text;
pub use style::TextOptions;
