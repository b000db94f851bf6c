//! Values by JSON pointer (RFC 6901).

use serde_json::Value;

use super::{Found, RuleError};
use crate::error::{Place, ReadError, Stream, excerpt};

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
    let document: Value = serde_json::from_slice(bytes).map_err(|error| {
        let place = match error.line() {
            0 => Place::Whole(stream),
            line => Place::Line(stream, line),
        };
        ReadError::new(place, "one JSON document", error.to_string())
    })?;
    let target = document.pointer(pointer).ok_or_else(|| {
        ReadError::new(
            Place::Whole(stream),
            format!("something at `{pointer}`"),
            nearest(&document, pointer),
        )
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
                    kind(value),
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
            kind(value),
        )),
    }
}

/// What a value is, for a message.
fn kind(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("the text {}", excerpt(text)),
        Value::Array(values) => format!("an array of {}", values.len()),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// The last value on the way of a pointer that leads nowhere.
fn nearest(document: &Value, pointer: &str) -> String {
    let mut reached = "";
    let mut value = document;
    for (at, _) in pointer.match_indices('/').skip(1) {
        match document.pointer(&pointer[..at]) {
            Some(next) => (reached, value) = (&pointer[..at], next),
            None => break,
        }
    }
    let holds = match value {
        Value::Object(members) => {
            let names: Vec<_> = members.keys().map(String::as_str).collect();
            format!("an object with {}", excerpt(&names.join(", ")))
        }
        other => kind(other),
    };
    match reached {
        "" => format!("at the top {holds}"),
        reached => format!("at `{reached}` {holds}"),
    }
}
