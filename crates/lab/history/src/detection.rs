//! Since when? The changes of all series of a history, with one error for all of them.
//!
//! To find where the changes are takes little time. Their intervals take most of it, so each is found when it is asked for.

use std::sync::OnceLock;

use perflab_stats::Resampling;
use perflab_stats::changes::arrivals::arrivals;
use perflab_stats::changes::{Located, SHORTEST, Terms, freed_of_groups};
use perflab_stats::detectable::runs_to_show;
use perflab_stats::summary::median;

use crate::campaign::CampaignFacts;
use crate::changes::{ALARM_EVERY, Change, Changes, Confirmation, LEVEL, SuspectedChange};
use crate::marks::Mark;
use crate::parallel::parallel;
use crate::points::SubjectPoints;
use crate::revision::Revision;
use crate::series::Value;
use crate::view::View;

/// Confidence of each interval of revisions.
const CONFIDENCE: f64 = 0.95;

/// How likely it is that a confirmation shows a change.
const POWER: f64 = 0.95;

/// Most runs of each side of a confirmation.
const MOST_RUNS: usize = 200;

/// Random permutations behind an interval of revisions.
const DRAWS: usize = 999;

/// Their seed: the same history gives the same answer.
const SEED: u64 = 1;

/// A campaign that measured both sides of a change, with what it says.
pub(crate) type Confirming = (CampaignFacts, Vec<SubjectPoints>);

/// The search for the changes of a view.
#[derive(Debug)]
pub struct Detection<'v> {
    view: &'v View,
    confirmations: Vec<Confirming>,
    marks: Vec<Mark>,
    searched: Vec<SeriesChanges>,
    /// Series with too few values.
    short: usize,
}

/// A series with its changes.
#[derive(Debug)]
struct SeriesChanges {
    /// Its place in the view.
    series: usize,
    values: Vec<Value>,
    located: Located,
    /// Those that somebody asked for.
    asked: Vec<OnceLock<Option<Change>>>,
}

/// A change of which only the place is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangePoint {
    /// Among the series that were searched.
    searched: usize,
    /// Among the changes of the series.
    change: usize,
    /// p-value of "no change", adjusted for all series.
    pub p_adjusted: f64,
}

impl<'v> Detection<'v> {
    /// Finds where the series of a view change.
    pub(crate) fn new(view: &'v View, confirmations: Vec<Confirming>, marks: Vec<Mark>) -> Self {
        let (long, short): (Vec<_>, Vec<_>) =
            measured_series(view).partition(|(_, values)| values.len() >= SHORTEST);
        // Each series gets its share of the error.
        let terms = Terms {
            level: LEVEL / long.len().max(1) as f64,
            confidence: CONFIDENCE,
            resampling: Resampling {
                draws: DRAWS,
                seed: SEED,
            },
        };
        let located = parallel(&long, |(_, values)| {
            Located::grouped(&by_control(values), &terms).ok()
        });
        let searched = long.into_iter().zip(located);
        let searched = searched.filter_map(|((series, values), located)| {
            let located = located?;
            Some(SeriesChanges {
                series,
                values,
                asked: vec![OnceLock::new(); located.len()],
                located,
            })
        });
        Self {
            view,
            confirmations,
            marks,
            searched: searched.collect(),
            short: short.len(),
        }
    }

    /// All changes, by series and then by revision.
    pub fn points(&self) -> Vec<ChangePoint> {
        let series = self.searched.len() as f64;
        let all = self.searched.iter().enumerate();
        let points = all.flat_map(|(searched, of)| {
            let places = of.located.places().enumerate();
            places.map(move |(change, (_, p))| ChangePoint {
                searched,
                change,
                p_adjusted: (p * series).min(1.0),
            })
        });
        points.collect()
    }

    /// The place in the view of the series of a change, and between which places of the view its interval is.
    pub fn bounds(&self, point: ChangePoint) -> Option<(usize, (usize, usize))> {
        let of = self.searched.get(point.searched)?;
        let (low, high) = of.located.bounds(point.change)?;
        Some((of.series, (of.place(low)?, of.place(high)?)))
    }

    /// All that is known of a change.
    pub fn change(&self, point: ChangePoint) -> Option<&Change> {
        let of = self.searched.get(point.searched)?;
        let asked = of.asked.get(point.change)?;
        asked.get_or_init(|| self.described(of, point)).as_ref()
    }

    /// Runs of each side with which a comparison at 95 % confidence shows a change with probability 0.95, by how the values
    /// of the series vary around the levels before and after it; 1 if there is no such change.
    pub fn runs_to_confirm(&self, point: ChangePoint) -> usize {
        let change = self.change(point);
        let of = self.searched.get(point.searched);
        of.zip(change)
            .map_or(1, |(of, change)| of.runs_to_show(change))
    }

    /// Whether the revisions at two places of the view are on the two sides of a change, and of no other of its series.
    pub(crate) fn is_shown_by(&self, point: ChangePoint, sides: (usize, usize)) -> bool {
        let of = self.searched.get(point.searched);
        of.zip(self.change(point))
            .is_some_and(|(of, change)| of.is_shown_by(change, sides))
    }

    /// All changes, and what is suspected.
    pub fn all(&self) -> Changes {
        let found = parallel(&self.points(), |point| self.change(*point).cloned());
        let found: Vec<Change> = found.into_iter().flatten().collect();
        let series = measured_series(self.view);
        let suspected = series.filter_map(|(index, values)| suspected(index, &values, &found));
        Changes {
            suspected: suspected.collect(),
            series: self.searched.len(),
            short: self.short,
            level: LEVEL,
            found,
        }
    }

    fn described(&self, of: &SeriesChanges, point: ChangePoint) -> Option<Change> {
        let change = of.located.change(point.change).ok()??;
        let mut change = Change {
            series: of.series,
            place: of.place(change.place)?,
            low: of.place(change.low)?,
            high: of.place(change.high)?,
            before: change.before,
            after: change.after,
            p_adjusted: point.p_adjusted,
            confirmation: None,
            said: None,
        };
        // Of those whose sides are nearest to each other the last one counts.
        let confirmations = self.confirmations.iter().rev();
        let confirmations =
            confirmations.filter_map(|confirming| self.confirmation(&change, of, confirming));
        let nearest = confirmations.min_by_key(|(apart, _)| *apart);
        change.confirmation = nearest.map(|(_, confirmation)| confirmation);
        change.said = self.view.said(&change, &self.marks);
        Some(change)
    }

    /// What a campaign says of a change, if it measured both sides, and how many revisions of the view these are apart.
    fn confirmation(
        &self,
        change: &Change,
        of: &SeriesChanges,
        (facts, points): &Confirming,
    ) -> Option<(usize, Confirmation)> {
        let series = self.view.series.get(change.series)?;
        let place = |revision: &Revision| {
            let mut seen = self.view.revisions.iter();
            seen.position(|seen| seen.revision.id == revision.id)
        };
        let to = facts.revisions.first()?;
        let (from, until) = (place(&facts.control)?, place(to)?);
        if !of.is_shown_by(change, (from, until)) {
            return None;
        }
        let own = points.iter().find(|own| own.subject == series.subject)?;
        let point = own.points.iter().find(|point| point.revision == to.id)?;
        // A control that measured 0 has no relative difference.
        if series.relative && !point.relative {
            return None;
        }
        let value = point.value(until, facts.campaign, series.relative);
        let confirmation = Confirmation {
            campaign: facts.campaign,
            from: facts.control.clone(),
            to: to.clone(),
            difference: value.difference,
            low: value.low,
            high: value.high,
        };
        Some((until - from, confirmation))
    }
}

impl SeriesChanges {
    /// The place in the view of a value of the series.
    fn place(&self, value: usize) -> Option<usize> {
        self.values.get(value).map(|value| value.place)
    }

    fn runs_to_show(&self, change: &Change) -> usize {
        let size = change.after - change.before;
        // A value is the difference of some runs from about as many of the control, so its variance is twice that of a run
        // over their number. What a build does to all its runs is taken for noise of the runs.
        let runs = self.values.iter().map(|value| value.runs as f64);
        let runs = median(&runs.collect::<Vec<_>>()).unwrap_or(1.0);
        let step = size.abs() / (self.deviation() * (0.5 * runs).sqrt());
        runs_to_show(step, CONFIDENCE, POWER, (1, MOST_RUNS)).unwrap_or(MOST_RUNS)
    }

    /// Standard deviation of the values between changes: 1.4826 times the median of the absolute differences from the
    /// median, as for normal values. Of one or two values between changes such differences say nothing.
    fn deviation(&self) -> f64 {
        let cuts: Vec<usize> = self.located.places().map(|(value, _)| value).collect();
        let starts = std::iter::once(0).chain(cuts.iter().copied());
        let ends = cuts.iter().copied().chain([self.values.len()]);
        let stretches = starts.zip(ends).filter(|(start, end)| end - start > 2);
        let off = stretches.flat_map(|(start, end)| {
            let stretch = self.values.get(start..end).unwrap_or_default();
            let stretch: Vec<f64> = stretch.iter().map(|value| value.difference).collect();
            let level = median(&stretch).unwrap_or_default();
            stretch.into_iter().map(move |value| (value - level).abs())
        });
        1.4826 * median(&off.collect::<Vec<_>>()).unwrap_or_default()
    }

    /// Whether a change is between two places of the view, wherever in its interval it is. With another change between
    /// them their difference says nothing of either.
    fn is_shown_by(&self, change: &Change, (from, until): (usize, usize)) -> bool {
        let mut others = self.changes().filter(|other| *other != change.place);
        let is_alone = !others.any(|other| (from + 1..=until).contains(&other));
        is_alone && from < change.low && until >= change.high
    }

    /// The places in the view of all changes.
    fn changes(&self) -> impl Iterator<Item = usize> {
        let places = self.located.places();
        places.filter_map(|(value, _)| self.place(value))
    }
}

/// The values of each series that was measured, with its place. Series of builds are not among them: a size is exact,
/// and a time is that of a single build. Nor are revisions that the branch does not have.
fn measured_series(view: &View) -> impl Iterator<Item = (usize, Vec<Value>)> {
    let series = view.series.iter().enumerate();
    let measured = series.filter(|(_, series)| !series.is_of_builds);
    let is_there = |place: usize| {
        let seen = view.revisions.get(place);
        seen.is_some_and(|seen| !seen.off_branch)
    };
    measured.map(move |(index, series)| {
        let values = series.values.iter().copied();
        let there = values.filter(|value| is_there(value.place));
        (index, there.collect())
    })
}

/// Each difference with the number of its group. Those of a campaign share the noise of its control. Those of campaigns whose
/// control measured nothing but one value share the same: where it never varies, as in many counts, they share nothing.
fn by_control(values: &[Value]) -> Vec<(f64, usize)> {
    let steady = values.iter().filter_map(|value| value.steady_control);
    let mut levels: Vec<f64> = steady.collect();
    levels.sort_by(f64::total_cmp);
    levels.dedup();
    let group = |value: &Value| match value.steady_control {
        Some(control) => levels.partition_point(|level| *level < control),
        None => levels.len() + value.campaign.unwrap_or_default() as usize,
    };
    let values = values.iter();
    values
        .map(|value| (value.difference, group(value)))
        .collect()
}

/// What the values since the last change of a series suggest.
fn suspected(index: usize, values: &[Value], found: &[Change]) -> Option<SuspectedChange> {
    let own = found.iter().filter(|change| change.series == index);
    let from = own.map(|change| change.place).max().unwrap_or(0);
    let last = values.partition_point(|value| value.place < from);
    let last = values.get(last..)?;
    let freed = freed_of_groups(&by_control(last)).ok()?;
    let alarm = arrivals(&freed, ALARM_EVERY).ok()?.alarm?;
    Some(SuspectedChange {
        series: index,
        since: last.get(alarm.since)?.place,
        at: last.get(alarm.at)?.place,
        rises: alarm.rises,
    })
}
