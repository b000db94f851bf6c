//! Sites in a crate that others use.

use perflab_probe::{probe, probe_ordered};

/// Compiled here.
pub fn plain(x: i32) -> i32 {
    probe!(sites, plain, x: i32 = x);
    x + 1
}

/// Compiled where it is used, too.
#[inline]
pub fn small(x: i32) -> i32 {
    probe_ordered!(sites, small, x: i32 = x);
    x + 1
}

/// Compiled where it is used, for each type.
pub fn generic<T: Into<f64> + Copy>(x: T) -> T {
    probe!(sites, library_generic, x: f64 = x.into());
    x
}
