//! Filter programs: refused, accepted, and judged.

#![expect(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod accepts;
mod assembler;
mod attacks;
mod bind;
mod encode;
mod events;
mod memory;
mod native;
mod numbers;
mod page_edges;
mod random;
mod shown;
mod texts;
mod trial;
mod values;
