//! What `perflab history run` would measure.

use std::fmt::Write;

use perflab_experiment::{Experiment, counted};
use perflab_history::{HistoryFile, Timeline};

/// Revisions that are listed at the beginning and at the end of many.
const LISTED: usize = 15;

/// The plan in words.
pub(super) fn dry_run(file: &HistoryFile, experiment: &Experiment, timeline: &Timeline) -> String {
    let mut text = String::new();
    let question = file
        .question
        .as_ref()
        .map(|question| format!(": {question}"));
    let _ = writeln!(text, "{}{}", file.name, question.unwrap_or_default());
    let selected = timeline.selected.len();
    let _ = writeln!(
        text,
        "{} of {} to measure; control: {} of {}",
        selected,
        counted(timeline.revisions.len(), "revision"),
        timeline.control.name(),
        timeline.control.date()
    );
    let together = (file.measure.together as usize).max(1);
    let others = timeline
        .measured()
        .filter(|revision| revision.id != timeline.control.id)
        .count();
    let runs = file.measure.runs.unwrap_or(experiment.design.runs);
    let _ = writeln!(
        text,
        "{} of at most {together} with the control, {} of each revision in a campaign",
        counted(others.div_ceil(together), "campaign"),
        counted(runs as usize, "run"),
    );
    for quirk in &timeline.quirks {
        let first = timeline.revisions.get(quirk.place);
        let from = first.map_or("none yet".to_owned(), |first| {
            format!("from {} of {}", first.name(), first.date())
        });
        let _ = writeln!(text, "quirk {}  {}  {from}", quirk.letter, quirk.quirk.what);
    }
    for (number, revision) in timeline.measured().enumerate() {
        let is_listed = number < LISTED || number + LISTED >= selected;
        if !is_listed {
            if number == LISTED {
                let _ = writeln!(
                    text,
                    "... {}",
                    counted(selected - 2 * LISTED, "more revision")
                );
            }
            continue;
        }
        let tags = match revision.tags.is_empty() {
            true => String::new(),
            false => format!(" ({})", revision.tags.join(", ")),
        };
        let line = format!(
            "{}  {}{tags}  {}",
            revision.name(),
            revision.date(),
            revision.subject
        );
        let _ = writeln!(text, "{}", crate::terminal::escape(line.trim_end()));
    }
    text
}
