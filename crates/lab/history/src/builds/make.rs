//! Makes builds.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use perflab_experiment::{Command, Status};
use perflab_runner::{Fault, Host};
use perflab_store::remove_all;

use super::error::BuildError;
use super::facts::{BuildFacts, SCHEMA};
use super::key::BuildKey;
use super::mirror::Mirror;
use super::programs::program;
use super::site::{Site, text_of};
use super::trees::Trees;
use super::wanted::{Built, Wanted};
use super::words::{Words, command_argv};
use super::workshop::{Workshop, needed};
use crate::file::HistoryFile;
use crate::git::{Repository, local_path};
use crate::journal::Journal;

/// The journal of builds.
pub(crate) const JOURNAL: &str = "builds.jsonl";

/// The directory of their logs.
pub(crate) const LOGS: &str = "builds";

/// Time limit of a command that says what builds.
const VERSION_LIMIT: Duration = Duration::from_secs(60);

/// Builds the revisions of a history.
pub struct Builder<'a> {
    pub(super) workshop: Workshop<'a>,
    file: &'a HistoryFile,
    /// The directory of the history file, to which its paths are relative.
    pub(super) origin: &'a str,
    /// The directory of the history.
    pub(super) home: &'a Path,
    mirror: Option<(Mirror, Repository)>,
    /// What compilers and the like say of themselves.
    versions: Vec<u8>,
    trees: Trees,
    journal: Journal<BuildFacts>,
    /// The last build of each key.
    known: HashMap<BuildKey, BuildFacts>,
    builds: u32,
}

/// A command of a build, with what it is for.
type Task<'c> = (&'static str, &'c Command);

impl<'a> Builder<'a> {
    /// Gets ready to build: brings the copy of the repository up to date, asks the commands of `version`, and removes
    /// what was not finished. `origin`: the directory of the history file. `home`: the directory of the history.
    ///
    /// # Errors
    /// If the repository cannot be read, a command of `version` fails, or the directory cannot be written.
    pub fn new(
        host: &'a dyn Host,
        file: &'a HistoryFile,
        origin: &'a Path,
        home: &'a Path,
    ) -> Result<Self, BuildError> {
        let workshop = Workshop::new(host, &file.build);
        let logs = home.join(LOGS);
        fs::create_dir_all(&logs).map_err(BuildError::io("make", &logs))?;
        let trees = Trees::open(home)?;
        let mirror = match &file.source.git {
            None => None,
            Some(address) => {
                let local = local_path(address, origin);
                let original = local.as_ref().and_then(|path| Repository::open(path).ok());
                let outer = original.as_ref().zip(local.as_ref());
                let outer = outer.and_then(|(original, path)| original.around(path));
                let local = outer.or(local);
                let address = local.as_deref().map_or(Ok(address.as_str()), text_of)?;
                let mirror = Mirror::refresh(&workshop, home, address)?;
                let repository = mirror.repository()?.copy_of(original);
                Some((mirror, repository))
            }
        };
        let journal = Journal::new(home.join(JOURNAL));
        let facts: Vec<BuildFacts> = journal.read()?;
        let builds = facts.iter().map(|facts| facts.build).max().unwrap_or(0);
        let mut known = HashMap::new();
        for facts in facts {
            note(&mut known, BuildKey::known(&facts.key), facts);
        }
        let mut builder = Self {
            workshop,
            file,
            origin: text_of(origin)?,
            home,
            mirror,
            versions: Vec::new(),
            trees,
            journal,
            known,
            builds,
        };
        builder.versions = builder.ask_versions()?;
        Ok(builder)
    }

    /// The copy of the repository; nothing where revisions do not come from git.
    pub fn repository(&self) -> Option<&Repository> {
        self.mirror.as_ref().map(|(_, repository)| repository)
    }

    /// What a build of a revision is made of.
    ///
    /// # Errors
    /// If the repository cannot be read, or a command has an unknown placeholder.
    pub fn key_of(&self, wanted: &Wanted<'_>) -> Result<BuildKey, BuildError> {
        self.key(wanted, &self.tasks(&wanted.quirks))
    }

    /// Builds a revision, unless it was built before.
    ///
    /// # Errors
    /// If nothing can be built; a revision that cannot is a fact.
    pub fn build(&mut self, wanted: &Wanted<'_>) -> Result<Built, BuildError> {
        let tasks = self.tasks(&wanted.quirks);
        let key = self.key(wanted, &tasks)?;
        let known = self.known.get(&key).filter(|_| !wanted.fresh);
        if let Some(facts) = known {
            let has_passed = facts.status.passed();
            let is_there = has_passed && self.trees.has(&key, facts.build);
            if is_there || !(has_passed || wanted.again) {
                return Ok(Built {
                    tree: is_there.then(|| self.tree_of(&key)),
                    facts: facts.clone(),
                    is_reused: true,
                    key,
                });
            }
        }
        // A fresh build that fails must not cost the one that is there.
        self.trees.set_aside(&key)?;
        let facts = self.make(wanted, &key, &tasks)?;
        if !facts.status.passed() {
            self.workshop.check_room(self.home)?;
        }
        self.journal.append(&facts)?;
        note(&mut self.known, key.clone(), facts.clone());
        let has_passed = facts.status.passed();
        if has_passed {
            self.trees.complete(&key, facts.build)?;
            self.trees.drop_aside(&key)?;
        } else {
            remove_all(&self.trees.of(&key))?;
            self.trees.put_back(&key)?;
        }
        Ok(Built {
            tree: has_passed.then(|| self.tree_of(&key)),
            facts,
            is_reused: false,
            key,
        })
    }

    /// Removes the files of the builds that were not used for the longest time, until at most so many bytes are left or
    /// only builds that are needed.
    ///
    /// # Errors
    /// If something cannot be removed.
    pub fn make_room(&self, most: u64, needed: &[BuildKey]) -> Result<(), BuildError> {
        self.trees.make_room(most, needed)
    }

    fn tree_of(&self, key: &BuildKey) -> PathBuf {
        self.trees.of(key).join("tree")
    }

    fn tasks<'c>(&self, quirks: &[&'c Command]) -> Vec<Task<'c>>
    where
        'a: 'c,
    {
        let file: &'c HistoryFile = self.file;
        let obtain = file.source.obtain.iter().map(|command| ("obtain", command));
        let quirks = quirks.iter().map(|command| ("quirk", *command));
        let steps = file.build.steps.iter().map(|command| ("build", command));
        obtain.chain(quirks).chain(steps).collect()
    }

    /// What a build of a revision is made of.
    fn key(&self, wanted: &Wanted<'_>, tasks: &[Task<'_>]) -> Result<BuildKey, BuildError> {
        let revision = wanted.revision;
        let content = match self.repository() {
            Some(repository) => repository.content(revision.commit(), &self.file.build.inputs)?,
            None => revision.id.clone().into_bytes(),
        };
        let words = Words {
            revision,
            tree: None,
            history: self.origin,
        };
        let build = &self.file.build;
        let mut ingredients = vec![content, self.versions.clone()];
        ingredients.extend(wanted.patch.map(<[u8]>::to_vec));
        for (purpose, command) in tasks {
            ingredients.push(purpose.as_bytes().to_vec());
            for word in words.argv(command)? {
                ingredients.push(word.into_encoded_bytes());
            }
        }
        for (name, value) in &build.env {
            ingredients.push(format!("{name}={value}").into_bytes());
        }
        ingredients.extend(build.directory.iter().map(|path| path.clone().into_bytes()));
        ingredients.extend(build.programs.iter().map(|path| path.clone().into_bytes()));
        ingredients.push(vec![u8::from(self.file.source.submodules)]);
        Ok(BuildKey::of(ingredients.iter().map(Vec::as_slice)))
    }

    /// Makes a build; its files are not complete yet.
    fn make(
        &mut self,
        wanted: &Wanted<'_>,
        key: &BuildKey,
        tasks: &[Task<'_>],
    ) -> Result<BuildFacts, BuildError> {
        let revision = wanted.revision;
        self.builds += 1;
        let logs = self.home.join(LOGS).join(format!("{:06}", self.builds));
        // A laboratory that was killed may have left logs of a build that is not in the journal.
        remove_all(&logs)?;
        fs::create_dir(&logs).map_err(BuildError::io("make", &logs))?;
        let mut site = Site {
            revision,
            tree: self.trees.begin(key)?.join("tree"),
            logs,
            steps: Vec::new(),
        };
        let started = self.workshop.host.timestamp().to_string();
        let mut done = self.obtain(&mut site)?;
        if let (Ok(()), Some(patch)) = (&done, wanted.patch) {
            done = self.apply(&mut site, patch)?;
        }
        if done.is_ok() {
            done = self.execute(&mut site, tasks)?;
        }
        let mut programs = Vec::new();
        let done = done.and_then(|()| {
            for path in &self.file.build.programs {
                let (mut facts, symbols) = program(&site.tree, path).map_err(|detail| Fault {
                    status: Status::NoBuild,
                    detail,
                })?;
                if !symbols.is_empty() {
                    let name = format!("symbols-{}.json", programs.len() + 1);
                    let text = serde_json::to_vec(&symbols).unwrap_or_default();
                    if fs::write(site.logs.join(&name), text).is_ok() {
                        facts.symbols = Some(name);
                    }
                }
                programs.push(facts);
            }
            Ok(())
        });
        let (status, detail) = match done {
            Ok(()) => (Status::Pass, None),
            Err(fault) => (fault.status, Some(fault.detail)),
        };
        Ok(BuildFacts {
            schema: SCHEMA,
            build: self.builds,
            key: key.to_string(),
            revision: revision.id.clone(),
            started,
            status,
            detail,
            steps: site.steps,
            programs,
        })
    }

    /// Puts the files of a revision into its directory, where they come from git.
    fn obtain(&self, site: &mut Site<'_>) -> Result<Result<(), Fault>, BuildError> {
        let Some((mirror, _)) = &self.mirror else {
            fs::create_dir(&site.tree).map_err(BuildError::io("make", &site.tree))?;
            return Ok(Ok(()));
        };
        let log = site.log("check-out");
        let begun = self.workshop.host.now();
        let done = mirror.check_out(
            &self.workshop,
            site.revision.commit(),
            text_of(&site.tree)?,
            self.file.source.submodules,
            &site.logs.join(&log),
        )?;
        site.note("check-out", log, self.workshop.host.now() - begun);
        Ok(done)
    }

    /// Applies a patch, a copy of which stays with the logs.
    fn apply(&self, site: &mut Site<'_>, patch: &[u8]) -> Result<Result<(), Fault>, BuildError> {
        let path = site.logs.join("patch");
        fs::write(&path, patch).map_err(BuildError::io("write", &path))?;
        let log = site.log("patch");
        let begun = self.workshop.host.now();
        let words = ["apply", "--whitespace=nowarn", "--", text_of(&path)?];
        let done = self
            .workshop
            .git(words, &site.tree, &site.logs.join(&log))?;
        site.note("patch", log, self.workshop.host.now() - begun);
        Ok(done)
    }

    /// Executes the commands, until one fails.
    fn execute(
        &self,
        site: &mut Site<'_>,
        tasks: &[Task<'_>],
    ) -> Result<Result<(), Fault>, BuildError> {
        let tree = text_of(&site.tree)?.to_owned();
        let words = Words {
            revision: site.revision,
            tree: Some(&tree),
            history: self.origin,
        };
        for (purpose, command) in tasks {
            let directory = match (&self.file.build.directory, *purpose) {
                (Some(directory), "build") => match site.inside(directory) {
                    Ok(directory) => directory,
                    Err(fault) => return Ok(Err(fault)),
                },
                _ => site.tree.clone(),
            };
            let log = site.log(purpose);
            let begun = self.workshop.host.now();
            let argv = words.argv(command)?;
            let limit = self.file.build.timeout;
            let path = site.logs.join(&log);
            let done = self
                .workshop
                .execute(purpose, &argv, &directory, &path, limit)?;
            site.note(purpose, log, self.workshop.host.now() - begun);
            if done.is_err() {
                return Ok(done);
            }
        }
        Ok(Ok(()))
    }

    /// What the commands of `version` print.
    fn ask_versions(&self) -> Result<Vec<u8>, BuildError> {
        let log = self.home.join("version.log");
        let mut said = Vec::new();
        for command in &self.file.build.version {
            let argv = command_argv(command, self.origin)?;
            let done = self
                .workshop
                .execute("version", &argv, self.home, &log, VERSION_LIMIT)?;
            needed(done, &log)?;
            said.extend(fs::read(&log).map_err(BuildError::io("read", &log))?);
            said.push(0);
        }
        Ok(said)
    }
}

/// Notes a build: the last one of its key, but one that failed takes the place of none that passed.
fn note(known: &mut HashMap<BuildKey, BuildFacts>, key: BuildKey, facts: BuildFacts) {
    let is_worse =
        !facts.status.passed() && known.get(&key).is_some_and(|known| known.status.passed());
    if !is_worse {
        known.insert(key, facts);
    }
}
