//! Values by JSON pointer (RFC 6901).

use serde_json::Value;

use super::found::Found;
use super::rule::RuleError;
use crate::error::{Place, ReadError, Stream};
use crate::json;

/// Refuses what RFC 6901, section 3, does not allow.
pub(super) fn check(name: &str, pointer: &str) -> Result<(), RuleError> {
    let refuse = |reason| {
        Err(RuleError::Pointer {
            name: name.to_owned(),
            pointer: pointer.to_owned(),
            reason,
        })
    };
    if !pointer.is_empty() && !pointer.starts_with('/') {
        return refuse("it must be empty or begin with `/`");
    }
    if pointer
        .split('~')
        .skip(1)
        .any(|rest| !rest.starts_with(['0', '1']))
    {
        return refuse("`~` must be followed by 0 (for `~`) or 1 (for `/`)");
    }
    Ok(())
}

pub(super) fn read(
    bytes: &[u8],
    stream: Stream,
    pointer: &str,
    all: bool,
) -> Result<Vec<Found>, ReadError> {
    let document = json::document(bytes, stream)?;
    let target = json::value_at(&document, pointer).map_err(|error| ReadError {
        place: Place::Whole(stream),
        ..error
    })?;
    let number = |value: &Value, at: &str| {
        value
            .as_f64()
            .filter(|value| value.is_finite())
            .map(|value| Found { line: 1, value })
            .ok_or_else(|| {
                ReadError::new(
                    Place::Whole(stream),
                    format!("a number at `{at}`"),
                    json::kind(value),
                )
            })
    };
    match (all, target) {
        (false, Value::Array(values)) => Err(ReadError::new(
            Place::Whole(stream),
            format!("one number at `{pointer}`"),
            format!("an array of {}", values.len()),
        )
        .advise("point at one element, or say `all` if each is a sample")),
        (false, value) => Ok(vec![number(value, pointer)?]),
        (true, Value::Array(values)) => values
            .iter()
            .enumerate()
            .map(|(index, value)| number(value, &format!("{pointer}/{index}")))
            .collect(),
        (true, value) => Err(ReadError::new(
            Place::Whole(stream),
            format!("an array of numbers at `{pointer}`, for `all`"),
            json::kind(value),
        )),
    }
}
