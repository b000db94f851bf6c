//! Drift from the first block to the last: the section on request, and sentences.

mod bars;
mod shown;
mod trend;
mod words;

pub use shown::{drift_markdown, drift_text};
pub(crate) use words::{changed, machine};
