//! Replies that are read as trees.

use perflab_resp::{Answers, Malformed, Value, ValueLimits};

fn read(input: &[u8]) -> Result<Option<(Value, usize)>, Malformed> {
    Value::read(input, &ValueLimits::default())
}

fn bulk(text: &str) -> Value {
    Value::Bulk(text.as_bytes().to_vec())
}

#[test]
fn each_kind_has_its_value() {
    for (input, expected) in [
        (&b"+OK\r\n"[..], Value::Simple(b"OK".to_vec())),
        (b"-ERR no\r\n", Value::Error(b"ERR no".to_vec())),
        (b"!6\r\nERR no\r\n", Value::BulkError(b"ERR no".to_vec())),
        (b":-12\r\n", Value::Integer(-12)),
        (b":+12\r\n", Value::Integer(12)),
        (b"(123\r\n", Value::BigNumber(b"123".to_vec())),
        (b",1.5\r\n", Value::Double(1.5)),
        (b",-inf\r\n", Value::Double(f64::NEG_INFINITY)),
        (b"#t\r\n", Value::Boolean(true)),
        (b"#f\r\n", Value::Boolean(false)),
        (b"$2\r\nhi\r\n", bulk("hi")),
        (b"$-1\r\n", Value::Null),
        (b"_\r\n", Value::Null),
        (b"*-1\r\n", Value::NullArray),
        (
            b"=6\r\ntxt:hi\r\n",
            Value::Verbatim {
                format: *b"txt",
                text: b"hi".to_vec(),
            },
        ),
        (b"*0\r\n", Value::Array(vec![])),
        (
            b"*2\r\n*1\r\n:1\r\n$1\r\na\r\n",
            Value::Array(vec![Value::Array(vec![Value::Integer(1)]), bulk("a")]),
        ),
        (b"~1\r\n:1\r\n", Value::Set(vec![Value::Integer(1)])),
        (b">1\r\n:1\r\n", Value::Push(vec![Value::Integer(1)])),
        (
            b"%2\r\n$1\r\na\r\n:1\r\n$1\r\nb\r\n*0\r\n",
            Value::Map(vec![
                (bulk("a"), Value::Integer(1)),
                (bulk("b"), Value::Array(vec![])),
            ]),
        ),
        (b"|1\r\n+a\r\n:1\r\n:5\r\n", Value::Integer(5)),
        (
            b"*2\r\n|1\r\n+a\r\n*1\r\n:1\r\n:5\r\n:6\r\n",
            Value::Array(vec![Value::Integer(5), Value::Integer(6)]),
        ),
    ] {
        let told = input.escape_ascii();
        let more = [input, b"+next"].concat();
        assert_eq!(read(&more), Ok(Some((expected, input.len()))), "{told}");
        for arrived in 0..input.len() {
            assert_eq!(read(&input[..arrived]), Ok(None), "{told}");
        }
    }
}

#[test]
fn no_number_is_a_value_of_resp3() {
    let (value, _) = read(b",nan\r\n").unwrap().unwrap();
    assert!(matches!(value, Value::Double(number) if number.is_nan()));
}

#[test]
fn what_is_no_reply_is_refused() {
    assert_eq!(read(b"hello\r\n"), Err(Malformed::Mark(b'h')));
    assert_eq!(read(b"*1\r\n:x\r\n"), Err(Malformed::Integer));
}

#[test]
fn depth_is_limited() {
    let nested = |depth: usize| [b"*1\r\n".repeat(depth), b":1\r\n".to_vec()].concat();
    let limits = ValueLimits {
        depth: 3,
        ..ValueLimits::default()
    };
    assert!(matches!(Value::read(&nested(3), &limits), Ok(Some(_))));
    assert_eq!(Value::read(&nested(4), &limits), Err(Malformed::TooDeep));
    assert!(matches!(read(&nested(Answers::DEPTH)), Ok(Some(_))));
    assert_eq!(read(&nested(Answers::DEPTH + 1)), Err(Malformed::TooDeep));
    // Nothing is in an empty one, so it has no depth.
    let empty = [b"*1\r\n".repeat(3), b"*0\r\n".to_vec()].concat();
    assert!(matches!(Value::read(&empty, &limits), Ok(Some(_))));
}

#[test]
fn memory_is_limited() {
    let array = [b"*100\r\n".to_vec(), b":1\r\n".repeat(100)].concat();
    let string = [b"$1000\r\n".to_vec(), vec![b'x'; 1000], b"\r\n".to_vec()].concat();
    for (input, needed) in [
        (array, 101 * size_of::<Value>()),
        (string, 1000 + size_of::<Value>()),
    ] {
        let enough = ValueLimits {
            bytes: needed,
            ..ValueLimits::default()
        };
        assert!(matches!(Value::read(&input, &enough), Ok(Some(_))));
        let less = ValueLimits {
            bytes: needed - 1,
            ..enough
        };
        assert_eq!(Value::read(&input, &less), Err(Malformed::TooLarge));
    }
}

#[test]
fn an_announced_length_takes_no_memory() {
    let input = format!("*{}\r\n:1\r\n", i64::MAX);
    assert_eq!(read(input.as_bytes()), Ok(None));
}
