//! `perflab history watch`: the most informative campaigns, within a budget.

use std::collections::HashSet;

use perflab_experiment::counted;
use perflab_history::{Builder, CampaignFacts, ChangesView, Step, View, next_step, subject_name};

use super::work::Work;
use crate::failure::Failure;

impl Work<'_> {
    /// The most informative campaigns, until all is known or the budget is spent.
    pub(super) fn watch(&mut self, builder: &mut Builder<'_>) -> Result<(), Failure> {
        let directory = self.session.directory;
        let mut campaigns = directory.campaigns()?;
        // A change that was being confirmed may not be the next to be confirmed any more.
        for kind in [CampaignFacts::is_of_history, CampaignFacts::is_confirmation] {
            if let Some(last) = campaigns.iter().rfind(|facts| kind(facts)) {
                self.go_on(last, builder)?;
            }
        }
        campaigns.retain(CampaignFacts::is_of_history);
        let mut known = self.known(&campaigns)?;
        // One that cannot be built is not tried again and again.
        let mut tried: HashSet<(String, String)> = HashSet::new();
        for facts in directory
            .campaigns()?
            .into_iter()
            .filter(CampaignFacts::is_confirmation)
        {
            if !facts.unbuilt.is_empty() || self.session.is_complete(&facts)? {
                let to = facts.revisions.iter().chain(&facts.unbuilt).next();
                tried.extend(to.map(|to| (facts.control.id.clone(), to.id.clone())));
            }
        }
        while !self.is_over() {
            let ChangesView { view, changes } = ChangesView::read(directory, &self.file.name)?;
            let id = |place: usize| self.timeline.revisions[place].id.clone();
            let step = next_step(
                self.timeline,
                &view,
                &changes,
                |place| known.contains(&self.timeline.revisions[place].id),
                |from, to| tried.contains(&(id(from), id(to))),
            );
            let is_recorded = match step {
                Step::Newest(place) => {
                    self.say_why("the newest revision");
                    self.next(&[place], builder, &mut known)?
                }
                Step::Narrow { series, places } => {
                    self.say_why(&format!("where {} changed", name(&view, series)));
                    self.next(&places, builder, &mut known)?
                }
                Step::Confirm { series, from, to } => {
                    self.say_why(&format!("by how much {} changed", name(&view, series)));
                    tried.insert((id(from), id(to)));
                    if let Err(why) = self.confirm_pair(from, to, builder)? {
                        self.session.say(&why);
                    }
                    true
                }
                Step::Gaps(places) => {
                    let left = counted(places.len(), "revision");
                    self.say_why(&format!("{left} that nothing is known of"));
                    self.next(&places, builder, &mut known)?
                }
                Step::Nothing => {
                    self.session
                        .say("all revisions are measured, and all changes confirmed");
                    return self.test_all(builder);
                }
            };
            self.begun += u32::from(is_recorded);
        }
        self.session.say("the budget is spent");
        Ok(())
    }

    fn say_why(&self, why: &str) {
        self.session.say(&format!("next: {why}"));
    }
}

fn name(view: &View, series: usize) -> String {
    let series = view.series.get(series);
    series.map_or(String::new(), |series| subject_name(&series.subject))
}
