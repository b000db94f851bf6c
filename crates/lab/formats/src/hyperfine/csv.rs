//! `--export-csv`.

use csv::Writer;

use super::entry::Entry;
use super::error::WriteError;

/// The summary of each command as a record, without times, memory and exit codes.
///
/// Times are in seconds whatever the unit of the other tables, and a standard deviation that is not
/// there is 0, as `hyperfine` has it.
///
/// # Errors
/// A number that is not finite, or commands whose parameters have different names.
pub fn write(entries: &[Entry]) -> Result<String, WriteError> {
    const SUMMARY: [&str; 8] = [
        "command", "mean", "stddev", "median", "user", "system", "min", "max",
    ];
    let names: Vec<&str> = match entries {
        [first, ..] => first.parameters.keys().map(String::as_str).collect(),
        [] => Vec::new(),
    };

    let mut writer = Writer::from_writer(Vec::new());
    let parameters = names.iter().map(|name| format!("parameter_{name}"));
    writer
        .write_record(SUMMARY.into_iter().map(str::to_owned).chain(parameters))
        .map_err(WriteError::writer)?;
    for entry in entries {
        entry.refuse_not_finite()?;
        let summary = [
            entry.mean,
            entry.stddev.unwrap_or(0.0),
            entry.median,
            entry.user,
            entry.system,
            entry.min,
            entry.max,
        ];
        let mut record = vec![entry.command.clone()];
        record.extend(summary.map(|value| value.to_string()));
        record.extend(parameter_values(entry, &names)?);
        writer.write_record(record).map_err(WriteError::writer)?;
    }
    let bytes = writer.into_inner().map_err(WriteError::writer)?;
    String::from_utf8(bytes).map_err(WriteError::writer)
}

/// The values in the order of the header, for exactly its names.
fn parameter_values(entry: &Entry, names: &[&str]) -> Result<Vec<String>, WriteError> {
    let values: Option<Vec<String>> = names
        .iter()
        .map(|name| entry.parameters.get(*name).cloned())
        .collect();
    values
        .filter(|values| values.len() == entry.parameters.len())
        .ok_or_else(|| WriteError::Parameters {
            command: entry.command.clone(),
            expected: names.join(", "),
            found: entry
                .parameters
                .keys()
                .cloned()
                .collect::<Vec<_>>()
                .join(", "),
        })
}
