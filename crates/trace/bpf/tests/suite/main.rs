//! Filter programs: refused, accepted, and judged.

#![expect(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod accepts;
mod assembler;
mod attacks;
mod events;
mod numbers;
mod random;
mod shown;
mod texts;
