//! Which revisions are measured: both ends, and some of those between.

use std::collections::HashSet;

use jiff::civil::{Date, ISOWeekDate};
use jiff::tz::TimeZone;

use crate::every::{Every, Word};
use crate::pattern::Pattern;
use crate::revision::Revision;

/// Where a history begins or ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// At this revision.
    Revision(Named),
    /// At the last revision up to this second since 1970.
    Second(i64),
}

/// A revision that somebody named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The [`Revision::id`] of it.
    pub id: String,
    /// The key or the flag with the name.
    pub key: &'static str,
    /// The name.
    pub text: String,
}

/// The advice where a history leaves out what was merged into it.
const INSIDE_MERGED: &str = ", or write `first_parent = false` in [source] so that revisions inside merged branches count too";

/// Why no revision can be selected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectionError {
    /// There is no revision at all.
    #[error("the source has no revision")]
    Empty,
    /// A revision exists, but not in this history.
    #[error(
        "`{key}` is \"{text}\", which is not in the history of the branch; name one of its revisions, a date, or another \
         `branch`{}",
        if *.has_merged { INSIDE_MERGED } else { "" }
    )]
    Elsewhere {
        /// The key or the flag with its name.
        key: &'static str,
        /// The name.
        text: String,
        /// Whether the history leaves out what was merged into it.
        has_merged: bool,
    },
    /// The end is before the beginning.
    #[error("the last revision ({until}) is before the first ({since}); exchange them")]
    Backwards {
        /// The revision that `since` names.
        since: String,
        /// The revision that `until` names.
        until: String,
    },
}

/// The places of the revisions that are measured, ascending, in a history whose oldest revision comes first.
///
/// The time of a revision is here the latest of all up to it: clocks of authors differ, and time must not go backwards.
///
/// # Errors
/// If there is none; see [`SelectionError`].
pub fn select(
    history: &[Revision],
    since: Option<&Place>,
    until: Option<&Place>,
    every: Every,
    tags: Option<&Pattern>,
) -> Result<Vec<usize>, SelectionError> {
    let times = times(history);
    let last = history.len().checked_sub(1).ok_or(SelectionError::Empty)?;
    let at = |place: &Place| place_of(history, &times, place);
    let first = since.map_or(Ok(0), at)?;
    let last = until.map_or(Ok(last), at)?;
    if last < first {
        return Err(SelectionError::Backwards {
            since: history[first].name(),
            until: history[last].name(),
        });
    }
    let between = first..=last;
    let is_wanted = |place: usize| {
        let revision = &history[place];
        match every {
            Every::Nth(step) => (place - first).is_multiple_of(step.get() as usize),
            Every::Word(Word::Commit) => true,
            Every::Word(Word::Merge) => revision.parents.len() > 1,
            Every::Word(Word::Tag) => {
                let fits = |tag: &String| tags.is_none_or(|pattern| pattern.fits(tag));
                revision.tags.iter().any(fits)
            }
            Every::Word(word) => period(times[place], word) != period(times[place + 1], word),
        }
    };
    let is_end = |place: usize| place == first || place == last;
    Ok(between
        .filter(|place| is_end(*place) || is_wanted(*place))
        .collect())
}

/// The place that something names: the revision itself, or the last one up to a time, or else the first of all.
///
/// # Errors
/// If the history has no such revision.
pub(crate) fn place_of(
    history: &[Revision],
    times: &[i64],
    place: &Place,
) -> Result<usize, SelectionError> {
    match place {
        Place::Second(second) => Ok(times
            .partition_point(|time| time <= second)
            .saturating_sub(1)),
        Place::Revision(named) => {
            let mut all = history.iter();
            let found = all.position(|revision| revision.id == named.id);
            found.ok_or_else(|| SelectionError::Elsewhere {
                key: named.key,
                text: named.text.clone(),
                has_merged: has_merged(history),
            })
        }
    }
}

/// Whether a history has merges without what they merged, as where first parents only are followed.
fn has_merged(history: &[Revision]) -> bool {
    let all: HashSet<&str> = history.iter().map(|own| own.id.as_str()).collect();
    let mut parents = history.iter().flat_map(|own| &own.parents);
    parents.any(|parent| !all.contains(parent.as_str()))
}

/// The time up to each revision.
pub(crate) fn times(history: &[Revision]) -> Vec<i64> {
    let mut latest = i64::MIN;
    let time = |revision: &Revision| {
        latest = latest.max(revision.time);
        latest
    };
    history.iter().map(time).collect()
}

/// The day, week or month of a time, as a number that differs from that of all others.
fn period(second: i64, word: Word) -> (i16, i16) {
    let time = jiff::Timestamp::from_second(second).unwrap_or_default();
    let date: Date = TimeZone::UTC.to_datetime(time).date();
    match word {
        Word::Week => {
            let week: ISOWeekDate = date.iso_week_date();
            (week.year(), week.week().into())
        }
        Word::Month => (date.year(), date.month().into()),
        _ => (date.year(), date.day_of_year()),
    }
}
