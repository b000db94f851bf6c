//! What the agent writes to standard error.
#![expect(
    unsafe_code,
    reason = "the standard library's lock may be held by a thread of the parent"
)]

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use perflab_abi::variable::SAY;

use super::environment;
use crate::agent::agent;
use crate::pattern::Pattern;

/// Set if reasons why there is no agent are to be said.
const VERBOSE: &str = "PERFLAB_AGENT_VERBOSE";

/// Whether it is set. A child does not read its environment again, whose lock a thread of its parent may hold.
static IS_VERBOSE: AtomicBool = AtomicBool::new(false);

/// Asks the environment whether reasons are to be said.
pub fn prepare() {
    IS_VERBOSE.store(std::env::var_os(VERBOSE).is_some(), Ordering::Relaxed);
}

/// Writes to standard error, if reasons are to be said.
pub fn say(line: &str) {
    if IS_VERBOSE.load(Ordering::Relaxed) {
        write_error(line);
    }
}

/// Writes to standard error.
pub fn write_error(line: &str) {
    // SAFETY: so many bytes are there.
    unsafe { libc::write(libc::STDERR_FILENO, line.as_ptr().cast(), line.len()) };
}

/// The process that had no site at its start, if it is to say so.
static SILENT: AtomicU32 = AtomicU32::new(0);

/// Says that there is no probe of those that were asked for. Of a program without any site it is not known yet whether
/// it becomes another one, as `env` does: that is said at its end.
pub fn say_missing() {
    let process = std::process::id();
    let is_meant = std::env::var(SAY).is_ok_and(|number| number.parse() == Ok(process));
    let (true, Some(asked)) = (is_meant, environment::asked()) else {
        return;
    };
    let (Ok(pattern), Some(agent)) = (Pattern::parse(&asked), agent()) else {
        return;
    };
    let has_sites = agent.has_sites();
    if agent.count(&pattern) > 0 {
        return;
    }
    drop(agent);
    if has_sites {
        let text = format!(
            "perflab agent: process {process}: no probe is called {asked:?} now; those of objects that are loaded later \
             are switched on\n"
        );
        write_error(&text);
    } else {
        SILENT.store(process, Ordering::Relaxed);
    }
}

/// Says at the end of the program that it had no site at its start either, if it is to say so.
pub fn say_silent(has_sites: bool) {
    let process = std::process::id();
    if SILENT.load(Ordering::Relaxed) == process && !has_sites {
        write_error(&format!("perflab agent: process {process} had no probes\n"));
    }
}
