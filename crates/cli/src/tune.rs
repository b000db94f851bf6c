//! What every command needs that changes settings of the machine, or meets changed ones.

use std::path::{Path, PathBuf};

use perflab_experiment::counted;
use perflab_machine::tune::{Recovered, TuneError, recover, state_directory};
use perflab_runner::Restorer;

use crate::failure::Failure;
use crate::terminal;

/// The root of this machine's own files.
pub fn own_root() -> &'static Path {
    Path::new("/")
}

/// The state directory of this machine.
pub fn directory() -> Result<PathBuf, Failure> {
    state_directory().ok_or_else(|| {
        Failure::environment(
            "there is no place for the journal of settings: set PERFLAB_STATE to a directory",
        )
    })
}

/// Refuses what only root can do, before anything is half done.
pub fn must_be_root(flag: &str) -> Result<(), Failure> {
    if rustix::process::geteuid().is_root() {
        return Ok(());
    }
    Err(Failure::environment(format!(
        "{flag} changes settings of the machine, which takes root; run it with sudo"
    )))
}

/// Starts the process that puts settings back should this one be killed.
pub fn start_restorer(root: &Path, directory: &Path) -> Result<Restorer, Failure> {
    let own = std::env::current_exe()
        .map_err(|error| Failure::environment(format!("cannot find the own program: {error}")))?;
    Restorer::start(&own, root, directory).map_err(|error| {
        Failure::environment(format!("cannot start the settings restorer: {error}"))
    })
}

/// Deals with what a laboratory that died has left, and says so. For every command that measures,
/// once it has the right to, as whom it waited for may have died; and for one that looks only.
///
/// # Errors
/// While somebody else puts settings back and does not come to an end.
pub fn settle() -> Result<(), Failure> {
    let Some(directory) = state_directory() else {
        return Ok(());
    };
    match recover(own_root(), &directory, false) {
        Ok(Recovered::Nothing | Recovered::Rebooted) => {}
        Ok(Recovered::Restored(command, count)) => terminal::say(&format!(
            "note: put back {} of the machine that `{command}` left changed when it died",
            counted(count, "setting")
        )),
        Ok(Recovered::Kept(command)) => terminal::say(&format!(
            "note: settings of the machine are in force that `{command}` made; perflab doctor --restore puts them back"
        )),
        Err(error @ TuneError::Busy(_)) => return Err(error.into()),
        Err(error) => terminal::say(&format!("warning: {error}")),
    }
    Ok(())
}
