//! Reports: every number and every word of them.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod any_report;
mod browser;
mod charts;
mod common;
mod drift;
mod golden;
mod latencies;
mod levels;
mod one_truth;
mod saturation;
mod tail;
