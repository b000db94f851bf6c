//! The revisions of a history, resolved: those that are measured, the control, the quirks.

use perflab_experiment::Template;

use crate::date::last_second;
use crate::every::{Every, Word};
use crate::file::HistoryFile;
use crate::git::{GitError, Repository};
use crate::listed::{ListError, in_order};
use crate::pattern::Pattern;
use crate::quirk::{DatedQuirk, dated};
use crate::revision::Revision;
use crate::selection::{Named, Place, SelectionError, place_of, select, times};

/// Where the revisions of a history are read from.
#[derive(Debug)]
pub enum Source<'s> {
    /// A git repository.
    Git(&'s Repository),
    /// A list of versions, the oldest first.
    Listed(Vec<Revision>),
}

/// Which revisions are measured, where it is not what the file says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    /// The first, with the flag that names it.
    pub since: Option<(&'static str, String)>,
    /// The last, with its flag.
    pub until: Option<(&'static str, String)>,
    /// Which of those between.
    pub every: Option<Every>,
}

/// The revisions of a history.
#[derive(Debug, Clone, PartialEq)]
pub struct Timeline {
    /// All of the branch, the oldest first.
    pub revisions: Vec<Revision>,
    /// The places of those that are measured, ascending.
    pub selected: Vec<usize>,
    /// The one that is measured in every campaign. It need not be one of the branch.
    pub control: Revision,
    /// What else changed, in order.
    pub quirks: Vec<DatedQuirk>,
}

/// Why a timeline cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum TimelineError {
    /// The repository cannot be read.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A text names no commit.
    #[error("`{key}`: {source}")]
    NoCommit {
        /// The key of the file, or the flag.
        key: &'static str,
        /// What git has looked for, and where.
        source: GitError,
    },
    /// The list of versions cannot be used.
    #[error(transparent)]
    List(#[from] ListError),
    /// No revision can be selected.
    #[error(transparent)]
    Selection(#[from] SelectionError),
    /// A text is neither a version nor a date.
    #[error(
        "`{key}` is \"{text}\", which is neither a version of the list nor a date such as 2026-11-21"
    )]
    NoVersion {
        /// The key of the file, or the flag.
        key: &'static str,
        /// What it says.
        text: String,
    },
    /// An end of a search, the last revision or the control is a date that is before all revisions.
    #[error(
        "`{key}` is \"{text}\", which is before the first revision, {first} of {date}; name a later date or a revision"
    )]
    TooEarly {
        /// The key of the file, or the flag.
        key: &'static str,
        /// The date as it was given.
        text: String,
        /// The name of the first revision.
        first: String,
        /// Its day.
        date: String,
    },
    /// Versions of a list have neither tags nor parents.
    #[error(
        "only revisions of git have tags and merges; select versions of a list by commit, day, week, month or number"
    )]
    OnlyGit,
}

impl TimelineError {
    /// An error of git on a name that a key of the file, or a flag, has.
    fn of(key: &'static str) -> impl Fn(GitError) -> Self {
        move |error| match error {
            source @ GitError::NoCommit { .. } => Self::NoCommit { key, source },
            error => error.into(),
        }
    }
}

/// The versions that the table `versions` of a file lists.
///
/// # Errors
/// If one is there twice.
pub fn file_versions(file: &HistoryFile) -> Result<Vec<Revision>, ListError> {
    let dated = file.source.versions.iter();
    let dated = dated.filter_map(|(name, date)| Some((name.clone(), last_second(date)?)));
    in_order(dated)
}

impl Timeline {
    /// Reads the revisions, and finds those that are asked for. `former`: the control of the campaigns so far, which stays
    /// the control if the file names none and the source still has it.
    ///
    /// # Errors
    /// If the source cannot be read, or something that is named is not in it.
    pub fn new(
        file: &HistoryFile,
        source: &Source<'_>,
        asked: &Asked,
        former: Option<&Revision>,
    ) -> Result<Self, TimelineError> {
        let names = Names(source);
        let table = &file.revisions;
        let of_file = |key| move |text: &String| (key, text.clone());
        let since = asked.since.clone();
        let since = since.or_else(|| table.since.as_ref().map(of_file("since")));
        let until = asked.until.clone();
        let until = until.or_else(|| table.until.as_ref().map(of_file("until")));
        let own_control = table.control.as_ref().map(of_file("control"));
        let ends = [until.clone(), own_control.clone()];
        let place = |(key, text): (_, String)| names.place(key, &text);
        let since = since.map(place).transpose()?;
        let until = until.map(place).transpose()?;
        let control = own_control.map(place).transpose()?;
        let at = file.quirks.iter().map(|quirk| names.quirk_place(&quirk.at));
        let at: Vec<Place> = at.collect::<Result<_, _>>()?;
        let branch = file.source.branch.as_deref().unwrap_or("HEAD");
        let revisions = match source {
            Source::Listed(revisions) => revisions.clone(),
            Source::Git(repository) => {
                let first_parent = file.source.first_parent.unwrap_or(true);
                let found = repository.history(branch, first_parent);
                found.map_err(|error| match file.source.branch {
                    Some(_) => TimelineError::of("branch")(error),
                    None => error.into(),
                })?
            }
        };
        for (place, named) in [&until, &control].into_iter().zip(ends) {
            if let (Some(place), Some((key, text))) = (place, named) {
                refuse_early(&revisions, place, key, &text)?;
            }
        }
        let tags = table.tags.as_deref().map(Pattern::new);
        let every = asked.every.unwrap_or(table.every);
        if matches!(source, Source::Listed(_))
            && matches!(every, Every::Word(Word::Tag | Word::Merge))
        {
            return Err(TimelineError::OnlyGit);
        }
        let selected = select(
            &revisions,
            since.as_ref(),
            until.as_ref(),
            every,
            tags.as_ref(),
        )?;
        // Not the first that is asked for: values of all campaigns are relative to the same revision.
        let own = table.since.as_ref();
        let own = own.map(|text| names.place("since", text)).transpose()?;
        let first = own.map(|place| place_of(&revisions, &times(&revisions), &place));
        let first = first.transpose()?.unwrap_or(0);
        let former = former.and_then(|former| match source {
            Source::Listed(all) => all.iter().find(|known| known.id == former.id).cloned(),
            Source::Git(repository) => repository.revision(&former.id).ok(),
        });
        let control = match &control {
            None => former.unwrap_or_else(|| revisions[first].clone()),
            Some(place) => match place_of(&revisions, &times(&revisions), place) {
                Ok(found) => revisions[found].clone(),
                Err(error) => match (place, source) {
                    // It need not be one of the branch.
                    (Place::Revision(named), Source::Git(repository)) => {
                        repository.revision(&named.id)?
                    }
                    _ => return Err(error.into()),
                },
            },
        };
        Ok(Self {
            quirks: dated(&file.quirks, &at, &revisions)?,
            revisions,
            selected,
            control,
        })
    }

    /// The place of a revision in the branch; nothing for a control that is not in it.
    pub fn place(&self, id: &str) -> Option<usize> {
        self.revisions.iter().position(|revision| revision.id == id)
    }

    /// The place by which quirks go: of a revision that is not in the branch that of the last one that is not younger.
    pub fn place_by_time(&self, revision: &Revision) -> usize {
        let last = || {
            let is_older = |other: &Revision| other.time <= revision.time;
            self.revisions.iter().rposition(is_older).unwrap_or(0)
        };
        self.place(&revision.id).unwrap_or_else(last)
    }

    /// The revisions that are measured.
    pub fn measured(&self) -> impl Iterator<Item = &Revision> {
        self.selected.iter().map(|place| &self.revisions[*place])
    }
}

/// What the names of revisions stand for.
pub(crate) struct Names<'s>(pub(crate) &'s Source<'s>);

impl Names<'_> {
    pub(crate) fn place(&self, key: &'static str, text: &str) -> Result<Place, TimelineError> {
        let named = |id| {
            let text = text.to_owned();
            Place::Revision(Named { id, key, text })
        };
        if let Some(id) = self.exact(text) {
            return Ok(named(id));
        }
        if let Some(second) = last_second(text) {
            return Ok(Place::Second(second));
        }
        match self.0 {
            Source::Git(repository) => {
                let found = repository.commit(text);
                Ok(named(found.map_err(TimelineError::of(key))?))
            }
            Source::Listed(_) => Err(TimelineError::NoVersion {
                key,
                text: text.to_owned(),
            }),
        }
    }

    /// The commit that a name stands for, or the last one of the branch up to a date. `key`: what has the name.
    pub(crate) fn commit(
        &self,
        repository: &Repository,
        branch: Option<&str>,
        key: &'static str,
        text: &str,
    ) -> Result<String, TimelineError> {
        match self.place(key, text)? {
            Place::Revision(named) => Ok(named.id),
            place @ Place::Second(_) => {
                let all = repository.history(branch.unwrap_or("HEAD"), true)?;
                let found = place_of_end(&all, &place, key, text)?;
                Ok(all[found].id.clone())
            }
        }
    }

    /// A quirk begins with the day that it names, a history ends with it.
    fn quirk_place(&self, text: &str) -> Result<Place, TimelineError> {
        match self.place("at", text)? {
            Place::Second(last) => Ok(Place::Second(
                crate::date::first_second(text).unwrap_or(last),
            )),
            place => Ok(place),
        }
    }

    /// The version of just this name, which may look like a date, or the commit of such a tag.
    fn exact(&self, text: &str) -> Option<String> {
        match self.0 {
            Source::Listed(revisions) => {
                let found = revisions.iter().find(|revision| revision.id == text);
                found.map(|revision| revision.id.clone())
            }
            Source::Git(repository) => repository.commit(&format!("refs/tags/{text}")).ok(),
        }
    }
}

/// The place in a history of an end of a search, which `text` names as its `key`.
pub(crate) fn place_of_end(
    history: &[Revision],
    place: &Place,
    key: &'static str,
    text: &str,
) -> Result<usize, TimelineError> {
    refuse_early(history, place, key, text)?;
    Ok(place_of(history, &times(history), place)?)
}

/// Refuses a date before all revisions. A history may begin with one, and nothing else can be meant by it: there is no
/// revision to end with, to be the control, or to be good or bad.
fn refuse_early(
    history: &[Revision],
    place: &Place,
    key: &'static str,
    text: &str,
) -> Result<(), TimelineError> {
    if let (Place::Second(second), Some(first)) = (place, history.first())
        && *second < first.time
    {
        return Err(TimelineError::TooEarly {
            key,
            text: text.to_owned(),
            first: first.name(),
            date: first.date(),
        });
    }
    Ok(())
}

/// A value for a variable of an experiment, which is a template: its braces are doubled.
pub(crate) fn literal(text: &str) -> String {
    Template::literal(text).to_string()
}
