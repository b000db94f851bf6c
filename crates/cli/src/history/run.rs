//! `perflab history run`: the command.

use std::fs;
use std::path::Path;
use std::time::Instant;

use perflab_experiment::{Experiment, duration};
use perflab_history::{
    Asked, Builder, HistoryDir, HistoryFile, Repository, Revision, Timeline, campaign_experiment,
};
use perflab_report::operand;

use super::arguments::{RunArguments, WatchArguments};
use super::dry_run::dry_run;
use super::file::{Read, read};
use super::session::Session;
use super::work::{Patch, Work};
use crate::failure::{Code, Failure};
use crate::settings;
use crate::standby::{lock, stand_by};
use crate::terminal;

/// Executes the command.
pub fn run(arguments: &RunArguments) -> Result<Option<Code>, Failure> {
    execute(arguments, false)
}

/// Executes `perflab history watch`.
pub fn watch(arguments: &WatchArguments) -> Result<Option<Code>, Failure> {
    execute(&arguments.as_run(), true)
}

/// Measures what is asked for, or what tells most.
fn execute(arguments: &RunArguments, is_watch: bool) -> Result<Option<Code>, Failure> {
    let read = read(&arguments.file)?;
    let end = match &arguments.budget {
        None => None,
        Some(text) => {
            let budget = duration::parse(text)
                .map_err(|error| Failure::usage(format!("--budget: {error}")))?;
            Instant::now().checked_add(budget)
        }
    };
    let asked = asked(arguments)?;
    check(&read)?;
    if arguments.dry_run {
        let repository = read.repository()?;
        warn_if_shallow(repository.as_ref())?;
        let timeline = Timeline::new(&read.file, &read.source(repository.as_ref())?, &asked)?;
        terminal::print(&dry_run(&read.file, &read.experiment, &timeline))?;
        return Ok(None);
    }
    settings::check(
        &read.experiment,
        &read.experiment_path,
        arguments.allow_machine_settings,
    )?;
    let lock = lock(arguments.wait)?;
    let machine = stand_by(Some(&lock))?;
    let out = read.out(arguments.out.as_deref());
    let name_of = |text: &str| {
        HistoryFile::parse(text, "history.toml")
            .ok()
            .map(|file| file.name)
    };
    // A file without a name would have that of its copy.
    let named = HistoryFile {
        name: read.file.name.clone(),
        ..read.file.clone()
    };
    let (directory, held) = HistoryDir::hold(&out, &named.name, &read.text, |text| {
        name_of(text).filter(|name| name != "history")
    })?;
    // Paths in the records of runs must not depend on where perflab was called.
    let home = directory.path().canonicalize().map_err(|error| {
        Failure::environment(format!(
            "cannot find {}: {error}",
            directory.path().display()
        ))
    })?;
    if !arguments.quiet {
        terminal::say(&format!("{}: into {}", named.name, out.display()));
    }
    let mut builder = Builder::new(&machine, &named, &read.home, &home)?;
    warn_if_shallow(builder.repository())?;
    let timeline = {
        let source = read.source(builder.repository())?;
        Timeline::new(&named, &source, &asked)?
    };
    let patch = patch(arguments)?;
    let mut work = Work {
        session: Session {
            read: &read,
            directory: &directory,
            held: &held,
            home: &home,
            machine: &machine,
            quiet: arguments.quiet,
            may_fail: false,
        },
        file: &named,
        timeline: &timeline,
        arguments,
        end,
        begun: 0,
    };
    match (&patch, &arguments.confirm) {
        (Some(patch), _) => work.patch(patch, &mut builder)?,
        (None, Some(_)) => work.confirm(&mut builder)?,
        (None, None) if is_watch => work.watch(&mut builder)?,
        (None, None) => work.all(&mut builder)?,
    }
    if !arguments.quiet {
        let next = if arguments.confirm.is_some() || is_watch {
            "changes"
        } else {
            "show"
        };
        terminal::say(&format!("now: perflab history {next} {}", operand(&out)));
    }
    Ok(None)
}

/// The revisions that the command line asks for.
fn asked(arguments: &RunArguments) -> Result<Asked, Failure> {
    let range = [
        ("--fill", &arguments.fill),
        ("--confirm", &arguments.confirm),
    ];
    let range = range
        .into_iter()
        .find_map(|(flag, text)| Some((flag, text.as_ref()?)));
    let Some((flag, text)) = range else {
        return Ok(Asked {
            since: arguments.since.clone(),
            until: arguments.until.clone(),
            every: arguments.every,
        });
    };
    match text.split_once("..") {
        Some((from, to)) if !from.is_empty() && !to.is_empty() && !to.starts_with('.') => {
            Ok(Asked {
                since: Some(from.to_owned()),
                until: Some(to.to_owned()),
                every: Some(perflab_history::Every::default()),
            })
        }
        _ => Err(Failure::usage(format!(
            "{flag}: expected two revisions as A..B, found {text}"
        ))),
    }
}

/// The patch that is tried, if one is.
fn patch(arguments: &RunArguments) -> Result<Option<Patch>, Failure> {
    let Some(path) = &arguments.patch else {
        return Ok(None);
    };
    let content = fs::read(path).map_err(|error| {
        Failure::usage(format!("cannot read the patch {}: {error}", path.display()))
    })?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    if !perflab_experiment::is_name(&stem) {
        return Err(Failure::usage(format!(
            "the patch {} gives its name to a variant, so it must be letters, digits, `_`, `-` and `.`; rename it",
            path.display()
        )));
    }
    Ok(Some(Patch {
        name: stem.into_owned(),
        content,
    }))
}

/// Says that a history was cut off when it was cloned.
pub(super) fn warn_if_shallow(repository: Option<&Repository>) -> Result<(), Failure> {
    let Some(repository) = repository else {
        return Ok(());
    };
    if repository.is_shallow()? {
        terminal::say(
            "note: the repository is a shallow clone, so its history begins where that was cut off: `git fetch \
             --unshallow` gets all of it",
        );
    }
    Ok(())
}

/// Refuses an experiment in which revisions cannot take the place of a variant, before anything is built.
pub(super) fn check(read: &Read) -> Result<(), Failure> {
    let nowhere = Revision {
        id: "0".repeat(40),
        time: 0,
        subject: String::new(),
        parents: Vec::new(),
        tags: Vec::new(),
    };
    let ready = perflab_history::Ready {
        revision: &nowhere,
        tree: Path::new("/"),
    };
    let experiment = {
        let measure = &read.file.measure;
        let variant = measure.variant.as_deref();
        campaign_experiment(&read.experiment, variant, ready, &[], measure.design(0))?
    };
    parsed(&experiment, read).map(drop)
}

/// The text of an experiment, which must be one that can be read.
pub(super) fn parsed(experiment: &Experiment, read: &Read) -> Result<String, Failure> {
    let text = toml::to_string(experiment).map_err(|error| {
        Failure::usage(format!(
            "cannot write the experiment of a campaign: {error}"
        ))
    })?;
    Experiment::parse(&text, "experiment.toml").map_err(|error| {
        Failure::usage(format!(
            "revisions cannot take the place of the variant in {}: {error}",
            read.experiment_path.display()
        ))
    })?;
    Ok(text)
}
