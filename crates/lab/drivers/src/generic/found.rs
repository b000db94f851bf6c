//! The values that a rule finds: how many there may be, and the samples that they become.

use perflab_experiment::{Metric, Sample};

use super::rule::Rule;
use crate::error::{Place, ReadError};

/// A value that a rule found, and the line it stood on (1 for sources without lines).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Found {
    pub(super) line: usize,
    pub(super) value: f64,
}

/// Refuses no value, and several where the rule wants one.
pub(super) fn count(found: &[Found], rule: &Rule, what: &str) -> Result<(), ReadError> {
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
pub(super) fn sample(found: Found, rule: &Rule, metric: Metric) -> Result<Sample, ReadError> {
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
        step: None,
    })
}

/// The stream as text. Bytes that are not UTF-8 become replacement characters: they cannot be part
/// of a number, and a stray one elsewhere should not lose the run.
pub(super) fn text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes))
}
