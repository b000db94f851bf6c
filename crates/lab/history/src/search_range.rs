//! The revisions between a good and a bad one: among them is the one that introduced a change.

use std::collections::HashMap;

use perflab_stats::bisection::{Lineage, Revision as Place};

use crate::git::{GitError, Repository};
use crate::revision::Revision;
use crate::selection::SelectionError;
use crate::timeline::{Names, Source, TimelineError, place_of_end};

/// What the command line calls the older end.
const GOOD: &str = "GOOD";

/// What it calls the newer end.
const BAD: &str = "BAD";

/// The revisions that may have introduced a change, between two ends.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchRange {
    /// The older end, which has no change.
    pub good: Revision,
    /// All others, parents before children. The newer end is the last one.
    pub revisions: Vec<Revision>,
    /// Which of them contain which.
    pub lineage: Lineage,
}

/// Why there are no revisions between two ends.
#[derive(Debug, thiserror::Error)]
pub enum SearchRangeError {
    /// An end cannot be found.
    #[error(transparent)]
    Timeline(#[from] TimelineError),
    /// The repository cannot be read.
    #[error(transparent)]
    Git(#[from] GitError),
    /// Both ends are the same revision.
    #[error("GOOD and BAD are the same revision, {0}; name two different ones")]
    Same(String),
    /// The ends are the wrong way round.
    #[error(
        "GOOD ({good}) is newer than BAD ({bad}); name the older one first, also where the change is an improvement"
    )]
    Backwards {
        /// The first end.
        good: String,
        /// The second.
        bad: String,
    },
    /// What is good need not be so in what both come from.
    #[error(
        "GOOD ({good}) is no ancestor of BAD ({bad}); {}",
        .base.as_ref().map_or("they have no commit in common".to_owned(), |base| format!("their last common commit is \
         {base}: if it is good, name it as GOOD; if it is not, search between it and {good}"))
    )]
    Apart {
        /// The first end.
        good: String,
        /// The second.
        bad: String,
        /// The last commit that both contain.
        base: Option<String>,
    },
    /// The graph is too large.
    #[error(
        "the history between the ends cannot be searched: {0}; `--first-parent` takes a merged branch as one revision"
    )]
    Lineage(#[source] perflab_stats::Error),
}

impl SearchRange {
    /// Those between two ends, each a revision or a date: the last revision of the branch up to it, by default of
    /// `HEAD`. With `first_parent` a merged branch is one revision.
    ///
    /// # Errors
    /// If an end is not found, a date is before all revisions, or the first end is not before the second.
    pub fn new(
        source: &Source<'_>,
        branch: Option<&str>,
        [good, bad]: [&str; 2],
        first_parent: bool,
    ) -> Result<Self, SearchRangeError> {
        match source {
            Source::Git(repository) => {
                in_git(source, repository, (branch, [good, bad]), first_parent)
            }
            Source::Listed(all) => {
                let place = |key, name: &str| -> Result<usize, TimelineError> {
                    let place = Names(source).place(key, name)?;
                    place_of_end(all, &place, key, name)
                };
                let (first, last) = (place(GOOD, good)?, place(BAD, bad)?);
                let (Some(good), Some(bad)) = (all.get(first), all.get(last)) else {
                    return Err(TimelineError::from(SelectionError::Empty).into());
                };
                check(good, bad, first <= last)?;
                let revisions = all.get(first + 1..=last).unwrap_or_default().to_vec();
                let lineage =
                    Lineage::linear(revisions.len()).map_err(SearchRangeError::Lineage)?;
                Ok(Self {
                    good: good.clone(),
                    revisions,
                    lineage,
                })
            }
        }
    }

    /// The newer end.
    pub fn bad(&self) -> &Revision {
        self.revisions.last().unwrap_or(&self.good)
    }

    /// The revision at a place of the search.
    pub fn at(&self, place: Place) -> &Revision {
        match place {
            Place::Good => &self.good,
            Place::At(at) => self.revisions.get(at).unwrap_or(self.bad()),
        }
    }

    /// The whole hash of the commit that a name stands for, or of the last one up to a date, of those that the newer end
    /// continues.
    ///
    /// # Errors
    /// If there is none, as for a date before all revisions.
    pub fn commit(&self, repository: &Repository, name: &str) -> Result<String, SearchRangeError> {
        let source = Source::Git(repository);
        Ok(Names(&source).commit(repository, Some(&self.bad().id), "REV", name)?)
    }

    /// The place of a revision in the search.
    pub fn place(&self, id: &str) -> Option<Place> {
        if id == self.good.id {
            return Some(Place::Good);
        }
        let at = self.revisions.iter().position(|revision| revision.id == id);
        at.map(Place::At)
    }
}

/// The ends must be two revisions in this order.
fn check(good: &Revision, bad: &Revision, is_in_order: bool) -> Result<(), SearchRangeError> {
    if good.id == bad.id {
        return Err(SearchRangeError::Same(good.name()));
    }
    match is_in_order {
        true => Ok(()),
        false => Err(SearchRangeError::Backwards {
            good: good.name(),
            bad: bad.name(),
        }),
    }
}

fn in_git(
    source: &Source<'_>,
    repository: &Repository,
    (branch, ends): (Option<&str>, [&str; 2]),
    first_parent: bool,
) -> Result<SearchRange, SearchRangeError> {
    let end = |key, name: &str| -> Result<Revision, SearchRangeError> {
        let commit = Names(source).commit(repository, branch, key, name)?;
        Ok(repository.revision(&commit)?)
    };
    let (good, bad) = (end(GOOD, ends[0])?, end(BAD, ends[1])?);
    let base = repository.base(&good.id, &bad.id)?;
    let is_apart = base
        .as_ref()
        .is_none_or(|base| *base != good.id && *base != bad.id);
    check(&good, &bad, is_apart || base.as_ref() == Some(&good.id))?;
    if is_apart {
        return Err(SearchRangeError::Apart {
            good: good.name(),
            bad: bad.name(),
            base: base.map(|base| base[..base.len().min(12)].to_owned()),
        });
    }
    let revisions = repository.between(&good.id, &bad.id, first_parent)?;
    let places = revisions.iter().enumerate();
    let places: HashMap<&str, usize> = places
        .map(|(at, revision)| (revision.id.as_str(), at))
        .collect();
    let followed = if first_parent { 1 } else { usize::MAX };
    let parents = revisions.iter().map(|revision| {
        let parents = revision.parents.iter().take(followed);
        parents
            .filter_map(|parent| places.get(parent.as_str()).copied())
            .collect()
    });
    let lineage = Lineage::new(parents.collect()).map_err(SearchRangeError::Lineage)?;
    Ok(SearchRange {
        good,
        revisions,
        lineage,
    })
}
