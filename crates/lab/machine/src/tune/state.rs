//! Where the journal lies.

use std::path::PathBuf;

/// Names a directory instead of the usual one.
pub const STATE_VARIABLE: &str = "PERFLAB_STATE";

/// The directory for what must outlive a process: that of the variable `PERFLAB_STATE`; else
/// `/var/lib/perflab` for root, so that all of root's sessions meet there whatever their
/// environment; else `$XDG_STATE_HOME/perflab` or `~/.local/state/perflab`. `None` for a user
/// without a home.
pub fn state_directory() -> Option<PathBuf> {
    let path = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    if let Some(directory) = path(STATE_VARIABLE) {
        return Some(directory);
    }
    if rustix::process::geteuid().is_root() {
        return Some("/var/lib/perflab".into());
    }
    path("XDG_STATE_HOME")
        .or_else(|| Some(path("HOME")?.join(".local/state")))
        .map(|state| state.join("perflab"))
}
