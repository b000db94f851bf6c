//! The levels of repetition in words.

use perflab_compare::{Level, Levels, Limits};

use crate::number;

/// The levels of one side in a line.
pub(crate) fn levels_in_words(levels: &Levels) -> String {
    let each = |level: &Level| {
        let best = level.best.map(|best| format!(", best {}", best.ceil()));
        let cost = level
            .cost_s
            .map(|cost| format!(", {} each", number::value(cost, "s")));
        format!(
            "{} x {}: {} of the variance{}{}",
            level.repetitions,
            level.name,
            number::share(level.share),
            cost.unwrap_or_default(),
            best.unwrap_or_default()
        )
    };
    format!(
        "{}: {}; intraclass correlation {:.2}, design effect {:.2}",
        levels.variant,
        levels
            .levels
            .iter()
            .map(each)
            .collect::<Vec<_>>()
            .join("; "),
        levels.intraclass_correlation,
        levels.design_effect
    )
}

/// Where the variance of the difference comes from, and what lessens each part of it.
pub(crate) fn limits_in_words(limits: &Limits) -> String {
    let own = match limits.unit.as_str() {
        "build" => "builds, starts",
        "layout" => "layouts, starts",
        "start" => "starts",
        _ => "runs as a whole",
    };
    let percent = |share: f64| format!("{:.0}%", share * 100.0);
    let [within, low, high] = [limits.within, limits.low, limits.high].map(percent);
    format!(
        "{within} [{low}, {high}] of the variance of the difference is from within runs, and more work in each run \
         lessens it; the rest is from {own} and slow drift, and only more runs lessen it"
    )
}
