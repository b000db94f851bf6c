//! The campaigns of a call, one after the other.

use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant};

use perflab_experiment::counted;
use perflab_history::{
    BuildError, Builder, Built, CampaignFacts, Held, HistoryDir, HistoryFile, Purpose, Revision,
    Timeline, Wanted, commands_at, order,
};
use perflab_runner::ThisMachine;
use perflab_store::RunRecord;

use super::arguments::RunArguments;
use super::campaign::{Campaign, Session};
use super::file::Read;
use crate::failure::Failure;
use crate::terminal;

/// Room for the files of builds that are not needed at the moment.
const ROOM_BYTES: u64 = 10 << 30;

/// A patch that is tried on a revision.
pub(super) struct Patch {
    /// Its name, which becomes a part of that of its variant.
    pub(super) name: String,
    pub(super) content: Vec<u8>,
}

/// What is to be done, and how far it is.
pub(super) struct Work<'w> {
    pub(super) read: &'w Read,
    pub(super) file: &'w HistoryFile,
    pub(super) directory: &'w HistoryDir,
    pub(super) held: &'w Held,
    pub(super) home: &'w Path,
    pub(super) machine: &'w ThisMachine,
    pub(super) timeline: &'w Timeline,
    pub(super) arguments: &'w RunArguments,
    pub(super) end: Option<Instant>,
    pub(super) begun: u32,
}

impl Work<'_> {
    /// Campaigns until nothing is left, or no more may be begun.
    pub(super) fn all(&mut self, builder: &mut Builder<'_>) -> Result<(), Failure> {
        let campaigns = self.directory.campaigns()?;
        if let Some(last) = campaigns.last() {
            self.go_on(last, builder)?;
        }
        // Whatever comes of it, nothing is tried twice in one call.
        let mut known = self.known(&campaigns)?;
        loop {
            let left = self.left(&known);
            if left.is_empty() {
                self.say("all revisions are measured, or could not be built");
                return Ok(());
            }
            if self.is_over() {
                let left = counted(left.len(), "revision");
                self.say(&format!("{left} left to measure"));
                return Ok(());
            }
            self.begun += 1;
            self.next(&left, builder, &mut known)?;
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
        let with_patch = self.told(&patched, builder.build(&wanted)?);
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

    /// The revisions that campaigns have measured, or tried to.
    fn known(&self, campaigns: &[CampaignFacts]) -> Result<HashSet<String>, Failure> {
        let mut known = HashSet::from([self.timeline.control.id.clone()]);
        for facts in campaigns {
            let Some(result) = self.directory.opened(facts)? else {
                continue;
            };
            // A revision whose runs fail is known as well as one whose runs pass.
            let counts = |record: &&RunRecord| record.status.passed() || !self.arguments.again;
            let tried = result.records.iter().filter(counts);
            let tried: HashSet<&str> = tried.map(|record| record.variant.as_str()).collect();
            let measured = facts.revisions.iter();
            let measured = measured.filter(|revision| tried.contains(revision.name().as_str()));
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

    fn is_over(&self) -> bool {
        let is_late = self.end.is_some_and(|end| Instant::now() >= end);
        let most = self.arguments.campaigns.map(std::num::NonZeroU32::get);
        is_late || most.is_some_and(|most| self.begun >= most)
    }

    /// Builds the control and as many of the revisions as belong together, and measures them.
    fn next(
        &self,
        left: &[usize],
        builder: &mut Builder<'_>,
        known: &mut HashSet<String>,
    ) -> Result<(), Failure> {
        let mut ready = vec![(self.timeline.control.clone(), self.control(builder)?)];
        let mut facts = self.facts(match self.arguments.fill {
            Some(_) => Purpose::Fill,
            None => Purpose::Plan,
        })?;
        for place in left {
            if facts.revisions.len() >= self.file.measure.together as usize {
                break;
            }
            let revision = &self.timeline.revisions[*place];
            let built = self.build(revision, *place, builder)?;
            known.insert(revision.id.clone());
            match built.tree {
                Some(_) => {
                    facts.add(revision, &built);
                    ready.push((revision.clone(), built));
                }
                // That it cannot be built this way is recorded already.
                None if built.is_reused => {}
                None => facts.add(revision, &built),
            }
        }
        match (facts.revisions.is_empty(), facts.unbuilt.is_empty()) {
            (false, _) => self.measure(facts, &ready, builder),
            (true, false) => Ok(self.directory.add(self.held, &facts)?),
            (true, true) => Ok(()),
        }
    }

    /// The facts of a new campaign.
    fn facts(&self, purpose: Purpose) -> Result<CampaignFacts, Failure> {
        let campaigns = self.directory.campaigns()?;
        let last = campaigns.iter().map(|facts| facts.campaign).max();
        Ok(CampaignFacts::new(
            last.unwrap_or(0) + 1,
            jiff::Timestamp::now().to_string(),
            purpose,
            self.timeline.control.clone(),
        ))
    }

    /// Measures what was built, the first of which is the control.
    fn measure(
        &self,
        mut facts: CampaignFacts,
        ready: &[(Revision, Built)],
        builder: &Builder<'_>,
    ) -> Result<(), Failure> {
        if let Some((control, built)) = ready.first() {
            facts.note(control, built);
        }
        let seed = rand::random::<u64>() >> 12;
        let campaign = Campaign::new(self.read, ready, seed)?;
        self.directory.add(self.held, &facts)?;
        self.say(&format!(
            "campaign {}: {} and the control {}",
            facts.campaign,
            counted(facts.revisions.len(), "revision"),
            facts.control.name()
        ));
        campaign.execute(&self.session(), &facts)?;
        let keys: Vec<_> = ready.iter().map(|(_, built)| built.key.clone()).collect();
        Ok(builder.make_room(ROOM_BYTES, &keys)?)
    }

    /// Goes on with a campaign that was interrupted.
    fn go_on(&self, facts: &CampaignFacts, builder: &mut Builder<'_>) -> Result<(), Failure> {
        // Who tries a patch or confirms a change calls the same again, with all of it measured anew.
        let goes_on = matches!(facts.purpose, Purpose::Plan | Purpose::Fill);
        let Some(result) = self.directory.opened(facts)?.filter(|_| goes_on) else {
            return Ok(());
        };
        if result.records.len() >= result.plan.runs.len() {
            return Ok(());
        }
        for revision in std::iter::once(&facts.control).chain(&facts.revisions) {
            let place = self.timeline.place(&revision.id);
            let built = self.build(revision, place.unwrap_or(usize::MAX), builder)?;
            if facts.builds.get(&revision.name()) != Some(&built.facts.build) {
                self.say(&format!(
                    "campaign {} is not gone on with: {} was built again since",
                    facts.campaign,
                    revision.name()
                ));
                return Ok(());
            }
        }
        self.say(&format!("campaign {}: goes on", facts.campaign));
        let path = self.directory.result(facts);
        Campaign::of(self.read, &result)?.resume(&self.session(), &path)
    }

    fn session(&self) -> Session<'_> {
        Session {
            read: self.read,
            directory: self.directory,
            machine: self.machine,
            quiet: self.arguments.quiet,
        }
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
                self.home
                    .join("builds")
                    .join(format!("{:06}", built.facts.build))
                    .display(),
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
            again: self.arguments.again,
            ..Wanted::new(revision, quirks)
        };
        Ok(self.told(revision, builder.build(&wanted)?))
    }

    /// A build, told of where it was made just now.
    fn told(&self, revision: &Revision, built: Built) -> Built {
        if built.is_reused {
            return built;
        }
        let took: f64 = built.facts.steps.iter().map(|step| step.seconds).sum();
        let took = Duration::try_from_secs_f64(took).unwrap_or_default();
        match &built.facts.detail {
            None => self.say(&format!(
                "built {} in {:.1} s",
                revision.name(),
                took.as_secs_f64()
            )),
            Some(detail) => self.say(&format!(
                "{} cannot be built: {detail}; see {}",
                revision.name(),
                self.home
                    .join("builds")
                    .join(format!("{:06}", built.facts.build))
                    .display()
            )),
        }
        built
    }

    fn say(&self, text: &str) {
        if !self.arguments.quiet {
            terminal::say(&terminal::escape(text));
        }
    }
}
