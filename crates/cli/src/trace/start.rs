//! `perflab trace on PROBES -- COMMAND`: a command that has an agent from its start.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use crate::failure::{Code, Failure};

/// The shared object that starts an agent.
const AGENT: &str = "libperflab_preload.so";

/// Becomes the command, which loads the agent before anything else.
pub fn start(probes: &str, command: &[OsString]) -> Result<Option<Code>, Failure> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(Failure::usage("which command? Expected one behind --"));
    };
    let mut preload = agent()?.into_os_string();
    if let Some(others) = std::env::var_os("LD_PRELOAD").filter(|others| !others.is_empty()) {
        preload.push(":");
        preload.push(others);
    }
    let error = Command::new(program)
        .args(arguments)
        .env("LD_PRELOAD", preload)
        .env("PERFLAB_PROBES", probes)
        .exec();
    Err(Failure::environment(format!(
        "{} cannot be started: {error}",
        program.display()
    )))
}

/// Where the agent was installed: beside this program, or in `lib/perflab` beside its directory.
fn agent() -> Result<PathBuf, Failure> {
    let program = std::env::current_exe()
        .map_err(|error| Failure::environment(format!("cannot find this program: {error}")))?;
    let beside = program.parent().map(PathBuf::from).unwrap_or_default();
    let places = [
        beside.join(AGENT),
        beside.join("../lib/perflab").join(AGENT),
    ];
    let found = places.iter().find_map(|path| path.canonicalize().ok());
    found.ok_or_else(|| {
        let looked: Vec<String> = places
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        Failure::environment(format!(
            "the agent {AGENT} is not installed: looked for {}",
            looked.join(", ")
        ))
    })
}
