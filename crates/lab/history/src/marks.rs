//! What people say of changes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::changes::Change;
use crate::points::subject_name;
use crate::revision::Revision;
use crate::view::View;

/// Version of the format of a line.
const SCHEMA: u32 = 1;

/// A line of `marks.jsonl`: what somebody says of the changes around a revision. The last one counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// Version of this format: 1.
    pub schema: u32,
    /// When it was said, RFC 3339 in UTC.
    pub at: String,
    /// The revision.
    pub revision: String,
    /// The name of the metric; absent for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
    /// What the change is; absent where a former mark is taken back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<ChangeState>,
    /// A word why.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The changes that were meant, as they were found then: later their ranges may lack the revision.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<MarkedChange>,
}

/// A change as it was found when it was marked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkedChange {
    /// The name of the series.
    pub series: String,
    /// The earliest revision that might be the first after it.
    pub from: String,
    /// The latest.
    pub to: String,
}

/// What a change is, as people say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChangeState {
    /// It was meant to be.
    Expected,
    /// There is none: the laboratory errs.
    Wrong,
    /// It was undone since.
    Fixed,
    /// It does not matter.
    Ignore,
}

/// What was said of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Said {
    /// What it is.
    pub state: ChangeState,
    /// A word why.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// When it was said, RFC 3339 in UTC.
    pub at: String,
}

impl ChangeState {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Expected => "expected",
            Self::Wrong => "wrong",
            Self::Fixed => "fixed",
            Self::Ignore => "ignore",
        }
    }
}

impl Mark {
    /// Something that is said now of changes around a revision.
    pub fn new(at: String, revision: &Revision, changes: Vec<MarkedChange>) -> Self {
        Self {
            schema: SCHEMA,
            at,
            revision: revision.id.clone(),
            metric: None,
            state: None,
            why: String::new(),
            changes,
        }
    }
}

impl View {
    /// A change as it is found now.
    pub fn marked(&self, change: &Change) -> Option<MarkedChange> {
        let id = |place: usize| Some(self.revisions.get(place)?.revision.id.clone());
        Some(MarkedChange {
            series: subject_name(&self.series.get(change.series)?.subject),
            from: id(change.low)?,
            to: id(change.high)?,
        })
    }

    /// What was said last of a change: of a revision that may be the first after it, or when it was found with a range in
    /// which it still is.
    pub fn said(&self, change: &Change, marks: &[Mark]) -> Option<Said> {
        let series = self.series.get(change.series)?;
        let place = |id: &String| {
            let mut seen = self.revisions.iter();
            seen.position(|seen| seen.revision.id == *id)
        };
        let name = subject_name(&series.subject);
        let was_meant = |marked: &MarkedChange| {
            let range = place(&marked.from).zip(place(&marked.to));
            marked.series == name
                && range.is_some_and(|(from, to)| (from..=to).contains(&change.place))
        };
        let is_around = |id: &String| {
            place(id).is_some_and(|place| (change.low..=change.high).contains(&place))
        };
        let is_of = |mark: &&Mark| {
            let metric = &series.subject.metric.name;
            mark.metric.as_ref().is_none_or(|name| name == metric)
                && (is_around(&mark.revision) || mark.changes.iter().any(was_meant))
        };
        let last = marks.iter().rev().find(is_of)?;
        Some(Said {
            state: last.state?,
            why: last.why.clone(),
            at: last.at.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use perflab_compare::SubjectKey;
    use perflab_experiment::{Better, Metric};

    use super::*;
    use crate::series::{Seen, Series};

    /// Ten revisions, `0` to `9`, and two series.
    fn view() -> View {
        let revision = |id: u32| Revision {
            id: id.to_string(),
            ..Revision::none()
        };
        let series = |workload: &str| Series {
            subject: SubjectKey {
                workload: workload.to_owned(),
                parameters: indexmap::IndexMap::new(),
                benchmark: None,
                metric: Metric::new("size", "", Better::Lower),
                observed: false,
            },
            is_of_builds: false,
            relative: true,
            control: 1.0,
            values: Vec::new(),
        };
        View {
            schema: 1,
            name: "h".to_owned(),
            control: None,
            campaigns: 0,
            revisions: (0..10).map(|id| Seen::new(revision(id))).collect(),
            unmeasured: std::collections::BTreeMap::new(),
            control_failures: Vec::new(),
            series: vec![series("a"), series("b")],
            quirks: Vec::new(),
            tests: Vec::new(),
        }
    }

    fn change(series: usize, [low, place, high]: [usize; 3]) -> Change {
        Change {
            series,
            place,
            low,
            high,
            before: 0.0,
            after: 0.1,
            p_adjusted: 0.01,
            confirmation: None,
            said: None,
        }
    }

    #[test]
    fn a_mark_stays_when_the_range_narrows() {
        let view = view();
        let found = change(0, [2, 4, 6]);
        let outer = &view.revisions[6].revision;
        let marked = Mark {
            state: Some(ChangeState::Expected),
            ..Mark::new(String::new(), outer, vec![view.marked(&found).unwrap()])
        };
        let removed = Mark {
            state: None,
            ..marked.clone()
        };
        let old = Mark {
            changes: Vec::new(),
            ..marked.clone()
        };
        let said = |change: &Change, marks: &[&Mark]| {
            let marks: Vec<Mark> = marks.iter().copied().cloned().collect();
            view.said(change, &marks).map(|said| said.state)
        };
        let narrow = change(0, [3, 4, 4]);
        let expected = Some(ChangeState::Expected);
        assert_eq!(said(&found, &[&marked]), expected);
        assert_eq!(said(&narrow, &[&marked]), expected);
        assert_eq!(said(&narrow, &[&marked, &removed]), None);
        // Of another series it holds where the revision is around the change, as before.
        assert_eq!(said(&change(1, [3, 4, 4]), &[&marked]), None);
        assert_eq!(said(&change(1, [5, 6, 7]), &[&marked]), expected);
        assert_eq!(said(&change(0, [7, 8, 9]), &[&marked]), None);
        assert_eq!(said(&found, &[&old]), expected);
        assert_eq!(said(&narrow, &[&old]), None);
    }
}
