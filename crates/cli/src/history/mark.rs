//! `perflab history mark`: what a person says of a change.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use perflab_history::{Change, ChangeState, ChangesView, HistoryDir, Mark, subject_name};

use crate::failure::{Code, Failure};
use crate::terminal;

#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  perflab history mark results/redis-history 5dd1f7e9b960 expected 'a safer hash'"
)]
pub struct MarkArguments {
    /// The directory of a history.
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// A revision that may be the first after the change, as `perflab history changes` lists them.
    #[arg(value_name = "REV")]
    revision: String,

    /// What the change is.
    #[arg(value_name = "STATE", value_enum)]
    state: State,

    /// Why, shown with the mark.
    #[arg(value_name = "WHY", default_value = "", hide_default_value = true)]
    why: String,

    /// The change of this metric only.
    #[arg(short, long, value_name = "NAME")]
    metric: Option<String>,
}

/// What can be said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum State {
    /// It was meant to be.
    Expected,
    /// A false alarm: there is none.
    Wrong,
    /// It was undone since.
    Fixed,
    /// It does not matter.
    Ignore,
    /// Remove the mark.
    None,
}

/// Executes the command.
pub fn mark(arguments: &MarkArguments) -> Result<Option<Code>, Failure> {
    if arguments.state == State::None && !arguments.why.is_empty() {
        return Err(Failure::usage(
            "`none` removes the mark and its WHY; leave WHY out, or name another state",
        ));
    }
    let directory = HistoryDir::open(&arguments.directory)?;
    let found = ChangesView::read(&directory, &directory.name()?)?;
    let view = &found.view;
    let place = view.place_of(&arguments.revision)?;
    let metric = |change: &Change| {
        let series = view.series.get(change.series);
        series.map(|series| series.subject.metric.name.as_str())
    };
    let is_meant = |change: &&Change| {
        let is_around = (change.low..=change.high).contains(&place);
        let wanted = arguments.metric.as_deref();
        is_around && wanted.is_none_or(|wanted| metric(change) == Some(wanted))
    };
    let meant: Vec<&Change> = found.changes.found.iter().filter(is_meant).collect();
    if meant.is_empty() {
        let mut metrics: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
        for change in &found.changes.found {
            metrics
                .entry(change.place)
                .or_default()
                .extend(metric(change));
        }
        let where_they_are = metrics.into_iter().filter_map(|(place, metrics)| {
            let name = view.revisions.get(place)?.revision.name();
            let metrics: Vec<&str> = metrics.into_iter().collect();
            Some(format!("{name} ({})", metrics.join(", ")))
        });
        let all: Vec<String> = where_they_are.collect();
        let of = arguments.metric.as_ref();
        let of = of.map_or(String::new(), |metric| format!(" of {metric}"));
        return Err(Failure::usage(match all.is_empty() {
            true if found.changes.suspected.is_empty() => {
                "no change was found, so there is none to mark".to_owned()
            }
            true => "no change is proven; a suspected one can be marked once it is".to_owned(),
            false => format!(
                "no change{of} is around {}; changes are at {}",
                arguments.revision,
                all.join(", ")
            ),
        }));
    }
    let state = match arguments.state {
        State::Expected => Some(ChangeState::Expected),
        State::Wrong => Some(ChangeState::Wrong),
        State::Fixed => Some(ChangeState::Fixed),
        State::Ignore => Some(ChangeState::Ignore),
        State::None => None,
    };
    let revision = &view.revisions[place].revision;
    let now = jiff::Timestamp::now().to_string();
    let changes = meant.iter().filter_map(|change| view.marked(change));
    directory.mark(&Mark {
        metric: arguments.metric.clone(),
        state,
        why: arguments.why.clone(),
        ..Mark::new(now, revision, changes.collect())
    })?;
    for change in meant {
        if let Some(series) = view.series.get(change.series) {
            let word = state.map_or("mark removed", ChangeState::word);
            let name = terminal::escape(&subject_name(&series.subject));
            terminal::print(&format!("{name}: {word}\n"))?;
        }
    }
    Ok(None)
}
