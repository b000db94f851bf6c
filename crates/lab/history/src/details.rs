//! What changed from one measured revision to the next: commits, files, functions.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::builds::{BuildFacts, Symbol, SymbolChanges, symbol_changes};
use crate::directory::HistoryDir;
use crate::git::{GitError, Repository};
use crate::revision::Revision;
use crate::view::View;

/// What changed with a revision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Details {
    /// The place of the revision in the view.
    pub place: usize,
    /// The place of the one before that was built; absent for the first.
    pub before: Option<usize>,
    /// The commits since then, the oldest first; the revision itself is the last.
    pub commits: Vec<Revision>,
    /// The files that differ.
    pub files: Vec<String>,
    /// How the functions of each program differ, by the path of the program.
    pub programs: Vec<(String, SymbolChanges)>,
}

/// Why there are no details.
#[derive(Debug, thiserror::Error)]
pub enum DetailsError {
    /// A name is that of no revision that was measured.
    #[error("no revision that was measured is called `{0}`; `perflab history show DIR` lists them")]
    Unknown(String),
    /// A name is the beginning of several.
    #[error("`{name}` is the beginning of several revisions: {}", .found.join(", "))]
    Ambiguous {
        /// The name.
        name: String,
        /// The names of those that begin so.
        found: Vec<String>,
    },
    /// The copy of the repository cannot be read.
    #[error(transparent)]
    Git(#[from] GitError),
}

impl View {
    /// The place of the revision of a name: a hash or its beginning, a tag, or a version.
    ///
    /// # Errors
    /// If it is none, or several.
    pub fn place_of(&self, name: &str) -> Result<usize, DetailsError> {
        let places = |is: &dyn Fn(&Revision) -> bool| -> Vec<usize> {
            let all = self.revisions.iter().enumerate();
            all.filter(|(_, seen)| is(&seen.revision))
                .map(|(place, _)| place)
                .collect()
        };
        let exact = places(&|revision| {
            revision.id == name
                || revision.name() == name
                || revision.tags.iter().any(|tag| tag == name)
        });
        let found = match exact.is_empty() {
            true => places(&|revision| !name.is_empty() && revision.id.starts_with(name)),
            false => exact,
        };
        match found[..] {
            [place] => Ok(place),
            [] => Err(DetailsError::Unknown(name.to_owned())),
            _ => Err(DetailsError::Ambiguous {
                name: name.to_owned(),
                found: found
                    .iter()
                    .map(|place| self.revisions[*place].revision.name())
                    .collect(),
            }),
        }
    }

    /// The place of the revision that one is seen against: of a patch the revision that it is on, otherwise the one before
    /// that could be built.
    fn before(&self, place: usize) -> Option<usize> {
        let own = &self.revisions[place].revision;
        let is_base = |place: &usize| {
            let seen = &self.revisions[*place];
            match own.is_patched() {
                true => own.parents.contains(&seen.revision.id),
                false => !seen.revision.is_patched() && !seen.is_unbuilt(),
            }
        };
        (0..place).rev().find(is_base)
    }

    /// What changed with the revision at a place since the one before it that could be built.
    ///
    /// # Errors
    /// If the copy of the repository cannot be read.
    pub fn details(&self, directory: &HistoryDir, place: usize) -> Result<Details, DetailsError> {
        self.details_with(directory, place, None)
    }

    /// The same, where the files of all revisions are known.
    ///
    /// # Errors
    /// If the copy of the repository cannot be read.
    pub fn details_with(
        &self,
        directory: &HistoryDir,
        place: usize,
        files: Option<&Files>,
    ) -> Result<Details, DetailsError> {
        let before = self.before(place);
        let mut details = Details {
            place,
            before,
            commits: Vec::new(),
            files: Vec::new(),
            programs: Vec::new(),
        };
        let Some(before) = before else {
            return Ok(details);
        };
        let (before, after) = (&self.revisions[before], &self.revisions[place]);
        if let Some(mirror) = directory.mirror() {
            let repository = Repository::known(mirror);
            let (from, to) = (before.revision.commit(), after.revision.commit());
            details.commits = match &after.revision.parents[..] {
                [parent] if parent == from && after.revision.id == to => {
                    vec![after.revision.clone()]
                }
                _ => repository.between(from, to, false)?,
            };
            details.files = match files.and_then(|files| files.0.get(&place)) {
                Some(files) => files.clone(),
                None => repository.changed_paths(from, to)?,
            };
        }
        if let (Some(before), Some(after)) = (&before.build, &after.build) {
            details.programs = programs(directory, before, after);
        }
        Ok(details)
    }
}

/// The files that changed with each revision, by its place.
#[derive(Debug)]
pub struct Files(HashMap<usize, Vec<String>>);

impl Files {
    /// Of all revisions of a view, in one call of git.
    ///
    /// # Errors
    /// If the copy of the repository cannot be read.
    pub fn of(view: &View, directory: &HistoryDir) -> Result<Self, DetailsError> {
        let Some(mirror) = directory.mirror() else {
            return Ok(Self(HashMap::new()));
        };
        let places =
            (0..view.revisions.len()).filter_map(|place| Some((place, view.before(place)?)));
        let places: Vec<(usize, usize)> = places.collect();
        let commit = |place: usize| view.revisions[place].revision.commit();
        let pairs: Vec<(&str, &str)> = places
            .iter()
            .map(|(place, before)| (commit(*before), commit(*place)))
            .collect();
        let files = Repository::known(mirror).changed_paths_of_all(&pairs)?;
        Ok(Self(
            places.iter().map(|(place, _)| *place).zip(files).collect(),
        ))
    }
}

/// How the functions of the programs of two builds differ, as far as both have symbols.
fn programs(
    directory: &HistoryDir,
    before: &BuildFacts,
    after: &BuildFacts,
) -> Vec<(String, SymbolChanges)> {
    let own = |build: &BuildFacts, file: &str| symbols_of(&directory.log(build.build).join(file));
    let pairs = after.programs.iter().filter_map(|program| {
        let former = before
            .programs
            .iter()
            .find(|former| former.path == program.path)?;
        let changes = symbol_changes(
            &own(before, former.symbols.as_ref()?)?,
            &own(after, program.symbols.as_ref()?)?,
        );
        Some((program.path.clone(), changes))
    });
    pairs.collect()
}

fn symbols_of(path: &Path) -> Option<Vec<Symbol>> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}
