//! What is known of the revisions of a history.

use std::collections::HashSet;

use perflab_experiment::counted;
use perflab_history::{CampaignFacts, HistoryDir, Purpose, Revision, Summary, Timeline, View};
use perflab_report::{control_failure_sentences, operand};
use perflab_store::recorded_output;

use super::work::Work;
use crate::failure::Failure;

/// Revisions that are named in a line.
const NAMED: usize = 8;

/// Whether the values of a campaign are among those of the history, relative to its control. That of a patch is measured
/// again from the start when it was interrupted.
pub(super) fn is_current(facts: &CampaignFacts, timeline: &Timeline) -> bool {
    facts.is_of_history()
        && facts.purpose != Purpose::Patch
        && facts.control.id == timeline.control.id
}

/// The ids of the revisions that need no further campaign: they were measured, or their runs fail where those of the
/// control pass. `again`: those whose runs all failed are measured again.
pub(super) fn settled(
    directory: &HistoryDir,
    timeline: &Timeline,
    again: bool,
) -> Result<HashSet<String>, Failure> {
    let mut campaigns = directory.campaigns()?;
    campaigns.retain(|facts| is_current(facts, timeline));
    let summaries = directory.summaries(&campaigns)?;
    let mut settled = HashSet::new();
    for (facts, summary) in campaigns.iter().zip(summaries) {
        // Where the control failed, what it fails of may make others fail.
        let has_control = |summary: &Summary| summary.has_passed(&facts.control.name());
        let Some(summary) = summary.filter(has_control) else {
            continue;
        };
        // That the runs of a revision fail is as good an answer as a value.
        let is_settled = |revision: &&Revision| {
            let name = revision.name();
            summary.has_measured(&name) && (summary.has_passed(&name) || !again)
        };
        let measured = facts.measured().filter(is_settled);
        settled.extend(measured.map(|revision| revision.id.clone()));
    }
    Ok(settled)
}

/// The ids of the revisions whose last build failed, also of those that no campaign lists: nothing begins without the
/// control.
pub(super) fn unbuilt(directory: &HistoryDir, view: &View) -> Result<HashSet<String>, Failure> {
    let mut unbuilt = HashSet::new();
    for facts in directory.builds()? {
        match facts.status.passed() {
            true => unbuilt.remove(&facts.revision),
            false => unbuilt.insert(facts.revision),
        };
    }
    unbuilt.extend(unbuilt_of(view));
    Ok(unbuilt)
}

fn unbuilt_of(view: &View) -> HashSet<String> {
    let unbuilt = view.revisions.iter().filter(|seen| seen.is_unbuilt());
    unbuilt.map(|seen| seen.revision.id.clone()).collect()
}

/// The revisions that have no value, of those that are asked for.
pub(super) struct WithoutValue<'w> {
    /// Those whose runs fail.
    failing: Vec<&'w Revision>,
    /// Those whose runs pass, where the control failed.
    in_vain: Vec<&'w Revision>,
    /// Sentences on the workloads of which others have no value.
    workloads: Vec<String>,
    /// Whether these are all that are asked for.
    pub(super) are_all: bool,
}

impl WithoutValue<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.failing.is_empty() && self.in_vain.is_empty()
    }
}

/// Those of these revisions whose runs fail.
pub(super) fn failing<'r>(
    view: &View,
    revisions: impl IntoIterator<Item = &'r Revision>,
) -> Vec<&'r Revision> {
    let failed = view.revisions.iter().filter(|seen| seen.failure.is_some());
    let failed: HashSet<&str> = failed.map(|seen| seen.revision.id.as_str()).collect();
    let failing = revisions.into_iter();
    failing
        .filter(|revision| failed.contains(revision.id.as_str()))
        .collect()
}

impl<'w> Work<'w> {
    /// Whether a revision is left to measure: it is not `done`. The control is measured with all others that are left, and
    /// alone where none is.
    pub(super) fn is_left(&self, revision: &Revision, done: &HashSet<String>) -> bool {
        let control = &self.timeline.control.id;
        let is_other_left = |other: &Revision| other.id != *control && !done.contains(&other.id);
        let is_with_others = revision.id == *control && self.timeline.measured().any(is_other_left);
        !(done.contains(&revision.id) || is_with_others)
    }

    /// The revisions whose runs fail, and those of the `tried` ones that have no value, as the control failed.
    pub(super) fn without_value(
        &self,
        tried: &HashSet<String>,
    ) -> Result<WithoutValue<'w>, Failure> {
        let view = View::read(self.session.directory, &self.file.name)?;
        let timeline = self.timeline;
        let control = &timeline.control;
        let others = timeline.measured().filter(|other| other.id != control.id);
        let all: Vec<&Revision> = std::iter::once(control).chain(others).collect();
        let failing = failing(&view, all.iter().copied());
        let mut told = settled(self.session.directory, timeline, false)?;
        told.extend(unbuilt_of(&view));
        told.extend(failing.iter().map(|revision| revision.id.clone()));
        let is_in_vain = |revision: &&Revision| {
            let id = &revision.id;
            *id != control.id && tried.contains(id) && !told.contains(id)
        };
        let in_vain: Vec<&Revision> = all.iter().copied().filter(is_in_vain).collect();
        Ok(WithoutValue {
            are_all: failing.len() + in_vain.len() == all.len(),
            failing,
            in_vain,
            workloads: control_failure_sentences(&view),
        })
    }

    /// Why a campaign says nothing: no run passed of the control, or of one of those that are compared with it for a
    /// patch or a confirmation.
    pub(super) fn why_in_vain(&self, facts: &CampaignFacts) -> Result<Option<Failure>, Failure> {
        let directory = self.session.directory;
        let Some(summary) = directory.summary(facts)? else {
            return Ok(None);
        };
        let needed = match facts.purpose {
            Purpose::Plan | Purpose::Fill => 1,
            _ => usize::MAX,
        };
        let mut needed = facts.measured().take(needed).map(Revision::name);
        let failed = needed.find_map(|name| {
            let has_passed = summary.has_passed(&name);
            let failure = summary.failure(&name).filter(|_| !has_passed)?;
            Some((name, failure))
        });
        Ok(failed.map(|(name, failure)| {
            let meaning = match facts.purpose {
                Purpose::Confirm => "so nothing is confirmed",
                Purpose::Patch if name != facts.control.name() => {
                    "so the patched revision is not compared with the one without it"
                }
                _ => "and it is the control, so no revision has a value in it",
            };
            let output = recorded_output(&directory.result(facts), failure.run);
            Failure::no_data(format!(
                "all runs of {name} failed in campaign {}, {meaning}: {failure}; its output is in {}; remove the cause, \
                 then give the same command again",
                facts.campaign,
                operand(&output),
            ))
        }))
    }

    /// Names revisions that have no value.
    pub(super) fn say_without_value(&self, without: &WithoutValue<'_>) {
        let in_vain = &without.in_vain;
        for sentence in &without.workloads {
            self.session.say(sentence);
        }
        self.say_failing(&without.failing);
        if !in_vain.is_empty() {
            self.session.say(&format!(
                "{} measured in vain, as the control {} failed: {}; the same command tries again",
                counted(in_vain.len(), "revision"),
                self.timeline.control.name(),
                names(in_vain)
            ));
        }
    }

    /// Names revisions whose runs fail.
    pub(super) fn say_failing(&self, failing: &[&Revision]) {
        if !failing.is_empty() {
            self.session.say(&format!(
                "runs of {} fail: {}; `perflab history show {}` says how",
                counted(failing.len(), "revision"),
                names(failing),
                operand(self.session.directory.path())
            ));
        }
    }
}

/// The names of revisions, the first of many.
pub(super) fn names(revisions: &[&Revision]) -> String {
    let named = revisions.iter().take(NAMED).map(|revision| revision.name());
    let named: Vec<String> = named.collect();
    let more = match revisions.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    named.join(", ") + &more
}
