//! Latencies beside a throughput as they are written: what requests waited in the same runs.

use perflab_compare::percent_decimals;
use perflab_compare::{Comparison, Latency, Row};

use crate::difference::{Differences, Estimate};
use crate::number;
use crate::sections::{Section, distinct};

/// Above the table.
pub(crate) const TITLE: &str = "latencies of the same runs, without verdicts:";

/// One latency of one row, as it is written.
#[derive(Debug, Clone)]
pub(crate) struct LatencyCell {
    /// Medians; empty for pooled rows, whose values have no meaning of their own.
    pub(crate) base: String,
    pub(crate) candidate: String,
    pub(crate) change: String,
    /// The ends of the interval; none for an estimate.
    pub(crate) ends: Option<(String, String)>,
    /// Whether the interval is without 0.
    pub(crate) is_clear: bool,
}

impl LatencyCell {
    /// The change and its interval.
    pub(crate) fn answer(&self) -> String {
        match &self.ends {
            Some((low, high)) => format!("{} [{low}, {high}]", self.change),
            None => self.change.clone(),
        }
    }
}

/// Rows with the same latencies, and each of these for all of them.
#[derive(Debug)]
pub(crate) struct Block {
    /// Names of the latencies, from the middle to the tail.
    pub(crate) names: Vec<String>,
    /// Places of the rows among all rows of the section.
    pub(crate) rows: Vec<usize>,
    /// For each latency a cell for each of these rows.
    pub(crate) columns: Vec<Vec<LatencyCell>>,
}

/// The latencies of a section; several blocks where rows have different ones.
pub(crate) fn blocks(section: &Section<'_>) -> Vec<Block> {
    let rows: Vec<&Row> = section.all().collect();
    let names = |row: &Row| -> Vec<String> {
        let latencies = row.latencies.iter();
        latencies
            .map(|latency| latency.metric.name.clone())
            .collect()
    };
    let kinds = distinct(rows.iter().map(|row| names(row)));
    let shown = kinds.into_iter().filter(|names| !names.is_empty());
    shown
        .map(|kind| {
            let of_kind = rows
                .iter()
                .enumerate()
                .filter(|(_, row)| names(row) == kind);
            let places: Vec<usize> = of_kind.map(|(place, _)| place).collect();
            let column = |index: usize| {
                let cells = places.iter().filter_map(|&place| {
                    let latency = rows.get(place)?.latencies.get(index)?;
                    Some((latency, place >= section.rows.len()))
                });
                cells_of(&cells.collect::<Vec<_>>())
            };
            Block {
                columns: (0..kind.len()).map(column).collect(),
                names: kind,
                rows: places,
            }
        })
        .collect()
}

/// The cells of one latency, in a common style; whether each belongs to a pooled row.
fn cells_of(latencies: &[(&Latency, bool)]) -> Vec<LatencyCell> {
    let style = |relative: bool| {
        let own = latencies.iter().filter(|(one, _)| one.relative == relative);
        let estimates = own.clone().map(|(latency, _)| estimate(latency));
        let unit = own.clone().next().map_or("", |(one, _)| &one.metric.unit);
        let style = Differences::of(estimates, relative, unit);
        let coarsest = own.filter_map(|(one, _)| {
            let step = one.step.filter(|_| relative)?;
            Some(percent_decimals(step, one.base.median))
        });
        style.at_most(coarsest.min())
    };
    let (relative, absolute) = (style(true), style(false));
    let cell = |(latency, is_pooled): &(&Latency, bool)| {
        let estimate = estimate(latency);
        let style = if latency.relative { relative } else { absolute };
        let style = style.for_answer(estimate);
        let (base, candidate) = if *is_pooled {
            Default::default()
        } else {
            let medians = [latency.base.median, latency.candidate.median];
            number::pair_in_steps(medians, &latency.metric.unit, latency.step)
        };
        LatencyCell {
            base,
            candidate,
            change: style.estimate(latency.difference),
            ends: style.interval(estimate),
            is_clear: is_clear(latency),
        }
    };
    latencies.iter().map(cell).collect()
}

/// A latency in a line of its own: medians and change.
pub(crate) fn latency_in_words(latency: &Latency) -> String {
    let cells = cells_of(&[(latency, false)]);
    let words = cells.iter().map(|cell| {
        format!(
            "medians {} and {}, change {}; not tested",
            cell.base,
            cell.candidate,
            cell.answer()
        )
    });
    words.collect()
}

fn estimate(latency: &Latency) -> Estimate {
    Estimate::new(latency.difference, latency.low, latency.high)
}

fn is_clear(latency: &Latency) -> bool {
    latency.low.is_some_and(|low| low > 0.0) || latency.high.is_some_and(|high| high < 0.0)
}

/// What the latencies of a report are, and how to ask for verdicts; nothing where there are none.
/// `intervals`: whether they are shown.
pub(crate) fn latency_legend(report: &Comparison, intervals: bool) -> Option<String> {
    let rows = report.rows.iter().filter(|row| !row.latencies.is_empty());
    let throughputs = distinct(rows.clone().map(|row| &row.key.metric.name));
    let latencies = rows.flat_map(|row| &row.latencies);
    let latencies = distinct(latencies.map(|latency| &latency.metric.name));
    let asked: Vec<String> = throughputs
        .into_iter()
        .chain(latencies)
        .map(|name| format!("--metric {name}"))
        .collect();
    let level = number::share(report.confidence);
    let intervals = if intervals {
        format!("intervals: {level}, each alone")
    } else {
        format!("*: without 0 in an interval of {level}, each alone")
    };
    (!asked.is_empty()).then(|| {
        format!(
            "latencies: medians, and the change of the typical run; {intervals}; estimates, \
             not tested: for verdicts add {}",
            asked.join(" ")
        )
    })
}
