//! In Go's text a unit is also the name of what is measured.

use perflab_experiment::Metric;

/// What `go test` itself measures: our name, and its unit.
const OWN: [(&str, &str); 4] = [
    ("time", "ns/op"),
    ("speed", "MB/s"),
    ("bytes", "B/op"),
    ("allocs", "allocs/op"),
];

/// Name and unit of a metric from a unit of the text. `p99-ms` is p99 in ms; what has no dash is a
/// name without a unit.
pub(super) fn split(text: &str) -> (&str, &str) {
    if let Some(own) = OWN.iter().find(|(_, unit)| *unit == text) {
        return *own;
    }
    match text.rsplit_once('-') {
        Some((name, unit)) if !name.is_empty() && !unit.is_empty() => (name, unit),
        _ => (text, ""),
    }
}

/// The unit that [`split`] takes apart again. White space becomes `_`, as it does in Go's names.
pub(super) fn join(metric: &Metric) -> String {
    let own = OWN
        .iter()
        .find(|(name, unit)| *name == metric.name && *unit == metric.unit);
    match own {
        Some((_, unit)) => (*unit).to_owned(),
        // A unit that is no word would break the line.
        None if metric.name.is_empty() && metric.unit.is_empty() => "value".to_owned(),
        None if metric.unit.is_empty() => word(&metric.name),
        None => format!("{}-{}", word(&metric.name), word(&metric.unit)),
    }
}

/// Without white space and control characters, which would end the word.
pub(super) fn word(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c.is_whitespace() || c.is_control() {
                '_'
            } else {
                c
            }
        })
        .collect()
}
