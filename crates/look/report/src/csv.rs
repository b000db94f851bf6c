//! The report as comma-separated values (RFC 4180), for other programs.

use ::csv::WriterBuilder;
use perflab_compare::{Comparison, Drift, Latency, MainMode, Row, Slow, Trend, Verdict};
use perflab_experiment::Better;

use crate::headline::headline;
use crate::row_warning::row_warnings;
use crate::sections::distinct;
use crate::terminal::clean;

/// A column's name, and its field in a row.
type Column = (&'static str, fn(&Row) -> String);

/// The end of a column's name, and its field in a latency.
type LatencyColumn = (&'static str, fn(&Latency) -> String);

/// The beginning of a column's name, and the latency that it is about.
type Found = (&'static str, fn(&Row) -> Option<&Latency>);

const SUBJECT: [Column; 5] = [
    ("benchmark", |row| {
        row.key.benchmark.clone().unwrap_or_default()
    }),
    ("metric", |row| row.key.metric.name.clone()),
    ("unit", |row| row.key.metric.unit.clone()),
    ("better", |row| better(row.key.metric.better)),
    ("variant", |row| row.variant.clone()),
];

const FIGURES: [Column; 40] = [
    ("headline", |row| headline(row)),
    ("relative", |row| row.relative.to_string()),
    ("typical.difference", |row| number(row.typical.difference)),
    ("typical.low", |row| optional(row.typical.low)),
    ("typical.high", |row| optional(row.typical.high)),
    ("typical.p", |row| number(row.typical.p)),
    ("typical.p_adjusted", |row| optional(row.typical.p_adjusted)),
    ("typical.verdict", |row| verdict(row.typical.verdict)),
    ("mean.difference", |row| number(row.mean.difference)),
    ("mean.low", |row| optional(row.mean.low)),
    ("mean.high", |row| optional(row.mean.high)),
    ("mean.p", |row| number(row.mean.p)),
    ("mean.p_adjusted", |row| optional(row.mean.p_adjusted)),
    ("mean.verdict", |row| verdict(row.mean.verdict)),
    ("slow.base", |row| slow(row, |slow| slow.base.to_string())),
    ("slow.candidate", |row| {
        slow(row, |slow| slow.candidate.to_string())
    }),
    ("slow.difference", |row| {
        slow(row, |slow| number(slow.difference))
    }),
    ("slow.low", |row| slow(row, |slow| number(slow.low))),
    ("slow.high", |row| slow(row, |slow| number(slow.high))),
    ("slow.p", |row| slow(row, |slow| number(slow.p))),
    ("slow.p_adjusted", |row| {
        slow(row, |slow| optional(slow.p_adjusted))
    }),
    ("slow.verdict", |row| {
        slow(row, |slow| verdict(slow.verdict))
    }),
    ("main.difference", |row| {
        main_mode(row, |main| Some(main.difference))
    }),
    ("main.low", |row| main_mode(row, |main| main.low)),
    ("main.high", |row| main_mode(row, |main| main.high)),
    ("mde", |row| optional(row.mde)),
    ("base.n", |row| row.base.n.to_string()),
    ("base.min", |row| number(row.base.min)),
    ("base.median", |row| number(row.base.median)),
    ("base.mean", |row| number(row.base.mean)),
    ("base.max", |row| number(row.base.max)),
    ("base.sd", |row| optional(row.base.sd)),
    ("base.runs", |row| row.base.values.len().to_string()),
    ("candidate.n", |row| row.candidate.n.to_string()),
    ("candidate.min", |row| number(row.candidate.min)),
    ("candidate.median", |row| number(row.candidate.median)),
    ("candidate.mean", |row| number(row.candidate.mean)),
    ("candidate.max", |row| number(row.candidate.max)),
    ("candidate.sd", |row| optional(row.candidate.sd)),
    ("candidate.runs", |row| {
        row.candidate.values.len().to_string()
    }),
];

fn slow(row: &Row, figure: fn(&Slow) -> String) -> String {
    row.slow.as_ref().map(figure).unwrap_or_default()
}

fn main_mode(row: &Row, figure: fn(&MainMode) -> Option<f64>) -> String {
    let main = row.slow.as_ref().and_then(|slow| slow.main.as_ref());
    optional(main.and_then(figure))
}

/// Which series of a row.
type OfDrift = fn(&Drift) -> &Trend;

const SERIES: [(&str, OfDrift); 3] = [
    ("base", |drift| &drift.base),
    ("candidate", |drift| &drift.candidate),
    ("difference", |drift| &drift.difference),
];

/// A figure of a series.
type OfTrend = fn(&Trend) -> Option<f64>;

const TRENDS: [(&str, OfTrend); 7] = [
    ("start", |trend| Some(trend.start)),
    ("end", |trend| Some(trend.end)),
    ("change", |trend| Some(trend.change)),
    ("low", |trend| trend.low),
    ("high", |trend| trend.high),
    ("p", |trend| trend.p),
    ("p_adjusted", |trend| trend.p_adjusted),
];

/// Each figure of each series: `drift.base.start`.
fn drift_header() -> impl Iterator<Item = String> {
    SERIES.into_iter().flat_map(|(series, _)| {
        TRENDS
            .into_iter()
            .map(move |(figure, _)| format!("drift.{series}.{figure}"))
    })
}

fn drift_fields(row: &Row) -> impl Iterator<Item = String> {
    SERIES.into_iter().flat_map(|(_, series)| {
        let trend = row.drift.as_ref().map(series);
        TRENDS
            .into_iter()
            .map(move |(_, figure)| optional(trend.and_then(figure)))
    })
}

/// Of a latency beside a throughput; for each of [`LATENCIES`].
const LATENCY: [LatencyColumn; 7] = [
    ("metric", |latency| latency.metric.name.clone()),
    ("unit", |latency| latency.metric.unit.clone()),
    ("base", |latency| number(latency.base.median)),
    ("candidate", |latency| number(latency.candidate.median)),
    ("difference", |latency| number(latency.difference)),
    ("low", |latency| optional(latency.low)),
    ("high", |latency| optional(latency.high)),
];

/// What latencies are called in columns: that of a typical request, that of a slow one.
const LATENCIES: [Found; 2] = [
    ("latency", |row| {
        row.latencies.iter().find(|one| !one.is_tail())
    }),
    ("tail", |row| row.latencies.iter().find(|one| one.is_tail())),
];

/// The report as a header and one line for each row, the pooled ones last.
///
/// Every field of a row, but of its single values only their number; each parameter in a column `parameter:NAME`,
/// and behind it all the latencies beside a throughput.
/// What is absent is empty, numbers have all their digits, and control characters in names are spelt out, so that
/// a row is a line.
pub fn csv(report: &Comparison) -> String {
    let parameters = distinct(report.all_rows().flat_map(|row| row.key.parameters.keys()));
    let mut header = vec![
        "pooled".to_owned(),
        "baseline".to_owned(),
        "workload".to_owned(),
    ];
    header.extend(parameters.iter().map(|name| format!("parameter:{name}")));
    header.extend(
        SUBJECT
            .iter()
            .chain(&FIGURES)
            .map(|(name, _)| (*name).to_owned()),
    );
    header.push("warnings".to_owned());
    header.extend(drift_header());

    let latencies = || {
        LATENCIES.iter().flat_map(|(of, find)| {
            LATENCY
                .iter()
                .map(move |(name, field)| (of, find, name, field))
        })
    };
    header.extend(latencies().map(|(of, _, name, _)| format!("{of}.{name}")));

    let record = |row: &Row, pooled: bool| {
        let mut record = vec![
            pooled.to_string(),
            report.baseline.clone(),
            row.key.workload.clone(),
        ];
        let values = parameters
            .iter()
            .map(|name| row.key.parameters.get(*name).cloned());
        record.extend(values.map(Option::unwrap_or_default));
        record.extend(SUBJECT.iter().chain(&FIGURES).map(|(_, field)| field(row)));
        record.push(row_warnings(row, report).join("; "));
        record.extend(drift_fields(row));
        record.extend(
            latencies().map(|(_, find, _, field)| find(row).map_or_else(String::new, field)),
        );
        record
    };
    let rows = report.rows.iter().map(|row| record(row, false));
    let pooled = report.pooled.iter().map(|row| record(row, true));
    let mut writer = WriterBuilder::new().from_writer(Vec::new());
    for record in std::iter::once(header).chain(rows).chain(pooled) {
        // Writing to a vector cannot fail, and all records have the same number of fields.
        let _ = writer.write_record(record.iter().map(|field| clean(field)));
    }
    String::from_utf8_lossy(&writer.into_inner().unwrap_or_default()).into_owned()
}

fn better(better: Better) -> String {
    match better {
        Better::Higher => "higher",
        Better::Lower => "lower",
        Better::Neither => "neither",
    }
    .to_owned()
}

/// As in the JSON.
fn verdict(verdict: Verdict) -> String {
    match verdict {
        Verdict::Better => "better",
        Verdict::Worse => "worse",
        Verdict::Differs => "differs",
        Verdict::Same => "same",
        Verdict::NotProven => "not-proven",
    }
    .to_owned()
}

fn optional(value: Option<f64>) -> String {
    value.map_or_else(String::new, number)
}

/// The shortest digits that read back as the same number; those that are none are empty.
fn number(value: f64) -> String {
    if !value.is_finite() {
        String::new()
    } else if value != 0.0 && !(1e-5..1e16).contains(&value.abs()) {
        format!("{value:e}")
    } else {
        value.to_string()
    }
}
