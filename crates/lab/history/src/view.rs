//! What is known of a history: its revisions in order, and a series of values for each subject.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use indexmap::IndexMap;
use perflab_compare::SubjectKey;
use perflab_experiment::Outcome;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::builds::BuildFacts;
use crate::built_series::built_series;
use crate::campaign::CampaignFacts;
use crate::outcomes::{TestCell, TestSeries};
use crate::outline::{Outline, SeenQuirk};
use crate::points::SubjectPoints;
use crate::revision::Revision;
use crate::run_failure::{ControlFailure, RunFailure, Unmeasured};
use crate::series::{Seen, Series};
use crate::test_runs::{TestFacts, TestRunFacts};

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
    /// Why revisions have no value that campaigns were to measure, by their ids.
    #[serde(default)]
    pub unmeasured: BTreeMap<String, Unmeasured>,
    /// Workloads of which revisions have no value, as the control failed.
    #[serde(default)]
    pub control_failures: Vec<ControlFailure>,
    /// A series for each subject.
    pub series: Vec<Series>,
    /// What else changed, in order.
    #[serde(default)]
    pub quirks: Vec<SeenQuirk>,
    /// The tests, the worst first.
    #[serde(default)]
    pub tests: Vec<TestSeries>,
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
        mut points: Vec<SubjectPoints>,
        outline: &Outline,
    ) -> Self {
        let campaigns: Vec<&CampaignFacts> = campaigns
            .iter()
            .filter(|facts| facts.is_of_history())
            .collect();
        let control = campaigns.last().map(|facts| facts.control.clone());
        let mut seen: HashMap<String, Seen> = HashMap::new();
        for facts in &campaigns {
            let measured = (!facts.revisions.is_empty()).then(|| facts.measured());
            for revision in measured.into_iter().flatten() {
                let entry = seen.entry(revision.id.clone());
                let entry = entry.or_insert_with(|| Seen::new(revision.clone()));
                entry.campaigns.push(facts.campaign);
            }
            for revision in &facts.unbuilt {
                let entry = seen.entry(revision.id.clone());
                entry.or_insert_with(|| Seen::new(revision.clone()));
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
        // A patch of the same name with another content is another program.
        let is_stale = |campaign: &CampaignFacts, revision: &Revision| {
            let number = campaign.builds.get(&revision.name());
            let key = number
                .and_then(|number| by_number.get(number))
                .map(|facts| &facts.key);
            let last = seen.get(&revision.id).and_then(|seen| seen.build.as_ref());
            revision.is_patched() && key != last.map(|facts| &facts.key)
        };
        let stale = campaigns.iter().flat_map(|facts| {
            let revisions = facts.revisions.iter();
            let stale = revisions.filter(|revision| is_stale(facts, revision));
            stale.map(|revision| (facts.campaign, revision.id.clone()))
        });
        let stale: HashSet<(u32, String)> = stale.collect();
        for of in points.iter_mut().filter(|_| !stale.is_empty()) {
            let campaign = of.campaign;
            of.points
                .retain(|point| !stale.contains(&(campaign, point.revision.clone())));
        }
        let mut revisions: Vec<Seen> = seen.into_values().collect();
        follow_branch(&mut revisions, outline);
        let quirks = sort(&mut revisions, outline);
        let places: HashMap<&str, usize> = revisions
            .iter()
            .enumerate()
            .map(|(place, seen)| (seen.revision.id.as_str(), place))
            .collect();
        let is_current = |campaign: u32| {
            let of = campaigns.iter().find(|facts| facts.campaign == campaign);
            of.map(|facts| &facts.control.id) == control.as_ref().map(|control| &control.id)
        };
        let mut by_subject: Vec<(&SubjectKey, Vec<&SubjectPoints>)> = Vec::new();
        for of in points.iter().filter(|of| is_current(of.campaign)) {
            let mut known = by_subject.iter_mut();
            match known.find(|(subject, _)| **subject == of.subject) {
                Some((_, own)) => own.push(of),
                None => by_subject.push((&of.subject, vec![of])),
            }
        }
        let measured = by_subject.into_iter();
        let measured =
            measured.map(|(subject, campaigns)| Series::new(subject.clone(), &campaigns, &places));
        let control_place = control
            .as_ref()
            .and_then(|control| places.get(control.id.as_str()));
        let built = built_series(&revisions, control_place.copied());
        let series = measured.chain(built).collect();
        Self {
            schema: SCHEMA,
            name: name.to_owned(),
            control,
            campaigns: campaigns
                .iter()
                .filter(|facts| !facts.revisions.is_empty())
                .count(),
            unmeasured: BTreeMap::new(),
            control_failures: Vec::new(),
            series,
            revisions,
            quirks,
            tests: Vec::new(),
        }
    }

    /// With the failures of revisions, and why some have no value, by their ids, or none of some workloads.
    #[must_use]
    pub(crate) fn with_failures(
        mut self,
        mut failures: HashMap<String, RunFailure>,
        unmeasured: BTreeMap<String, Unmeasured>,
        control_failures: Vec<ControlFailure>,
    ) -> Self {
        for seen in &mut self.revisions {
            seen.failure = failures.remove(&seen.revision.id);
        }
        Self {
            unmeasured,
            control_failures,
            ..self
        }
    }

    /// With the campaigns that measured revisions and whose values are not among those of the history.
    #[must_use]
    pub(crate) fn with_other_campaigns(mut self, others: &[CampaignFacts]) -> Self {
        let mut seen: HashMap<&str, Vec<u32>> = HashMap::new();
        for facts in others.iter().filter(|facts| !facts.revisions.is_empty()) {
            for revision in facts.measured() {
                seen.entry(&revision.id).or_default().push(facts.campaign);
            }
        }
        for revision in &mut self.revisions {
            revision.other_campaigns = seen
                .remove(revision.revision.id.as_str())
                .unwrap_or_default();
        }
        self
    }

    /// The revisions that have a value, or are the control that all have theirs from.
    pub fn measured(&self) -> impl Iterator<Item = &Seen> {
        let measured = self.revisions.iter();
        measured.filter(|seen| !seen.campaigns.is_empty() && self.why_unmeasured(seen).is_none())
    }

    /// Why a revision has no value, though a campaign was to measure it.
    pub fn why_unmeasured(&self, seen: &Seen) -> Option<Unmeasured> {
        self.unmeasured.get(&seen.revision.id).copied()
    }

    /// With the tests that were executed: those of the last build of each revision.
    #[must_use]
    pub fn with_tests(mut self, test_runs: &[(TestRunFacts, Vec<TestFacts>)]) -> Self {
        // Tests of another table are others.
        let table = test_runs.last().map(|(facts, _)| &facts.table);
        let test_runs = test_runs
            .iter()
            .filter(|(facts, _)| Some(&facts.table) == table);
        let mut by_key: HashMap<&str, Vec<&[TestFacts]>> = HashMap::new();
        let mut last: HashMap<&str, &TestRunFacts> = HashMap::new();
        for (facts, tests) in test_runs {
            by_key.entry(&facts.key).or_default().push(tests);
            last.insert(&facts.key, facts);
        }
        for seen in &mut self.revisions {
            let key = seen.build.as_ref().map(|build| build.key.as_str());
            seen.test_faults = key
                .and_then(|key| last.get(key))
                .map_or(Vec::new(), |facts| facts.faults());
        }
        // Revisions with the same build share its runs, which are evidence once.
        let mut shared: HashSet<&str> = HashSet::new();
        let mut found: IndexMap<&[String], Vec<(TestCell, bool)>> = IndexMap::new();
        for (place, seen) in self.revisions.iter().enumerate() {
            let key = seen.build.as_ref().map(|build| build.key.as_str());
            let own = key.and_then(|key| by_key.get(key)).into_iter().flatten();
            let is_first = key.is_some_and(|key| shared.insert(key));
            for test in own.flat_map(|tests| tests.iter()) {
                let cells = found.entry(&test.name).or_default();
                match cells.last_mut().filter(|(cell, _)| cell.place == place) {
                    Some((cell, _)) => cell.outcomes.push(test.outcome),
                    None => {
                        let outcomes = vec![test.outcome];
                        cells.push((TestCell { place, outcomes }, is_first));
                    }
                }
            }
        }
        // What holds tests is worth a word only where it went wrong.
        let is_told = |(name, cells): &(&[String], Vec<(TestCell, bool)>)| {
            let is_group = name.last().is_none_or(String::is_empty);
            !is_group || cells.iter().any(|(cell, _)| cell.worst() != Outcome::PASS)
        };
        let judged = found
            .into_iter()
            .filter(is_told)
            .map(|(name, cells)| TestSeries::judged(name.to_vec(), cells));
        let mut tests: Vec<TestSeries> = judged.collect();
        // Those that are executed no more come last. Else the worst first, by the last revision, then by all.
        let place = |test: &TestSeries| test.cells.last().map(|cell| cell.place);
        let newest = tests.iter().filter_map(place).max();
        tests.sort_by_cached_key(|test| {
            let worst = test.cells.iter().map(TestCell::worst).max();
            let is_gone = place(test) < newest;
            (is_gone, Reverse((test.last(), worst)), test.name.clone())
        });
        Self { tests, ..self }
    }
}

/// Notes which revisions the branch does not have, and the tags that they have now.
fn follow_branch(revisions: &mut [Seen], outline: &Outline) {
    let order: HashSet<&str> = outline.order.iter().map(String::as_str).collect();
    for seen in revisions {
        let id = seen.revision.id.as_str();
        seen.off_branch = !order.is_empty() && !order.contains(id);
        if let Some(tags) = &outline.tags
            && !seen.off_branch
        {
            seen.revision.tags = tags.get(id).cloned().unwrap_or_default();
        }
    }
}

/// Sorts revisions as they are in the branch, and finds the places of the quirks among them. A revision that is not there,
/// as one with a patch or of a branch that was rewritten, comes behind the last one that is not younger.
fn sort(revisions: &mut [Seen], outline: &Outline) -> Vec<SeenQuirk> {
    let order = outline.order.iter().enumerate();
    let order: HashMap<&str, usize> = order.map(|(place, id)| (id.as_str(), place)).collect();
    let known = |revision: &Revision| order.get(revision.commit()).copied();
    let placed = revisions.iter().filter_map(|seen| {
        let revision = &seen.revision;
        Some((revision.time, known(revision)?))
    });
    let placed: Vec<(i64, usize)> = placed.collect();
    let last_before = |time: i64| {
        let before = placed.iter().filter(|(other, _)| *other <= time);
        before.map(|(_, place)| *place).max()
    };
    let place = |revision: &Revision| known(revision).or_else(|| last_before(revision.time));
    revisions.sort_by_cached_key(|seen| {
        let revision = &seen.revision;
        let is_there = order.contains_key(revision.id.as_str());
        (
            place(revision),
            !is_there,
            revision.time,
            revision.id.clone(),
        )
    });
    let quirks = outline.quirks.iter().filter_map(|quirk| {
        let has_it = |seen: &Seen| place(&seen.revision) >= Some(quirk.place);
        Some(SeenQuirk {
            letter: quirk.letter.clone(),
            place: revisions.iter().position(has_it)?,
            what: quirk.what.clone(),
        })
    });
    quirks.collect()
}
