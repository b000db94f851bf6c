//! What is known of each revision, and the values of each subject.

use std::collections::HashMap;

use perflab_compare::SubjectKey;
use perflab_stats::summary::median;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::builds::BuildFacts;
use crate::points::{Point, SubjectPoints};
use crate::revision::Revision;
use crate::run_failure::RunFailure;

/// A revision, and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Seen {
    /// The revision.
    pub revision: Revision,
    /// Its last build; absent for one that was built for nothing yet.
    pub build: Option<BuildFacts>,
    /// The campaigns of the history that measured it.
    pub campaigns: Vec<u32>,
    /// Those of confirmations and of bisections that did.
    #[serde(default)]
    pub other_campaigns: Vec<u32>,
    /// What went wrong with the last execution of its tests, or with their report: a sentence each.
    #[serde(default)]
    pub test_faults: Vec<String>,
    /// The first workload of which no run passed in the last of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<RunFailure>,
    /// Whether the branch does not have it: it has a patch, or the branch was rewritten.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub off_branch: bool,
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
    /// The campaign whose control it is a difference from; of several the first of those with most weight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub campaign: Option<u32>,
    /// What the control measured there, in the metric's unit, if all its runs measured the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steady_control: Option<f64>,
}

impl Seen {
    /// A revision of which nothing else is known yet.
    pub(crate) fn new(revision: Revision) -> Self {
        Self {
            revision,
            build: None,
            campaigns: Vec::new(),
            other_campaigns: Vec::new(),
            test_faults: Vec::new(),
            failure: None,
            off_branch: false,
        }
    }

    /// Whether its last build failed.
    pub fn is_unbuilt(&self) -> bool {
        let build = self.build.as_ref();
        build.is_some_and(|build| !build.status.passed())
    }
}

impl Series {
    /// The values of a subject that campaigns gave. `places`: the place of each revision, by its name.
    pub(crate) fn new(
        subject: SubjectKey,
        campaigns: &[&SubjectPoints],
        places: &HashMap<&str, usize>,
    ) -> Self {
        let points = || {
            let all = campaigns.iter();
            all.flat_map(|of| of.points.iter().map(|point| (of.campaign, point)))
        };
        let levels: Vec<f64> = points().map(|(_, point)| point.control).collect();
        // One campaign whose control measured 0 has no relative difference.
        let relative = points().all(|(_, point)| point.relative);
        let value = |(campaign, point): (u32, &Point)| {
            let place = places.get(point.revision.as_str())?;
            Some(point.value(*place, campaign, relative))
        };
        let mut values: Vec<Value> = points().filter_map(value).collect();
        values.sort_by_key(|value| value.place);
        Self {
            subject,
            is_of_builds: false,
            relative,
            control: median(&levels).unwrap_or(f64::NAN),
            values: values
                .chunk_by(|one, other| one.place == other.place)
                .filter_map(combined)
                .collect(),
        }
    }
}

/// One of the values that several campaigns gave of a revision, each weighted by what its interval is worth.
fn combined(values: &[Value]) -> Option<Value> {
    let first = *values.first()?;
    if values.len() == 1 {
        return Some(first);
    }
    // Half of an interval is a multiple of the standard error.
    let halves: Option<Vec<f64>> = values
        .iter()
        .map(|value| Some(0.5 * (value.high? - value.low?)).filter(|half| *half > 0.0))
        .collect();
    let weights: Vec<f64> = match &halves {
        Some(halves) => halves.iter().map(|half| half.powi(-2)).collect(),
        None => values.iter().map(|value| value.runs as f64).collect(),
    };
    let total: f64 = weights.iter().sum();
    let weighted = values
        .iter()
        .zip(&weights)
        .map(|(value, weight)| value.difference * weight);
    let difference = weighted.sum::<f64>() / total;
    let half = halves.map(|_| total.powf(-0.5));
    let heaviest = values
        .iter()
        .zip(&weights)
        .rev()
        .max_by(|one, other| one.1.total_cmp(other.1));
    Some(Value {
        campaign: heaviest.and_then(|(value, _)| value.campaign),
        steady_control: heaviest.and_then(|(value, _)| value.steady_control),
        difference,
        low: half.map(|half| difference - half),
        high: half.map(|half| difference + half),
        runs: values.iter().map(|value| value.runs).sum(),
        ..first
    })
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
            revision: revision.to_owned(),
            difference,
            relative,
            low: None,
            high: None,
            control,
            is_control_steady: false,
            runs: 2,
        };
        let of = |points| SubjectPoints {
            campaign: 1,
            subject: subject.clone(),
            points,
        };
        // The control of the second campaign measured 0.
        let campaigns = [
            of(vec![point("a", 100.0, 0.1, true)]),
            of(vec![point("b", 0.0, 5.0, false)]),
        ];
        let places = HashMap::from([("a", 0), ("b", 1)]);
        let series = Series::new(subject.clone(), &campaigns.each_ref(), &places);
        let differences = series.values.iter().map(|value| value.difference);
        assert!(!series.relative);
        assert_eq!(differences.collect::<Vec<_>>(), [10.0, 5.0]);
        let series = Series::new(subject.clone(), &[&campaigns[0]], &places);
        assert!(series.relative);
    }

    #[test]
    fn a_revision_of_two_campaigns_has_the_value_of_both() {
        let value = |difference, half| Value {
            place: 7,
            difference,
            low: Some(difference - half),
            high: Some(difference + half),
            runs: 3,
            campaign: Some(difference as u32),
            steady_control: None,
        };
        let both = combined(&[value(1.0, 0.5), value(2.0, 1.0)]).unwrap();
        // Weights of 4 and 1.
        assert!((both.difference - 1.2).abs() < 1e-12);
        assert!((both.high.unwrap() - 1.2 - 0.2_f64.sqrt()).abs() < 1e-12);
        assert_eq!((both.place, both.runs, both.campaign), (7, 6, Some(1)));
        let without = Value {
            low: None,
            ..value(2.0, 1.0)
        };
        let both = combined(&[value(1.0, 0.5), without]).unwrap();
        assert_eq!((both.difference, both.low), (1.5, None));
    }
}
