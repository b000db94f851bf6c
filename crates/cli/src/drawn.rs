//! What `--plot` draws below other output.

use clap::ValueEnum;
use clap::builder::PossibleValue;
use perflab_compare::{Comparison, Origins, Row};
use perflab_plot::{Plot, TextOptions, text};
use perflab_report::charts;
use perflab_report::plots::{
    chart, distribution, forest, quantiles, runs, shift, sided, sweep, sweeps,
};
use perflab_report::sections::{about, by_metric};
use perflab_store::RunRecord;

use crate::terminal;

/// Plots of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// All differences with their intervals, below each other.
    Forest,
    /// Every run in order.
    Runs,
    /// Every run over its value, and ministat's box.
    Distribution,
    /// What share of the runs is at most how large.
    Quantiles,
    /// The difference at each decile.
    Shift,
    /// The differences over the values of parameters.
    Sweep,
    /// The medians over the numbers at the ends of the names of benchmarks.
    Chart,
}

impl Kind {
    /// Why it draws nothing, where it does.
    fn reason(self) -> &'static str {
        match self {
            Self::Sweep => "no parameter has several values",
            Self::Chart => "no benchmarks are called alike but for a number behind a slash",
            Self::Shift => "no comparison has deciles, and perflab compare --deciles says why",
            _ => "there is no comparison",
        }
    }

    /// Whether it draws single runs.
    fn is_of_runs(self) -> bool {
        matches!(self, Self::Runs | Self::Distribution | Self::Quantiles)
    }
}

/// Whether any kind draws single runs. To find those behind a report takes a while.
pub fn needs_runs(kinds: &[Kind]) -> bool {
    kinds.iter().any(|kind| kind.is_of_runs())
}

/// What was drawn.
#[derive(Debug, Default)]
pub struct Drawn {
    /// The text.
    pub text: String,
    /// A sentence for each kind of plot that drew nothing.
    pub nothing: Vec<String>,
}

/// The plots, one after the other, each begun by an empty line. The records are looked at only where a kind
/// [needs them](needs_runs).
pub fn drawn(
    report: &Comparison,
    records: &[RunRecord],
    kinds: &[Kind],
    options: &TextOptions,
) -> Drawn {
    if kinds.is_empty() {
        return Drawn::default();
    }
    let mut out = String::new();
    let mut found = Vec::new();
    let mut draw = |kind: Kind, plot: &Plot| {
        out.push('\n');
        out += &text(plot, options);
        found.push(kind);
    };
    let no_row = |_: &Row| None;
    let no_run = |_: u32| String::new();
    if kinds.contains(&Kind::Forest) {
        for rows in by_metric(report) {
            for relative in [true, false] {
                let own: Vec<&Row> = rows
                    .iter()
                    .copied()
                    .filter(|row| row.relative == relative)
                    .collect();
                if let Some(plot) = forest(report, &own, &no_row) {
                    draw(Kind::Forest, &plot);
                }
            }
        }
    }
    if kinds.contains(&Kind::Sweep) {
        for found in sweeps(report) {
            draw(Kind::Sweep, &sweep(report, &found, &no_row));
        }
    }
    if kinds.contains(&Kind::Chart) {
        for found in charts(report) {
            draw(Kind::Chart, &chart(&found));
        }
    }
    let origins = needs_runs(kinds).then(|| Origins::new(records, report));
    for row in &report.rows {
        let sides = origins
            .as_ref()
            .map(|origins| sided(row, &report.baseline, origins));
        for kind in kinds {
            let plot = match (kind, &sides) {
                (Kind::Runs, Some(sides)) => Some(runs(row, sides, &no_run)),
                (Kind::Distribution, Some(sides)) => Some(distribution(row, sides, &no_run)),
                (Kind::Quantiles, Some(sides)) => Some(quantiles(row, sides)),
                (Kind::Shift, _) => shift(row, &report.baseline),
                _ => None,
            };
            if let Some(mut plot) = plot {
                plot.title = about(row, &plot.title);
                draw(*kind, &plot);
            }
        }
    }
    let nothing = kinds.iter().filter(|kind| !found.contains(kind));
    let nothing = nothing.map(|kind| {
        let value = kind.to_possible_value();
        let name = value.as_ref().map_or("", PossibleValue::get_name);
        format!(
            "{}: --plot={name} drew nothing: {}",
            terminal::escape(&report.name),
            kind.reason()
        )
    });
    Drawn {
        nothing: nothing.collect(),
        text: out,
    }
}
