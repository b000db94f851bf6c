//! `perflab history changes`: since when each metric has its level.

use perflab_history::{ChangesView, HistoryDir};
use perflab_report::changes_text;

use super::arguments::{ChangesArguments, Format};
use crate::failure::{Code, Failure};
use crate::terminal;

/// Executes the command.
pub fn changes(arguments: &ChangesArguments) -> Result<Option<Code>, Failure> {
    let directory = HistoryDir::open(&arguments.directory)?;
    let found = ChangesView::read(&directory, &directory.name()?)?;
    let text = match arguments.format {
        Format::Text => changes_text(&found.view, &found.changes, &arguments.directory),
        Format::Json => terminal::json(&found)?,
    };
    terminal::print(&text)?;
    Ok(None)
}
