//! A reply is the same however it arrives, and a tree of it is no larger than allowed.

use perflab_resp::{Answer, Answers, Malformed, Value, ValueLimits};

use super::cuts;

pub fn check(input: &[u8]) {
    let [whole, pieces @ ..] = cuts(input);
    let (expected, end) = skip_all(input, whole);
    for cut in pieces {
        assert_eq!(skip_all(input, cut), (expected.clone(), end));
    }

    let mut rest = input;
    for answer in expected {
        let read = Value::read(rest, &ValueLimits::default());
        let (value, length) = read.expect("it was skipped").expect("it is whole");
        assert_eq!(length, answer.length);
        bounded(rest, &value);
        rest = &rest[length..];
    }
}

/// The answers in the input, and then the bytes of one that is partly there.
fn skip_all(
    input: &[u8],
    mut cut: impl FnMut() -> usize,
) -> (Vec<Answer>, Result<usize, Malformed>) {
    let mut reader = Answers::default();
    let mut answers = Vec::new();
    let (mut begin, mut arrived) = (0, 0);
    loop {
        let buffer = &input[begin..arrived];
        match reader.skip(buffer) {
            Ok(None) if arrived == input.len() => return (answers, Ok(buffer.len())),
            Ok(None) => arrived = input.len().min(arrived.saturating_add(cut())),
            Ok(Some(answer)) => {
                assert!((1..=buffer.len()).contains(&answer.length));
                begin += answer.length;
                answers.push(answer);
            }
            Err(error) => return (answers, Err(error)),
        }
    }
}

/// With as much memory as the value needs it is read again, and with less it is refused.
fn bounded(input: &[u8], value: &Value) {
    let bytes = memory(value);
    let enough = ValueLimits {
        bytes,
        ..ValueLimits::default()
    };
    let less = ValueLimits {
        bytes: bytes - 1,
        ..enough
    };
    // Attributes are read and dropped. They may need more than what is kept.
    if let Ok(again) = Value::read(input, &enough) {
        let (again, _) = again.expect("it is whole");
        assert_eq!(memory(&again), bytes);
    }
    assert_eq!(Value::read(input, &less), Err(Malformed::TooLarge));
}

/// The bytes of a value, with all that is in it.
fn memory(value: &Value) -> usize {
    let inside = match value {
        Value::Simple(bytes)
        | Value::Error(bytes)
        | Value::BulkError(bytes)
        | Value::BigNumber(bytes)
        | Value::Bulk(bytes)
        | Value::Verbatim { text: bytes, .. } => bytes.capacity(),
        Value::Array(values) | Value::Set(values) | Value::Push(values) => {
            values.iter().map(memory).sum()
        }
        Value::Map(pairs) => pairs
            .iter()
            .map(|(key, value)| memory(key) + memory(value))
            .sum(),
        Value::Integer(_)
        | Value::Double(_)
        | Value::Boolean(_)
        | Value::Null
        | Value::NullArray => 0,
    };
    size_of::<Value>() + inside
}
