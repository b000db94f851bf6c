//! Comparisons: what is judged, whatever it is called in words.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod many_subjects;
mod planning;
mod slow_mode;
