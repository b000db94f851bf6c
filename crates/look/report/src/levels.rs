//! The levels of repetition in words.

use perflab_compare::{Level, Levels};

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
