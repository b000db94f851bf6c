//! What `perflab history run` would measure.

use std::collections::HashSet;
use std::fmt::Write;

use perflab_experiment::{Experiment, counted};
use perflab_history::{HistoryFile, Revision, Timeline};

use super::file::Read;
use super::known::names;

/// Revisions that are listed at the beginning and at the end of many.
const LISTED: usize = 15;

/// The revisions of which something is known, by id.
#[derive(Default)]
pub(super) struct SoFar {
    /// Those that need not be measured any more.
    pub(super) settled: HashSet<String>,
    /// Those whose runs fail.
    pub(super) failing: HashSet<String>,
    /// Those that could not be built. Whether they are built again is known once the commands of `version` have told what
    /// builds.
    pub(super) unbuilt: HashSet<String>,
}

/// The plan in words. `limits`: lines on what ends a call before all is measured.
pub(super) fn dry_run(
    file: &HistoryFile,
    experiment: &Experiment,
    timeline: &Timeline,
    so_far: &SoFar,
    limits: &[String],
) -> String {
    let mut text = String::new();
    let (done, left): (Vec<&Revision>, Vec<&Revision>) = timeline
        .measured()
        .partition(|revision| so_far.settled.contains(&revision.id));
    // The control is built again in each call.
    let (unbuilt, left): (Vec<&Revision>, Vec<&Revision>) = left
        .into_iter()
        .partition(|one| one.id != timeline.control.id && so_far.unbuilt.contains(&one.id));
    let (failing, measured): (Vec<&Revision>, Vec<&Revision>) = done
        .into_iter()
        .partition(|revision| so_far.failing.contains(&revision.id));
    let measured = match measured.len() {
        0 => String::new(),
        1 => "1 revision is measured already; ".to_owned(),
        measured => format!("{measured} revisions are measured already; "),
    };
    let failing = match failing.len() {
        0 => String::new(),
        failing => format!("runs of {} fail; ", counted(failing, "revision")),
    };
    let question = file
        .question
        .as_ref()
        .map(|question| format!(": {question}"));
    let _ = writeln!(text, "{}{}", file.name, question.unwrap_or_default());
    let selected = left.len();
    let _ = writeln!(
        text,
        "{} of {} to measure; {measured}{failing}control: {} of {}",
        selected,
        counted(timeline.revisions.len(), "revision"),
        timeline.control.name(),
        timeline.control.date()
    );
    let together = (file.measure.together as usize).max(1);
    let others = left
        .iter()
        .filter(|revision| revision.id != timeline.control.id)
        .count();
    // The control is in each campaign, and alone in one where nothing else is left.
    let least = usize::from(!left.is_empty());
    let campaigns = others.div_ceil(together).max(least);
    let runs = file.measure.runs.unwrap_or(experiment.design.runs);
    let _ = writeln!(
        text,
        "{} of at most {together} with the control, {} of each revision in a campaign",
        counted(campaigns, "campaign"),
        counted(runs as usize, "run"),
    );
    for limit in limits {
        let _ = writeln!(text, "{limit}");
    }
    if !unbuilt.is_empty() {
        let they_are = match unbuilt.len() {
            1 => "it is",
            _ => "they are",
        };
        let _ = writeln!(
            text,
            "{} could not be built so far: {}; {they_are} built again if [build] has changed",
            counted(unbuilt.len(), "revision"),
            names(&unbuilt)
        );
    }
    if so_far.unbuilt.contains(&timeline.control.id) {
        let _ = writeln!(
            text,
            "the control {} could not be built so far; it is built again, and without it nothing is measured",
            timeline.control.name()
        );
    }
    for quirk in &timeline.quirks {
        let first = timeline.revisions.get(quirk.place);
        let from = first.map_or("none yet".to_owned(), |first| {
            format!("from {} of {}", first.name(), first.date())
        });
        let _ = writeln!(text, "quirk {}  {}  {from}", quirk.letter, quirk.quirk.what);
    }
    for (number, revision) in left.into_iter().enumerate() {
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

/// What would be measured with a patch of this name, in words.
pub(super) fn dry_run_of_patch(read: &Read, timeline: &Timeline, name: &str) -> String {
    let control = &timeline.control;
    let base = timeline.measured().last().unwrap_or(control);
    let of = |revision: &Revision| format!("{} of {}", revision.name(), revision.date());
    let three = match base.id == control.id {
        true => format!(
            "{}, which is the control, and the same with the patch {name}",
            of(base)
        ),
        false => format!(
            "{}, the same with the patch {name}, and the control {}",
            of(base),
            of(control)
        ),
    };
    let measure = &read.file.measure;
    let runs = measure.runs.unwrap_or(read.experiment.design.runs);
    format!(
        "{}: 1 campaign with {three}; {} of each\n",
        read.file.name,
        counted(runs as usize, "run")
    )
}
