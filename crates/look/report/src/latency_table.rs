//! Latencies beside a throughput as a table, with as much of them as the width has room for.

use unicode_width::UnicodeWidthStr;

use crate::aligned::aligned_intervals;
use crate::latency_cells::{Block, LatencyCell, TITLE, blocks};
use crate::sections::Section;
use crate::terminal::{Layout, TextOptions, pad};

/// Columns of a name before it is cut, as the names of variants stand twice in a line.
const LONGEST_NAME: usize = 16;

/// Columns that a label keeps before other columns are left out for it.
const COMFORTABLE_LABEL: usize = 20;

/// Columns that a label keeps however narrow the page.
const SHORTEST_LABEL: usize = 8;

/// Between columns.
const GAP: &str = "  ";

/// Behind a change whose interval is not shown and is without 0.
const CLEAR: &str = " *";

/// What has to go on a narrow page, as it is named there.
pub(crate) const INTERVALS: &str = "intervals of latencies";
const MEDIANS: &str = "medians of latencies";

/// The latencies of a section of several rows, and what had to be left out.
pub(crate) fn latency_table(
    section: &Section<'_>,
    options: &TextOptions,
) -> (String, Vec<&'static str>) {
    let mut text = String::new();
    let mut omitted = Vec::new();
    for block in blocks(section) {
        let full = VisibleColumns {
            intervals: true,
            medians: true,
        };
        let mut table = Table::new(section, &block, full, options);
        table.cut_labels(COMFORTABLE_LABEL, options);
        for (name, medians) in [(INTERVALS, true), (MEDIANS, false)] {
            if table.width() > options.width {
                omitted.push(name);
                let shown = VisibleColumns {
                    intervals: false,
                    medians,
                };
                table = Table::new(section, &block, shown, options);
                table.cut_labels(SHORTEST_LABEL, options);
            }
        }
        text += &format!("\n{TITLE}\n{}", table.draw());
    }
    (text, omitted)
}

/// Which columns there are.
#[derive(Debug, Clone, Copy)]
struct VisibleColumns {
    intervals: bool,
    medians: bool,
}

/// Cells below their header.
#[derive(Debug)]
struct Column {
    cells: Vec<String>,
    right: bool,
}

impl Column {
    fn width(&self) -> usize {
        let cells = self.cells.iter().map(|cell| cell.width());
        cells.max().unwrap_or(0)
    }

    fn line(&self, line: usize) -> String {
        let cell = self.cells.get(line).map_or("", String::as_str);
        pad(cell, self.width(), self.right)
    }
}

/// The columns of one latency below its name.
#[derive(Debug)]
struct Group {
    name: String,
    columns: Vec<Column>,
}

impl Group {
    fn width(&self) -> usize {
        let columns: usize = self.columns.iter().map(Column::width).sum();
        let gaps = GAP.len() * self.columns.len().saturating_sub(1);
        self.name.width().max(columns + gaps)
    }
}

#[derive(Debug)]
struct Table {
    labels: Vec<Column>,
    groups: Vec<Group>,
    /// The first line of pooled rows.
    pooled: Option<usize>,
}

impl Table {
    fn new(
        section: &Section<'_>,
        block: &Block,
        shown: VisibleColumns,
        options: &TextOptions,
    ) -> Self {
        let column = |header: String, cells: Vec<String>, right: bool| Column {
            cells: std::iter::once(header).chain(cells).collect(),
            right,
        };
        let labels = section.labels().into_iter().map(|label| {
            let own = block.rows.iter().map(|&place| label.cells.get(place));
            let cells = own.map(|cell| cell.map_or_else(String::new, |cell| options.show(cell)));
            column(options.show(&label.header), cells.collect(), false)
        });
        let variant = |name: &str| options.cut(&options.show(name), LONGEST_NAME);
        let group = |(name, cells): (&String, &Vec<LatencyCell>)| {
            let medians = |of: fn(&LatencyCell) -> &String| {
                let shown = cells.iter().map(|cell| options.show(of(cell)));
                shown.collect::<Vec<String>>()
            };
            let mut columns = Vec::new();
            if shown.medians {
                let base = medians(|cell| &cell.base);
                let candidate = medians(|cell| &cell.candidate);
                columns.push(column(variant(section.baseline), base, true));
                columns.push(column(variant(section.variant), candidate, true));
            }
            let changes = changes(cells, shown.intervals, options);
            columns.push(column("change".to_owned(), changes, false));
            Group {
                name: options.show(name),
                columns,
            }
        };
        let first_pooled = |place: &usize| *place >= section.rows.len();
        let pooled = block.rows.iter().position(first_pooled);
        Self {
            labels: labels.collect(),
            groups: block.names.iter().zip(&block.columns).map(group).collect(),
            pooled: pooled.map(|row| row + 1),
        }
    }

    fn width(&self) -> usize {
        let labels = self.labels.iter().map(Column::width);
        let widths = labels.chain(self.groups.iter().map(Group::width));
        let all: usize = widths.map(|width| width + GAP.len()).sum();
        all.saturating_sub(GAP.len())
    }

    /// Cuts the widest label as far as needed, but not below `least` columns.
    fn cut_labels(&mut self, least: usize, options: &TextOptions) {
        let excess = self.width().saturating_sub(options.width);
        let widest = self.labels.iter_mut().max_by_key(|label| label.width());
        let Some(label) = widest.filter(|_| excess > 0) else {
            return;
        };
        let width = label.width().saturating_sub(excess).max(least);
        for cell in &mut label.cells {
            *cell = options.cut(cell, width);
        }
    }

    fn draw(&self) -> String {
        let blank = self.labels.iter().map(|label| " ".repeat(label.width()));
        let names = self.groups.iter();
        let names = names.map(|group| pad(&group.name, group.width(), false));
        let mut text = line(blank.chain(names));
        let lines = self.labels.first().map_or(0, |label| label.cells.len());
        for index in 0..lines {
            if self.pooled == Some(index) && index > 1 {
                text.push('\n');
            }
            let labels = self.labels.iter().map(|label| label.line(index));
            let groups = self.groups.iter().map(|group| {
                let columns = group.columns.iter().map(|column| column.line(index));
                let cells = columns.collect::<Vec<String>>().join(GAP);
                pad(&cells, group.width(), false)
            });
            text += &line(labels.chain(groups));
        }
        text
    }
}

fn line(cells: impl Iterator<Item = String>) -> String {
    let line = cells.collect::<Vec<String>>().join(GAP);
    line.trim_end().to_owned() + "\n"
}

/// The changes below each other, with their intervals or with a mark instead of them.
fn changes(cells: &[LatencyCell], intervals: bool, options: &TextOptions) -> Vec<String> {
    let parts: Vec<[String; 3]> = cells
        .iter()
        .map(|cell| {
            let ends = cell.ends.as_ref().filter(|_| intervals);
            let (low, high) = ends.cloned().unwrap_or_default();
            [cell.change.clone(), low, high].map(|part| options.show(&part))
        })
        .collect();
    let texts = aligned_intervals(&parts).into_iter();
    let marked = |(text, cell): (String, &LatencyCell)| match cell.is_clear && !intervals {
        true => text + CLEAR,
        false => text,
    };
    texts.zip(cells).map(marked).collect()
}
