//! OpenMetrics 1.0 text, as Prometheus scrapes it.
//!
//! Every metric is a family of gauges, one for each statistic: results are no stream of events, so
//! counters and histograms would say what is not so.

use std::fmt::Write as _;

use indexmap::IndexMap;

use crate::fault::WriteFault;
use crate::run::Run;
use crate::summary::{Summary, summaries};

/// A family: its unit, its help, and its lines.
struct Family<'a> {
    unit: Option<&'static str>,
    summaries: Vec<(Summary<'a>, f64)>,
}

/// For each metric the smallest, the median, the mean and the largest value, and the number of runs.
///
/// # Errors
/// No samples.
pub fn write(runs: &[Run]) -> Result<String, WriteFault> {
    let mut families: IndexMap<String, Family<'_>> = IndexMap::new();
    for summary in summaries(runs) {
        let (unit, factor) = base_unit(&summary.metric.unit);
        let name = family_name(&summary.metric.name, unit, &summary.metric.unit);
        let family = families.entry(name).or_insert_with(|| Family {
            unit,
            summaries: Vec::new(),
        });
        family.summaries.push((summary, factor));
    }
    if families.is_empty() {
        return Err(WriteFault::no_samples());
    }
    let mut text = String::new();
    for (name, family) in &families {
        let _ = writeln!(text, "# TYPE {name} gauge");
        if let Some(unit) = family.unit {
            let _ = writeln!(text, "# UNIT {name} {unit}");
        }
        let metric = family.summaries.first().map(|(summary, _)| summary.metric);
        if let Some(metric) = metric {
            let unit = match metric.unit.as_str() {
                "" => String::new(),
                unit => format!(" ({unit})"),
            };
            let help = format!("{}{unit} over the runs of a result", metric.name);
            let _ = writeln!(text, "# HELP {name} {}", escaped(&help));
        }
        for (summary, factor) in &family.summaries {
            let labels = labels(summary);
            let statistics = [
                ("min", summary.min()),
                ("median", summary.median()),
                ("mean", summary.mean()),
                ("max", summary.max()),
            ];
            for (statistic, value) in statistics {
                let value = value * factor;
                let _ = writeln!(text, "{name}{{{labels}statistic=\"{statistic}\"}} {value}");
            }
        }
    }
    text.push_str(&counts(&families));
    text.push_str("# EOF\n");
    Ok(text)
}

/// How many runs are behind each.
fn counts(families: &IndexMap<String, Family<'_>>) -> String {
    let mut text =
        "# TYPE perflab_runs gauge\n# HELP perflab_runs Runs behind a value\n".to_owned();
    for (name, family) in families {
        for (summary, _) in &family.summaries {
            let n = summary.values.len();
            let _ = writeln!(
                text,
                "perflab_runs{{{}metric=\"{name}\"}} {n}",
                labels(summary)
            );
        }
    }
    text
}

/// The base unit that the standard asks for, and the factor to it.
fn base_unit(unit: &str) -> (Option<&'static str>, f64) {
    match unit {
        "bytes" | "B" => (Some("bytes"), 1.0),
        unit => match crate::time::seconds(unit) {
            Some(factor) => (Some("seconds"), factor),
            None => (None, 1.0),
        },
    }
}

/// A unit that the standard has ends the name; another one stands in it only to tell metrics apart.
fn family_name(metric: &str, unit: Option<&str>, plain: &str) -> String {
    let mut name = format!("perflab_{}", word(metric));
    let unit = match unit {
        Some(unit) => unit.to_owned(),
        None => word(plain),
    };
    if !unit.is_empty() && !name.ends_with(&format!("_{unit}")) {
        name = format!("{name}_{unit}");
    }
    // These ends belong to other kinds of metrics.
    for end in [
        "_total", "_created", "_count", "_sum", "_bucket", "_info", "_gcount", "_gsum",
    ] {
        if name.ends_with(end) {
            name.push_str("_value");
        }
    }
    name
}

/// Letters, digits and `_`.
fn word(text: &str) -> String {
    let plain: String = text
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    plain.trim_matches('_').to_owned()
}

/// The labels, each with a comma behind it.
fn labels(summary: &Summary<'_>) -> String {
    let run = summary.run;
    let known = [
        ("variant".to_owned(), run.variant.as_deref()),
        ("workload".to_owned(), run.workload.as_deref()),
        ("benchmark".to_owned(), summary.benchmark),
    ];
    let parameters = run
        .parameters
        .iter()
        .map(|(name, value)| (format!("parameter_{}", word(name)), Some(value.as_str())));
    // A label stands once; where two parameters become one name, the first keeps it.
    let mut labels: IndexMap<String, &str> = IndexMap::new();
    for (name, value) in known.into_iter().chain(parameters) {
        if let Some(value) = value {
            labels.entry(name).or_insert(value);
        }
    }
    labels
        .iter()
        .map(|(name, value)| format!("{name}=\"{}\",", escaped(value)))
        .collect()
}

/// The standard's three escapes.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('\n', "\\n")
        .replace('"', "\\\"")
}
