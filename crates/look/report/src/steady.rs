//! Which processes reach a steady state, as text.

use perflab_compare::{Behaviour, SteadyReport};

use crate::aligned::aligned;
use crate::number;
use crate::sections::metric_in_words;
use crate::terminal::{Layout, TextOptions};

/// The report for a terminal.
pub fn steady_text(report: &SteadyReport, options: &TextOptions) -> String {
    let mut text = options.paragraph(&format!(
        "{}: {}, margin {}",
        report.name,
        metric_in_words(&report.metric),
        number::share(report.margin)
    ));
    let mut table = vec![
        [
            "process",
            "class",
            "iterations",
            "steady from",
            "median",
            "segments",
            "spikes",
        ]
        .map(str::to_owned),
    ];
    table.extend(report.processes.iter().map(|process| {
        let last = process.segments.last();
        let median = last.filter(|_| process.steady_from.is_some());
        [
            options.show(&process.name),
            words(process.behaviour).to_owned(),
            process.iterations.to_string(),
            process
                .steady_from
                .map_or_else(|| "-".to_owned(), |from| from.to_string()),
            median.map_or_else(
                || "-".to_owned(),
                |s| options.show(&number::value(s.median, &report.metric.unit)),
            ),
            process.segments.len().to_string(),
            process.spikes.len().to_string(),
        ]
    }));
    text += &aligned(&table, 2);
    text.push('\n');
    if report.processes.len() > 1 {
        text += &options.paragraph(&format!("together: {}", words(report.together)));
    }
    let advice = match report.discard {
        Some(0) => "every iteration may count".to_owned(),
        Some(1) => "leave out the first iteration of each process".to_owned(),
        Some(n) => format!("leave out the first {n} iterations of each process"),
        None => {
            "a process without a steady state has no time of its own: find out what changes, or \
                 report every iteration"
                .to_owned()
        }
    };
    text += &options.paragraph(&advice);
    text
}

/// A behaviour, for people.
fn words(behaviour: Behaviour) -> &'static str {
    match behaviour {
        Behaviour::Flat => "flat",
        Behaviour::Warmup => "warm-up",
        Behaviour::Slowdown => "slowdown",
        Behaviour::NoSteadyState => "no steady state",
        Behaviour::GoodInconsistent => "inconsistent (good): some are flat, some warm up",
        Behaviour::BadInconsistent => "inconsistent (bad): what is measured depends on the process",
    }
}
