//! Traces written and read.

#![expect(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod clock;
mod damage;
mod document;
mod limits;
mod made;
mod order;
mod round_trip;
