//! `perflab history watch`: the most informative campaigns, within a budget.

use std::collections::HashSet;

use perflab_experiment::counted;
use perflab_history::{Builder, CampaignFacts, Detection, Step, View, next_step, subject_name};

use super::known::{is_current, settled};
use super::session::FEWEST;
use super::work::Work;
use crate::failure::Failure;

impl Work<'_> {
    /// The most informative campaigns, until all is known or no more may be begun.
    pub(super) fn watch(&mut self, builder: &mut Builder<'_>) -> Result<(), Failure> {
        let directory = self.session.directory;
        let campaigns = directory.campaigns()?;
        // A change that was being confirmed may not be the next to be confirmed any more.
        let last = campaigns
            .iter()
            .rfind(|facts| is_current(facts, self.timeline));
        let last_confirmation = campaigns.iter().rfind(|facts| facts.is_confirmation());
        if let Some(facts) = last_confirmation {
            self.go_on(facts, builder)?;
        }
        if let Some(facts) = last {
            self.resume(facts, builder)?;
        }
        let mut done = settled(directory, self.timeline, self.manner.again)?;
        // One that cannot be built is not tried again and again.
        let mut tried: HashSet<[String; 2]> = HashSet::new();
        for facts in directory
            .campaigns()?
            .into_iter()
            .filter(CampaignFacts::is_confirmation)
        {
            if !facts.unbuilt.is_empty() || self.session.is_complete(&facts)? {
                tried.extend(facts.sides());
            }
        }
        while !self.is_over() {
            let view = View::read(directory, &self.file.name)?;
            let detection = Detection::read(directory, &view)?;
            let id = |place: usize| self.timeline.revisions[place].id.clone();
            let step = next_step(
                self.timeline,
                &view,
                &detection,
                |place| !self.is_left(&self.timeline.revisions[place], &done),
                |from, to| tried.contains(&[id(from), id(to)]),
            );
            let is_recorded = match step {
                Step::Newest(place) => {
                    let why = "the newest revision";
                    self.next(&[place], Some(why), builder, &mut done)?
                }
                Step::Narrow { series, places } => {
                    let why = format!("where {} changed", name(&view, series));
                    self.next(&places, Some(&why), builder, &mut done)?
                }
                Step::Confirm {
                    series,
                    from,
                    to,
                    runs,
                } => {
                    self.say_why(&format!("by how much {} changed", name(&view, series)));
                    tried.insert([id(from), id(to)]);
                    let least = FEWEST.max(runs as u32);
                    if let Err(why) = self.confirm_pair(from, to, least, builder)? {
                        self.session.say(&why);
                    }
                    true
                }
                Step::Gaps(places) => {
                    let left = counted(places.len(), "revision");
                    let why = format!("{left} that nothing is known of");
                    self.next(&places, Some(&why), builder, &mut done)?
                }
                Step::Nothing => {
                    self.say_without_value(&self.without_value(&done)?);
                    self.session.say("nothing is left to measure");
                    return self.test_all(builder);
                }
            };
            self.begun += u32::from(is_recorded);
        }
        self.say_without_value(&self.without_value(&done)?);
        self.session.say(&self.why_over());
        Ok(())
    }

    pub(super) fn say_why(&self, why: &str) {
        self.session.say(&format!("next: {why}"));
    }
}

fn name(view: &View, series: usize) -> String {
    let series = view.series.get(series);
    series.map_or(String::new(), |series| subject_name(&series.subject))
}
