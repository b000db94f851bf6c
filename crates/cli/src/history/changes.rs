//! `perflab history changes`: since when each metric has its level.

use perflab_history::{CampaignFacts, ChangesView, HistoryDir, Point};
use perflab_report::shifts_text;

use super::arguments::{ChangesArguments, Format};
use super::show::{name_of, view};
use crate::failure::{Code, Failure};
use crate::terminal;

/// Executes the command.
pub fn changes(arguments: &ChangesArguments) -> Result<Option<Code>, Failure> {
    let directory = HistoryDir::open(&arguments.directory)?;
    let view = view(&directory, &name_of(&directory)?)?;
    let shifts = view.shifts(&confirmations(&directory)?);
    let text = match arguments.format {
        Format::Text => shifts_text(&view, &shifts),
        Format::Json => terminal::json(&ChangesView {
            view,
            changes: shifts,
        })?,
    };
    terminal::print(&text)?;
    Ok(None)
}

/// The confirmations that were measured to their end, with their points.
pub(super) fn confirmations(
    directory: &HistoryDir,
) -> Result<Vec<(CampaignFacts, Vec<Point>)>, Failure> {
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
