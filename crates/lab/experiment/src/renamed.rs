//! Keys of the experiment file that have other names now. The old ones are read as before.

use toml::{Table, Value};

/// Old names and new ones, of keys in `[[workloads.NAME.metrics]]`.
pub(crate) const OF_METRICS: [(&str, &str); 1] = [("part", "benchmark")];

/// The keys in the text of an experiment file that have other names now, each with this name. Nothing of a text that
/// is not TOML.
pub fn renamed_keys(text: &str) -> Vec<(&'static str, &'static str)> {
    let table: Table = text.parse().unwrap_or_default();
    let workloads = table.get("workloads").and_then(Value::as_table);
    let metrics: Vec<&Value> = workloads
        .into_iter()
        .flat_map(Table::values)
        .filter_map(|workload| workload.get("metrics")?.as_array())
        .flatten()
        .collect();
    let is_used = |key: &str| metrics.iter().any(|metric| metric.get(key).is_some());
    let renamed = OF_METRICS.into_iter();
    renamed.filter(|(old, _)| is_used(old)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_names_are_found_where_they_are_keys() {
        let metric = |key: &str| {
            format!(
                "[parameters]\npart = [1]\n[[workloads.w.metrics]]\nname = 'part'\n{key} = 'x'\n"
            )
        };
        assert_eq!(renamed_keys(&metric("part")), OF_METRICS);
        assert_eq!(renamed_keys(&metric("benchmark")), []);
        assert_eq!(renamed_keys("part = ["), []);
    }
}
