//! `perflab doctor --apply` and `--restore`: settings that suit measuring, and back.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use perflab_experiment::counted;
use perflab_machine::tune::{Outcome, Recovered, Session, Wish, for_measuring, recover};
use perflab_runner::{Exit, Host, Launch, Redirect, Stopped, ThisMachine};

use super::arguments::{DoctorArguments, Switch};
use crate::cpus::numbers;
use crate::failure::{Code, Failure};
use crate::standby::{lock, stand_by};
use crate::terminal;
use crate::tune::{directory, must_be_root, own_root, start_restorer};

/// Locks laboratories that a command starts against each other, while this process holds the
/// machine's own lock against all others.
const INNER_LOCK: &str = "command.lock";

/// The root, and where its journal lies: a copy of a machine has its own, so that its values never
/// reach this one.
fn places(arguments: &DoctorArguments) -> Result<(PathBuf, PathBuf), Failure> {
    match &arguments.root {
        Some(root) => {
            let root = std::path::absolute(root)
                .map_err(|error| Failure::usage(format!("--root: {}: {error}", root.display())))?;
            let directory = root.join("var/lib/perflab");
            Ok((root, directory))
        }
        None => Ok((own_root().to_path_buf(), directory()?)),
    }
}

/// Puts back what `--apply` has kept in force, or a dead session left.
pub fn restore(arguments: &DoctorArguments) -> Result<u8, Failure> {
    let (root, directory) = places(arguments)?;
    let text = match recover(&root, &directory, true)? {
        Recovered::Nothing => "nothing to put back\n".to_owned(),
        Recovered::Rebooted => "nothing to put back: the machine was restarted since\n".to_owned(),
        Recovered::Restored(_, count) => format!("{} put back\n", counted(count, "setting")),
        Recovered::Kept(command) => format!("still in force: what `{command}` made\n"),
    };
    terminal::print(&text)?;
    Ok(0)
}

/// Sets what suits measuring, and keeps it or executes the command under it.
pub fn apply(arguments: &DoctorArguments) -> Result<u8, Failure> {
    let (root, directory) = places(arguments)?;
    // Nobody may be measuring while settings change under him.
    let lock = match arguments.root {
        Some(_) => None,
        None => {
            must_be_root("--apply")?;
            Some(lock(arguments.wait)?)
        }
    };
    let machine = stand_by(lock.as_ref())?;
    // Declared before the session, and so dropped after it: that must be over before the restorer is told to go.
    let _restorer = start_restorer(&root, &directory)?;
    let mut session = Session::begin(&root, &directory)?;
    let wishes = wishes(arguments, &root)?;
    let outcomes = session.set(&wishes.all)?;
    terminal::say(&said(&wishes.all, &outcomes));
    for (wish, outcome) in wishes.all.iter().zip(&outcomes) {
        if let Outcome::Failed(why) = outcome
            && wishes.asked.contains(wish)
        {
            return Err(Failure::environment(format!(
                "{} was asked for and cannot be set, so everything was put back: {why}",
                wish.name()
            )));
        }
    }
    if arguments.command.is_empty() {
        let count = session.keep()?;
        let advice = match count {
            0 => "",
            _ => "; perflab doctor --restore puts them back",
        };
        terminal::print(&format!("{} changed{advice}\n", counted(count, "setting")))?;
        return Ok(0);
    }
    let ended = execute(&arguments.command, &directory, &machine);
    let count = session.restore()?;
    terminal::say(&format!("doctor: {} put back", counted(count, "setting")));
    ended
}

/// What is asked of the machine.
struct Wishes {
    all: Vec<Wish>,
    /// Those that were named on the command line.
    asked: Vec<Wish>,
}

fn wishes(arguments: &DoctorArguments, root: &Path) -> Result<Wishes, Failure> {
    let mut asked = Vec::new();
    if let Some(smt) = arguments.smt {
        asked.push(Wish::Smt(smt == Switch::On));
    }
    let mut all = asked.clone();
    all.extend(for_measuring(root));
    if arguments.irqs {
        let list = arguments.cpus.as_deref().unwrap_or_default();
        let wish = Wish::InterruptsAwayFrom(numbers(list)?);
        asked.push(wish.clone());
        all.push(wish);
    }
    Ok(Wishes { all, asked })
}

/// A line for each wish.
fn said(wishes: &[Wish], outcomes: &[Outcome]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for (wish, outcome) in wishes.iter().zip(outcomes) {
        let (name, value) = (wish.name(), wish.value());
        match outcome {
            Outcome::Set { before } => {
                lines.push(format!("set      {name}: {value} (was {before})"));
            }
            // A unit that does not run is no news.
            Outcome::Already if matches!(wish, Wish::StopUnit(_)) => {}
            Outcome::Already => lines.push(format!("already  {name}: {value}")),
            Outcome::Failed(why) => lines.push(format!("cannot   {name}: {value}: {why}")),
        }
    }
    lines.push(
        "left     swap: never turned off, as what lies there might not fit into memory".to_owned(),
    );
    let lines: Vec<String> = lines.iter().map(|line| terminal::escape(line)).collect();
    lines.join("\n")
}

/// Executes a command under the settings; its exit code, 128 and the signal's number if one ended
/// it.
fn execute(command: &[OsString], directory: &Path, machine: &ThisMachine) -> Result<u8, Failure> {
    let mut environment = machine.inherited_environment();
    environment.set("PERFLAB_LOCK", directory.join(INNER_LOCK));
    let launch = Launch {
        argv: command,
        environment: &environment,
        directory: None,
        stdin: None,
        stdout: Redirect::Inherit,
        stderr: Redirect::Inherit,
        cpus: None,
    };
    let ended = machine
        .start(&launch)
        .map_err(Failure::environment)?
        .wait(None)
        .map_err(|error| Failure::environment(format!("lost track of the command: {error}")))?;
    match (ended.stopped, ended.exit) {
        (Some(Stopped::Interrupted | Stopped::TimeLimit), _) => {
            Err(Failure::new(Code::Interrupted, "interrupted"))
        }
        (None, Exit::Code(code)) => Ok(u8::try_from(code).unwrap_or(u8::MAX)),
        (None, Exit::Signal(signal)) => {
            Ok(u8::try_from(signal.saturating_add(128)).unwrap_or(u8::MAX))
        }
    }
}
