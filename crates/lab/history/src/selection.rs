//! Which revisions are measured: both ends, and some of those between.

use jiff::civil::{Date, ISOWeekDate};
use jiff::tz::TimeZone;

use crate::every::{Every, Word};
use crate::pattern::Pattern;
use crate::revision::Revision;

/// Where a history begins or ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// At this revision.
    Revision(String),
    /// At the last revision up to this second since 1970.
    Second(i64),
}

/// Why no revision can be selected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectionError {
    /// There is no revision at all.
    #[error("the source has no revision")]
    Empty,
    /// A revision exists, but not in this history.
    #[error(
        "`{0}` is not in the history of the branch; name one of its revisions, a date, or another `branch` (without \
         `first_parent`, revisions inside merged branches count too)"
    )]
    Elsewhere(String),
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
        Place::Revision(id) => {
            let found = history.iter().position(|revision| revision.id == *id);
            found.ok_or_else(|| SelectionError::Elsewhere(id.clone()))
        }
    }
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
