//! `perflab history show`: what is known of each revision.

use perflab_history::{HistoryDir, Series, View};
use perflab_report::{history_text, operand, revision_text, tests_text};

use super::arguments::{Format, ShowArguments};
use crate::failure::{Code, Failure};
use crate::numbers::refuse;
use crate::terminal;

/// Executes the command.
pub fn show(arguments: &ShowArguments) -> Result<Option<Code>, Failure> {
    let is_without_list = arguments.revision.is_none() && !arguments.tests;
    let reason =
        "is for --revision and --tests, which have lists that are cut short; add one of them";
    refuse(&[("--all", arguments.all && is_without_list)], reason)?;
    let directory = HistoryDir::open(&arguments.directory)?;
    let view = View::read(&directory, &directory.name()?)?;
    if view.series.is_empty() && view.revisions.is_empty() {
        return Err(Failure::no_data(format!(
            "nothing of the history was measured yet in {}; `perflab history run HISTORY.toml --out {}` measures it",
            arguments.directory.display(),
            operand(&arguments.directory)
        )));
    }
    if arguments.format == Format::Json {
        terminal::print(&terminal::json(&view)?)?;
        return Ok(None);
    }
    if let Some(name) = &arguments.revision {
        let place = view.place_of(name)?;
        let details = view.details(&directory, place)?;
        terminal::print(&revision_text(&view, &details, arguments.all))?;
        return Ok(None);
    }
    if arguments.tests {
        if view.tests.is_empty() {
            return Err(Failure::no_data(format!(
                "no tests were executed yet in {}; the table [tests] of a history file says how",
                arguments.directory.display()
            )));
        }
        terminal::print(&tests_text(&view, arguments.all))?;
        return Ok(None);
    }
    let wanted = |series: &Series| {
        let metric = &series.subject.metric.name;
        arguments
            .metric
            .as_ref()
            .is_none_or(|wanted| wanted == metric)
    };
    if let Some(metric) = &arguments.metric
        && !view.series.iter().any(wanted)
    {
        let mut known: Vec<&str> = Vec::new();
        for series in &view.series {
            let name = series.subject.metric.name.as_str();
            if !known.contains(&name) {
                known.push(name);
            }
        }
        let help = perflab_experiment::suggestion(metric, known);
        let help = help.unwrap_or_else(|| "nothing was measured yet".to_owned());
        return Err(Failure::usage(format!(
            "--metric: no metric is called {metric}; {help}"
        )));
    }
    terminal::print(&history_text(&view, wanted))?;
    Ok(None)
}
