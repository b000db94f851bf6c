//! The rows of a report as tables: one for each metric and candidate, the control's last.

use indexmap::IndexMap;
use perflab_compare::{Answer, Comparison, Row, SubjectKey, Verdict};
use perflab_experiment::{Better, Metric};

use crate::difference::Differences;
use crate::number;
use crate::terminal::Colour;

/// The rows of one candidate on one metric.
#[derive(Debug)]
pub struct Section<'a> {
    /// What was measured.
    pub metric: &'a Metric,
    /// The candidate.
    pub variant: &'a str,
    /// What it is compared with.
    pub baseline: &'a str,
    /// Whether the candidate is the baseline once more.
    pub is_control: bool,
    /// Whether the report holds other workloads than those of this section, or several here.
    several_workloads: bool,
    /// The rows.
    pub rows: Vec<&'a Row>,
    /// Set apart, below the rows.
    pub pooled: Vec<&'a Row>,
}

/// A column that says which row it is.
#[derive(Debug)]
pub struct Label {
    /// What the column is called.
    pub header: String,
    /// One for each row, then one for each pooled row.
    pub cells: Vec<String>,
}

/// The sections in order of appearance, metric by metric.
pub fn sections(report: &Comparison) -> Vec<Section<'_>> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    let several_workloads = distinct(report.rows.iter().map(|row| &row.key.workload)).len() > 1;
    let rows = report.rows.iter().map(|row| (row, false));
    let pooled = report.pooled.iter().map(|row| (row, true));
    for (row, is_pooled) in rows.chain(pooled) {
        let found = sections.iter().position(|section| {
            section.metric == &row.key.metric && section.variant == row.variant
        });
        let index = found.unwrap_or_else(|| {
            sections.push(Section {
                metric: &row.key.metric,
                variant: &row.variant,
                baseline: &report.baseline,
                is_control: report.is_control(row),
                several_workloads,
                rows: Vec::new(),
                pooled: Vec::new(),
            });
            sections.len() - 1
        });
        let section = &mut sections[index];
        if is_pooled {
            section.pooled.push(row);
        } else {
            section.rows.push(row);
        }
    }
    let metrics = distinct(report.all_rows().map(|row| &row.key.metric));
    sections.sort_by_key(|section| {
        let metric = metrics.iter().position(|metric| *metric == section.metric);
        (section.is_control, metric)
    });
    sections
}

impl<'a> Section<'a> {
    /// Rows, then pooled rows.
    pub fn all(&self) -> impl Iterator<Item = &'a Row> + Clone {
        self.rows.iter().chain(&self.pooled).copied()
    }

    /// What is compared, where that is the same for all rows, and which way is better.
    pub fn title(&self) -> String {
        let control = if self.is_control { "control: " } else { "" };
        let mut title = format!("{control}{} against {}", self.variant, self.baseline);
        if let ([workload], true) = (self.workloads().as_slice(), self.several_workloads) {
            title += &format!(", {workload}");
        }
        for key in self.parameters() {
            if let [Some(value)] = self.values(key).as_slice() {
                title += &format!(", {key}={value}");
            }
        }
        if let ([row], []) = (self.rows.as_slice(), self.pooled.as_slice())
            && let Some(benchmark) = &row.key.benchmark
        {
            title += &format!(", {benchmark}");
        }
        format!("{title}: {}", metric_in_words(self.metric))
    }

    fn workloads(&self) -> Vec<&'a String> {
        distinct(self.rows.iter().map(|row| &row.key.workload))
    }

    fn parameters(&self) -> Vec<&'a String> {
        distinct(self.rows.iter().flat_map(|row| row.key.parameters.keys()))
    }

    /// The different values of a parameter.
    fn values(&self, key: &str) -> Vec<Option<&'a String>> {
        distinct(self.rows.iter().map(|row| row.key.parameters.get(key)))
    }

    /// The columns that tell the rows apart; at least one.
    pub fn labels(&self) -> Vec<Label> {
        let mut labels = Vec::new();
        let has_benchmarks = self.rows.iter().any(|row| row.key.benchmark.is_some());
        let mut varying = self.parameters();
        varying.retain(|key| self.values(key).len() > 1);
        if self.workloads().len() > 1 || (varying.is_empty() && !has_benchmarks) {
            labels.push(self.label("workload", |row| Some(&row.key.workload)));
        }
        for key in varying {
            labels.push(self.label(key, |row| row.key.parameters.get(key)));
        }
        if has_benchmarks {
            labels.push(self.label("benchmark", |row| row.key.benchmark.as_ref()));
        }
        if let Some(first) = labels.first_mut() {
            let several = self.pooled.len() > 1;
            first
                .cells
                .extend(self.pooled.iter().map(|row| pooled_label(row, several)));
        }
        labels
    }

    fn label(&self, header: &str, cell: impl Fn(&'a Row) -> Option<&'a String>) -> Label {
        let cells = self
            .rows
            .iter()
            .map(|row| cell(row).cloned().unwrap_or_default());
        Label {
            header: header.to_owned(),
            cells: cells.collect(),
        }
    }

    /// The medians of both sides, for rows only: a pooled row's values have no meaning of their own.
    pub fn medians(&self) -> Vec<(String, String)> {
        self.rows
            .iter()
            .map(|row| number::pair(row.base.median, row.candidate.median, &self.metric.unit))
            .collect()
    }

    /// How the section's answers to one question are written: relative ones and absolute ones.
    pub fn style(&self, question: fn(&Row) -> &Answer) -> impl Fn(&Row) -> Differences {
        let of = |relative: bool| {
            let rows = self.all().filter(move |row| row.relative == relative);
            Differences::of(rows.map(question), relative, &self.metric.unit)
        };
        let (relative, absolute) = (of(true), of(false));
        move |row| {
            let style = if row.relative { relative } else { absolute };
            style.for_answer(question(row))
        }
    }

    /// Whether the answers about the mean say what those about the typical run do not.
    pub fn mean_matters(&self) -> bool {
        self.all().any(|row| {
            row.mean.verdict != Verdict::NotProven || row.mean.verdict != row.typical.verdict
        })
    }

    /// Whether any side of a row has slow runs.
    pub fn has_slow_runs(&self) -> bool {
        self.all().any(|row| row.slow.is_some())
    }
}

/// `2/30  1/30`: slow runs of the baseline and of the candidate.
pub fn slow_runs(row: &Row) -> Option<(String, String)> {
    let slow = row.slow.as_ref()?;
    Some((
        format!("{}/{}", slow.base, row.base.n),
        format!("{}/{}", slow.candidate, row.candidate.n),
    ))
}

/// Which row it is, in a line of its own.
pub fn row_label(row: &Row) -> String {
    subject_label(&row.key)
}

/// What a comparison is about but for the metric, in a line of its own.
pub fn subject_label(subject: &SubjectKey) -> String {
    let within = within_workload(&subject.parameters, subject.benchmark.as_deref());
    let words = [subject.workload.as_str(), &within];
    let words = words.into_iter().filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// What it is called among others: without its workload where all have the same, unless nothing is left then.
pub(crate) fn short_label(row: &Row, one_workload: bool) -> String {
    match within_workload(&row.key.parameters, row.key.benchmark.as_deref()) {
        within if one_workload && !within.is_empty() => within,
        _ => row_label(row),
    }
}

/// Which row of its workload it is; nothing where it is the only one.
fn within_workload(parameters: &IndexMap<String, String>, benchmark: Option<&str>) -> String {
    let parameters = parameters.iter();
    let words = parameters.map(|(key, value)| format!("{key}={value}"));
    let words = words.chain(benchmark.map(str::to_owned));
    words.collect::<Vec<_>>().join(" ")
}

/// The rows of each metric, in order of appearance, then the pooled ones; the control's own rows are the last.
pub fn by_metric(report: &Comparison) -> Vec<Vec<&Row>> {
    let mut metrics: Vec<(&Metric, Vec<&Row>)> = Vec::new();
    for row in report.all_rows() {
        match metrics
            .iter_mut()
            .find(|(metric, _)| *metric == &row.key.metric)
        {
            Some((_, rows)) => rows.push(row),
            None => metrics.push((&row.key.metric, vec![row])),
        }
    }
    let sorted = |(_, mut rows): (_, Vec<_>)| {
        rows.sort_by_key(|row: &&Row| report.is_control(row));
        rows
    };
    metrics.into_iter().map(sorted).collect()
}

/// `SET, redis-aof: rps: every run in order`: what a text is about.
pub fn about(row: &Row, text: &str) -> String {
    format!("{} {}: {text}", row_label(row), row.variant)
}

/// `rps (1/s), higher is better`; units that stand behind each value are left out.
pub fn metric_in_words(metric: &Metric) -> String {
    let better = match metric.better {
        Better::Higher => "higher is better",
        Better::Lower => "lower is better",
        Better::Neither => "neither way is better",
    };
    if metric.unit.is_empty() || number::value_has_unit(&metric.unit) {
        format!("{}, {better}", metric.name)
    } else {
        format!("{} ({}), {better}", metric.name, metric.unit)
    }
}

/// What the verdicts of a row mean for the candidate.
pub(crate) fn colour(row: &Row) -> Colour {
    let verdicts = [row.typical.verdict, row.mean.verdict];
    let better = verdicts.contains(&Verdict::Better);
    let worse = verdicts.contains(&Verdict::Worse);
    match (better, worse) {
        (true, true) => Colour::Mixed,
        (true, false) => Colour::Good,
        (false, true) => Colour::Bad,
        (false, false) if verdicts.contains(&Verdict::Same) => Colour::None,
        (false, false) if verdicts.contains(&Verdict::Differs) => Colour::None,
        (false, false) => Colour::Dim,
    }
}

/// What a pooled row is called.
pub(crate) fn pooled_label(row: &Row, several: bool) -> String {
    let count = row.key.benchmark.as_deref().unwrap_or("all");
    let count = if count.bytes().all(|byte| byte.is_ascii_digit()) {
        format!("all {count}")
    } else {
        count.to_owned()
    };
    if several {
        format!("{count} {}", row.key.workload)
    } else {
        count
    }
}

/// The items without repetition, in order of appearance.
pub(crate) fn distinct<T: PartialEq>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = Vec::new();
    for item in items {
        if !seen.contains(&item) {
            seen.push(item);
        }
    }
    seen
}
