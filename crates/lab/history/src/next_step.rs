//! What to measure next, where time is short: what tells most.

use std::collections::HashMap;

use crate::order::order;
use crate::shifts::{Shift, Shifts};
use crate::timeline::Timeline;
use crate::view::View;

/// What to measure next. Places are those of the timeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The newest revision, which nobody has measured.
    Newest(usize),
    /// Revisions that may have made a change of this series, the middle ones first.
    Narrow {
        /// The place of the series in the view.
        series: usize,
        /// The revisions.
        places: Vec<usize>,
    },
    /// Both sides of a change of this series, whose place is known.
    Confirm {
        /// The place of the series in the view.
        series: usize,
        /// The last revision before it.
        from: usize,
        /// The first one behind it.
        to: usize,
    },
    /// Revisions in the gaps between those that are measured, the widest first.
    Gaps(Vec<usize>),
    /// All is known.
    Nothing,
}

/// What tells most: the newest revision, since nothing is known of it; then where a change is, since that is what people
/// ask; then how large it is, since it was chosen; then the rest.
///
/// `is_known`: whether a revision was measured or cannot be, by its place. `is_tried`: whether both sides of a change were
/// measured again already, whatever came of it.
pub fn next_step(
    timeline: &Timeline,
    view: &View,
    shifts: &Shifts,
    is_known: impl Fn(usize) -> bool,
    is_tried: impl Fn(usize, usize) -> bool,
) -> Step {
    if let Some(newest) = timeline.selected.last().filter(|place| !is_known(**place)) {
        return Step::Newest(*newest);
    }
    let places = timeline.revisions.iter().enumerate();
    let places: HashMap<&str, usize> = places
        .map(|(place, revision)| (revision.id.as_str(), place))
        .collect();
    let place = |seen: usize| {
        let revision = &view.revisions.get(seen)?.revision;
        places.get(revision.id.as_str()).copied()
    };
    // The surest change first.
    let found = shifts.found.iter().filter(|shift| !shift.is_dismissed());
    let mut surest: Vec<&Shift> = found.collect();
    surest.sort_by(|a, b| a.p_adjusted.total_cmp(&b.p_adjusted));
    let sides = surest.iter().filter_map(|shift| {
        let series = view.series.get(shift.series)?;
        let before = series
            .values
            .iter()
            .rev()
            .find(|value| value.place < shift.low)?;
        Some((*shift, place(before.place)?, place(shift.high)?))
    });
    let sides: Vec<(&Shift, usize, usize)> = sides.collect();
    for (shift, from, to) in &sides {
        let between: Vec<usize> = (*from..=*to).collect();
        let known: Vec<bool> = between.iter().map(|place| is_known(*place)).collect();
        let places: Vec<usize> = order(&known)
            .into_iter()
            .filter_map(|at| between.get(at).copied())
            .collect();
        if !places.is_empty() {
            return Step::Narrow {
                series: shift.series,
                places,
            };
        }
    }
    for (shift, from, to) in sides {
        if shift.confirmation.is_none() && !is_tried(from, to) {
            return Step::Confirm {
                series: shift.series,
                from,
                to,
            };
        }
    }
    let known: Vec<bool> = timeline
        .selected
        .iter()
        .map(|place| is_known(*place))
        .collect();
    let left = order(&known)
        .into_iter()
        .filter_map(|at| timeline.selected.get(at).copied());
    let left: Vec<usize> = left.collect();
    match left.is_empty() {
        true => Step::Nothing,
        false => Step::Gaps(left),
    }
}
