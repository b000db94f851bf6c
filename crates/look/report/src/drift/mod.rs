//! Drift from the first block to the last: the section on request, and sentences.

mod bars;
mod section;
mod sentences;
mod trend;

pub use section::{drift_markdown, drift_text};
pub(crate) use sentences::{changed, machine};
