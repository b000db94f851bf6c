//! What is known of a history, read from its directory.

use crate::campaign::CampaignFacts;
use crate::changes::ChangesView;
use crate::detection::{Confirming, Detection};
use crate::directory::{DirectoryError, HistoryDir};
use crate::points::SubjectPoints;
use crate::run_failure::{control_failures, last_failures, unmeasured};
use crate::view::View;

impl View {
    /// What is known of a history of this name.
    ///
    /// # Errors
    /// If something in its directory cannot be trusted.
    pub fn read(directory: &HistoryDir, name: &str) -> Result<Self, DirectoryError> {
        let campaigns = directory.campaigns()?.into_iter();
        let (mut campaigns, others): (Vec<CampaignFacts>, Vec<CampaignFacts>) =
            campaigns.partition(CampaignFacts::is_of_history);
        let summaries = directory.summaries(&campaigns)?;
        for (facts, summary) in campaigns.iter_mut().zip(&summaries) {
            // Nothing was measured of one that was not set up.
            if summary.is_none() {
                facts.revisions.clear();
            }
        }
        let failures = last_failures(&campaigns, &summaries);
        let unmeasured = unmeasured(&campaigns, &summaries);
        let control_failures = control_failures(&campaigns, &summaries, &unmeasured);
        let summaries = summaries.into_iter().flatten();
        let found: Vec<SubjectPoints> = summaries.flat_map(|summary| summary.points).collect();
        let (builds, outline) = (directory.builds()?, directory.outline()?);
        let view = Self::new(name, &campaigns, &builds, found, &outline);
        let view = view.with_failures(failures, unmeasured, control_failures);
        let view = view.with_other_campaigns(&others);
        Ok(view.with_tests(&directory.test_runs()?))
    }
}

impl<'v> Detection<'v> {
    /// Finds where the series of a view change, with what was confirmed and said of the history in this directory.
    ///
    /// # Errors
    /// As [`View::read`].
    pub fn read(directory: &HistoryDir, view: &'v View) -> Result<Self, DirectoryError> {
        Ok(Self::new(
            view,
            confirmations(directory)?,
            directory.marks()?,
        ))
    }
}

impl ChangesView {
    /// The same with its changes.
    ///
    /// # Errors
    /// As [`View::read`].
    pub fn read(directory: &HistoryDir, name: &str) -> Result<Self, DirectoryError> {
        let view = View::read(directory, name)?;
        let changes = Detection::read(directory, &view)?.all();
        Ok(Self { view, changes })
    }
}

/// The confirmations that were measured to their end, with their points.
fn confirmations(directory: &HistoryDir) -> Result<Vec<Confirming>, DirectoryError> {
    let mut campaigns = directory.campaigns()?;
    campaigns.retain(CampaignFacts::is_confirmation);
    let summaries = directory.summaries(&campaigns)?;
    let both = campaigns.into_iter().zip(summaries);
    let complete = both.filter_map(|(facts, summary)| {
        let summary = summary.filter(|summary| summary.is_complete)?;
        Some((facts, summary.points))
    });
    Ok(complete.collect())
}
