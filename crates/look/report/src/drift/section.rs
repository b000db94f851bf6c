//! Drift on request: for each row the levels and the difference at the start and at the end, and a
//! line of small bars over the blocks.

use perflab_compare::{Comparison, Drift, Row, Trend};
use perflab_experiment::counted;
use unicode_width::UnicodeWidthStr;

use super::bars::Axis;
use super::sentences::control;
use super::trend::{change, difference};
use crate::aligned::aligned;
use crate::markup::{escape, line};
use crate::number;
use crate::sections::{metric_in_words, row_label};
use crate::terminal::{Layout, TextOptions, pad};

/// Columns of a name before it is cut.
const LONGEST_NAME: usize = 32;

/// Bars of a line, where there is room.
const MOST_BARS: usize = 60;

const HEADER: [&str; 6] = ["start", "end", "drift", "p", "p (Holm)", ""];

/// One series of a row.
struct Series<'a> {
    name: String,
    trend: &'a Trend,
    start: String,
    end: String,
    verdict: &'static str,
}

/// The section for a terminal.
pub fn drift_text(report: &Comparison, options: &TextOptions) -> String {
    let mut text = options.paragraph("drift, from the first block to the last");
    for row in all(report) {
        let Some(drift) = &row.drift else { continue };
        text += &options.paragraph(&title(row, report));
        let series = series(row, drift, report);
        let mut table = vec![std::array::from_fn(|cell| {
            cell.checked_sub(1)
                .map_or_else(String::new, |cell| HEADER[cell].to_owned())
        })];
        let names: Vec<String> = series
            .iter()
            .map(|series| options.cut(&options.show(&series.name), LONGEST_NAME))
            .collect();
        table.extend(series.iter().zip(&names).map(|(series, name)| {
            let [start, end, drift, p, adjusted, verdict] =
                cells(series, row).map(|cell| options.show(&cell));
            [name.clone(), start, end, drift, p, adjusted, verdict]
        }));
        text += &aligned(&table, 1);
        text += &plots(drift, &names, row, report.is_pooled(row), options);
        text.push('\n');
    }
    for sentence in limits(report) {
        text += &options.paragraph(&sentence);
    }
    text
}

/// The section in GitHub's Markdown.
pub fn drift_markdown(report: &Comparison) -> String {
    let mut text = "#### Drift, from the first block to the last\n\n".to_owned();
    for row in all(report) {
        let Some(drift) = &row.drift else { continue };
        text += &format!("{}\n\n", escape(&title(row, report)));
        let header = ["".to_owned()].into_iter().chain(HEADER.map(str::to_owned));
        text += &line(header);
        text += "| :--- | ---: | ---: | ---: | ---: | ---: | :--- |\n";
        for series in series(row, drift, report) {
            let cells = cells(&series, row).into_iter();
            let cells = std::iter::once(series.name.clone()).chain(cells);
            text += &line(cells.map(|cell| escape(&cell)));
        }
        text.push('\n');
    }
    for sentence in limits(report) {
        text += &format!("- {}\n", escape(&sentence));
    }
    text
}

/// The control's rows last.
fn all(report: &Comparison) -> impl Iterator<Item = &Row> {
    let others = report.all_rows().filter(move |row| !report.is_control(row));
    others.chain(report.all_rows().filter(move |row| report.is_control(row)))
}

fn title(row: &Row, report: &Comparison) -> String {
    format!(
        "{}: {} against {}: {}",
        row_label(row),
        row.variant,
        report.baseline,
        metric_in_words(&row.key.metric)
    )
}

/// The baseline, the candidate, their difference, and the control's.
fn series<'a>(row: &Row, drift: &'a Drift, report: &'a Comparison) -> Vec<Series<'a>> {
    let level = |name: &str, trend: &'a Trend| {
        // A pooled row's levels are means over benchmarks, whose size has no meaning of its own.
        let (start, end) = match report.is_pooled(row) {
            true => (String::new(), String::new()),
            false => number::pair(trend.start, trend.end, &row.key.metric.unit),
        };
        let verdict = if trend.is_proven(report.confidence) {
            "drifted"
        } else {
            ""
        };
        Series {
            name: name.to_owned(),
            trend,
            start,
            end,
            verdict,
        }
    };
    let between = |name: String, trend: &'a Trend| Series {
        name,
        trend,
        start: difference(trend, trend.start, row),
        end: difference(trend, trend.end, row),
        verdict: if trend.is_proven(report.confidence) {
            "changed"
        } else {
            ""
        },
    };
    let mut series = vec![
        level(&report.baseline, &drift.base),
        level(&row.variant, &drift.candidate),
        between("difference".to_owned(), &drift.difference),
    ];
    let control = control(row, report).filter(|(control, _)| control.variant != row.variant);
    series.extend(control.map(|(_, trend)| between("the control's".to_owned(), trend)));
    series
}

fn cells(series: &Series<'_>, row: &Row) -> [String; 6] {
    let p = |p: Option<f64>| p.map_or_else(|| number::NONE.to_owned(), probability);
    [
        series.start.clone(),
        series.end.clone(),
        change(series.trend, row),
        p(series.trend.p),
        p(series.trend.p_adjusted),
        series.verdict.to_owned(),
    ]
}

fn probability(p: f64) -> String {
    if p < 0.000_1 {
        "<0.0001".to_owned()
    } else {
        format!("{p:.4}")
    }
}

/// A line of bars for each variant on a common axis, and one for the difference.
fn plots(
    drift: &Drift,
    names: &[String],
    row: &Row,
    is_pooled: bool,
    options: &TextOptions,
) -> String {
    let width = names.iter().map(|name| name.width()).max().unwrap_or(0);
    let columns = options
        .width
        .saturating_sub(width + 30)
        .clamp(10, MOST_BARS);
    let [base, candidate, between] = [&drift.base, &drift.candidate, &drift.difference]
        .map(|trend| (trend.blocks.as_slice(), trend.medians.as_slice()));
    let level = |value| number::value_with_unit(value, &row.key.metric.unit);
    let between_levels = |value| difference(&drift.difference, value, row);
    let levels = Axis::of(&[base, candidate]);
    let mut text = String::new();
    let mut draw = |name: Option<&String>,
                    axis: &Option<Axis>,
                    series: (&[u32], &[f64]),
                    end: Option<&dyn Fn(f64) -> String>| {
        let (Some(name), Some(axis)) = (name, axis) else {
            return;
        };
        let (low, high) = axis.ends();
        let bars = axis.draw(series.0, series.1, columns, options.ascii);
        let ends = end.map(|end| format!("  {} to {}", end(low), end(high)));
        let ends = options.show(&ends.unwrap_or_default());
        text += &format!("{}  {bars}{ends}\n", pad(name, width, false));
    };
    let level = (!is_pooled).then_some(&level as &dyn Fn(f64) -> String);
    draw(names.first(), &levels, base, level);
    draw(names.get(1), &levels, candidate, level);
    draw(
        names.get(2),
        &Axis::of(&[between]),
        between,
        Some(&between_levels),
    );
    text
}

/// What can be said at all, and what the figures are.
fn limits(report: &Comparison) -> Vec<String> {
    let design = &report.design;
    if !design.randomised {
        return vec![
            "the runs are not known to have been in random order within blocks, so nothing can be \
             said of drift: it would be part of the difference"
                .to_owned(),
        ];
    }
    let points = all(report).filter_map(|row| Some(row.drift.as_ref()?.base.blocks.len()));
    let Some(blocks) = points.max() else {
        return vec![format!(
            "drift shows from block to block, and takes at least 3 of them with runs of both sides; \
             there are {}",
            design.blocks
        )];
    };
    let mut sentences = vec![
        "the line through the medians of the blocks: Theil and Sen; p: Mann and Kendall; bars: the \
         medians, levels on one axis"
            .to_owned(),
    ];
    let [levels, differences] = families(report);
    if design.until_decided.is_some() {
        sentences.push("measured until decided: drift is not tested".to_owned());
        return sentences;
    }
    let alpha = 1.0 - report.confidence;
    let most = levels.max(differences);
    let least = (3..=100_usize).find(|blocks| smallest_p(*blocks) * most as f64 <= alpha);
    if let Some(least) = least.filter(|least| blocks < *least) {
        sentences.push(format!(
            "{blocks} blocks are too few to prove any drift among {}: {least} are the least",
            counted(most, "test")
        ));
    }
    sentences.push(format!(
        "two families of tests beside those of the report (Holm): {levels} about levels, \
         {differences} about differences; at most {} chance in each that any verdict is false",
        number::share(alpha)
    ));
    sentences
}

/// How many tests there are about levels, and about differences.
fn families(report: &Comparison) -> [usize; 2] {
    let rows: Vec<&Row> = all(report).filter(|row| row.drift.is_some()).collect();
    let subjects = (0..rows.len())
        .filter(|index| !rows[..*index].iter().any(|row| row.key == rows[*index].key))
        .count();
    [rows.len() + subjects, rows.len()]
}

/// The p-value of blocks that rise throughout: two orders out of all.
fn smallest_p(blocks: usize) -> f64 {
    2.0 / (1..=blocks).map(|factor| factor as f64).product::<f64>()
}
