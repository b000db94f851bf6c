//! The lines that pgbench prints at the end.

use std::sync::Arc;

use perflab_experiment::{Better, Sample};

use crate::error::{Place, ReadError, Stream, excerpt};
use crate::metric::{Row, metric};
use crate::number;

/// `tps` is without the making of connections.
pub(super) const METRICS: [Row; 14] = [
    ("tps", "1/s", Better::Higher),
    ("tps_with_connections", "1/s", Better::Higher),
    ("latency_avg", "ms", Better::Lower),
    ("latency_stddev", "ms", Better::Lower),
    ("schedule_lag_avg", "ms", Better::Lower),
    ("schedule_lag_max", "ms", Better::Lower),
    ("skipped", "%", Better::Lower),
    ("above_limit", "%", Better::Lower),
    ("failed", "%", Better::Lower),
    ("retried", "%", Better::Lower),
    ("retries", "", Better::Lower),
    ("connection_initial", "ms", Better::Lower),
    ("connection_avg", "ms", Better::Lower),
    ("statement_latency", "ms", Better::Lower),
];

/// What stands before a value, what behind it, and the metric. A line of a script begins with ` - `
/// and goes on as that of the whole run.
const LINES: [(&str, &str, &str); 17] = [
    ("tps = ", " (without initial connection time)", "tps"),
    ("tps = ", " (excluding connections establishing)", "tps"),
    (
        "tps = ",
        " (including reconnection times)",
        "tps_with_connections",
    ),
    (
        "tps = ",
        " (including connections establishing)",
        "tps_with_connections",
    ),
    // Of a script, up to 18 and since.
    (" transactions (", ")", "tps"),
    ("number of transactions actually processed: ", ")", "tps"),
    ("latency average = ", " ms", "latency_avg"),
    (
        "latency average = ",
        " ms (including failures)",
        "latency_avg",
    ),
    ("latency stddev = ", " ms", "latency_stddev"),
    ("rate limit schedule lag: avg ", " ms", "schedule_lag_avg"),
    ("number of transactions skipped: ", "%)", "skipped"),
    ("number of transactions above the ", "%)", "above_limit"),
    ("number of failed transactions: ", "%)", "failed"),
    ("number of transactions retried: ", "%)", "retried"),
    ("total number of retries: ", "", "retries"),
    ("initial connection time = ", " ms", "connection_initial"),
    ("average connection time = ", " ms", "connection_avg"),
];

/// The whole run, or one of its scripts.
#[derive(Debug, Default)]
struct Section<'a> {
    benchmark: Option<String>,
    /// Metric, value and line number.
    found: Vec<(&'static str, &'a str, usize)>,
    statements: Vec<(String, &'a str, usize)>,
}

/// The samples in the report.
pub(super) fn read(stdout: &[u8]) -> Result<Vec<Sample>, ReadError> {
    let text = String::from_utf8_lossy(stdout);
    let mut sections = vec![Section::default()];
    let mut script: Option<&str> = None;
    // Numbers before a statement, while statements are listed.
    let mut columns = None;
    let mut processed = false;
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        if let Some((name, title)) = line
            .strip_prefix("SQL script ")
            .and_then(|rest| rest.split_once(": "))
        {
            script = Some(name);
            columns = None;
            sections.push(Section {
                benchmark: Some(format!("{name}: {title}")),
                ..Section::default()
            });
            continue;
        }
        let Some(section) = sections.last_mut() else {
            break;
        };
        let own = line.strip_prefix(" - ").unwrap_or(line);
        if let Some(heading) = own.strip_prefix("statement latencies in milliseconds") {
            columns = Some(
                1 + usize::from(heading.contains("failures"))
                    + usize::from(heading.contains("retries")),
            );
        } else if let Some(columns) = columns {
            section.statement(line, number, columns, script)?;
        } else {
            processed |= own.starts_with("number of transactions actually processed: ");
            section.line(own, number)?;
        }
    }
    if !text.ends_with('\n') {
        return Err(cut("a line end behind the last line"));
    }
    if !processed {
        return Err(cut("a line `number of transactions actually processed`"));
    }
    let mut samples = Vec::new();
    for section in &sections {
        section.samples(&mut samples)?;
    }
    Ok(samples)
}

fn cut(expected: &str) -> ReadError {
    ReadError::new(Place::Whole(Stream::Stdout), expected, "none")
        .advise("the output may have been cut off")
}

fn at(number: usize, expected: impl Into<String>, found: impl Into<String>) -> ReadError {
    ReadError::new(Place::Line(Stream::Stdout, number), expected, found)
}

impl<'a> Section<'a> {
    /// A line with a value, or any other.
    fn line(&mut self, line: &'a str, number: usize) -> Result<(), ReadError> {
        let begun = |prefix: &str| match prefix.strip_prefix(' ') {
            // Behind the count.
            Some(_) => line
                .split_once(prefix)
                .filter(|(count, _)| number::finite(count).is_ok())
                .map(|(_, rest)| rest),
            None => line.strip_prefix(prefix),
        };
        let mut known = false;
        for (prefix, suffix, metric) in LINES {
            let Some(rest) = begun(prefix) else {
                continue;
            };
            known = true;
            let Some(value) = rest.strip_suffix(suffix) else {
                continue;
            };
            if suffix == ")" && !value.contains("tps = ") {
                // The count of the whole run.
                return Ok(());
            }
            if metric == "schedule_lag_avg" {
                let Some((mean, largest)) = value
                    .strip_suffix(')')
                    .and_then(|value| value.split_once(" (max "))
                else {
                    continue;
                };
                self.add(metric, mean, number)?;
                return self.add("schedule_lag_max", largest, number);
            }
            // Of a count and a share, the share; of a text and `tps = `, the rate.
            let value = value.rsplit(['(', '=']).next().unwrap_or_default();
            return self.add(metric, value, number);
        }
        if known && !line.starts_with("number of transactions actually processed: ") {
            return Err(at(number, "a whole line of the report", excerpt(line))
                .advise("the output may have been cut off"));
        }
        Ok(())
    }

    fn add(
        &mut self,
        metric: &'static str,
        value: &'a str,
        number: usize,
    ) -> Result<(), ReadError> {
        if let Some((.., before)) = self.found.iter().find(|(name, ..)| *name == metric) {
            return Err(at(
                number,
                format!("`{metric}` once"),
                format!("it again, after line {before}"),
            ));
        }
        self.found.push((metric, value, number));
        Ok(())
    }

    /// A line of numbers and a statement. Commands of pgbench itself are none.
    fn statement(
        &mut self,
        line: &'a str,
        number: usize,
        columns: usize,
        script: Option<&str>,
    ) -> Result<(), ReadError> {
        let mut rest = line.trim_start();
        let mut fields = Vec::new();
        for _ in 0..columns {
            let (field, behind) = rest.split_once(' ').unwrap_or((rest, ""));
            fields.push(field);
            rest = behind.trim_start();
        }
        let latency = fields.first().copied().unwrap_or_default();
        if rest.is_empty() || fields.iter().any(|field| number::finite(field).is_err()) {
            return Err(at(
                number,
                format!("{columns} numbers and a statement"),
                excerpt(line),
            )
            .advise("the output may have been cut off"));
        }
        let count = self.statements.len() + 1;
        let name = match script {
            Some(script) => format!("{script}.{count}: {rest}"),
            None => format!("{count}: {rest}"),
        };
        self.statements.push((name, latency, number));
        Ok(())
    }

    fn samples(&self, samples: &mut Vec<Sample>) -> Result<(), ReadError> {
        let value = |metric: &str, text: &str, line| match number::finite(text) {
            Ok(value) if value >= 0.0 => Ok(value),
            Ok(value) => Err(at(
                line,
                format!("`{metric}` of at least 0"),
                value.to_string(),
            )),
            Err(found) => Err(at(line, format!("`{metric}` to be a number"), found)),
        };
        let Some((rate, text, line)) = self
            .found
            .iter()
            .find(|(metric, ..)| metric.starts_with("tps"))
        else {
            return Err(cut("a line `tps = ...`"));
        };
        if value(rate, text, *line)? == 0.0 {
            if self.benchmark.is_some() {
                // A script that was never drawn.
                return Ok(());
            }
            return Err(at(*line, format!("`{rate}` above 0"), "0"));
        }
        for row in METRICS {
            let name = row.0;
            let metric = Arc::new(metric(row));
            if let Some((_, text, line)) = self.found.iter().find(|(found, ..)| *found == name) {
                samples.push(Sample {
                    benchmark: self.benchmark.clone(),
                    value: value(name, text, *line)?,
                    metric,
                    step: None,
                });
            } else if name == "statement_latency" {
                for (benchmark, text, line) in &self.statements {
                    let value = value(name, text, *line)?;
                    // A command of pgbench itself takes none of the server's time.
                    if !benchmark.contains(": \\") {
                        samples.push(Sample {
                            benchmark: Some(benchmark.clone()),
                            metric: Arc::clone(&metric),
                            value,
                            step: None,
                        });
                    }
                }
            }
        }
        Ok(())
    }
}
