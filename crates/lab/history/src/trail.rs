//! What the campaigns of a bisection say.

use std::collections::HashMap;
use std::time::Duration;

use jiff::Timestamp;
use perflab_compare::SubjectKey;
use perflab_experiment::Refresh;
use perflab_stats::bisection::{Block, Event, Revision as Place, Run};
use perflab_store::{OpenedResult, RunRecord};

use crate::campaign::CampaignFacts;
use crate::search_range::SearchRange;

/// Two runs with more time between them are in different sessions: the machine may have changed its speed for good.
const PAUSE: Duration = Duration::from_secs(600);

/// Follows the campaigns of a bisection, in the order in which they were planned.
#[derive(Debug)]
pub struct Trail<'s> {
    range: &'s SearchRange,
    session: u32,
    last: Option<Timestamp>,
    tries: HashMap<Place, Tries>,
}

/// What came of the campaigns that ran a revision.
#[derive(Debug, Clone, Copy, Default)]
struct Tries {
    /// Runs that gave something.
    values: usize,
    /// Campaigns in which none did.
    vain: u32,
}

/// Campaigns without anything after which a revision that never gave anything is taken for one that cannot be measured:
/// once may be the machine's fault.
const MOST_TRIES: u32 = 2;

impl<'s> Trail<'s> {
    /// Before the first campaign.
    pub fn new(range: &'s SearchRange) -> Self {
        Self {
            range,
            session: 0,
            last: None,
            tries: HashMap::new(),
        }
    }

    /// Whatever came of the campaigns so far, revisions are tried again.
    pub fn forget_tries(&mut self) {
        self.tries.clear();
    }

    /// Whether a revision was run in several campaigns, and never gave anything.
    pub fn is_in_vain(&self, place: Place) -> bool {
        let tries = self.tries.get(&place);
        tries.is_some_and(|tries| tries.values == 0 && tries.vain >= MOST_TRIES)
    }

    /// What a campaign says, by what a run gives: nothing for one that gave none.
    pub fn follow<V>(
        &mut self,
        facts: &CampaignFacts,
        result: Option<&OpenedResult>,
        value: impl Fn(&RunRecord) -> Option<V>,
    ) -> Vec<Event<V>> {
        let skipped = |id: &str| match self.range.place(id) {
            Some(Place::At(at)) => Some(Event::Skipped(at)),
            _ => None,
        };
        let unbuilt = facts.unbuilt.iter();
        let mut events: Vec<Event<V>> = unbuilt
            .filter_map(|revision| skipped(&revision.id))
            .collect();
        let Some(result) = result.filter(|result| !result.records.is_empty()) else {
            return events;
        };
        let is_new_build = |refresh| matches!(refresh, Refresh::Relink | Refresh::Rebuild);
        let experiment = result.experiment.parsed.as_ref();
        let renews = experiment.is_ok_and(|experiment| is_new_build(experiment.design.refresh));
        let mut runs = Vec::new();
        for revision in facts.measured() {
            let Some(place) = self.range.place(&revision.id) else {
                continue;
            };
            let name = revision.name();
            let own: Vec<&RunRecord> = result
                .records
                .iter()
                .filter(|record| record.variant == name && !record.is_observed())
                .collect();
            let before = runs.len();
            for record in &own {
                let build = match renews {
                    // No campaign of a bisection has so many runs.
                    true => facts.campaign << 12 | record.unit,
                    false => facts.builds.get(&name).copied().unwrap_or(0),
                };
                runs.extend(value(record).map(|value| Run {
                    revision: place,
                    build,
                    value,
                }));
            }
            let tries = self.tries.entry(place).or_default();
            tries.values += runs.len() - before;
            tries.vain += u32::from(runs.len() == before && !own.is_empty());
        }
        let times = result
            .records
            .iter()
            .filter_map(|record| record.started.parse::<Timestamp>().ok());
        let is_late = |first: Timestamp| {
            let pause = self
                .last
                .map(|last| first.duration_since(last).unsigned_abs());
            pause.is_none_or(|pause| pause > PAUSE)
        };
        if times.clone().min().is_none_or(is_late) {
            self.session += 1;
        }
        self.last = times.max().or(self.last);
        if !runs.is_empty() {
            events.push(Event::Measured(Block {
                session: self.session,
                runs,
            }));
        }
        events
    }
}

/// What a run says of a subject: the median of its samples; nothing for a run that failed.
pub fn value_of(record: &RunRecord, subject: &SubjectKey) -> Option<f64> {
    let is_of = record.status.passed()
        && record.workload == subject.workload
        && record.parameters == subject.parameters
        && record.is_observed() == subject.observed;
    let samples = record.samples.iter().filter(|sample| {
        is_of && sample.benchmark == subject.benchmark && *sample.metric == subject.metric
    });
    let values: Vec<f64> = samples.map(|sample| sample.value).collect();
    perflab_stats::summary::median(&values).ok()
}
