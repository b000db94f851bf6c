//! The answer in words.

use perflab_experiment::counted;
use perflab_history::{Revision, Suspects};
use perflab_stats::bisection::{Found, Revision as Place, Runs};

use crate::terminal::escape;

/// Which revision introduced the change.
pub(super) fn found_text(suspects: &Suspects, found: &Found) -> String {
    let revisions = found.revisions.iter().map(|at| suspects.at(Place::At(*at)));
    let revisions: Vec<&Revision> = revisions.collect();
    let with = percent(found.probability);
    let mut text = match revisions.as_slice() {
        [only] => format!("{} introduced the change: {with}\n", only.name()),
        several => format!(
            "one of {} introduced the change: {with}; some cannot be built or run, so they cannot be told apart\n",
            counted(several.len(), "revision")
        ),
    };
    for revision in revisions {
        text += &format!("  {}\n", line(revision));
    }
    text
}

/// Says that nothing changed.
pub(super) fn no_change_text(suspects: &Suspects, probability: f64) -> String {
    format!(
        "no change from {} to {}: {}\n",
        suspects.good.name(),
        suspects.bad().name(),
        percent(probability)
    )
}

/// A revision in a line.
pub(super) fn line(revision: &Revision) -> String {
    let line = format!(
        "{}  {}  {}",
        revision.name(),
        revision.date(),
        revision.subject
    );
    escape(line.trim_end()).to_string()
}

/// A probability for people.
pub(super) fn percent(probability: f64) -> String {
    match probability {
        _ if probability > 0.9995 => "more than 99.9%".to_owned(),
        _ => format!("{:.1}%", 100.0 * probability).replace(".0%", "%"),
    }
}

/// What the search took.
pub(super) fn spent(runs: Runs) -> String {
    format!(
        "{} between the ends and {} of the ends\n",
        counted(runs.candidates, "run"),
        counted(runs.good + runs.bad, "run")
    )
}
