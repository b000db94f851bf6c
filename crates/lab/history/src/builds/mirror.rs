//! A copy of a repository, from which revisions are checked out: that of the user is only ever read.

use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};

use perflab_runner::Fault;
use perflab_store::remove_all;

use super::error::BuildError;
use super::workshop::{Workshop, needed};
use crate::git::Repository;

/// Name of the copy.
pub(crate) const NAME: &str = "mirror.git";

/// What is fetched. Names of the copy's own, by which it keeps revisions that a rewritten branch lost, stay apart.
const FETCHED: [&str; 3] = [
    "+refs/heads/*:refs/heads/*",
    "+refs/tags/*:refs/tags/*",
    "+refs/remotes/*:refs/remotes/*",
];

/// What is fetched of a repository whose `HEAD` names a branch that is there.
const FETCHED_HEAD: &str = "+HEAD:refs/perflab/origin";

/// What `HEAD` names in the repository of the user. In the copy it stands for the same.
const HEAD: &str = "refs/perflab/origin";

/// Begins the names that keep the revisions that were built.
const KEPT: &str = "refs/perflab/built";

/// The copy.
#[derive(Debug)]
pub(super) struct Mirror {
    directory: PathBuf,
    /// The address that submodules and the like are relative to.
    address: String,
}

impl Mirror {
    /// The copy of a repository in the directory of a history, made or brought up to date.
    pub(super) fn refresh(
        workshop: &Workshop<'_>,
        home: &Path,
        origin: &str,
    ) -> Result<Self, BuildError> {
        let directory = home.join(NAME);
        let log = home.join("mirror.log");
        let address = address(origin);
        if directory.join("HEAD").is_file() {
            for entry in entries(&directory)? {
                // Objects are many, and only git's notes about them are locked.
                match entry.file_name() == "objects" {
                    true => remove_locks(&entry.path().join("info"))?,
                    false => remove_lock(&entry)?,
                }
            }
            needed(fetch(workshop, &directory, origin, &log)?, &log)?;
            return Ok(Self { directory, address });
        }
        // A copy that was not finished has another name.
        let unfinished = home.join(format!("{NAME}.partial"));
        remove_all(&unfinished)?;
        fs::create_dir_all(&unfinished).map_err(BuildError::io("make", &unfinished))?;
        for words in [
            ["init", "--quiet", "--bare"],
            ["symbolic-ref", "HEAD", HEAD],
        ] {
            needed(workshop.git(words, &unfinished, &log)?, &log)?;
        }
        needed(fetch(workshop, &unfinished, origin, &log)?, &log)?;
        fs::rename(&unfinished, &directory).map_err(BuildError::io("rename", &unfinished))?;
        Ok(Self { directory, address })
    }

    /// The copy as a repository.
    pub(super) fn repository(&self) -> Result<Repository, BuildError> {
        Ok(Repository::open(&self.directory)?)
    }

    /// Puts the files of a commit into a new directory, which becomes the work tree of a repository of its own.
    pub(super) fn check_out(
        &self,
        workshop: &Workshop<'_>,
        commit: &str,
        tree: &str,
        submodules: bool,
        log: &Path,
    ) -> Result<Result<(), Fault>, BuildError> {
        let keep = format!("{KEPT}/{commit}");
        let kept = workshop.git(["update-ref", &keep, commit], &self.directory, log)?;
        needed(kept, log)?;
        let copy = [
            "clone",
            "--quiet",
            "--shared",
            "--no-checkout",
            "--",
            ".",
            tree,
        ];
        needed(workshop.git(copy, &self.directory, log)?, log)?;
        let origin = ["config", "remote.origin.url", &self.address];
        needed(workshop.git(origin, Path::new(tree), log)?, log)?;
        let words = ["checkout", "--quiet", "--detach", commit, "--"];
        let done = workshop.git(words, Path::new(tree), log)?;
        if done.is_err() || !submodules {
            return Ok(done);
        }
        // The repository names the addresses, and one of this kind is a command, whatever the user allows elsewhere.
        let words = ["-c", "protocol.ext.allow=never", "submodule", "--quiet"];
        let words = words.into_iter().chain(["update", "--init", "--recursive"]);
        workshop.git(words, Path::new(tree), log)
    }
}

/// The address of the repository that one in a directory was cloned from; its own where it was not, or has a relative one.
fn address(origin: &str) -> String {
    let of_clone = Repository::open(Path::new(origin))
        .ok()
        .and_then(|repository| repository.address())
        .filter(|address| !address.starts_with('.'));
    of_clone.unwrap_or_else(|| origin.to_owned())
}

fn fetch(
    workshop: &Workshop<'_>,
    into: &Path,
    origin: &str,
    log: &Path,
) -> Result<Result<(), Fault>, BuildError> {
    // A copy of a shallow clone is as shallow.
    let words = [
        "--quiet",
        "--prune",
        "--update-shallow",
        "--no-auto-gc",
        "--no-write-fetch-head",
        "--",
        origin,
    ];
    // It stays so until all is fetched at once.
    let unshallow = into.join("shallow").is_file().then_some("--unshallow");
    let words = std::iter::once("fetch")
        .chain(unshallow)
        .chain(words)
        .chain(FETCHED);
    match has_head(workshop, into, origin, log)? {
        Ok(true) => workshop.git(words.chain([FETCHED_HEAD]), into, log),
        Ok(false) => {
            // What it named before is not what it names.
            needed(workshop.git(["update-ref", "-d", HEAD], into, log)?, log)?;
            workshop.git(words, into, log)
        }
        Err(fault) => Ok(Err(fault)),
    }
}

/// Whether `HEAD` names a branch that is there.
fn has_head(
    workshop: &Workshop<'_>,
    into: &Path,
    origin: &str,
    log: &Path,
) -> Result<Result<bool, Fault>, BuildError> {
    let done = workshop.git(["ls-remote", "--", origin, "HEAD"], into, log)?;
    let printed = fs::read(log).map_err(BuildError::io("read", log))?;
    Ok(done.map(|()| {
        printed
            .split(|byte| *byte == b'\n')
            .any(|line| line.ends_with(b"\tHEAD"))
    }))
}

/// Removes the locks of a git that was killed from a directory, if it is there. Only this laboratory writes to the copy,
/// and no name of git's ends so.
fn remove_locks(directory: &Path) -> Result<(), BuildError> {
    if !directory.is_dir() {
        return Ok(());
    }
    entries(directory)?.iter().try_for_each(remove_lock)
}

fn remove_lock(entry: &DirEntry) -> Result<(), BuildError> {
    let path = entry.path();
    if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
        return remove_locks(&path);
    }
    match path.extension().is_some_and(|end| end == "lock") {
        true => fs::remove_file(&path).map_err(BuildError::io("remove", &path)),
        false => Ok(()),
    }
}

fn entries(directory: &Path) -> Result<Vec<DirEntry>, BuildError> {
    let read = || BuildError::io("read", directory);
    let entries = fs::read_dir(directory).map_err(read())?;
    entries.map(|entry| entry.map_err(read())).collect()
}
