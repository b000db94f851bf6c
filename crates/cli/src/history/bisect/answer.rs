//! The answer in words.

use perflab_experiment::counted;
use perflab_history::{Revision, SearchRange};
use perflab_report::rough;
use perflab_stats::bisection::{
    Bisection, Found, Measured, Outcomes, Posterior, Revision as Place, Runs,
};
use perflab_stats::location::Scale;

use crate::terminal::escape;

/// Share of the probability that the revisions hold whose number is told.
const HELD: f64 = 0.95;

/// Changes below this share of the values are not told: a search takes values that repeat for scattering by less.
const SHOWN: f64 = 1e-8;

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

/// Says that nothing changed, by `size` or more, which may be empty.
pub(super) fn no_change_text(range: &SearchRange, probability: f64, size: &str) -> String {
    let size = match size {
        "" => String::new(),
        size => format!(" {size} or more"),
    };
    format!(
        "no change{size} from {} to {} (probability {})\n",
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
        // What is possible is not 0 %, such as each of 5000 revisions.
        _ if probability < 0.0005 => "less than 0.1%".to_owned(),
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

/// The smallest change of failures that a search looks for.
pub(super) fn size_of_failures(search: &Bisection<Outcomes>) -> String {
    format!("of {}% of runs", rough(100.0 * search.smallest(), ""))
}

/// The smallest change of a metric that a search looks for, by how its runs scatter. `largest`: the largest value.
pub(super) fn size_of_metric(
    search: &Bisection<Measured>,
    scale: Scale,
    unit: &str,
    largest: f64,
) -> String {
    size(search.smallest(), scale, unit, largest)
}

/// A change of a metric in words: of a ratio less 1, or of a shift. Nothing where values are always the same: any change
/// that they can show would have been seen.
fn size(smallest: f64, scale: Scale, unit: &str, largest: f64) -> String {
    let relative = match scale {
        Scale::Ratio => smallest,
        Scale::Shift => smallest / largest,
    };
    match scale {
        _ if largest == 0.0 || !(SHOWN..f64::INFINITY).contains(&relative) => String::new(),
        // What is rounded to 100 % is one as well.
        Scale::Ratio if relative >= 0.995 => {
            format!("by a factor of {}", rough(1.0 + relative, ""))
        }
        Scale::Ratio => format!("of {}%", rough(100.0 * relative, "")),
        Scale::Shift => format!("of {}", rough(smallest, unit)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_possible_has_a_probability() {
        let cases = [
            (0.0002, "less than 0.1%"),
            (0.0006, "0.1%"),
            (0.25, "25%"),
            (0.9996, "more than 99.9%"),
        ];
        for (probability, text) in cases {
            assert_eq!(percent(probability), text);
        }
    }

    #[test]
    fn a_size_is_written_as_one() {
        let ratio = |smallest| size(smallest, Scale::Ratio, "s", 3.0);
        assert_eq!(ratio(0.000_324), "of 0.032%");
        assert_eq!(ratio(0.0411), "of 4.1%");
        assert_eq!(ratio(0.0999), "of 10%");
        assert_eq!(ratio(0.993), "of 99%");
        assert_eq!(ratio(0.996), "by a factor of 2");
        assert_eq!(ratio(1.31), "by a factor of 2.3");
        assert_eq!(ratio(239.0), "by a factor of 240");
        assert_eq!(ratio(2e-9), "");
        let shift = |smallest, largest| size(smallest, Scale::Shift, "s", largest);
        assert_eq!(shift(0.001_234, 0.5), "of 1.2 ms");
        assert_eq!(shift(1e-69, 0.0), "");
        assert_eq!(shift(1e-9, 7.0), "");
        assert_eq!(shift(f64::NAN, 7.0), "");
    }
}
