//! Units of time.

/// How many seconds a unit of time is; nothing for other units. `ns/op` and the like are times too.
pub(crate) fn seconds(unit: &str) -> Option<f64> {
    let unit = unit.strip_suffix("/op").unwrap_or(unit);
    match unit {
        "s" | "sec" | "seconds" | "second" => Some(1.0),
        "ms" => Some(1e-3),
        "us" | "µs" | "μs" => Some(1e-6),
        "ns" => Some(1e-9),
        "min" => Some(60.0),
        _ => None,
    }
}
