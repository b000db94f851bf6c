//! Calls of the program `git`.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use super::error::GitError;

/// Variables by which git is told of another repository than that of its directory, as inside of a hook.
const OF_ANOTHER: [&str; 14] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CEILING_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// Settings under which nothing of a repository's own configuration starts another program, nothing is written, and logs
/// are in the encoding in which they are read.
pub(crate) const QUIET: [&str; 14] = [
    "--no-pager",
    "--no-replace-objects",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "log.showSignature=false",
    "-c",
    "core.quotePath=false",
    "-c",
    "color.ui=false",
    "-c",
    "i18n.logOutputEncoding=UTF-8",
];

/// Characters of git's own words that an error repeats.
const MOST_SAID: usize = 400;

/// A repository on this machine, with a work tree or without.
#[derive(Debug, Clone)]
pub struct Repository {
    directory: PathBuf,
    /// Of a copy, the repository that it was made of, where that is on this machine.
    original: Option<Box<Self>>,
}

/// The names of the variables that every call of git gets: all of this process but those of another repository.
pub(crate) fn inherited() -> Vec<String> {
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    names
        .filter(|name| !OF_ANOTHER.contains(&name.as_str()))
        .collect()
}

/// The path that a repository's address is, relative to a directory; nothing for an address elsewhere, as
/// `https://...` or `host:path`.
pub fn local_path(address: &str, home: &Path) -> Option<PathBuf> {
    if let Some(path) = address.strip_prefix("file://") {
        return Some(PathBuf::from(path));
    }
    let is_elsewhere = address.contains("://")
        || address
            .split_once(':')
            .is_some_and(|(host, _)| !host.contains('/'));
    (!is_elsewhere).then(|| home.join(address))
}

impl Repository {
    /// The repository in a directory.
    ///
    /// # Errors
    /// If there is none, or git does not trust its owner.
    pub fn open(directory: &Path) -> Result<Self, GitError> {
        if !directory.is_dir() {
            return Err(GitError::Missing(directory.to_owned()));
        }
        let repository = Self::known(directory.to_owned());
        repository.text(&["rev-parse", "--git-dir"])?;
        Ok(repository)
    }

    /// The address that it was cloned from; nothing where it was not, or git cannot tell.
    pub(crate) fn address(&self) -> Option<String> {
        let address = self.text(&["config", "--get", "remote.origin.url"]).ok()?;
        Some(address).filter(|address| !address.is_empty())
    }

    /// The directory by which it can be named: that of its work tree, or where it is.
    ///
    /// # Errors
    /// If git fails.
    pub fn root(&self) -> Result<PathBuf, GitError> {
        let inside = self.text(&["rev-parse", "--is-inside-work-tree"])? == "true";
        let asked = if inside {
            "--show-toplevel"
        } else {
            "--absolute-git-dir"
        };
        Ok(PathBuf::from(self.text(&["rev-parse", asked])?))
    }

    /// The directory by which it can be fetched from, if that of this path is one inside of its work tree.
    pub(crate) fn around(&self, path: &Path) -> Option<PathBuf> {
        let root = self.root().ok()?;
        let own = path.canonicalize().ok()?;
        (own != root && own.starts_with(&root)).then_some(root)
    }

    /// Whether its history was cut off when it was cloned.
    ///
    /// # Errors
    /// If git fails.
    pub fn is_shallow(&self) -> Result<bool, GitError> {
        Ok(self.text(&["rev-parse", "--is-shallow-repository"])? == "true")
    }

    /// As a copy of another repository, in which names stand for what they name there: it has names that a copy lacks, as
    /// `HEAD@{1}`, and commits that no branch holds.
    pub(crate) fn copy_of(self, original: Option<Self>) -> Self {
        let original = original.map(Box::new);
        Self { original, ..self }
    }

    /// The hash of the commit that a name stands for.
    ///
    /// # Errors
    /// If it stands for none.
    pub fn commit(&self, name: &str) -> Result<String, GitError> {
        let Some(original) = &self.original else {
            return self.own_commit(name);
        };
        match original.own_commit(name) {
            Ok(commit) => self.fetched(original, commit),
            // What a branch lost when it was rewritten may be in the copy only.
            Err(error @ GitError::NoCommit { .. }) => self.own_commit(name).map_err(|_| error),
            Err(error) => Err(error),
        }
    }

    /// A commit of the original, which is fetched if it is not in the copy yet.
    fn fetched(&self, original: &Self, commit: String) -> Result<String, GitError> {
        if self.own_commit(&commit).is_err() {
            let from = original.directory.to_string_lossy();
            let words = [
                "fetch",
                "--quiet",
                "--no-tags",
                "--update-shallow",
                "--no-auto-gc",
                "--no-write-fetch-head",
                "--",
                &from,
                &commit,
            ];
            self.bytes(&words)?;
        }
        Ok(commit)
    }

    fn own_commit(&self, name: &str) -> Result<String, GitError> {
        let wanted = format!("{name}^{{commit}}");
        let found = self.text(&[
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &wanted,
        ]);
        match found {
            Ok(hash) if crate::revision::is_hash(&hash) => Ok(hash),
            Err(error @ GitError::Start(_)) => Err(error),
            _ => Err(GitError::NoCommit {
                name: name.to_owned(),
                directory: self.directory.clone(),
                hint: self
                    .is_shallow()?
                    .then(|| "; the repository is a shallow clone, so it may lack it: `git fetch --unshallow` gets all".to_owned()),
            }),
        }
    }

    /// What git prints, without the line feed at the end.
    pub(super) fn text(&self, arguments: &[&str]) -> Result<String, GitError> {
        let bytes = self.bytes(arguments)?;
        let text = String::from_utf8_lossy(&bytes);
        Ok(text.trim_end_matches('\n').to_owned())
    }

    /// A repository of which it is known that it is one.
    pub(crate) fn known(directory: PathBuf) -> Self {
        Self {
            directory,
            original: None,
        }
    }

    /// What git prints.
    pub(super) fn bytes(&self, arguments: &[&str]) -> Result<Vec<u8>, GitError> {
        self.call(arguments, Stdio::null())
    }

    /// What git prints when it reads a text.
    pub(super) fn answer(&self, arguments: &[&str], text: &[u8]) -> Result<Vec<u8>, GitError> {
        let (read, mut write) = io::pipe().map_err(GitError::Start)?;
        thread::scope(|scope| {
            // Git may end before it has read all; what it says then tells more.
            scope.spawn(move || write.write_all(text));
            self.call(arguments, read.into())
        })
    }

    fn call(&self, arguments: &[&str], stdin: Stdio) -> Result<Vec<u8>, GitError> {
        let mut command = Command::new("git");
        command.args(QUIET).args(arguments);
        for name in OF_ANOTHER {
            command.env_remove(name);
        }
        command
            .current_dir(&self.directory)
            .env("LC_ALL", "C")
            .env("GIT_TERMINAL_PROMPT", "0")
            // An index that is only looked at is not refreshed.
            .env("GIT_OPTIONAL_LOCKS", "0")
            .stdin(stdin);
        let output = command.output().map_err(GitError::Start)?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        Err(GitError::Failed {
            command: arguments.join(" "),
            directory: self.directory.clone(),
            said: said(&output.stderr, &output.status.to_string()),
        })
    }
}

/// What a failed program said, in one line of bounded length.
fn said(stderr: &[u8], status: &str) -> String {
    let text = String::from_utf8_lossy(stderr);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let line = lines.collect::<Vec<_>>().join("; ");
    match line.is_empty() {
        true => status.to_owned(),
        false => line.chars().take(MOST_SAID).collect(),
    }
}
