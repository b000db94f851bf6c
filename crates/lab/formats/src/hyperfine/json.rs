//! `--export-json`.

use serde::{Deserialize, Serialize};

use super::entry::Entry;
use super::error::{ReadError, WriteError};

#[derive(Deserialize)]
struct Document {
    results: Vec<Entry>,
}

#[derive(Serialize)]
struct DocumentRef<'a> {
    results: &'a [Entry],
}

/// The results in a file. Members of newer versions are left out.
///
/// # Errors
/// Anything but JSON of this shape, and times below zero.
pub fn read(text: &[u8]) -> Result<Vec<Entry>, ReadError> {
    let document: Document =
        serde_json::from_slice(text).map_err(|error| ReadError::Malformed {
            reason: error.to_string(),
        })?;
    for (index, entry) in document.results.iter().enumerate() {
        let unusable = entry
            .seconds()
            .find(|(_, value)| !(value.is_finite() && *value >= 0.0));
        if let Some((field, value)) = unusable {
            return Err(ReadError::Value {
                position: index + 1,
                command: entry.command.clone(),
                field,
                expected: "a time of 0 s or more",
                found: value.to_string(),
            });
        }
    }
    Ok(document.results)
}

/// The file that `hyperfine` writes for these results.
///
/// # Errors
/// A number that is not finite, which JSON cannot hold.
pub fn write(entries: &[Entry]) -> Result<String, WriteError> {
    for entry in entries {
        entry.refuse_not_finite()?;
    }
    let text = serde_json::to_string_pretty(&DocumentRef { results: entries });
    text.map(|text| text + "\n").map_err(WriteError::writer)
}
