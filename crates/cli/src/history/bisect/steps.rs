//! The steps of a search: each a campaign with the ends and a revision between them.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::Instant;

use perflab_experiment::{Refresh, Revised, counted};
use perflab_history::{
    BuildError, Builder, Built, CampaignFacts, Ends, Purpose, Revision, SearchRange, Timeline,
    Trail, Wanted, commands_at,
};
use perflab_report::operand;
use perflab_stats::bisection::{Bisection, Event, Evidence, Plan, Posterior, Revision as Place};
use perflab_store::RunRecord;

use super::answer::known;
use crate::failure::Failure;
use crate::history::campaign::Campaign;
use crate::history::session::{Session, seed};

/// Campaigns in a row without a usable run after which a search ends.
const MOST_IDLE: u32 = 3;

/// How the steps of a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Followed {
    /// There is an answer, or nothing is left to measure.
    Answered,
    /// The time was over before.
    Late,
    /// A value is not positive, so it has no ratio to others.
    OffScale,
}

/// What the steps of a search share.
pub(super) struct Steps<'s> {
    pub(super) session: Session<'s>,
    pub(super) ends: Ends,
    pub(super) range: &'s SearchRange,
    pub(super) timeline: &'s Timeline,
    pub(super) end: Option<Instant>,
    /// Whether revisions are tried again that could not be built.
    pub(super) again: bool,
}

impl Steps<'_> {
    /// Reports the range of the search.
    pub(super) fn say_begin(&self, out: &Path) {
        self.session.say(&format!(
            "searching {} after {}, up to {}; results go to {}",
            counted(self.range.revisions.len(), "revision"),
            self.range.good.name(),
            self.range.bad().name(),
            operand(out),
        ));
    }

    /// Whether another build of a revision may have another level: each run has one of its own then.
    pub(super) fn do_builds_vary(&self) -> bool {
        let read = self.session.read;
        let refresh = read
            .file
            .measure
            .refresh
            .unwrap_or(read.experiment.design.refresh);
        matches!(refresh, Refresh::Relink | Refresh::Rebuild)
    }

    /// The campaigns of this search, in order.
    pub(super) fn campaigns(&self, purpose: &Purpose) -> Result<Vec<CampaignFacts>, Failure> {
        let mut campaigns = self.session.directory.campaigns()?;
        campaigns
            .retain(|facts| facts.ends.as_ref() == Some(&self.ends) && facts.purpose == *purpose);
        Ok(campaigns)
    }

    /// Learns from what was measured before, and measures until there is an answer, or one of the ends without it.
    pub(super) fn follow<E: Evidence>(
        &self,
        search: &mut Bisection<E>,
        builder: &mut Builder<'_>,
        value: &dyn Fn(&RunRecord) -> Option<E::Value>,
    ) -> Result<Followed, Failure> {
        let mut trail = Trail::new(self.range);
        let before = self.campaigns(&Purpose::Bisect)?;
        if let Some(last) = before.last() {
            self.go_on(last, builder)?;
        }
        let measured = before.iter().flat_map(|facts| &facts.revisions);
        let measured: HashSet<&str> = measured.map(|revision| revision.id.as_str()).collect();
        for mut facts in before.iter().cloned() {
            // What could not be built at first may have been since.
            let is_unbuilt = |revision: &Revision| !measured.contains(revision.id.as_str());
            facts
                .unbuilt
                .retain(|revision| !self.again && is_unbuilt(revision));
            if self.learn(&facts, search, &mut trail, value)?.is_none() {
                return Ok(Followed::OffScale);
            }
        }
        match self.again {
            true => trail.forget_tries(),
            false => {
                self.skip_in_vain(&trail, search);
            }
        }
        if !before.is_empty() {
            let steps = counted(before.len(), "step");
            let known = known(self.range, &search.posterior());
            self.session.say(&format!("after {steps}: {known}"));
        }
        let mut step = before.len();
        let mut idle = 0;
        while let Some(plan) = search.next() {
            if self.end.is_some_and(|end| Instant::now() >= end) {
                return Ok(Followed::Late);
            }
            step += 1;
            let facts = self.measure(&plan, builder)?;
            let Some(learnt) = self.learn(&facts, search, &mut trail, value)? else {
                return Ok(Followed::OffScale);
            };
            for end in [&self.range.good, self.range.bad()] {
                let is_in_vain = |place| trail.is_in_vain(place);
                if facts.measured().any(|revision| revision.id == end.id)
                    && self.range.place(&end.id).is_some_and(is_in_vain)
                {
                    return Err(self.no_end(end));
                }
            }
            let skipped = self.skip_in_vain(&trail, search);
            idle = if learnt + skipped == 0 { idle + 1 } else { 0 };
            if idle == MOST_IDLE {
                return Err(Failure::no_data(format!(
                    "the last {MOST_IDLE} campaigns have no usable run, so the search cannot continue; `perflab show {}` \
                     lists the runs of the last one",
                    operand(self.session.directory.result(&facts))
                )));
            }
            self.say_step(step, &plan, &facts, &search.posterior());
        }
        Ok(Followed::Answered)
    }

    /// Learns from a campaign; returns how much there was to learn, nothing if the scale of the search has no place for a
    /// value.
    fn learn<E: Evidence>(
        &self,
        facts: &CampaignFacts,
        search: &mut Bisection<E>,
        trail: &mut Trail<'_>,
        value: &dyn Fn(&RunRecord) -> Option<E::Value>,
    ) -> Result<Option<usize>, Failure> {
        let result = self.session.directory.opened(facts)?;
        let events = trail.follow(facts, result.as_ref(), value);
        let learnt = events.len();
        for event in events {
            match event {
                Event::Skipped(at) => search.skip(at),
                Event::Measured(block) => match search.observe(&block) {
                    Err(perflab_stats::Error::NotPositive { .. }) => return Ok(None),
                    observed => observed?,
                },
            }
        }
        Ok(Some(learnt))
    }

    /// Skips the revisions between the ends that never gave anything; returns how many are skipped for the first time.
    fn skip_in_vain<E: Evidence>(&self, trail: &Trail<'_>, search: &mut Bisection<E>) -> usize {
        let last = self.range.revisions.len().saturating_sub(1);
        let in_vain = (0..last).filter(|at| trail.is_in_vain(Place::At(*at)));
        let new: Vec<usize> = in_vain.filter(|at| !search.is_skipped(*at)).collect();
        new.iter().for_each(|at| search.skip(*at));
        new.len()
    }

    fn no_end(&self, revision: &Revision) -> Failure {
        let name = revision.name();
        let what = format!(
            "the end {name} gave no usable run in several campaigns, so nothing can be compared with it"
        );
        self.no_values(&what, &[revision])
    }

    /// Measures what is planned; a revision that cannot be built is noted, and nothing is measured then.
    pub(super) fn measure(
        &self,
        plan: &Plan,
        builder: &mut Builder<'_>,
    ) -> Result<CampaignFacts, Failure> {
        let mut facts = self.facts(Purpose::Bisect)?;
        let mut counts = HashMap::from([(self.range.good.name(), plan.good)]);
        let mut ready = vec![self.end(&self.range.good, builder)?];
        if plan.bad > 0 {
            let bad = self.end(self.range.bad(), builder)?;
            facts.add(&bad.0, &bad.1);
            counts.insert(bad.0.name(), plan.bad);
            ready.push(bad);
        }
        if let Some((at, runs)) = plan.candidate {
            let revision = self.range.at(Place::At(at));
            let built = self.build(revision, builder)?;
            facts.add(revision, &built);
            if built.tree.is_none() {
                // Nothing is measured.
                facts.revisions.clear();
                self.session.directory.add(self.session.held, &facts)?;
                return Ok(facts);
            }
            counts.insert(revision.name(), runs);
            ready.push((revision.clone(), built));
        }
        let most = counts.values().copied().max().unwrap_or(1).max(1) as u32;
        let design = &self.session.read.experiment.design;
        // Runs that take turns are as many for all.
        let in_turns = design.is_in_slices();
        let design = Revised {
            runs: Some(most),
            block: Some(if in_turns { 1 } else { most }),
            ..self.session.read.file.measure.design(seed())
        };
        let mut campaign = Campaign::new(self.session.read, &ready, design)?;
        if !in_turns {
            let counts = counts.into_iter().map(|(name, runs)| (name, runs as u32));
            campaign = campaign.with_at_most(counts.collect());
        }
        let quiet = Session {
            quiet: true,
            ..self.session
        };
        quiet.measure(facts.clone(), &ready, &campaign, builder)?;
        Ok(facts)
    }

    /// The facts of a new campaign of this search.
    pub(super) fn facts(&self, purpose: Purpose) -> Result<CampaignFacts, Failure> {
        let facts = self.session.facts(purpose, self.range.good.clone())?;
        Ok(CampaignFacts {
            ends: Some(self.ends.clone()),
            ..facts
        })
    }

    /// A revision that must be built.
    pub(super) fn end(
        &self,
        revision: &Revision,
        builder: &mut Builder<'_>,
    ) -> Result<(Revision, Built), Failure> {
        self.needed(revision, self.wanted(revision), builder)
    }

    /// A revision that must be built, and is built again even if it is there, unless one of these is the same build.
    pub(super) fn fresh(
        &self,
        revision: &Revision,
        others: &[(Revision, Built)],
        builder: &mut Builder<'_>,
    ) -> Result<(Revision, Built), Failure> {
        let wanted = self.wanted(revision).afresh(builder, others)?;
        self.needed(revision, wanted, builder)
    }

    fn needed(
        &self,
        revision: &Revision,
        wanted: Wanted<'_>,
        builder: &mut Builder<'_>,
    ) -> Result<(Revision, Built), Failure> {
        // Nothing can be done without it, so it is tried again in each call.
        let wanted = Wanted {
            again: true,
            ..wanted
        };
        let built = self.session.build(&wanted, builder)?;
        match &built.tree {
            Some(_) => Ok((revision.clone(), built)),
            None => {
                let why = self
                    .session
                    .unbuilt(revision, &built, "and the search needs it");
                Err(Failure::environment(why))
            }
        }
    }

    /// Resumes a campaign that was interrupted.
    pub(super) fn go_on(
        &self,
        facts: &CampaignFacts,
        builder: &mut Builder<'_>,
    ) -> Result<(), Failure> {
        let mut build = |revision: &Revision| self.build(revision, builder);
        self.session.go_on(facts, &mut build)?;
        Ok(())
    }

    fn build(&self, revision: &Revision, builder: &mut Builder<'_>) -> Result<Built, BuildError> {
        self.session.build(&self.wanted(revision), builder)
    }

    fn wanted<'w>(&'w self, revision: &'w Revision) -> Wanted<'w> {
        let place = self.timeline.place_by_time(revision);
        Wanted {
            again: self.again,
            ..Wanted::new(revision, commands_at(&self.timeline.quirks, place))
        }
    }

    /// Says what was measured, and what is known.
    fn say_step(&self, step: usize, plan: &Plan, facts: &CampaignFacts, posterior: &Posterior) {
        let mut measured = Vec::new();
        if let Some((at, runs)) = plan.candidate {
            let name = self.range.at(Place::At(at)).name();
            measured.push(format!("{} of {name}", counted(runs, "run")));
        }
        if plan.good + plan.bad > 0 {
            measured.push(format!(
                "{} of the ends",
                counted(plan.good + plan.bad, "run")
            ));
        }
        if let Some(revision) = facts.unbuilt.first() {
            measured = vec![format!(
                "{} cannot be built and is skipped",
                revision.name()
            )];
        }
        let known = known(self.range, posterior);
        self.session
            .say(&format!("step {step}: {}; {known}", measured.join(", ")));
    }
}
