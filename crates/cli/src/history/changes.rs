//! `perflab history changes`: since when each metric has its level.

use perflab_history::{CampaignFacts, HistoryDir, Point, Purpose, points};
use perflab_report::shifts_text;
use serde::Serialize;

use super::arguments::{ChangesArguments, Format};
use super::show::{name_of, view};
use crate::failure::{Code, Failure};
use crate::terminal;

/// What is printed as JSON.
#[derive(Serialize)]
struct Answer<'a> {
    #[serde(flatten)]
    view: &'a perflab_history::View,
    changes: &'a perflab_history::Shifts,
}

/// Executes the command.
pub fn changes(arguments: &ChangesArguments) -> Result<Option<Code>, Failure> {
    let directory = HistoryDir::open(&arguments.directory)?;
    let view = view(&directory, &name_of(&directory)?)?;
    let shifts = view.shifts(&confirmations(&directory)?);
    let text = match arguments.format {
        Format::Text => shifts_text(&view, &shifts),
        Format::Json => terminal::json(&Answer {
            view: &view,
            changes: &shifts,
        })?,
    };
    terminal::print(&text)?;
    Ok(None)
}

/// What was measured again, with what it says.
pub(super) fn confirmations(
    directory: &HistoryDir,
) -> Result<Vec<(CampaignFacts, Vec<Point>)>, Failure> {
    let mut confirmations = Vec::new();
    for facts in directory.campaigns()? {
        if facts.purpose == Purpose::Confirm
            && facts.ends.is_none()
            && let Some(result) = directory.opened(&facts)?
        {
            let points = points(&facts, &result);
            confirmations.push((facts, points));
        }
    }
    Ok(confirmations)
}
