//! JSON as Python and Google Benchmark write it: with NaN and Infinity, which are none.

use std::fmt;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::fault::{Fault, shown};
use crate::run::File;

/// Reads JSON in which `NaN`, `Infinity` and `-Infinity` stand for null.
///
/// # Errors
/// Anything else that is no JSON, or not of the type; `expected` says what was.
pub(crate) fn parse<T: DeserializeOwned>(file: &File, expected: &str) -> Result<T, Fault> {
    let plain = without_nan(&file.bytes);
    serde_json::from_slice(&plain).map_err(|error| Fault::json(&file.path, expected, &error))
}

/// A finite number, which may stand in quotes.
///
/// # Errors
/// Anything else, with its place.
pub(crate) fn finite(value: &Value, path: &str, at: impl fmt::Display) -> Result<f64, Fault> {
    let number = match value {
        Value::String(text) => text.parse().ok(),
        other => other.as_f64(),
    };
    number
        .filter(|number: &f64| number.is_finite())
        .ok_or_else(|| {
            let found = match value {
                Value::Null => "null, NaN or an infinity".to_owned(),
                Value::String(text) => format!("`{}`", shown(text)),
                other => format!("`{}`", shown(&other.to_string())),
            };
            Fault::new(
                path,
                format!(
                    "expected a finite number at {at}, found {found}; measure that again, or remove the result"
                ),
            )
        })
}

/// Puts `null` in the place of the words that JSON does not have. Lines stay as they are.
pub(crate) fn without_nan(text: &[u8]) -> Vec<u8> {
    const WORDS: [&[u8]; 3] = [b"-Infinity", b"Infinity", b"NaN"];
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    let mut in_string = false;
    while let Some((&byte, behind)) = rest.split_first() {
        let word = WORDS
            .iter()
            .find(|word| !in_string && rest.starts_with(word));
        if let Some(word) = word {
            plain.extend_from_slice(b"null");
            rest = rest.get(word.len()..).unwrap_or_default();
            continue;
        }
        plain.push(byte);
        rest = behind;
        match byte {
            b'"' => in_string = !in_string,
            b'\\' if in_string => {
                if let Some((&escaped, behind)) = rest.split_first() {
                    plain.push(escaped);
                    rest = behind;
                }
            }
            _ => {}
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_strings_stay() {
        let text = br#"{"NaN \" NaN": [NaN, -Infinity, Infinity, "-Infinity"]}"#;
        let plain = String::from_utf8(without_nan(text)).expect("text");
        assert_eq!(plain, r#"{"NaN \" NaN": [null, null, null, "-Infinity"]}"#);
    }
}
