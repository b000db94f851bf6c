//! Any tool whose output a few rules can read.

mod csv_column;
mod json_pointer;
mod pattern;
mod rule;
mod value_lines;

use std::collections::HashMap;
use std::sync::Arc;

use perflab_experiment::{Metric, Sample};

use crate::error::{Place, ReadError, Stream};
use crate::{Driver, Output};
use pattern::Pattern;

pub use rule::{EVERY_NAME, Rule, RuleError, Source};

/// Reads the output of any command by rules, one metric per rule.
///
/// The arguments are the command line itself. What the command cost is not among the samples; the
/// driver [`crate::Command`] measures that.
#[derive(Debug)]
pub struct Generic {
    rules: Vec<Compiled>,
}

#[derive(Debug)]
struct Compiled {
    rule: Rule,
    reader: Reader,
}

/// A source in the form in which it is applied.
#[derive(Debug)]
enum Reader {
    Pattern(Pattern),
    JsonPointer(String),
    CsvColumn(csv_column::Column),
    ValueLines,
}

/// A value that a rule found, and the line it stood on (1 for sources without lines).
#[derive(Debug, Clone, Copy, PartialEq)]
struct Found {
    line: usize,
    value: f64,
}

impl Generic {
    /// A driver that applies `rules` in their order; the first one yields the headline.
    ///
    /// # Errors
    /// No rules, a rule that cannot be used, or two rules that contradict each other.
    pub fn new(rules: Vec<Rule>) -> Result<Self, RuleError> {
        rule::check_all(&rules)?;
        let rules = rules
            .into_iter()
            .map(|rule| {
                let reader = match &rule.source {
                    Source::Regex(text) => Reader::Pattern(Pattern::new(&rule.name, text)?),
                    Source::JsonPointer(text) => {
                        json_pointer::check(&rule.name, text)?;
                        Reader::JsonPointer(text.clone())
                    }
                    Source::CsvColumn(text) => {
                        Reader::CsvColumn(csv_column::Column::new(&rule.name, text)?)
                    }
                    Source::Values => Reader::ValueLines,
                };
                Ok(Compiled { rule, reader })
            })
            .collect::<Result<_, RuleError>>()?;
        Ok(Self { rules })
    }
}

impl Compiled {
    fn read(&self, output: &Output<'_>) -> Result<Vec<Sample>, ReadError> {
        let rule = &self.rule;
        let stream = rule.stream;
        let bytes = output.stream(stream);
        let found = match &self.reader {
            Reader::ValueLines => return value_lines::read(bytes, rule),
            Reader::Pattern(pattern) => pattern.read(bytes, stream)?,
            Reader::CsvColumn(column) => column.read(bytes, stream)?,
            Reader::JsonPointer(pointer) => json_pointer::read(bytes, stream, pointer, rule.all)?,
        };
        count(&found, rule, &rule.name)?;
        found
            .into_iter()
            .map(|found| sample(found, rule, rule.metric()))
            .collect()
    }
}

/// Refuses no value, and several where the rule wants one.
fn count(found: &[Found], rule: &Rule, what: &str) -> Result<(), ReadError> {
    let expected = || {
        let many = if rule.all {
            "at least one value"
        } else {
            "exactly one value"
        };
        format!("{many} of `{what}` ({})", rule.source)
    };
    match found {
        [] => Err(ReadError::new(
            Place::Whole(rule.stream),
            expected(),
            "none",
        )),
        [_, _, ..] if !rule.all => {
            const SHOWN: usize = 5;
            let lines: Vec<_> = found
                .iter()
                .take(SHOWN)
                .map(|f| f.line.to_string())
                .collect();
            let more = if found.len() > SHOWN { ", ..." } else { "" };
            Err(ReadError::new(
                Place::Whole(rule.stream),
                expected(),
                format!("{}, on lines {}{more}", found.len(), lines.join(", ")),
            )
            .advise("narrow the rule, or say `all` if each is a sample"))
        }
        _ => Ok(()),
    }
}

/// A found value as a sample, scaled.
fn sample(found: Found, rule: &Rule, metric: Metric) -> Result<Sample, ReadError> {
    let value = found.value * rule.scale;
    if !Sample::is_comparable(value) {
        return Err(ReadError::new(
            Place::Line(rule.stream, found.line),
            format!(
                "`{}`, scaled by {}, to be 0 or of a size from 1e-75 to 1e75",
                metric.name, rule.scale
            ),
            format!("{:e}", found.value),
        ));
    }
    Ok(Sample {
        benchmark: rule.benchmark.clone(),
        metric: metric.into(),
        value,
    })
}

/// The stream as text. Bytes that are not UTF-8 become replacement characters: they cannot be part
/// of a number, and a stray one elsewhere should not lose the run.
fn text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes))
}

impl Driver for Generic {
    fn name(&self) -> &'static str {
        "generic"
    }

    fn argv(&self, args: &[String]) -> Vec<String> {
        args.to_vec()
    }

    /// The metrics that the rules name. Those of a rule for every `VALUE` line are known after a
    /// run only.
    fn metrics(&self) -> Vec<Metric> {
        let mut metrics: Vec<Metric> = Vec::new();
        for Compiled { rule, .. } in &self.rules {
            if !rule.takes_every_name() && metrics.iter().all(|known| known.name != rule.name) {
                metrics.push(rule.metric());
            }
        }
        metrics
    }

    fn read(&self, output: &Output<'_>) -> Result<Vec<Sample>, ReadError> {
        let mut samples: Vec<Sample> = Vec::new();
        // A rule for every VALUE line may bring a name that another rule has, too.
        let mut owners: HashMap<(Option<String>, String), (usize, Arc<Metric>)> = HashMap::new();
        for (index, compiled) in self.rules.iter().enumerate() {
            for sample in compiled.read(output)? {
                let key = (sample.benchmark.clone(), sample.metric.name.clone());
                let (owner, metric) = owners
                    .entry(key)
                    .or_insert_with(|| (index, Arc::clone(&sample.metric)));
                if *owner != index || *metric != sample.metric {
                    return Err(clash(compiled.rule.stream, &sample.metric));
                }
                samples.push(sample);
            }
        }
        Ok(samples)
    }
}

fn clash(stream: Stream, metric: &Metric) -> ReadError {
    ReadError::new(
        Place::Whole(stream),
        format!("`{}` from one rule and in one unit", metric.name),
        format!("it again, in `{}`", metric.unit),
    )
    .advise("give one of the rules another benchmark or read other lines")
}
