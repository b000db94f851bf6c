//! `perflab history watch`: what tells most, within a budget.

use std::collections::HashSet;

use perflab_experiment::counted;
use perflab_history::{Builder, CampaignFacts, Purpose, Step, View, next_step, subject_name};

use super::changes::confirmations;
use super::show::view;
use super::work::Work;
use crate::failure::Failure;

impl Work<'_> {
    /// Campaigns where they tell most, until all is known or the budget is spent.
    pub(super) fn watch(&mut self, builder: &mut Builder<'_>) -> Result<(), Failure> {
        let directory = self.session.directory;
        let mut campaigns = directory.campaigns()?;
        campaigns.retain(CampaignFacts::is_of_history);
        if let Some(last) = campaigns.last() {
            self.go_on(last, builder)?;
        }
        let mut known = self.known(&campaigns)?;
        // A confirmation that was begun counts, even if nothing came of it: it is not tried for ever.
        let confirmed = directory.campaigns()?.into_iter();
        let confirmed =
            confirmed.filter(|facts| facts.purpose == Purpose::Confirm && facts.ends.is_none());
        let mut tried: HashSet<(String, String)> = confirmed
            .flat_map(|facts| {
                let to = facts.revisions.first().map(|to| to.id.clone());
                to.map(|to| (facts.control.id, to))
            })
            .collect();
        while !self.is_over() {
            let view = view(directory, &self.file.name)?;
            let shifts = view.shifts(&confirmations(directory)?);
            let id = |place: usize| self.timeline.revisions[place].id.clone();
            let step = next_step(
                self.timeline,
                &view,
                &shifts,
                |place| known.contains(&self.timeline.revisions[place].id),
                |from, to| tried.contains(&(id(from), id(to))),
            );
            self.begun += 1;
            match step {
                Step::Newest(place) => {
                    self.say_why("the newest revision");
                    self.next(&[place], builder, &mut known)?;
                }
                Step::Narrow { series, places } => {
                    self.say_why(&format!("where {} changed", name(&view, series)));
                    self.next(&places, builder, &mut known)?;
                }
                Step::Confirm { series, from, to } => {
                    self.say_why(&format!("by how much {} changed", name(&view, series)));
                    tried.insert((id(from), id(to)));
                    self.confirm_pair(from, to, builder)?;
                }
                Step::Gaps(places) => {
                    let left = counted(places.len(), "revision");
                    self.say_why(&format!("{left} that nothing is known of"));
                    self.next(&places, builder, &mut known)?;
                }
                Step::Nothing => {
                    self.session
                        .say("all revisions are measured, and all changes confirmed");
                    return self.test_all(builder);
                }
            }
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
