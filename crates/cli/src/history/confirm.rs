//! Both sides of a change, measured again.

use perflab_experiment::counted;
use perflab_history::{Builder, CampaignFacts, Purpose, Timeline, Wanted, commands_at};

use super::campaign::Campaign;
use super::session::{FEWEST, Sides};
use super::work::Work;
use crate::failure::Failure;

/// The places of the two ends of what is asked for.
pub(super) fn sides(timeline: &Timeline) -> Result<[usize; 2], Failure> {
    match timeline.selected[..] {
        [first, .., last] => Ok([first, last]),
        _ => Err(Failure::usage(
            "--confirm: expected two revisions, found one twice; name the last one before the change and the first one \
             after it, as `perflab history changes` prints them",
        )),
    }
}

impl Work<'_> {
    /// A campaign with the two ends of what is asked for.
    pub(super) fn confirm(&mut self, builder: &mut Builder<'_>) -> Result<(), Failure> {
        let [first, last] = sides(self.timeline)?;
        let confirmed = self.confirm_pair(first, last, FEWEST, builder)?;
        let facts = confirmed.map_err(Failure::environment)?;
        self.in_vain = self.why_in_vain(&facts)?;
        Ok(())
    }

    /// A campaign with two revisions, both built again: the older one is its control. As many runs of each as the
    /// experiment has, but `least` at least. The inner error says that one cannot be built.
    pub(super) fn confirm_pair(
        &self,
        first: usize,
        last: usize,
        least: u32,
        builder: &mut Builder<'_>,
    ) -> Result<Result<CampaignFacts, String>, Failure> {
        let sides = [first, last].map(|place| (&self.timeline.revisions[place], place));
        let [(from, _), (to, _)] = sides;
        let campaigns = self.session.directory.campaigns()?;
        let both = Some([from.id.clone(), to.id.clone()]);
        let former = campaigns.iter().rfind(|facts| facts.sides() == both);
        if let Some(facts) = former
            && self.go_on(facts, builder)?
        {
            return Ok(Ok(facts.clone()));
        }
        let mut facts = CampaignFacts {
            confirms: Some([from.id.clone(), to.id.clone()]),
            ..self.session.facts(Purpose::Confirm, from.clone())?
        };
        let mut ready = Vec::new();
        for (revision, place) in sides {
            let quirks = commands_at(&self.timeline.quirks, place);
            let wanted = Wanted::new(revision, quirks).afresh(builder, &ready)?;
            let built = self.session.build(&wanted, builder)?;
            if built.tree.is_none() {
                facts.add(revision, &built);
                self.session.directory.add(self.session.held, &facts)?;
                let why = "so the change cannot be confirmed";
                return Ok(Err(self.session.unbuilt(revision, &built, why)));
            }
            ready.push((revision.clone(), built));
        }
        facts.add(to, &ready[1].1);
        let runs = Sides { asked: None, least };
        let design = runs.design(self.session.read);
        let each = design.runs.unwrap_or_default() as usize;
        let campaign = Campaign::new(self.session.read, &ready, design)?;
        self.session.say(&format!(
            "campaign {}: {} against {}, with fresh builds, {} of each",
            facts.campaign,
            to.name(),
            from.name(),
            counted(each, "run")
        ));
        self.session
            .measure(facts.clone(), &ready, &campaign, builder)?;
        Ok(Ok(facts))
    }
}
