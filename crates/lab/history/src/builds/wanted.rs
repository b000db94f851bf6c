//! A build that is wanted, and what comes of it.

use std::path::PathBuf;

use perflab_experiment::Command;

use super::error::BuildError;
use super::facts::BuildFacts;
use super::key::BuildKey;
use super::make::Builder;
use crate::revision::Revision;

/// A build that was made, now or before.
#[derive(Debug, Clone, PartialEq)]
pub struct Built {
    /// What it was made of.
    pub key: BuildKey,
    /// The directory with the files of the revision and what was built of them; absent where the build failed.
    pub tree: Option<PathBuf>,
    /// How it went.
    pub facts: BuildFacts,
    /// Whether it was there before.
    pub is_reused: bool,
}

/// A build that is wanted.
#[derive(Debug, Clone)]
pub struct Wanted<'w> {
    /// Of which revision.
    pub revision: &'w Revision,
    /// The commands that come before its own.
    pub quirks: Vec<&'w Command>,
    /// A patch that is applied to it, as `git diff` writes it.
    pub patch: Option<&'w [u8]>,
    /// Whether one that failed before is tried once more.
    pub again: bool,
    /// Whether one that is there is made again.
    pub fresh: bool,
}

impl<'w> Wanted<'w> {
    /// A build of a revision, with the commands of its quirks.
    pub fn new(revision: &'w Revision, quirks: Vec<&'w Command>) -> Self {
        Self {
            revision,
            quirks,
            patch: None,
            again: false,
            fresh: false,
        }
    }

    /// Made again even if it is there, unless one of these is the same build.
    ///
    /// # Errors
    /// As [`Builder::key_of`].
    pub fn afresh(
        self,
        builder: &Builder<'_>,
        others: &[(Revision, Built)],
    ) -> Result<Self, BuildError> {
        let key = builder.key_of(&self)?;
        let is_new = others.iter().all(|(_, other)| other.key != key);
        Ok(Self {
            fresh: is_new,
            ..self
        })
    }
}
