//! How many runs it takes to show a difference, as text.

use perflab_compare::PlanReport;
use perflab_experiment::counted;

use crate::aligned::aligned;
use crate::number;
use crate::terminal::{Layout, TextOptions};

/// The plan for a terminal.
pub fn plan_text(plan: &PlanReport, options: &TextOptions) -> String {
    let mut text = options.paragraph(&format!(
        "{}: to show a difference of {} in {} of experiments, {} sharing an error of {}",
        plan.name,
        number::share(plan.difference),
        number::share(plan.power),
        counted(plan.tests, "test"),
        number::share(1.0 - plan.confidence),
    ));
    text.push('\n');
    let header = [
        "comparison",
        "question",
        "deviation",
        "planned with",
        "runs of each",
        "time",
    ];
    let mut table = vec![header.map(str::to_owned)];
    table.extend(plan.rows.iter().map(|row| {
        [
            options.show(&row.name),
            row.question.clone(),
            number::share(row.relative_sd),
            number::share(row.relative_sd_upper),
            row.runs.to_string(),
            row.seconds.map_or_else(|| "-".to_owned(), time),
        ]
    }));
    text += &aligned(&table, 2);
    text.push('\n');
    let blocks = match plan.block {
        0 => "in one block".to_owned(),
        each => format!("in blocks of {each} of each variant"),
    };
    let turns = "in turns, one of each variant in a block";
    let blocks = match plan.rows.iter().filter(|row| row.in_turns).count() {
        0 => blocks,
        in_turns if in_turns == plan.rows.len() => turns.to_owned(),
        _ => format!("{blocks}, or {turns}"),
    };
    let (blocks, counted) = match plan.shared {
        1 => (blocks, "run"),
        _ => (
            format!("{blocks} that share a build and count as one"),
            "build",
        ),
    };
    text += &options.paragraph(&format!(
        "runs of each: of every variant, {blocks}; deviation: relative standard deviation of one {counted}, as the \
         question sees it; planned with: its upper 80% bound"
    ));
    for warning in &plan.warnings {
        text += &options.paragraph(&format!("warning: no plan for {}", options.show(warning)));
    }
    text
}

/// Seconds in the largest unit that leaves two figures: `45 s`, `12 min`, `3.5 h`.
fn time(seconds: f64) -> String {
    match seconds {
        s if s < 100.0 => format!("{s:.0} s"),
        s if s < 6000.0 => format!("{:.0} min", s / 60.0),
        s if s < 360_000.0 => format!("{:.1} h", s / 3600.0),
        s => format!("{:.0} days", s / 86_400.0),
    }
}
