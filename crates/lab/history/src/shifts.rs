//! Since when? The changes of all series of a history, with one error for all of them.

use perflab_stats::Resampling;
use perflab_stats::changes::arrivals::arrivals;
use perflab_stats::changes::{Change, SHORTEST, Terms, changes};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::campaign::CampaignFacts;
use crate::marks::{ChangeState, Said};
use crate::parallel::parallel;
use crate::points::Point;
use crate::revision::Revision;
use crate::series::{Series, Value};
use crate::view::View;

/// Chance that any change of a history is false.
pub const LEVEL: f64 = 0.05;

/// Values of a series up to a false alarm, on average.
pub const ALARM_EVERY: f64 = 1000.0;

/// Confidence of each interval of revisions.
const CONFIDENCE: f64 = 0.95;

/// Random orders behind an interval of revisions.
const DRAWS: usize = 999;

/// Their seed: the same history gives the same answer.
const SEED: u64 = 1;

/// The changes of a history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Shifts {
    /// Series that were looked at.
    pub series: usize,
    /// Series with too few values, of which nothing is said.
    pub short: usize,
    /// Chance that any of the changes is false, for all series together.
    pub level: f64,
    /// The changes, by series and then by revision.
    pub found: Vec<Shift>,
    /// Series whose last values look like a change that is not proven yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suspected: Vec<Suspicion>,
}

/// The view of a history with its changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChangesView {
    /// What is known of the history.
    #[serde(flatten)]
    pub view: View,
    /// Its changes.
    pub changes: Shifts,
}

impl ChangesView {
    /// JSON Schema of it.
    pub fn schema() -> serde_json::Value {
        let mut schema = schemars::schema_for!(Self);
        schema.insert("title".to_owned(), "perflab history changes".into());
        schema.to_value()
    }
}

/// A change that the last values of a series suggest. Of a series without a change, one in [`ALARM_EVERY`] values raises
/// such an alarm at most.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Suspicion {
    /// The place of the series in the view.
    pub series: usize,
    /// About the first revision after the change, by its place in the view.
    pub since: usize,
    /// The revision with whose value the alarm was raised.
    pub at: usize,
    /// Whether differences from the control are larger since then.
    pub rises: bool,
}

/// A change of the level of a series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Shift {
    /// The place of the series in the view.
    pub series: usize,
    /// The first revision after the change, by its place in the view.
    pub place: usize,
    /// The earliest revision that may be the first after it, with 95 % confidence.
    pub low: usize,
    /// The latest.
    pub high: usize,
    /// Median of the differences from the control before it, since the change before.
    pub before: f64,
    /// Median of the differences after it, up to the next change.
    pub after: f64,
    /// p-value of "no change", adjusted for all series.
    pub p_adjusted: f64,
    /// Both sides, measured again; absent where nobody did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmation: Option<Confirmation>,
    /// What somebody said of it; absent where nobody did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<Said>,
}

/// Two sides of a change, measured again with fresh builds. Nothing was chosen by these values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Confirmation {
    /// The campaign.
    pub campaign: u32,
    /// The revision before the change.
    pub from: Revision,
    /// The one behind it.
    pub to: Revision,
    /// The difference between them: relative, where those of the series are.
    pub difference: f64,
    /// Lower end of its 95 % interval.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
}

impl Confirmation {
    /// Whether the values show a difference of this sign.
    pub fn confirms(&self, size: f64) -> bool {
        match size > 0.0 {
            true => self.low.is_some_and(|low| low > 0.0),
            false => self.high.is_some_and(|high| high < 0.0),
        }
    }
}

impl Shift {
    /// Whether somebody said that it is none, or does not matter.
    pub fn is_dismissed(&self) -> bool {
        let said = self.said.as_ref().map(|said| said.state);
        matches!(said, Some(ChangeState::Wrong | ChangeState::Ignore))
    }

    /// The difference of the levels: relative to the level before, where the differences of the series are relative.
    pub fn size(&self, series: &Series) -> f64 {
        match series.relative {
            true => (1.0 + self.after) / (1.0 + self.before) - 1.0,
            false => self.after - self.before,
        }
    }
}

impl View {
    /// The changes of all series that were measured.
    pub fn shifts(&self, confirmations: &[(CampaignFacts, Vec<Point>)]) -> Shifts {
        let measured = self.measured_series();
        let (long, short): (Vec<_>, Vec<_>) =
            measured.partition(|(_, values)| values.len() >= SHORTEST);
        // Each series gets its share of the error.
        let terms = Terms {
            level: LEVEL / long.len().max(1) as f64,
            confidence: CONFIDENCE,
            resampling: Resampling {
                draws: DRAWS,
                seed: SEED,
            },
        };
        let found = parallel(&long, |(index, values)| {
            let differences: Vec<Option<f64>> =
                values.iter().map(|value| Some(value.difference)).collect();
            let changes = changes(&differences, &terms)
                .map(|changes| changes.changes)
                .unwrap_or_default();
            let shift = |change: Change| {
                let place = |at: usize| values.get(at).map(|value| value.place);
                Some(Shift {
                    series: *index,
                    place: place(change.place)?,
                    low: place(change.low)?,
                    high: place(change.high)?,
                    before: change.before,
                    after: change.after,
                    p_adjusted: (change.p * long.len() as f64).min(1.0),
                    confirmation: None,
                    said: None,
                })
            };
            changes.into_iter().filter_map(shift).collect::<Vec<_>>()
        });
        let mut found: Vec<Shift> = found.into_iter().flatten().collect();
        let confirmed: Vec<Option<Confirmation>> = found
            .iter()
            .map(|shift| {
                // The last one counts.
                let mut all = confirmations.iter().rev();
                all.find_map(|confirmation| self.confirmation(shift, &found, confirmation))
            })
            .collect();
        for (shift, confirmation) in found.iter_mut().zip(confirmed) {
            shift.confirmation = confirmation;
        }
        let suspected = self.measured_series();
        let suspected = suspected
            .filter_map(|(index, values)| suspicion(index, &values, &found))
            .collect();
        Shifts {
            suspected,
            series: long.len(),
            short: short.len(),
            level: LEVEL,
            found,
        }
    }

    /// The values of each series that was measured, with its place. Series of builds are not among them: a size is exact,
    /// and a time is that of a single build. Nor are revisions with a patch, which the branch does not have.
    fn measured_series(&self) -> impl Iterator<Item = (usize, Vec<Value>)> {
        let series = self.series.iter().enumerate();
        let measured = series.filter(|(_, series)| !series.is_of_builds);
        let is_patched = |place: usize| {
            let seen = self.revisions.get(place);
            seen.is_some_and(|seen| seen.revision.is_patched())
        };
        measured.map(move |(index, series)| {
            let values = series.values.iter().copied();
            (
                index,
                values.filter(|value| !is_patched(value.place)).collect(),
            )
        })
    }

    /// What a campaign says of a change, if it measured both sides.
    fn confirmation(
        &self,
        shift: &Shift,
        found: &[Shift],
        (facts, points): &(CampaignFacts, Vec<Point>),
    ) -> Option<Confirmation> {
        let series = self.series.get(shift.series)?;
        let place = |revision: &Revision| {
            self.revisions
                .iter()
                .position(|seen| seen.revision.id == revision.id)
        };
        let to = facts.revisions.first()?;
        let (from, until) = (place(&facts.control)?, place(to)?);
        // With another change between its sides it says nothing of either.
        let others = found
            .iter()
            .filter(|other| other.series == shift.series && other.place != shift.place);
        let is_alone = !others
            .clone()
            .any(|other| (from + 1..=until).contains(&other.place));
        let is_around = is_alone && from < shift.low && until >= shift.high;
        let of = |point: &&Point| point.subject == series.subject && point.revision == to.id;
        let point = points.iter().find(of).filter(|_| is_around)?;
        Some(Confirmation {
            campaign: facts.campaign,
            from: facts.control.clone(),
            to: to.clone(),
            difference: point.difference,
            low: point.low,
            high: point.high,
        })
    }
}

/// What the values since the last change of a series suggest.
fn suspicion(index: usize, values: &[Value], found: &[Shift]) -> Option<Suspicion> {
    let own = found.iter().filter(|shift| shift.series == index);
    let from = own.map(|shift| shift.place).max().unwrap_or(0);
    let last: Vec<&Value> = values.iter().filter(|value| value.place >= from).collect();
    let differences: Vec<Option<f64>> = last.iter().map(|value| Some(value.difference)).collect();
    let alarm = arrivals(&differences, ALARM_EVERY).ok()?.alarm?;
    Some(Suspicion {
        series: index,
        since: last.get(alarm.since)?.place,
        at: last.get(alarm.at)?.place,
        rises: alarm.rises,
    })
}
