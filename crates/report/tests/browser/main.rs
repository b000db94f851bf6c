//! What pages ask of a report: the answer in a sentence, plots, the runs behind values, two results beside each other.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[path = "../common/mod.rs"]
#[expect(dead_code, reason = "others use the rest")]
mod common;

mod answers;
mod compared;
mod made;
mod origins;
mod pair;
mod plots;
