//! Sites in a shared object, one of them in a crate that the program has as well.

use perflab_probe::probe;

/// Two hits: one here, one in the crate.
#[unsafe(no_mangle)]
pub extern "C" fn plugin(x: i32) -> i32 {
    probe!(sites, plugin, x: i32 = x);
    library::plain(x)
}
