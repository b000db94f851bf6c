//! Charts: benchmarks that are called CHART/NUMBER are the points of a chart, with a line for each variant.

use std::collections::{HashMap, HashSet};
use std::iter;

use indexmap::{IndexMap, IndexSet};
use perflab_compare::{Comparison, Row, Side, SubjectKey};
use perflab_experiment::{Metric, counted};
use perflab_stats::quantile;
use unicode_width::UnicodeWidthStr;

use crate::number::{self, Scale, quotient};
use crate::sections::distinct;
use crate::terminal::{Layout, TextOptions, pad};

/// Most points of a chart that people can read.
const MOST_POINTS: usize = 200;

/// Most variants of such a chart.
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
    /// Its place among all variants of the report, the baseline being 0, so that it looks alike in all charts.
    pub series: usize,
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
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Charts<'r> {
    /// Those that people can read.
    pub readable: Vec<Chart<'r>>,
    /// A sentence for each of the others, without a full stop: how large it is, and how large a chart may be.
    pub too_large: Vec<String>,
}

/// Where a row belongs: what the rows of its chart have in common, and the number of its point.
type Place<'r> = (Vec<&'r str>, (f64, &'r str));

/// A row at the number of its point.
type Numbered<'r> = ((f64, &'r str), &'r Row);

/// Where a row belongs, if it belongs to a chart.
fn place(row: &Row) -> Option<Place<'_>> {
    let key = &row.key;
    let (chart, number, text) = named(key.benchmark.as_deref()?)?;
    let mut group = vec![chart, &key.metric.name, &key.metric.unit, &key.workload];
    for (name, value) in &key.parameters {
        group.extend([name.as_str(), value.as_str()]);
    }
    Some((group, (number, text)))
}

/// Whether a report has any charts, readable or too large. This takes far less time than to make them.
pub fn has_charts(report: &Comparison) -> bool {
    let mut firsts: HashMap<Vec<&str>, &str> = HashMap::new();
    let mut places = report.rows.iter().filter_map(place);
    places.any(|(group, (_, text))| *firsts.entry(group).or_insert(text) != text)
}

/// Makes the charts of a report.
pub fn find_charts(report: &Comparison) -> Charts<'_> {
    let mut groups: IndexMap<Vec<&str>, Vec<Numbered<'_>>> = IndexMap::new();
    for row in &report.rows {
        if let Some((group, point)) = place(row) {
            groups.entry(group).or_default().push((point, row));
        }
    }
    let one_workload = distinct(report.rows.iter().map(|row| &row.key.workload)).len() <= 1;
    let candidates = report.rows.iter().map(|row| row.variant.as_str());
    let variants: IndexSet<&str> = iter::once(report.baseline.as_str())
        .chain(candidates)
        .collect();
    let mut charts = Charts::default();
    for rows in groups.into_values() {
        match chart_of(report, &variants, rows, one_workload) {
            Some(Ok(chart)) => charts.readable.push(chart),
            Some(Err(sentence)) => charts.too_large.push(sentence),
            None => {}
        }
    }
    charts
}

/// A chart, or why nobody could read it. Nothing where there is a single point.
fn chart_of<'r>(
    report: &'r Comparison,
    variants: &IndexSet<&'r str>,
    mut rows: Vec<Numbered<'r>>,
    one_workload: bool,
) -> Option<Result<Chart<'r>, String>> {
    rows.sort_by(|((one, own), _), ((other, others), _)| {
        one.total_cmp(other).then_with(|| own.cmp(others))
    });
    let mut points: Vec<(f64, &str)> = rows.iter().map(|(point, _)| *point).collect();
    points.dedup();
    if points.len() < 2 {
        return None;
    }
    let key = &rows.first()?.1.key;
    let title = title(key, one_workload)?;
    let baseline = report.baseline.as_str();
    let mut sides: HashMap<(&str, &str), &Side> = HashMap::new();
    let mut own: HashSet<&str> = HashSet::from([baseline]);
    for ((_, text), row) in &rows {
        own.insert(&row.variant);
        sides.entry((baseline, *text)).or_insert(&row.base);
        let candidate = (row.variant.as_str(), *text);
        sides.entry(candidate).or_insert(&row.candidate);
    }
    if points.len() > MOST_POINTS || own.len() > MOST_LINES {
        return Some(Err(format!(
            "{} of {title} is not drawn: it has {} and {}, and a chart has at most {MOST_POINTS} points and \
             {MOST_LINES} variants",
            key.metric.name,
            counted(points.len(), "point"),
            counted(own.len(), "variant"),
        )));
    }
    let variants = variants.iter().enumerate();
    let lines = variants.filter(|(_, variant)| own.contains(*variant));
    let lines = lines.map(|(series, &variant)| {
        let values = points.iter().map(|(_, text)| {
            let side = sides.get(&(variant, *text))?;
            Some(ChartValue::of(side, report.confidence))
        });
        ChartLine {
            variant,
            series,
            values: values.collect(),
        }
    });
    let lines: Vec<ChartLine<'_>> = lines.collect();
    let values = lines.iter().flat_map(|line| line.values.iter().flatten());
    // The unit in which the smallest value can be read.
    let sizes = values.map(|value| value.median.abs());
    let smallest = sizes
        .filter(|size| *size > 0.0)
        .fold(f64::INFINITY, f64::min);
    Some(Ok(Chart {
        metric: &key.metric,
        title,
        scale: Scale::of(&[smallest], &key.metric.unit),
        points,
        lines,
    }))
}

fn title(key: &SubjectKey, one_workload: bool) -> Option<String> {
    let (chart, ..) = named(key.benchmark.as_deref()?)?;
    let mut words = Vec::new();
    if !one_workload {
        words.push(key.workload.clone());
    }
    let parameters = key.parameters.iter();
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
        chart.times_baseline(line, point).map(quotient)
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
