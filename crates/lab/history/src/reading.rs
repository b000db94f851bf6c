//! What is known of a history, read from its directory.

use crate::campaign::CampaignFacts;
use crate::directory::{DirectoryError, HistoryDir};
use crate::points::Point;
use crate::shifts::ChangesView;
use crate::view::View;

impl View {
    /// What is known of a history of this name.
    ///
    /// # Errors
    /// If something in its directory cannot be trusted.
    pub fn read(directory: &HistoryDir, name: &str) -> Result<Self, DirectoryError> {
        let campaigns = directory.campaigns()?;
        let mut found = Vec::new();
        for facts in campaigns.iter().filter(|facts| facts.is_of_history()) {
            let summary = directory.summary(facts)?;
            found.extend(summary.into_iter().flat_map(|summary| summary.points));
        }
        let (builds, outline) = (directory.builds()?, directory.outline()?);
        let view = Self::new(name, &campaigns, &builds, &found, &outline);
        Ok(view.with_tests(&directory.trials()?))
    }
}

impl ChangesView {
    /// The same with its changes.
    ///
    /// # Errors
    /// As [`View::read`].
    pub fn read(directory: &HistoryDir, name: &str) -> Result<Self, DirectoryError> {
        let view = View::read(directory, name)?;
        let mut changes = view.shifts(&confirmations(directory)?);
        let marks = directory.marks()?;
        for shift in &mut changes.found {
            shift.said = view.said(shift, &marks);
        }
        Ok(Self { view, changes })
    }
}

/// The confirmations that were measured to their end, with their points.
fn confirmations(
    directory: &HistoryDir,
) -> Result<Vec<(CampaignFacts, Vec<Point>)>, DirectoryError> {
    let mut confirmations = Vec::new();
    for facts in directory.campaigns()? {
        if facts.is_confirmation()
            && let Some(summary) = directory.summary(&facts)?
            && summary.is_complete
        {
            confirmations.push((facts, summary.points));
        }
    }
    Ok(confirmations)
}
