//! The campaigns of a call, one after the other.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroU32;
use std::time::Instant;

use perflab_experiment::counted;
use perflab_history::{
    BuildError, Builder, Built, CampaignFacts, HistoryFile, Purpose, Revision, Timeline, Wanted,
    commands_at, order,
};

use super::campaign::Campaign;
use super::session::{Session, confirming, seed};
use crate::failure::Failure;

/// A patch that is tried on a revision.
pub(super) struct Patch {
    /// Its name, which becomes a part of that of its variant.
    pub(super) name: String,
    pub(super) content: Vec<u8>,
}

/// How revisions are measured.
#[derive(Debug, Clone)]
pub(super) struct Manner {
    /// Whether revisions are tried again that could not be built, or whose runs all failed.
    pub(super) again: bool,
    /// Most campaigns.
    pub(super) most: Option<NonZeroU32>,
    /// What campaigns are for.
    pub(super) purpose: Purpose,
}

/// What is to be done, and how far it is.
pub(super) struct Work<'w> {
    pub(super) session: Session<'w>,
    pub(super) file: &'w HistoryFile,
    pub(super) timeline: &'w Timeline,
    pub(super) manner: Manner,
    pub(super) end: Option<Instant>,
    pub(super) begun: u32,
}

impl Work<'_> {
    /// Campaigns until nothing is left, or no more may be begun.
    pub(super) fn all(&mut self, builder: &mut Builder<'_>) -> Result<(), Failure> {
        let mut campaigns = self.session.directory.campaigns()?;
        campaigns.retain(CampaignFacts::is_of_history);
        if let Some(last) = campaigns.last() {
            self.go_on(last, builder)?;
        }
        // Whatever comes of it, nothing is tried twice in one call.
        let mut known = self.known(&campaigns)?;
        loop {
            let left = self.left(&known);
            if left.is_empty() {
                self.session
                    .say("all revisions are measured, or could not be built");
                return self.test_all(builder);
            }
            if self.is_over() {
                let left = counted(left.len(), "revision");
                self.session.say(&format!("{left} left to measure"));
                return Ok(());
            }
            self.begun += u32::from(self.next(&left, builder, &mut known)?);
        }
    }

    /// A campaign with a revision and the same with a patch: the last of those that are asked for.
    pub(super) fn patch(
        &mut self,
        patch: &Patch,
        builder: &mut Builder<'_>,
    ) -> Result<(), Failure> {
        let place = self.timeline.selected.last().copied().unwrap_or_default();
        let base = &self.timeline.revisions[place];
        let patched = base.patched(&patch.name);
        let mut facts = self.facts(Purpose::Patch)?;
        let built = self.build(base, place, builder)?;
        if built.tree.is_none() {
            return Err(Failure::environment(format!(
                "{} cannot be built, so the patch cannot be tried on it",
                base.name()
            )));
        }
        let wanted = Wanted {
            patch: Some(&patch.content),
            again: true,
            ..Wanted::new(&patched, commands_at(&self.timeline.quirks, place))
        };
        let with_patch = self.session.build(&wanted, builder)?;
        let mut ready = vec![(self.timeline.control.clone(), self.control(builder)?)];
        if base.id != self.timeline.control.id {
            facts.add(base, &built);
            ready.push((base.clone(), built));
        }
        facts.add(&patched, &with_patch);
        if with_patch.tree.is_none() {
            return Err(Failure::usage(format!(
                "{} cannot be built with the patch",
                base.name()
            )));
        }
        ready.push((patched, with_patch));
        self.measure(facts, &ready, builder)
    }

    /// A campaign with the two ends of what is asked for.
    pub(super) fn confirm(&self, builder: &mut Builder<'_>) -> Result<(), Failure> {
        let ends = [
            self.timeline.selected.first(),
            self.timeline.selected.last(),
        ];
        let [Some(first), Some(last)] = ends else {
            return Ok(());
        };
        if first == last {
            return Err(Failure::usage(
                "--confirm: expected two revisions, found one twice",
            ));
        }
        let confirmed = self.confirm_pair(*first, *last, builder)?;
        confirmed.map_err(Failure::environment)
    }

    /// A campaign with two revisions, both built again: the older one is its control. The inner error says that one
    /// cannot be built.
    pub(super) fn confirm_pair(
        &self,
        first: usize,
        last: usize,
        builder: &mut Builder<'_>,
    ) -> Result<Result<(), String>, Failure> {
        let sides = [first, last].map(|place| (&self.timeline.revisions[place], place));
        let [(from, _), (to, _)] = sides;
        let campaigns = self.session.directory.campaigns()?;
        let former = campaigns.iter().rfind(|facts| {
            facts.is_confirmation()
                && facts.control.id == from.id
                && facts
                    .revisions
                    .first()
                    .is_some_and(|revision| revision.id == to.id)
        });
        if let Some(facts) = former
            && self.go_on(facts, builder)?
        {
            return Ok(Ok(()));
        }
        let mut facts = self.session.facts(Purpose::Confirm, from.clone())?;
        let mut ready = Vec::new();
        for (revision, place) in sides {
            let wanted = Wanted {
                fresh: true,
                ..Wanted::new(revision, commands_at(&self.timeline.quirks, place))
            };
            let built = self.session.build(&wanted, builder)?;
            if built.tree.is_none() {
                facts.unbuilt.push(to.clone());
                self.session.directory.add(self.session.held, &facts)?;
                return Ok(Err(format!(
                    "cannot confirm the change: {} cannot be built: {}; see {}",
                    revision.name(),
                    built.facts.detail.as_deref().unwrap_or_default(),
                    self.session.log(&built).display()
                )));
            }
            ready.push((revision.clone(), built));
        }
        facts.add(to, &ready[1].1);
        let design = confirming(self.session.read, None);
        let campaign = Campaign::new(self.session.read, &ready, design)?;
        self.session.say(&format!(
            "campaign {}: {} against {}, with fresh builds",
            facts.campaign,
            to.name(),
            from.name()
        ));
        self.session.measure(facts, &ready, &campaign, builder)?;
        Ok(Ok(()))
    }

    /// The revisions that campaigns have measured, or tried to.
    pub(super) fn known(&self, campaigns: &[CampaignFacts]) -> Result<HashSet<String>, Failure> {
        let mut known = HashSet::from([self.timeline.control.id.clone()]);
        for facts in campaigns {
            let Some(summary) = self.session.directory.summary(facts)? else {
                continue;
            };
            // A revision whose runs fail is known as well as one whose runs pass.
            let is_known = |revision: &&Revision| {
                let name = revision.name();
                summary.has_measured(&name) && (summary.has_passed(&name) || !self.manner.again)
            };
            let measured = facts.revisions.iter().filter(is_known);
            known.extend(measured.map(|revision| revision.id.clone()));
        }
        Ok(known)
    }

    /// Places of the revisions that are not known yet, in the order in which to measure them.
    fn left(&self, known: &HashSet<String>) -> Vec<usize> {
        let is_known = |revision: &Revision| known.contains(&revision.id);
        let is_known: Vec<bool> = self.timeline.measured().map(is_known).collect();
        let places = order(&is_known).into_iter();
        places.map(|index| self.timeline.selected[index]).collect()
    }

    pub(super) fn is_over(&self) -> bool {
        let most = self.manner.most.map(NonZeroU32::get);
        self.is_late() || most.is_some_and(|most| self.begun >= most)
    }

    fn is_late(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }

    /// Builds the control and as many of the revisions as belong together, and measures them; whether anything was
    /// recorded.
    pub(super) fn next(
        &self,
        left: &[usize],
        builder: &mut Builder<'_>,
        known: &mut HashSet<String>,
    ) -> Result<bool, Failure> {
        let mut ready = vec![(self.timeline.control.clone(), self.control(builder)?)];
        let mut facts = self.facts(self.manner.purpose.clone())?;
        for place in left {
            if facts.revisions.len() >= self.file.measure.together as usize {
                break;
            }
            let revision = &self.timeline.revisions[*place];
            let built = self.build(revision, *place, builder)?;
            known.insert(revision.id.clone());
            match built.tree {
                Some(_) => {
                    self.test(revision, &built, builder)?;
                    facts.add(revision, &built);
                    ready.push((revision.clone(), built));
                }
                // That it cannot be built this way is recorded already.
                None if built.is_reused => {}
                None => facts.add(revision, &built),
            }
        }
        match (facts.revisions.is_empty(), facts.unbuilt.is_empty()) {
            (false, _) => self.measure(facts, &ready, builder)?,
            (true, false) => self.session.directory.add(self.session.held, &facts)?,
            (true, true) => return Ok(false),
        }
        Ok(true)
    }

    /// Executes the tests of a build as often as is wanted and was not done yet.
    fn test(
        &self,
        revision: &Revision,
        built: &Built,
        builder: &mut Builder<'_>,
    ) -> Result<(), Failure> {
        let Some(table) = &self.file.tests else {
            return Ok(());
        };
        let done = self.session.directory.trial_keys(table)?;
        let done = done
            .iter()
            .filter(|key| **key == built.key.to_string())
            .count();
        for _ in done..table.runs as usize {
            if let Some(trial) = builder.test(revision, built, table)? {
                self.session.say(&format!(
                    "tested {} in {:.1} s: {}",
                    revision.name(),
                    trial.seconds,
                    trial.detail.as_deref().unwrap_or(trial.status.name())
                ));
            }
        }
        Ok(())
    }

    /// Executes the tests of all revisions whose tests were not executed yet: of the control, and of those that were
    /// measured before the history had tests.
    pub(super) fn test_all(&self, builder: &mut Builder<'_>) -> Result<(), Failure> {
        let Some(table) = &self.file.tests else {
            return Ok(());
        };
        let keys = self.session.directory.trial_keys(table)?;
        let mut done: HashMap<String, usize> = HashMap::new();
        for key in keys {
            *done.entry(key).or_default() += 1;
        }
        for place in &self.timeline.selected {
            if self.is_late() {
                return Ok(());
            }
            let revision = &self.timeline.revisions[*place];
            // A build that was tested often enough need not be there.
            let quirks = commands_at(&self.timeline.quirks, *place);
            let key = builder.key_of(&Wanted::new(revision, quirks))?;
            if done
                .get(&key.to_string())
                .is_some_and(|runs| *runs >= table.runs as usize)
            {
                continue;
            }
            let built = self.build(revision, *place, builder)?;
            self.test(revision, &built, builder)?;
            self.session.make_room(&[built.key], builder)?;
        }
        Ok(())
    }

    /// Measures what was built, the first of which is the control.
    fn measure(
        &self,
        facts: CampaignFacts,
        ready: &[(Revision, Built)],
        builder: &Builder<'_>,
    ) -> Result<(), Failure> {
        let design = self.session.read.file.measure.design(seed());
        let campaign = Campaign::new(self.session.read, ready, design)?;
        self.session.say(&format!(
            "campaign {}: {} and the control {}",
            facts.campaign,
            counted(facts.revisions.len(), "revision"),
            facts.control.name()
        ));
        self.session.measure(facts, ready, &campaign, builder)
    }

    /// Resumes a campaign that was interrupted; whether it did.
    pub(super) fn go_on(
        &self,
        facts: &CampaignFacts,
        builder: &mut Builder<'_>,
    ) -> Result<bool, Failure> {
        // A patch is measured again from the start.
        if facts.purpose == Purpose::Patch {
            return Ok(false);
        }
        self.session.go_on(facts, &mut |revision| {
            let place = self.timeline.place(&revision.id);
            self.build(revision, place.unwrap_or(0), builder)
        })
    }

    /// The build of the control, without which nothing can be measured.
    fn control(&self, builder: &mut Builder<'_>) -> Result<Built, Failure> {
        let control = &self.timeline.control;
        let place = self.timeline.place(&control.id).unwrap_or(0);
        let built = self.build(control, place, builder)?;
        match &built.tree {
            Some(_) => Ok(built),
            None => Err(Failure::environment(format!(
                "the control {} cannot be built, and all values are relative to it: {}; see {}, or choose another \
                 `control` in [revisions]",
                control.name(),
                built.facts.detail.as_deref().unwrap_or_default(),
                self.session.log(&built).display(),
            ))),
        }
    }

    fn build(
        &self,
        revision: &Revision,
        place: usize,
        builder: &mut Builder<'_>,
    ) -> Result<Built, BuildError> {
        let quirks = commands_at(&self.timeline.quirks, place);
        let wanted = Wanted {
            again: self.manner.again,
            ..Wanted::new(revision, quirks)
        };
        self.session.build(&wanted, builder)
    }

    fn facts(&self, purpose: Purpose) -> Result<CampaignFacts, Failure> {
        self.session.facts(purpose, self.timeline.control.clone())
    }
}
