//! What is known of each revision, and the values of each subject.

use std::collections::HashMap;

use perflab_compare::SubjectKey;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::builds::BuildFacts;
use crate::points::Point;
use crate::revision::Revision;

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
    /// Whether it is about builds: their time, and the sizes of programs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_of_builds: bool,
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

impl Seen {
    /// Whether its last build failed.
    pub fn is_unbuilt(&self) -> bool {
        let build = self.build.as_ref();
        build.is_some_and(|build| !build.status.passed())
    }
}

impl Series {
    pub(crate) fn new(
        subject: SubjectKey,
        points: &[&Point],
        places: &HashMap<&str, usize>,
    ) -> Self {
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
        // One campaign whose control measured 0 has no relative difference.
        let relative = points.iter().all(|point| point.relative);
        Self {
            subject,
            is_of_builds: false,
            relative,
            control: levels.get(levels.len() / 2).copied().unwrap_or(f64::NAN),
            values: by_place
                .iter()
                .map(|(place, own)| {
                    let own: Vec<Point> =
                        own.iter().map(|point| point.on_scale(relative)).collect();
                    combined(*place, &own)
                })
                .collect(),
        }
    }
}

/// The values that several campaigns gave of a revision, each weighted by what its interval is worth.
fn combined(place: usize, points: &[Point]) -> Value {
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

#[cfg(test)]
mod tests {
    use perflab_experiment::{Better, Metric};

    use super::*;

    #[test]
    fn one_scale_for_all_values() {
        let subject = SubjectKey {
            workload: "w".to_owned(),
            parameters: indexmap::IndexMap::new(),
            benchmark: None,
            metric: Metric::new("errors", "", Better::Lower),
            observed: false,
        };
        let point = |revision: &str, control: f64, difference: f64, relative| Point {
            campaign: 1,
            revision: revision.to_owned(),
            subject: subject.clone(),
            difference,
            relative,
            low: None,
            high: None,
            median: control,
            control,
            runs: 2,
        };
        // The control of the second campaign measured 0.
        let points = [point("a", 100.0, 0.1, true), point("b", 0.0, 5.0, false)];
        let places = HashMap::from([("a", 0), ("b", 1)]);
        let series = Series::new(subject.clone(), &points.each_ref(), &places);
        let differences = series.values.iter().map(|value| value.difference);
        assert!(!series.relative);
        assert_eq!(differences.collect::<Vec<_>>(), [10.0, 5.0]);
        let series = Series::new(subject, &[&points[0]], &places);
        assert!(series.relative);
    }
}
