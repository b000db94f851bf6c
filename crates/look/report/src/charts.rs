//! Charts: benchmarks that are called CHART/NUMBER are the points of a chart, with a line for each variant.

use indexmap::{IndexMap, IndexSet};
use perflab_compare::{Comparison, Row, Side, SubjectKey};
use perflab_experiment::Metric;
use perflab_stats::quantile;
use unicode_width::UnicodeWidthStr;

use crate::number::{self, Scale};
use crate::sections::distinct;
use crate::terminal::{Layout, TextOptions, pad};

/// Most points of a chart; more are no chart that anybody reads.
const MOST_POINTS: usize = 200;

/// Most lines of a chart.
const MOST_LINES: usize = 30;

/// Columns of a variant's name before it is cut.
const LONGEST_NAME: usize = 32;

/// Significant digits of a value in a table.
const DIGITS: usize = 3;

/// The benchmarks of a metric that differ in the number at their end, in one configuration of a workload.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart<'r> {
    /// What was measured.
    pub metric: &'r Metric,
    /// What the benchmarks are called before the number; the workload and its configuration, where there are others.
    pub title: String,
    /// The numbers, in their order, as the benchmarks have them.
    pub points: Vec<(f64, &'r str)>,
    /// The variants, the baseline first.
    pub lines: Vec<ChartLine<'r>>,
    scale: Scale,
}

/// A variant of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartLine<'r> {
    /// Its name.
    pub variant: &'r str,
    /// What it has at each point, where it was measured there.
    pub values: Vec<Option<ChartValue>>,
}

/// The runs of a variant at a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChartValue {
    /// Their median, in the metric's unit.
    pub median: f64,
    /// Its interval at the report's confidence, by order statistics; absent for fewer than six runs, and where runs
    /// share a value.
    pub interval: Option<(f64, f64)>,
}

/// The name of a chart and the number of a point, if a benchmark is called so.
fn named(benchmark: &str) -> Option<(&str, f64, &str)> {
    let (chart, text) = benchmark.rsplit_once('/')?;
    let number: f64 = text.parse().ok()?;
    let is_number = number.is_finite() && text.starts_with(|letter: char| letter.is_ascii_digit());
    (is_number && !chart.is_empty()).then_some((chart, number, text))
}

/// The charts of a report, in the order in which it has them.
pub fn charts(report: &Comparison) -> Vec<Chart<'_>> {
    let mut groups: IndexMap<Vec<&str>, Vec<(f64, &str, &Row)>> = IndexMap::new();
    for row in &report.rows {
        let benchmark = row.key.benchmark.as_deref().and_then(named);
        if let Some((chart, number, text)) = benchmark {
            let key = group(&row.key, chart);
            groups.entry(key).or_default().push((number, text, row));
        }
    }
    let one_workload = distinct(report.rows.iter().map(|row| &row.key.workload)).len() <= 1;
    let groups = groups.into_values();
    let charts = groups.filter_map(|rows| chart_of(report, rows, one_workload));
    charts.collect()
}

/// What the rows of a chart have in common.
fn group<'r>(key: &'r SubjectKey, chart: &'r str) -> Vec<&'r str> {
    let mut group = vec![chart, &key.metric.name, &key.metric.unit, &key.workload];
    for (name, value) in &key.parameters {
        group.extend([name.as_str(), value.as_str()]);
    }
    group
}

fn chart_of<'r>(
    report: &'r Comparison,
    mut rows: Vec<(f64, &'r str, &'r Row)>,
    one_workload: bool,
) -> Option<Chart<'r>> {
    if rows.len() > MOST_POINTS * MOST_LINES {
        return None;
    }
    rows.sort_by(|(one, ..), (other, ..)| one.total_cmp(other));
    let points: Vec<(f64, &str)> = distinct(rows.iter().map(|(number, text, _)| (*number, *text)));
    // In the order of the report, not in that of the numbers.
    let own: IndexSet<&str> = rows.iter().map(|(.., row)| row.variant.as_str()).collect();
    let all: IndexSet<&str> = report.rows.iter().map(|row| row.variant.as_str()).collect();
    let candidates = all.into_iter().filter(|variant| own.contains(variant));
    if points.len() < 2 || points.len() > MOST_POINTS || own.len() >= MOST_LINES {
        return None;
    }
    let first: &Row = rows.first()?.2;
    let baseline = report.baseline.as_str();
    let line = |variant: &'r str| {
        let values = points.iter().map(|(_, text)| {
            let mut own = rows.iter().filter(|(_, at, _)| at == text);
            let is_base = variant == baseline;
            let (.., row) = own.find(|(.., row)| is_base || row.variant == variant)?;
            let side = if is_base { &row.base } else { &row.candidate };
            Some(ChartValue::of(side, report.confidence))
        });
        ChartLine {
            variant,
            values: values.collect(),
        }
    };
    let variants = std::iter::once(baseline).chain(candidates);
    let lines: Vec<ChartLine<'_>> = variants.map(line).collect();
    let values = lines.iter().flat_map(|line| line.values.iter().flatten());
    // The unit in which the smallest value can be read.
    let sizes = values.map(|value| value.median.abs());
    let smallest = sizes
        .filter(|size| *size > 0.0)
        .fold(f64::INFINITY, f64::min);
    let unit = &first.key.metric.unit;
    Some(Chart {
        metric: &first.key.metric,
        title: title(first, one_workload)?,
        scale: Scale::of(&[smallest], unit),
        points,
        lines,
    })
}

fn title(row: &Row, one_workload: bool) -> Option<String> {
    let (chart, ..) = named(row.key.benchmark.as_deref()?)?;
    let mut words = Vec::new();
    if !one_workload {
        words.push(row.key.workload.clone());
    }
    let parameters = row.key.parameters.iter();
    words.extend(parameters.map(|(name, value)| format!("{name}={value}")));
    words.push(chart.to_owned());
    Some(words.join(" "))
}

impl ChartValue {
    fn of(side: &Side, confidence: f64) -> Self {
        let is_of_runs = side.values.len() == side.n;
        let interval = quantile::interval(&side.values, 0.5, confidence);
        Self {
            median: side.median,
            interval: interval.ok().flatten().filter(|_| is_of_runs),
        }
    }
}

impl Chart<'_> {
    /// `evaluation (ns): text-and`.
    pub fn heading(&self) -> String {
        let unit = self.unit();
        let unit = match unit.as_str() {
            "" => unit,
            unit => format!(" ({unit})"),
        };
        format!("{}{unit}: {}", self.metric.name, self.title)
    }

    /// What values are multiplied by to be in [`Chart::unit`].
    pub fn factor(&self) -> f64 {
        self.scale.factor
    }

    /// The unit of all values that are shown.
    pub fn unit(&self) -> String {
        let own = self.scale.unit();
        match own.trim() {
            "" => self.metric.unit.clone(),
            own => own.to_owned(),
        }
    }

    /// A value in that unit, without it.
    pub fn shown(&self, value: f64) -> String {
        number::short(value * self.scale.factor, DIGITS)
    }

    /// How many times the baseline's a variant's median is at a point.
    pub fn times_baseline(&self, line: usize, point: usize) -> Option<f64> {
        let median = |line: usize| Some((*self.lines.get(line)?.values.get(point)?)?.median);
        let times = median(line)? / median(0)?;
        (line > 0 && times.is_finite()).then_some(times)
    }
}

/// A chart as tables: the median of each variant at each point, and how many times the baseline's that is.
pub fn chart_tables(chart: &Chart<'_>, options: &TextOptions) -> String {
    let baseline = chart.lines.first().map_or("", |line| line.variant);
    let medians = table(chart, options, |line, point| {
        let value = (*chart.lines.get(line)?.values.get(point)?)?;
        Some(chart.shown(value.median))
    });
    let times = table(chart, options, |line, point| {
        let times = chart.times_baseline(line, point)?;
        Some(number::short(times, DIGITS))
    });
    let heading = options.show(&chart.heading());
    let baseline = options.cut(&options.show(baseline), LONGEST_NAME);
    format!("{heading}\n{medians}\ntimes {baseline}\n{times}")
}

/// A line for each variant that has cells, a column for each point.
fn table(
    chart: &Chart<'_>,
    options: &TextOptions,
    cell: impl Fn(usize, usize) -> Option<String>,
) -> String {
    let points = chart.points.iter();
    let points = points.map(|(_, text)| options.show(text)).collect();
    let mut rows: Vec<(String, Vec<String>)> = vec![(String::new(), points)];
    for (index, line) in chart.lines.iter().enumerate() {
        let cells = (0..chart.points.len()).map(|point| cell(index, point));
        let cells: Vec<Option<String>> = cells.collect();
        if cells.iter().any(Option::is_some) {
            let name = options.cut(&options.show(line.variant), LONGEST_NAME);
            let cells = cells.into_iter().map(Option::unwrap_or_default);
            rows.push((name, cells.collect()));
        }
    }
    let names = rows.iter().map(|(name, _)| name.width()).max();
    let names = names.unwrap_or(0);
    let widths = (0..chart.points.len()).map(|point| {
        let cells = rows.iter().filter_map(|(_, cells)| cells.get(point));
        cells.map(|cell| cell.width()).max().unwrap_or(0)
    });
    let widths: Vec<usize> = widths.collect();
    let mut text = String::new();
    for (name, cells) in &rows {
        text += &pad(name, names, false);
        for (cell, width) in cells.iter().zip(&widths) {
            text += &format!("  {}", pad(cell, *width, true));
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}
