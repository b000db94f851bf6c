//! Lines `VALUE number unit name`, as test scripts print them.

use std::collections::HashMap;

use perflab_experiment::{Metric, Sample};

use super::found::{Found, count, sample, text};
use super::rule::Rule;
use crate::error::{Place, ReadError, excerpt};
use crate::number;

/// The samples of the lines that a rule takes. One for all benchmarks may find none.
pub(super) fn read(bytes: &[u8], rule: &Rule) -> Result<Vec<Sample>, ReadError> {
    let text = text(bytes);
    let mut samples = Vec::new();
    let mut by_name: HashMap<&str, Vec<Found>> = HashMap::new();
    let mut names = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let place = Place::Line(rule.stream, index + 1);
        let Some(line) = ValueLine::parse(line, place)? else {
            continue;
        };
        let benchmark = rule
            .takes_every_benchmark()
            .then(|| line.benchmark_of(&rule.name));
        if !rule.takes_every_name() {
            if !benchmark.map_or(line.name == rule.name, |named| named.is_some()) {
                continue;
            }
            // Of evidence no unit is known.
            if !rule.unit.is_empty() && line.unit != rule.unit {
                return Err(ReadError::new(
                    place,
                    format!("`{}` in `{}`", rule.name, rule.unit),
                    format!("it in {}", excerpt(line.unit)),
                ));
            }
        }
        let found = Found {
            line: index + 1,
            value: line.value,
        };
        let name = benchmark.map_or(line.name, |_| rule.name.as_str());
        let metric = Metric::new(name, line.unit, rule.better);
        let mut sample = sample(found, rule, metric)?;
        if let Some(named) = benchmark {
            sample.benchmark = named.map(str::to_owned);
        }
        samples.push(sample);
        let of_name = by_name.entry(line.name).or_default();
        if of_name.is_empty() {
            names.push(line.name);
        }
        of_name.push(found);
    }
    if names.is_empty() && !rule.takes_every_benchmark() {
        count(&[], rule, &rule.name)?;
    }
    for name in names {
        count(&by_name[name], rule, name)?;
    }
    Ok(samples)
}

/// The fields of one line.
struct ValueLine<'a> {
    value: f64,
    unit: &'a str,
    name: &'a str,
}

impl<'a> ValueLine<'a> {
    /// The benchmark that is named behind this metric, if the line is one of the metric.
    fn benchmark_of(&self, metric: &str) -> Option<&'a str> {
        let behind = self.name.strip_prefix(metric)?;
        let benchmark = behind.trim_start();
        (benchmark.len() < behind.len() && !benchmark.is_empty()).then_some(benchmark)
    }

    /// `None` if the line does not begin with the word VALUE.
    fn parse(line: &'a str, place: Place) -> Result<Option<Self>, ReadError> {
        let Some(fields) = line.strip_prefix("VALUE") else {
            return Ok(None);
        };
        if !fields.starts_with(char::is_whitespace) {
            return Ok(None);
        }
        let word = |text: &'a str| text.trim_start().split_once(char::is_whitespace);
        let (value, unit, name) = word(fields)
            .and_then(|(value, rest)| word(rest).map(|(unit, name)| (value, unit, name.trim())))
            .filter(|(_, _, name)| !name.is_empty())
            .ok_or_else(|| ReadError::new(place, "`VALUE number unit name`", excerpt(line)))?;
        let value = number::finite(value)
            .map_err(|found| ReadError::new(place, "a number behind `VALUE`", found))?;
        Ok(Some(Self { value, unit, name }))
    }
}
