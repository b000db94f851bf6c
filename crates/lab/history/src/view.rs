//! What is known of a history: its revisions in order, and a series of values for each subject.

use std::collections::HashMap;

use perflab_compare::SubjectKey;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::builds::BuildFacts;
use crate::built_series::built_series;
use crate::campaign::CampaignFacts;
use crate::points::Point;
use crate::revision::Revision;

/// A history as it was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct View {
    /// Version of this format: 1.
    pub schema: u32,
    /// Name of the history.
    pub name: String,
    /// The revision that differences are from; that of the last campaign where there were several.
    pub control: Option<Revision>,
    /// Campaigns.
    pub campaigns: usize,
    /// The revisions that were measured or could not be built, the oldest first.
    pub revisions: Vec<Seen>,
    /// A series for each subject.
    pub series: Vec<Series>,
}

/// A revision, and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Seen {
    /// The revision.
    pub revision: Revision,
    /// Its last build; absent for one that was built for nothing yet.
    pub build: Option<BuildFacts>,
    /// The campaigns that measured it.
    pub campaigns: Vec<u32>,
}

/// The values of a subject.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Series {
    /// What was measured.
    pub subject: SubjectKey,
    /// Whether differences are relative (0.02 is 2 % more), or in the metric's unit.
    pub relative: bool,
    /// What the control measured, in the metric's unit: the median of its medians.
    pub control: f64,
    /// The values, by place in the list of revisions, ascending.
    pub values: Vec<Value>,
}

/// The value of a revision.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Value {
    /// Its place in the list of revisions.
    pub place: usize,
    /// Difference from the control.
    pub difference: f64,
    /// Lower end of its interval, for this value alone; absent where there is none.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// Runs.
    pub runs: usize,
}

/// Version of the view's format.
const SCHEMA: u32 = 1;

impl View {
    /// JSON Schema of the view.
    pub fn schema() -> serde_json::Value {
        let mut schema = schemars::schema_for!(Self);
        schema.insert("title".to_owned(), "perflab history view".into());
        schema.to_value()
    }

    /// From what was recorded. Campaigns relative to another control than the last one are left out.
    pub fn new(
        name: &str,
        campaigns: &[CampaignFacts],
        builds: &[BuildFacts],
        points: &[Point],
    ) -> Self {
        let control = campaigns.last().map(|facts| facts.control.clone());
        let mut seen: HashMap<String, Seen> = HashMap::new();
        for facts in campaigns {
            for revision in std::iter::once(&facts.control).chain(&facts.revisions) {
                let entry = seen.entry(revision.id.clone()).or_insert_with(|| Seen {
                    revision: revision.clone(),
                    build: None,
                    campaigns: Vec::new(),
                });
                entry.campaigns.push(facts.campaign);
            }
            for revision in &facts.unbuilt {
                seen.entry(revision.id.clone()).or_insert_with(|| Seen {
                    revision: revision.clone(),
                    build: None,
                    campaigns: Vec::new(),
                });
            }
        }
        let by_number: HashMap<u32, &BuildFacts> =
            builds.iter().map(|facts| (facts.build, facts)).collect();
        for entry in seen.values_mut() {
            let name = entry.revision.name();
            let mut numbers = campaigns.iter().filter_map(|facts| facts.builds.get(&name));
            let last = numbers.next_back().and_then(|number| by_number.get(number));
            entry.build = last.map(|facts| (*facts).clone());
        }
        let mut revisions: Vec<Seen> = seen.into_values().collect();
        revisions.sort_by(|a, b| {
            (a.revision.time, &a.revision.id).cmp(&(b.revision.time, &b.revision.id))
        });
        let places: HashMap<&str, usize> = revisions
            .iter()
            .enumerate()
            .map(|(place, seen)| (seen.revision.id.as_str(), place))
            .collect();
        let is_current = |campaign: u32| {
            let of = campaigns.iter().find(|facts| facts.campaign == campaign);
            of.map(|facts| &facts.control) == control.as_ref()
        };
        let mut by_subject: Vec<(SubjectKey, Vec<&Point>)> = Vec::new();
        for point in points.iter().filter(|point| is_current(point.campaign)) {
            match by_subject
                .iter_mut()
                .find(|(subject, _)| *subject == point.subject)
            {
                Some((_, own)) => own.push(point),
                None => by_subject.push((point.subject.clone(), vec![point])),
            }
        }
        let measured = by_subject.into_iter();
        let measured = measured.map(|(subject, points)| Series::new(subject, &points, &places));
        let control_place = control
            .as_ref()
            .and_then(|control| places.get(control.id.as_str()));
        let built = built_series(&revisions, control_place.copied());
        let series = measured.chain(built).collect();
        Self {
            schema: SCHEMA,
            name: name.to_owned(),
            control,
            campaigns: campaigns.len(),
            series,
            revisions,
        }
    }
}

impl Seen {
    /// Whether its last build failed.
    pub fn is_unbuilt(&self) -> bool {
        let build = self.build.as_ref();
        build.is_some_and(|build| !build.status.passed())
    }
}

impl Series {
    fn new(subject: SubjectKey, points: &[&Point], places: &HashMap<&str, usize>) -> Self {
        let mut levels: Vec<f64> = points.iter().map(|point| point.control).collect();
        levels.sort_by(f64::total_cmp);
        let mut by_place: Vec<(usize, Vec<&Point>)> = Vec::new();
        for point in points {
            let Some(place) = places.get(point.revision.as_str()) else {
                continue;
            };
            match by_place.iter_mut().find(|(known, _)| known == place) {
                Some((_, own)) => own.push(point),
                None => by_place.push((*place, vec![point])),
            }
        }
        by_place.sort_by_key(|(place, _)| *place);
        Self {
            subject,
            relative: points.iter().all(|point| point.relative),
            control: levels.get(levels.len() / 2).copied().unwrap_or(f64::NAN),
            values: by_place
                .iter()
                .map(|(place, own)| combined(*place, own))
                .collect(),
        }
    }
}

/// The values that several campaigns gave of a revision, each weighted by what its interval is worth.
fn combined(place: usize, points: &[&Point]) -> Value {
    let runs = points.iter().map(|point| point.runs).sum();
    if let [point] = points {
        return Value {
            place,
            difference: point.difference,
            low: point.low,
            high: point.high,
            runs,
        };
    }
    // Half of an interval is a multiple of the standard error.
    let halves: Option<Vec<f64>> = points
        .iter()
        .map(|point| Some(0.5 * (point.high? - point.low?)).filter(|half| *half > 0.0))
        .collect();
    let weights: Vec<f64> = match &halves {
        Some(halves) => halves.iter().map(|half| half.powi(-2)).collect(),
        None => points.iter().map(|point| point.runs as f64).collect(),
    };
    let total: f64 = weights.iter().sum();
    let weighted = points
        .iter()
        .zip(&weights)
        .map(|(point, weight)| point.difference * weight);
    let difference = weighted.sum::<f64>() / total;
    let half = halves.map(|_| total.powf(-0.5));
    Value {
        place,
        difference,
        low: half.map(|half| difference - half),
        high: half.map(|half| difference + half),
        runs,
    }
}
