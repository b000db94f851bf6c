//! What the pages of a history show, for programs.

use perflab_history::{ChangesView, View, subject_name};

/// All that is known.
pub(super) fn json(found: &ChangesView) -> String {
    match serde_json::to_string_pretty(found) {
        Ok(text) => text + "\n",
        Err(error) => format!("{}\n", serde_json::json!({ "error": error.to_string() })),
    }
}

/// A line for each value.
pub(super) fn csv(view: &View) -> String {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    // Writing into memory cannot fail.
    let _ = writer.write_record([
        "metric",
        "unit",
        "revision",
        "date",
        "difference",
        "low",
        "high",
        "relative",
        "runs",
    ]);
    for series in &view.series {
        let name = subject_name(&series.subject);
        for value in &series.values {
            let Some(seen) = view.revisions.get(value.place) else {
                continue;
            };
            let end = |end: Option<f64>| end.map_or(String::new(), |end| end.to_string());
            let _ = writer.write_record([
                name.as_str(),
                &series.subject.metric.unit,
                &seen.revision.id,
                &seen.revision.date(),
                &value.difference.to_string(),
                &end(value.low),
                &end(value.high),
                &series.relative.to_string(),
                &value.runs.to_string(),
            ]);
        }
    }
    writer
        .into_inner()
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .unwrap_or_default()
}
