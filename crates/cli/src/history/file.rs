//! The history file, and the experiment that it names.

use std::path::{Path, PathBuf};

use perflab_experiment::Experiment;
use perflab_history::{
    Asked, HistoryFile, Repository, Revision, Source, Timeline, command_argv, file_versions,
    is_history, local_path, versions,
};

use super::check::check_inputs;
use super::run::warn_if_shallow;
use crate::failure::{Code, Failure};
use crate::output::directory_of;
use crate::results::RESULTS;
use crate::run;
use crate::terminal;
use crate::text_file;

/// A history file that was read.
pub(super) struct Read {
    pub(super) text: String,
    pub(super) file: HistoryFile,
    /// Its directory, to which its paths are relative.
    pub(super) home: PathBuf,
    pub(super) experiment: Experiment,
    /// The directory of the experiment file.
    pub(super) experiment_home: PathBuf,
    /// The experiment file.
    pub(super) experiment_path: PathBuf,
}

/// Reads a history file and its experiment.
pub(super) fn read(path: &Path) -> Result<Read, Failure> {
    let text = text_file::read(path).map_err(|error| {
        Failure::usage(format!(
            "cannot read the history file {}: {error}",
            path.display()
        ))
    })?;
    let file = HistoryFile::parse(&text, &path.display().to_string()).map_err(Failure::usage)?;
    let home = directory_of(path).canonicalize().map_err(|error| {
        Failure::usage(format!(
            "cannot find the directory of {}: {error}",
            path.display()
        ))
    })?;
    let experiment_path = home.join(&file.measure.experiment);
    let experiment_text = run::file::read(&experiment_path)?;
    let experiment = run::file::parse(&experiment_text, &experiment_path)?;
    Ok(Read {
        experiment_home: run::file::home_of(&experiment_path)?,
        text,
        file,
        home,
        experiment,
        experiment_path,
    })
}

impl Read {
    /// The directory of the history.
    pub(super) fn out(&self, asked: Option<&Path>) -> PathBuf {
        let default = || Path::new(RESULTS).join(format!("{}-history", self.file.name));
        asked.map_or_else(default, Path::to_path_buf)
    }

    /// The user's own repository, for a look at what would be measured. If git has to fetch it, the `copy` serves that the
    /// last run made.
    pub(super) fn repository(&self, copy: Option<&Path>) -> Result<Option<Repository>, Failure> {
        let Some(address) = &self.file.source.git else {
            return Ok(None);
        };
        match (self.local(address), copy) {
            (Some(path), _) => Ok(Some(Repository::open(&path)?)),
            (None, Some(copy)) => {
                terminal::say(&terminal::escape(&format!(
                    "note: these are the revisions that the last run found in {address}; a run fetches newer ones"
                )));
                Ok(Some(Repository::open(copy)?))
            }
            (None, None) => Err(Failure::usage(format!(
                "{address} must be fetched before its revisions are known; `perflab history run` without --dry-run \
                 fetches them"
            ))),
        }
    }

    /// The path of a repository that git need not fetch to read it: not that of a bundle, which is a file.
    fn local(&self, address: &str) -> Option<PathBuf> {
        local_path(address, &self.home).filter(|path| !path.is_file())
    }

    /// Calls `of` with the user's own repository, or with none for a list of versions, before the directory of a new
    /// history is made: a mistake leaves none. Does nothing if there is a history already, whose copy may have more
    /// revisions, or if git has to fetch the repository first.
    pub(super) fn look<T>(
        &self,
        out: &Path,
        of: impl FnOnce(Option<&Repository>) -> Result<T, Failure>,
    ) -> Result<Option<T>, Failure> {
        if is_history(out) {
            return Ok(None);
        }
        let repository = match &self.file.source.git {
            None => None,
            Some(address) => match self.local(address) {
                Some(path) => Some(Repository::open(&path)?),
                None => return Ok(None),
            },
        };
        warn_if_shallow(repository.as_ref())?;
        of(repository.as_ref()).map(Some)
    }

    /// The versions that the file or its command lists.
    pub(super) fn listed(&self) -> Result<Vec<Revision>, Failure> {
        let source = &self.file.source;
        let Some(command) = &source.list else {
            return Ok(file_versions(&self.file)?);
        };
        let argv = command_argv(command, &self.home.to_string_lossy()).map_err(Failure::usage)?;
        let (program, arguments) = argv
            .split_first()
            .ok_or_else(|| Failure::usage("`list` is empty"))?;
        let output = std::process::Command::new(program)
            .args(arguments)
            .current_dir(&self.home)
            .stdin(std::process::Stdio::null())
            .output()
            .map_err(|error| {
                let program = program.display();
                Failure::environment(format!("cannot start `{program}` of `list`: {error}"))
            })?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let last = said.lines().last().unwrap_or_default();
            return Err(Failure::new(
                Code::Environment,
                format!(
                    "the command of `list` failed ({}); it said last: {last}",
                    output.status
                ),
            ));
        }
        let found = versions(&String::from_utf8_lossy(&output.stdout))?;
        match found.is_empty() {
            false => Ok(found),
            true => Err(Failure::usage(format!(
                "`list` in [source] names no version: `{}` printed no line; expected `NAME DATE` for each version, as \
                 `1.2 2026-11-21`",
                command.argv.join(" ")
            ))),
        }
    }

    /// The revisions that are asked for. `former`: the control so far.
    pub(super) fn timeline(
        &self,
        repository: Option<&Repository>,
        asked: &Asked,
        former: Option<&Revision>,
    ) -> Result<Timeline, Failure> {
        let source = self.source(repository)?;
        let timeline = Timeline::new(&self.file, &source, asked, former)?;
        if let Some(repository) = repository {
            check_inputs(self, repository, &[&timeline.control])?;
        }
        Ok(timeline)
    }

    /// Where revisions come from.
    pub(super) fn source<'r>(
        &self,
        repository: Option<&'r Repository>,
    ) -> Result<Source<'r>, Failure> {
        match repository {
            Some(repository) => Ok(Source::Git(repository)),
            None => Ok(Source::Listed(self.listed()?)),
        }
    }
}
