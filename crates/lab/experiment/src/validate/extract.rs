//! Rules of where a value stands in an output.

use super::values::regex;
use crate::error::{Fault, Place};
use crate::extract::{CsvColumn, Extract};

/// Refuses what says of no place in an output that the value is there. `place`: the table that has the key.
pub(super) fn check(extract: &Extract, place: &Place) -> Result<(), Fault> {
    match extract {
        Extract::Regex(pattern) => check_groups(pattern, &place.key("regex")),
        Extract::Json(pointer) => check_pointer(pointer, &place.key("json")),
        Extract::Csv(column) => check_column(column, &place.key("csv")),
        Extract::Values => Ok(()),
    }
}

/// What RFC 6901, section 3, allows.
fn check_pointer(pointer: &str, place: &Place) -> Result<(), Fault> {
    if !pointer.is_empty() && !pointer.starts_with('/') {
        return Err(
            Fault::value(place.clone(), "a JSON pointer begins with `/`")
                .help("write \"/a/0/b\" for element b of the first element of a"),
        );
    }
    let mut escapes = pointer.split('~').skip(1);
    if escapes.all(|rest| rest.starts_with(['0', '1'])) {
        return Ok(());
    }
    Err(Fault::value(
        place.clone(),
        "in a JSON pointer `~` stands only before 0 or 1",
    )
    .help("write `~0` for `~`, and `~1` for a `/` within a name"))
}

fn check_column(column: &CsvColumn, place: &Place) -> Result<(), Fault> {
    match column {
        CsvColumn::Number(0) => Err(Fault::value(place.clone(), "columns are numbered from 1")),
        CsvColumn::Name(name) if name.is_empty() => Err(Fault::value(
            place.clone(),
            "the name of the column is empty",
        )
        .help("write its number, from 1, if it has no name")),
        // Drivers take digits for the column's number.
        CsvColumn::Name(name) if name.bytes().all(|byte| byte.is_ascii_digit()) => {
            Err(Fault::value(
                place.clone(),
                format!("`{name}` would be the number of a column"),
            )
            .help("write the column's number, from 1, without quotes"))
        }
        _ => Ok(()),
    }
}

/// One group has to say where the number stands.
fn check_groups(pattern: &str, place: &Place) -> Result<(), Fault> {
    let regex = regex(pattern, place)?;
    let named = regex.capture_names().flatten().any(|name| name == "value");
    // The whole match counts as a group too.
    match regex.captures_len() - 1 {
        0 => Err(
            Fault::value(place.clone(), "the regular expression has no group")
                .help("put the number in parentheses, as in 'rate: ([0-9.]+)'"),
        ),
        2.. if !named => Err(Fault::value(
            place.clone(),
            "the regular expression has several groups, none of them called `value`",
        )
        .help("write (?<value>...) round the number, or (?:...) elsewhere")),
        _ => Ok(()),
    }
}
