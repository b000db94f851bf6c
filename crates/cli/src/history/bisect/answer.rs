//! The answer in words.

use perflab_experiment::counted;
use perflab_history::{Revision, SearchRange};
use perflab_report::value_with_unit;
use perflab_stats::bisection::{
    Bisection, Found, Measured, Outcomes, Posterior, Revision as Place, Runs,
};
use perflab_stats::location::Scale;

use crate::terminal::escape;

/// Share of the probability that the revisions hold whose number is told.
const HELD: f64 = 0.95;

/// Which revision introduced the change.
pub(super) fn found_text(range: &SearchRange, found: &Found) -> String {
    let revisions = found.revisions.iter().map(|at| range.at(Place::At(*at)));
    let revisions: Vec<&Revision> = revisions.collect();
    let with = percent(found.probability);
    let mut text = match revisions.as_slice() {
        [only] => format!(
            "{} introduced the change (probability {with})\n",
            only.name()
        ),
        several => format!(
            "one of {} introduced the change (probability {with}); they cannot be told apart, as some cannot be built or run\n",
            counted(several.len(), "revision")
        ),
    };
    for revision in revisions {
        text += &format!("  {}\n", line(revision));
    }
    text
}

/// Says that nothing changed by so much or more.
pub(super) fn no_change_text(range: &SearchRange, probability: f64, size: &str) -> String {
    // Where values are always the same, any difference would have been seen.
    let of_size = match size {
        "0%" => String::new(),
        size => format!(" of {size} or more"),
    };
    format!(
        "no change{of_size} from {} to {} (probability {})\n",
        range.good.name(),
        range.bad().name(),
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
        "{}: {} between the ends, {} of the ends\n",
        counted(runs.total(), "run"),
        runs.candidates,
        runs.good + runs.bad
    )
}

/// Among how many revisions the change is.
pub(super) fn known(range: &SearchRange, posterior: &Posterior) -> String {
    let mut masses: Vec<(usize, f64)> = posterior.revisions.iter().copied().enumerate().collect();
    masses.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut held = 0.0;
    let few = masses.iter().take_while(|(_, mass)| {
        let goes_on = held < HELD;
        held += mass;
        goes_on
    });
    let few = few.count();
    let (at, mass) = masses.first().copied().unwrap_or((0, 0.0));
    let first = format!("{} ({})", range.at(Place::At(at)).name(), percent(mass));
    let none = posterior.no_change;
    if none > 1.0 - HELD {
        return format!("perhaps no change at all ({})", percent(none));
    }
    match few {
        1 => format!("most likely {first}"),
        _ => format!(
            "one of {} ({} at least), most likely {first}",
            counted(few, "revision"),
            percent(HELD)
        ),
    }
}

/// The smallest difference of failures that a search looks for.
pub(super) fn of_failures(search: &Bisection<Outcomes>) -> String {
    format!("{} of runs", percent(search.smallest()))
}

/// The smallest difference of a metric that a search looks for, by how its runs scatter.
pub(super) fn of_metric(search: &Bisection<Measured>, scale: Scale, unit: &str) -> String {
    match scale {
        Scale::Ratio => percent(search.smallest()),
        Scale::Shift => value_with_unit(search.smallest(), unit),
    }
}
