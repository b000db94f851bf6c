//! The changes of the series of a history.

use std::cmp::Ordering;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::marks::{ChangeState, Said};
use crate::revision::Revision;
use crate::series::Series;
use crate::view::View;

/// Chance that any change of a history is false.
pub const LEVEL: f64 = 0.05;

/// Values of a series up to a false alarm, on average.
pub const ALARM_EVERY: f64 = 1000.0;

/// The changes of a history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Changes {
    /// Series that were looked at.
    pub series: usize,
    /// Series with too few values, of which nothing is said.
    pub short: usize,
    /// Chance that any of the changes is false, for all series together.
    pub level: f64,
    /// The changes, by series and then by revision.
    pub found: Vec<Change>,
    /// Series whose last values look like a change that is not proven yet.
    #[serde(default)]
    pub suspected: Vec<SuspectedChange>,
}

/// The view of a history with its changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChangesView {
    /// What is known of the history.
    #[serde(flatten)]
    pub view: View,
    /// Its changes.
    pub changes: Changes,
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
pub struct SuspectedChange {
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
pub struct Change {
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

/// What a confirmation says of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confirmed {
    /// There is a difference of its sign.
    Yes,
    /// There is none of its size.
    No,
    /// Its size is possible, and no difference is as well.
    Undecided,
    /// The change has no size, as its medians are the same.
    NoSize,
}

impl Confirmation {
    /// What it says of a change of this size.
    pub fn confirms(&self, size: f64) -> Confirmed {
        let (low, high) = (
            self.low.unwrap_or(f64::NEG_INFINITY),
            self.high.unwrap_or(f64::INFINITY),
        );
        // As if the change were an increase.
        let (low, high) = match size.partial_cmp(&0.0) {
            Some(Ordering::Greater) => (low, high),
            Some(Ordering::Less) => (-high, -low),
            Some(Ordering::Equal) | None => return Confirmed::NoSize,
        };
        match (low, high) {
            (low, _) if low > 0.0 => Confirmed::Yes,
            (_, high) if high < size.abs() => Confirmed::No,
            _ => Confirmed::Undecided,
        }
    }

    /// Whether all of its interval is below half of a change of this size: the change may be at another place.
    pub fn is_far_below(&self, size: f64) -> bool {
        let end = if size > 0.0 { self.high } else { self.low };
        end.is_some_and(|end| end * size.signum() < 0.5 * size.abs())
    }
}

impl Change {
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
