//! Fuzz targets: each takes any bytes as what one of perflab's parsers reads, and panics if a promise is broken.
//!
//! libFuzzer needs a nightly compiler, so what hands the targets to it is a workspace of its own, `fuzz/`. The
//! targets are here, where the tests of this crate replay them with the stable compiler: all [`seeds`](seeds::seeds),
//! changes of them, and the inputs in `corpora/`, where an input that once failed is stored.
//!
//! To add a target, write `src/targets/NAME.rs` and enter it in [`TARGETS`]. Add seeds in `src/seeds/`, a line in
//! `tests/suite/replay.rs`, and the program in `fuzz/`. The tests name each of these that is missing.

mod result;
mod ring_file;
pub mod seeds;
mod shared;
mod targets;

use std::path::Path;

pub use targets::{TARGETS, Target};

/// The root of the workspace, where the fixtures of all crates are.
pub fn workspace() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}
