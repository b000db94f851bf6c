//! Values out of a tool's JSON, by JSON pointer (RFC 6901), with errors that say how far the pointer
//! led.
//!
//! The document is taken to be the tool's standard output.

use serde_json::{Map, Value};

use crate::error::{Place, ReadError, Stream, excerpt};

/// The one document that a stream consists of.
///
/// # Errors
/// The line at which the text stops being JSON.
pub(crate) fn document(bytes: &[u8], stream: Stream) -> Result<Value, ReadError> {
    serde_json::from_slice(bytes).map_err(|error| {
        let place = match error.line() {
            0 => Place::Whole(stream),
            line => Place::Line(stream, line),
        };
        ReadError::new(place, "one JSON document", error.to_string())
    })
}

/// What a pointer leads to.
///
/// # Errors
/// The last value on a way that leads nowhere.
pub(crate) fn value_at<'a>(document: &'a Value, pointer: &str) -> Result<&'a Value, ReadError> {
    document.pointer(pointer).ok_or_else(|| {
        ReadError::new(
            Place::Whole(Stream::Stdout),
            format!("something at `{pointer}`"),
            nearest(document, pointer),
        )
    })
}

/// The finite number at a pointer.
///
/// # Errors
/// Nothing there, or something else.
pub(crate) fn number_at(document: &Value, pointer: &str) -> Result<f64, ReadError> {
    let value = value_at(document, pointer)?;
    value
        .as_f64()
        .filter(|number| number.is_finite())
        .ok_or_else(|| other(pointer, "a number", value))
}

/// The finite number at a pointer, which is not below zero.
///
/// # Errors
/// Nothing there, or something else.
pub(crate) fn amount_at(document: &Value, pointer: &str) -> Result<f64, ReadError> {
    match number_at(document, pointer)? {
        amount if amount >= 0.0 => Ok(amount),
        _ => Err(other(
            pointer,
            "a number of at least 0",
            value_at(document, pointer)?,
        )),
    }
}

/// The text at a pointer.
///
/// # Errors
/// Nothing there, or something else.
pub(crate) fn text_at<'a>(document: &'a Value, pointer: &str) -> Result<&'a str, ReadError> {
    let value = value_at(document, pointer)?;
    value
        .as_str()
        .ok_or_else(|| other(pointer, "a text", value))
}

/// The array at a pointer.
///
/// # Errors
/// Nothing there, or something else.
pub(crate) fn array_at<'a>(document: &'a Value, pointer: &str) -> Result<&'a [Value], ReadError> {
    let value = value_at(document, pointer)?;
    value
        .as_array()
        .map(Vec::as_slice)
        .ok_or_else(|| other(pointer, "an array", value))
}

/// The members of the object at a pointer, in their order.
///
/// # Errors
/// Nothing there, or something else.
pub(crate) fn object_at<'a>(
    document: &'a Value,
    pointer: &str,
) -> Result<&'a Map<String, Value>, ReadError> {
    let value = value_at(document, pointer)?;
    value
        .as_object()
        .ok_or_else(|| other(pointer, "an object", value))
}

/// The error for a value of another kind than expected.
pub(crate) fn other(pointer: &str, expected: &str, found: &Value) -> ReadError {
    ReadError::new(
        Place::Whole(Stream::Stdout),
        format!("{expected} at `{pointer}`"),
        kind(found),
    )
}

/// What a value is, for a message.
pub(crate) fn kind(value: &Value) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Value {
        document(
            br#"{"end": {"rate": 2.5, "name": "x", "list": [1]}}"#,
            Stream::Stdout,
        )
        .unwrap()
    }

    #[test]
    fn each_kind_of_value_is_found_where_it_is() {
        let document = small();
        assert_eq!(number_at(&document, "/end/rate"), Ok(2.5));
        assert_eq!(text_at(&document, "/end/name"), Ok("x"));
        assert_eq!(array_at(&document, "/end/list").unwrap().len(), 1);
        assert_eq!(object_at(&document, "/end").unwrap().len(), 3);
    }

    #[test]
    fn an_error_says_how_far_the_pointer_led_or_what_stood_there() {
        let document = small();
        for (error, words) in [
            (
                number_at(&document, "/end/x/y").unwrap_err(),
                "at `/end` an object with `rate, name",
            ),
            (
                number_at(&document, "/end/name").unwrap_err(),
                "a number at `/end/name`, found the text `x`",
            ),
            (
                text_at(&document, "/end").unwrap_err(),
                "a text at `/end`, found an object",
            ),
            (array_at(&document, "/end/rate").unwrap_err(), "an array at"),
            (
                object_at(&document, "/end/list").unwrap_err(),
                "found an array of 1",
            ),
        ] {
            assert!(error.to_string().contains(words), "{error}");
        }
    }

    #[test]
    fn what_is_no_json_is_refused_with_its_line() {
        let error = document(b"{\n\"a\": }", Stream::Stderr).unwrap_err();
        assert_eq!(error.place, Place::Line(Stream::Stderr, 2));
    }
}
