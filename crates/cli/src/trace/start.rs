//! Commands that have an agent from their start.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use perflab_control::RecordWish;
use perflab_control::variable::{CHECKED, SAY, WHEN, check_value};
use perflab_recorder::{AGENT, sizes};

use super::program;
use super::when::{Purpose, When};
use crate::failure::{Code, Failure};

/// Becomes the command, which loads the agent before anything else.
pub fn start(
    variable: &str,
    wish: RecordWish,
    when: &When,
    purpose: Purpose<'_>,
    words: &[OsString],
) -> Result<Option<Code>, Failure> {
    let mut command = command(words)?;
    let filter = when.for_program(command.get_program(), purpose)?;
    let preload = preload(command.get_program())?;
    command.env("LD_PRELOAD", preload).envs(sizes(wish));
    // One that this process has is for other probes.
    command.env_remove(WHEN);
    if let Some(filter) = filter {
        program::say_unfiltered(command.get_program());
        command.env(WHEN, filter.hexadecimal());
    }
    // Only the program itself says that it has no such probe, not those that it starts.
    command.env(SAY, std::process::id().to_string());
    command.env(variable, purpose.probes);
    check_environment(&command)?;
    let error = command.exec();
    Err(cannot_start(&command, &error))
}

/// The command could not be started.
pub fn cannot_start(command: &Command, error: &std::io::Error) -> Failure {
    let program = command.get_program();
    Failure::environment(format!("{} cannot be started: {error}", program.display()))
}

/// The command of these words.
pub fn command(words: &[OsString]) -> Result<Command, Failure> {
    let Some((program, arguments)) = words.split_first() else {
        return Err(Failure::usage("give a command after --"));
    };
    let mut command = Command::new(program);
    command.args(arguments);
    Ok(command)
}

/// The value of `LD_PRELOAD` by which a program loads the agent.
pub fn preload(program: &OsStr) -> Result<OsString, Failure> {
    let mut preload = OsString::new();
    for first in program::check(program)? {
        preload.push(first);
        preload.push(":");
    }
    preload.push(agent()?);
    if let Some(others) = std::env::var_os("LD_PRELOAD").filter(|others| !others.is_empty()) {
        preload.push(":");
        preload.push(others);
    }
    Ok(preload)
}

/// The agent would ignore a value that it does not understand.
pub fn check_environment(command: &Command) -> Result<(), Failure> {
    for variable in CHECKED {
        let is_replaced = command.get_envs().any(|(name, _)| name == variable);
        let Some(value) = std::env::var_os(variable).filter(|_| !is_replaced) else {
            continue;
        };
        check_value(variable, &value.to_string_lossy()).map_err(|error| {
            Failure::usage(format!("{variable}: {error}; change it in the environment"))
        })?;
    }
    Ok(())
}

/// Where the agent was installed: beside this program, or in `lib/perflab` beside its directory.
pub fn agent() -> Result<PathBuf, Failure> {
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
