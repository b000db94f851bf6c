//! The campaigns of a call, one after the other.

use std::collections::HashSet;
use std::num::NonZeroU32;
use std::time::Instant;

use perflab_experiment::counted;
use perflab_history::{
    BuildError, Builder, Built, CampaignFacts, HistoryFile, Purpose, Revision, Timeline, View,
    Wanted, commands_at, order,
};

use super::campaign::Campaign;
use super::known::{failing, is_current, settled};
use super::session::{Session, seed};
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
    /// Why the last campaign of the call says nothing.
    pub(super) in_vain: Option<Failure>,
}

impl Work<'_> {
    /// Campaigns until nothing is left, or no more may be begun.
    pub(super) fn all(&mut self, builder: &mut Builder<'_>) -> Result<(), Failure> {
        let mut campaigns = self.session.directory.campaigns()?;
        campaigns.retain(|facts| is_current(facts, self.timeline));
        if let Some(last) = campaigns.last() {
            self.resume(last, builder)?;
        }
        // Whatever comes of it, nothing is tried twice in one call.
        let mut done = settled(self.session.directory, self.timeline, self.manner.again)?;
        loop {
            let left = self.left(&done);
            if left.is_empty() {
                let without = self.without_value(&done)?;
                self.say_without_value(&without);
                let all = match without.is_empty() {
                    true => "all revisions",
                    false => "all other revisions",
                };
                if !without.are_all {
                    self.session
                        .say(&format!("{all} are measured, or could not be built"));
                }
                return self.test_all(builder);
            }
            if self.is_over() {
                self.say_without_value(&self.without_value(&done)?);
                let left = counted(left.len(), "revision");
                self.session
                    .say(&format!("{}: {left} left to measure", self.why_over()));
                return Ok(());
            }
            self.begun += u32::from(self.next(&left, None, builder, &mut done)?);
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
            let why = "so the patch cannot be measured on it";
            return Err(Failure::environment(
                self.session.unbuilt(base, &built, why),
            ));
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
            let why = "so nothing is measured";
            return Err(Failure::usage(self.session.unbuilt(
                &patched,
                &with_patch,
                why,
            )));
        }
        ready.push((patched, with_patch));
        self.measure(&facts, &ready, builder)?;
        let view = View::read(self.session.directory, &self.file.name)?;
        self.say_failing(&failing(&view, ready.iter().map(|(revision, _)| revision)));
        Ok(())
    }

    /// Places of the revisions that are left to measure, in the order in which to measure them.
    fn left(&self, done: &HashSet<String>) -> Vec<usize> {
        let is_done = |revision: &Revision| !self.is_left(revision, done);
        let is_done: Vec<bool> = self.timeline.measured().map(is_done).collect();
        let places = order(&is_done).into_iter();
        places.map(|index| self.timeline.selected[index]).collect()
    }

    pub(super) fn is_over(&self) -> bool {
        let most = self.manner.most.map(NonZeroU32::get);
        self.in_vain.is_some() || self.is_late() || most.is_some_and(|most| self.begun >= most)
    }

    /// Why no campaign may be begun any more.
    pub(super) fn why_over(&self) -> String {
        match (&self.in_vain, self.is_late()) {
            (Some(_), _) => format!("runs of the control {} fail", self.timeline.control.name()),
            (None, true) => "the time of --budget is over".to_owned(),
            (None, false) => {
                let begun = counted(self.begun as usize, "campaign");
                format!("{begun} measured, as --campaigns says")
            }
        }
    }

    pub(super) fn is_late(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }

    /// Builds the control and as many of the revisions as belong together, and measures them; whether anything was
    /// recorded. All that were tried are `done` then. `why` is said where there is something to measure.
    pub(super) fn next(
        &mut self,
        left: &[usize],
        why: Option<&str>,
        builder: &mut Builder<'_>,
        done: &mut HashSet<String>,
    ) -> Result<bool, Failure> {
        let mut ready = vec![(self.timeline.control.clone(), self.control(builder)?)];
        let mut facts = self.facts(self.manner.purpose.clone())?;
        let unbuilt = self.unbuilt()?;
        for place in left {
            if facts.revisions.len() >= self.file.measure.together as usize {
                break;
            }
            let revision = &self.timeline.revisions[*place];
            let built = self.build(revision, *place, builder)?;
            done.insert(revision.id.clone());
            match built.tree {
                Some(_) => {
                    self.test(revision, &built, builder)?;
                    facts.add(revision, &built);
                    ready.push((revision.clone(), built));
                }
                // That it cannot be built is recorded already.
                None if unbuilt.contains(&(revision.id.clone(), built.facts.build)) => {}
                None => facts.add(revision, &built),
            }
        }
        match (facts.revisions.is_empty(), facts.unbuilt.is_empty()) {
            (false, _) => {
                done.insert(self.timeline.control.id.clone());
                if let Some(why) = why {
                    self.say_why(why);
                }
                self.measure(&facts, &ready, builder)?;
            }
            (true, false) => self.session.directory.add(self.session.held, &facts)?,
            (true, true) => return Ok(false),
        }
        Ok(true)
    }

    /// The revisions that campaigns of the history list as those that cannot be built, with the number of the build.
    fn unbuilt(&self) -> Result<HashSet<(String, u32)>, Failure> {
        let campaigns = self.session.directory.campaigns()?;
        let of_history = campaigns.iter().filter(|facts| facts.is_of_history());
        let unbuilt = of_history.flat_map(|facts| {
            let listed = facts.unbuilt.iter();
            listed.filter_map(|revision| {
                let build = facts.builds.get(&revision.name())?;
                Some((revision.id.clone(), *build))
            })
        });
        Ok(unbuilt.collect())
    }

    /// Measures what was built, the first of which is the control.
    fn measure(
        &mut self,
        facts: &CampaignFacts,
        ready: &[(Revision, Built)],
        builder: &Builder<'_>,
    ) -> Result<(), Failure> {
        let design = self.session.read.file.measure.design(seed());
        let campaign = Campaign::new(self.session.read, ready, design)?;
        let beside = match facts.beside_control().count() {
            0 => String::new(),
            others => format!("{} and ", counted(others, "revision")),
        };
        self.session.say(&format!(
            "campaign {}: {beside}the control {}",
            facts.campaign,
            facts.control.name()
        ));
        self.session
            .measure(facts.clone(), ready, &campaign, builder)?;
        self.in_vain = self.why_in_vain(facts)?;
        Ok(())
    }

    /// Resumes a campaign of the history that was interrupted.
    pub(super) fn resume(
        &mut self,
        facts: &CampaignFacts,
        builder: &mut Builder<'_>,
    ) -> Result<(), Failure> {
        if self.go_on(facts, builder)? {
            self.in_vain = self.why_in_vain(facts)?;
        }
        Ok(())
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
        let Some(summary) = self.session.directory.summary(facts)? else {
            return Ok(false);
        };
        let control = facts.control.name();
        let failed = summary.failed_runs(&control);
        // What made them fail may be gone, and runs that failed are missing for good.
        if !summary.is_complete && failed > 0 && !summary.has_passed(&control) {
            self.session.say(&format!(
                "campaign {} is not resumed: all its runs of the control {control} failed",
                facts.campaign
            ));
            return Ok(false);
        }
        let is_resumed = self.session.go_on(facts, &mut |revision| {
            let place = self.timeline.place_by_time(revision);
            self.build(revision, place, builder)
        })?;
        if is_resumed && failed > 0 {
            self.session.say(&format!(
                "note: {} of the control {control} had failed in campaign {} before it was resumed, so its differences \
                 are from fewer runs",
                counted(failed, "run"),
                facts.campaign
            ));
        }
        Ok(is_resumed)
    }

    /// The build of the control, without which nothing can be measured.
    fn control(&self, builder: &mut Builder<'_>) -> Result<Built, Failure> {
        let control = &self.timeline.control;
        let place = self.timeline.place_by_time(control);
        let quirks = commands_at(&self.timeline.quirks, place);
        // Nothing can be done without it, so it is tried again in each call.
        let wanted = Wanted {
            again: true,
            ..Wanted::new(control, quirks)
        };
        let built = self.session.build(&wanted, builder)?;
        match &built.tree {
            Some(_) => Ok(built),
            None => {
                let why = "it is the control, so nothing can be measured; choose another `control` in [revisions]";
                let why = self.session.unbuilt(control, &built, why);
                Err(Failure::environment(why))
            }
        }
    }

    pub(super) fn build(
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
