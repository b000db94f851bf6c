//! A section as a table in columns, with as many of them as the width has room for.

use perflab_compare::{Answer, Row};
use unicode_width::UnicodeWidthStr;

use crate::aligned::aligned_intervals;
use crate::headline::headline;
use crate::sections::{Section, colour, slow_runs};
use crate::terminal::{Colour, Layout, TextOptions, pad};

/// Columns of a name at the head of a column, or beside a row, before it is cut.
const LONGEST_NAME: usize = 32;

/// Columns that a label keeps before other columns are left out for it.
const COMFORTABLE_LABEL: usize = 20;

/// Columns that a label keeps however narrow the page.
const SHORTEST_LABEL: usize = 8;

/// Between columns.
const GAP: &str = "  ";

/// The table, and which of its columns had to go.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) text: String,
    pub(crate) has_medians: bool,
    /// Headers of columns that say something and were left out all the same.
    pub(crate) omitted: Vec<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Label,
    Median,
    Typical,
    Verdict,
    Mean,
    Slow,
}

/// Cells as they are shown.
#[derive(Debug)]
struct Column {
    kind: Kind,
    header: String,
    right: bool,
    cells: Vec<String>,
}

impl Column {
    fn width(&self) -> usize {
        let cells = self.cells.iter().map(|cell| cell.width());
        cells.max().unwrap_or(0).max(self.header.width())
    }
}

/// Draws a section.
pub(crate) fn table(section: &Section<'_>, options: &TextOptions) -> Table {
    let mut columns = columns(section, options);
    let omitted = fit(&mut columns, section.mean_matters(), options);
    let colours: Vec<Colour> = section.all().map(colour).collect();
    let mut text = String::new();
    let headers = columns
        .iter()
        .map(|column| (column, column.header.as_str(), Colour::None));
    text += &line(headers, options);
    for (index, colour) in colours.iter().enumerate() {
        if index == section.rows.len() && index > 0 {
            text.push('\n');
        }
        let cells = columns.iter().map(|column| {
            let colour = if column.kind == Kind::Verdict {
                *colour
            } else {
                Colour::None
            };
            let cell = column.cells.get(index).map_or("", String::as_str);
            (column, cell, colour)
        });
        text += &line(cells, options);
    }
    let has_medians = columns.iter().any(|column| column.kind == Kind::Median);
    Table {
        text,
        has_medians,
        omitted,
    }
}

fn line<'a>(
    cells: impl Iterator<Item = (&'a Column, &'a str, Colour)>,
    options: &TextOptions,
) -> String {
    let mut line = String::new();
    for (index, (column, cell, colour)) in cells.enumerate() {
        if index > 0 {
            line += GAP;
        }
        let space = " ".repeat(column.width().saturating_sub(cell.width()));
        let painted = options.paint(cell, colour);
        line += &if column.right {
            space + &painted
        } else {
            painted + &space
        };
    }
    line.truncate(line.trim_end().len());
    line.push('\n');
    line
}

fn columns(section: &Section<'_>, options: &TextOptions) -> Vec<Column> {
    let name = |name: &str| options.cut(&options.show(name), LONGEST_NAME);
    let mut columns = Vec::new();
    for label in section.labels() {
        columns.push(Column {
            kind: Kind::Label,
            header: name(&label.header),
            right: false,
            cells: label.cells.iter().map(|cell| name(cell)).collect(),
        });
    }
    if !section.rows.is_empty() {
        let (base, candidate): (Vec<String>, Vec<String>) = section.medians().into_iter().unzip();
        for (header, cells) in [(section.baseline, base), (section.variant, candidate)] {
            columns.push(Column {
                kind: Kind::Median,
                header: name(header),
                right: true,
                cells: cells.iter().map(|cell| options.show(cell)).collect(),
            });
        }
    }
    columns.push(answers(
        section,
        options,
        Kind::Typical,
        "typical run",
        |row| &row.typical,
    ));
    columns.push(Column {
        kind: Kind::Verdict,
        header: "verdict".to_owned(),
        right: false,
        cells: section
            .all()
            .map(|row| options.show(&headline(row)))
            .collect(),
    });
    columns.push(answers(section, options, Kind::Mean, "mean", |row| {
        &row.mean
    }));
    if section.has_slow_runs() {
        columns.push(slow(section));
    }
    columns
}

/// Differences with their intervals, the ends below each other.
fn answers(
    section: &Section<'_>,
    options: &TextOptions,
    kind: Kind,
    header: &str,
    question: fn(&Row) -> &Answer,
) -> Column {
    let style = section.style(question);
    let parts = section.all().map(|row| {
        let (style, answer) = (style(row), question(row));
        let estimate = style.estimate(answer.difference);
        let (low, high) = style.interval(answer.into()).unwrap_or_default();
        [estimate, low, high].map(|part| options.show(&part))
    });
    Column {
        kind,
        header: header.to_owned(),
        right: false,
        cells: aligned_intervals(&parts.collect::<Vec<_>>()),
    }
}

fn slow(section: &Section<'_>) -> Column {
    let counts: Vec<Option<(String, String)>> = section.all().map(slow_runs).collect();
    let sides = || {
        counts
            .iter()
            .flatten()
            .flat_map(|(base, candidate)| [base, candidate])
    };
    let width = sides().map(|side| side.width()).max().unwrap_or(0);
    let cell = |counts: &Option<(String, String)>| {
        counts
            .as_ref()
            .map_or_else(String::new, |(base, candidate)| {
                format!(
                    "{}{GAP}{}",
                    pad(base, width, true),
                    pad(candidate, width, true)
                )
            })
    };
    Column {
        kind: Kind::Slow,
        header: "slow runs".to_owned(),
        right: false,
        cells: counts.iter().map(cell).collect(),
    }
}

/// Leaves out columns, the least telling first, and cuts labels, until the table fits or nothing is left to give.
fn fit(columns: &mut Vec<Column>, mean_matters: bool, options: &TextOptions) -> Vec<&'static str> {
    let mut omitted = Vec::new();
    let mut leave_out = |columns: &mut Vec<Column>, kind: Kind, name: Option<&'static str>| {
        let there = columns.iter().any(|column| column.kind == kind);
        if there && total(columns) > options.width {
            columns.retain(|column| column.kind != kind);
            omitted.extend(name);
        }
    };
    if !mean_matters {
        leave_out(columns, Kind::Mean, None);
    }
    leave_out(columns, Kind::Median, Some("medians"));
    cut_labels(columns, COMFORTABLE_LABEL, options);
    leave_out(columns, Kind::Slow, Some("slow runs"));
    leave_out(columns, Kind::Mean, Some("mean"));
    cut_labels(columns, SHORTEST_LABEL, options);
    omitted
}

/// Cuts the widest label as far as needed, then the next, but none below `least` columns.
fn cut_labels(columns: &mut [Column], least: usize, options: &TextOptions) {
    loop {
        let excess = total(columns).saturating_sub(options.width);
        let labels = columns
            .iter_mut()
            .filter(|column| column.kind == Kind::Label);
        let Some(widest) = labels.max_by_key(|column| column.width()) else {
            return;
        };
        let width = widest.width();
        if excess == 0 || width <= least {
            return;
        }
        let width = width.saturating_sub(excess).max(least);
        widest.header = options.cut(&widest.header, width);
        for cell in &mut widest.cells {
            *cell = options.cut(cell, width);
        }
    }
}

fn total(columns: &[Column]) -> usize {
    let gaps = GAP.len() * columns.len().saturating_sub(1);
    columns.iter().map(Column::width).sum::<usize>() + gaps
}
