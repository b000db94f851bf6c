//! What to measure next, where time is short: what tells most.

use std::collections::HashMap;

use crate::detection::{ChangePoint, Detection};
use crate::order::order;
use crate::timeline::Timeline;
use crate::view::View;

/// Sides of a confirmation that are no further apart serve several changes; further apart ones, if they are no more than
/// twice as far apart as the sides of each of these.
const NEAR: usize = 8;

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
        /// Runs of each side that show a change of this size, by how the values of the series vary.
        runs: usize,
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
    detection: &Detection<'_>,
    is_known: impl Fn(usize) -> bool,
    is_tried: impl Fn(usize, usize) -> bool,
) -> Step {
    if let Some(newest) = timeline.selected.last().filter(|place| !is_known(**place)) {
        return Step::Newest(*newest);
    }
    let sides = Sides::new(timeline, view);
    let known: Vec<bool> = (0..timeline.revisions.len()).map(&is_known).collect();
    // The surest change first.
    let mut surest = detection.points();
    surest.sort_by(|a, b| a.p_adjusted.total_cmp(&b.p_adjusted));
    for point in &surest {
        let unknown = |series: usize, (low, high): (usize, usize)| {
            let (from, to) = sides.of(series, low, high)?;
            let between = known.get(from..=to)?;
            let places = order(between).into_iter().map(|at| from + at);
            Some(places.collect::<Vec<usize>>()).filter(|places| !places.is_empty())
        };
        let Some((series, bounds)) = detection.bounds(*point) else {
            continue;
        };
        // The bounds take little time, the interval takes much.
        if unknown(series, bounds).is_none() {
            continue;
        }
        let Some(change) = detection
            .change(*point)
            .filter(|change| !change.is_dismissed())
        else {
            continue;
        };
        if let Some(places) = unknown(series, (change.low, change.high)) {
            return Step::Narrow { series, places };
        }
    }
    if let Some(step) = confirm(&surest, detection, &sides, &is_tried) {
        return step;
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

/// Both sides of the surest change whose sides were not measured again. They are on both sides of the changes of other
/// series as well, if these may have come with the same revision: one campaign measures all.
fn confirm(
    surest: &[ChangePoint],
    detection: &Detection<'_>,
    sides: &Sides<'_>,
    is_tried: &dyn Fn(usize, usize) -> bool,
) -> Option<Step> {
    let open = |point: ChangePoint| {
        let change = detection.change(point)?;
        (change.confirmation.is_none() && !change.is_dismissed()).then_some(change)
    };
    surest.iter().enumerate().find_map(|(at, point)| {
        let first = open(*point)?;
        let mut shared = sides.seen(first.series, first.low, first.high)?;
        let (mut from, mut to) = sides.in_timeline(shared)?;
        if is_tried(from, to) {
            return None;
        }
        let mut runs = detection.runs_to_confirm(*point);
        let mut served = vec![(*point, first.series, shared)];
        let is_near = |low: usize, high: usize| low <= first.high && first.low <= high;
        for other in surest.iter().skip(at + 1) {
            // The bounds take little time, the interval takes much.
            let bounds = detection.bounds(*other);
            if !bounds.is_some_and(|(_, (low, high))| is_near(low, high)) {
                continue;
            }
            let Some(change) = open(*other).filter(|change| is_near(change.low, change.high))
            else {
                continue;
            };
            let Some(own) = sides.seen(change.series, change.low, change.high) else {
                continue;
            };
            let wider = (shared.0.min(own.0), shared.1.max(own.1));
            let places = sides.in_timeline(wider);
            let Some(places) = places.filter(|(from, to)| !is_tried(*from, *to)) else {
                continue;
            };
            let apart = |(from, to): (usize, usize)| to - from;
            let is_shown = |(point, series, own): (ChangePoint, usize, (usize, usize))| {
                apart(wider) <= NEAR.max(2 * apart(own))
                    && sides.are_measured(series, wider)
                    && detection.is_shown_by(point, wider)
            };
            let of_other = (*other, change.series, own);
            if served.iter().copied().all(is_shown) && is_shown(of_other) {
                served.push(of_other);
                runs = runs.max(detection.runs_to_confirm(*other));
                shared = wider;
                (from, to) = places;
            }
        }
        Some(Step::Confirm {
            series: first.series,
            from,
            to,
            runs,
        })
    })
}

/// Places of the timeline for places of a view.
struct Sides<'v> {
    view: &'v View,
    /// The place in the timeline of each revision of the view; nothing for one that is not in the branch any more.
    places: Vec<Option<usize>>,
}

impl<'v> Sides<'v> {
    fn new(timeline: &Timeline, view: &'v View) -> Self {
        let known = timeline.revisions.iter().enumerate();
        let known: HashMap<&str, usize> = known
            .map(|(place, revision)| (revision.id.as_str(), place))
            .collect();
        let seen = view.revisions.iter();
        let places = seen.map(|seen| known.get(seen.revision.id.as_str()).copied());
        Self {
            places: places.collect(),
            view,
        }
    }

    /// The last measured revision before a change between two places of the view, and the last that may be the first
    /// after it.
    fn of(&self, series: usize, low: usize, high: usize) -> Option<(usize, usize)> {
        self.in_timeline(self.seen(series, low, high)?)
    }

    /// The same as places of the view.
    fn seen(&self, series: usize, low: usize, high: usize) -> Option<(usize, usize)> {
        let values = &self.view.series.get(series)?.values;
        let before = values.partition_point(|value| value.place < low);
        // One with a patch is in no branch.
        let mut before = values.get(..before)?.iter().rev().map(|value| value.place);
        Some((before.find(|seen| self.place(*seen).is_some())?, high))
    }

    /// The places of the timeline for these of the view.
    fn in_timeline(&self, (from, to): (usize, usize)) -> Option<(usize, usize)> {
        Some((self.place(from)?, self.place(to)?))
    }

    fn place(&self, seen: usize) -> Option<usize> {
        self.places.get(seen).copied().flatten()
    }

    /// Whether a series has values at both places of the view.
    fn are_measured(&self, series: usize, (from, to): (usize, usize)) -> bool {
        let series = self.view.series.get(series);
        series.is_some_and(|series| {
            let has = |place| series.values.iter().any(|value| value.place == place);
            has(from) && has(to)
        })
    }
}
