//! Replies that are skipped.

use perflab_resp::{Answer, Answers, Kind, Malformed};

fn skip(input: &[u8]) -> Result<Option<Answer>, Malformed> {
    Answers::default().skip(input)
}

#[test]
fn each_kind_is_skipped_once_it_is_whole() {
    for (input, kind) in [
        (&b"+OK\r\n"[..], Kind::Simple),
        (b"+\r\n", Kind::Simple),
        (b"-ERR no\r\n", Kind::Error),
        (b":-12\r\n", Kind::Integer),
        (b":+12\r\n", Kind::Integer),
        (b"$2\r\nhi\r\n", Kind::Bulk),
        (b"$4\r\n\r\n\r\n\r\n", Kind::Bulk),
        (b"$0\r\n\r\n", Kind::Bulk),
        (b"$-1\r\n", Kind::Null),
        (b"*-1\r\n", Kind::NullArray),
        (b"_\r\n", Kind::Null),
        (b"*0\r\n", Kind::Array),
        (b"*2\r\n:1\r\n$1\r\nx\r\n", Kind::Array),
        (b"*2\r\n*1\r\n*0\r\n*1\r\n+a\r\n", Kind::Array),
        (b"%1\r\n+a\r\n:1\r\n", Kind::Map),
        (b"%0\r\n", Kind::Map),
        (b"~1\r\n+a\r\n", Kind::Set),
        (b">2\r\n+message\r\n+a\r\n", Kind::Push),
        (b",1.5\r\n", Kind::Double),
        (b",-inf\r\n", Kind::Double),
        (b",nan\r\n", Kind::Double),
        (b",-nan\r\n", Kind::Double),
        (b"#t\r\n", Kind::Boolean),
        (b"#f\r\n", Kind::Boolean),
        (b"(-12345678901234567890\r\n", Kind::BigNumber),
        (b"!6\r\nERR no\r\n", Kind::BulkError),
        (b"=6\r\ntxt:hi\r\n", Kind::Verbatim),
        // Attributes belong to what is behind them.
        (b"|1\r\n+a\r\n*1\r\n:1\r\n:5\r\n", Kind::Integer),
        (b"|0\r\n:5\r\n", Kind::Integer),
        (b"*2\r\n|1\r\n+a\r\n:1\r\n:5\r\n:6\r\n", Kind::Array),
        (b"|1\r\n|1\r\n+a\r\n:1\r\n+b\r\n:2\r\n*0\r\n", Kind::Array),
    ] {
        let told = input.escape_ascii();
        let length = input.len();
        let more = [input, b":1\r\n"].concat();
        assert_eq!(skip(&more), Ok(Some(Answer { length, kind })), "{told}");
        let mut answers = Answers::default();
        for arrived in 0..length {
            assert_eq!(
                answers.skip(&input[..arrived]),
                Ok(None),
                "{told}, {arrived}"
            );
        }
        assert_eq!(
            answers.skip(input),
            Ok(Some(Answer { length, kind })),
            "{told}"
        );
        // It begins again with the next one.
        let next = Answer {
            length: 4,
            kind: Kind::Integer,
        };
        assert_eq!(answers.skip(b":1\r\n"), Ok(Some(next)), "{told}");
    }
}

#[test]
fn what_is_no_reply_is_refused() {
    for (input, reason) in [
        (&b"OK\r\n"[..], Malformed::Mark(b'O')),
        (b"\r\n", Malformed::Mark(b'\r')),
        (b".\r\n", Malformed::Mark(b'.')),
        (b"+OK\n", Malformed::LineEnd),
        (b"+O\rK", Malformed::LineEnd),
        (b":\r\n", Malformed::Integer),
        (b":1x\r\n", Malformed::Integer),
        (b":9223372036854775808\r\n", Malformed::Integer),
        (b":1111111111111111111111111111111111", Malformed::LongLine),
        (b"$-2\r\n", Malformed::Length),
        (b"$?\r\n", Malformed::Length),
        (b"$+1\r\n", Malformed::Length),
        (b"$9223372036854775808\r\n", Malformed::Length),
        (b"$2\r\nhix", Malformed::BulkEnd),
        (b"$2\r\nhi\rx", Malformed::BulkEnd),
        (b"*?\r\n", Malformed::Length),
        (b"*-2\r\n", Malformed::Length),
        (b"*1\r\n*x\r\n", Malformed::Length),
        (b"%-1\r\n", Malformed::Length),
        (b"_x\r\n", Malformed::Null),
        (b"#x\r\n", Malformed::Boolean),
        (b",\r\n", Malformed::Double),
        (b",1 \r\n", Malformed::Double),
        (b"(\r\n", Malformed::BigNumber),
        (b"(-\r\n", Malformed::BigNumber),
        (b"(1.5\r\n", Malformed::BigNumber),
        (b"=3\r\ntxt\r\n", Malformed::Verbatim),
        (b"=5\r\ntxthi\r\n", Malformed::Verbatim),
        (b"!-1\r\n", Malformed::Length),
    ] {
        assert_eq!(skip(input), Err(reason), "{}", input.escape_ascii());
        assert!(!reason.to_string().is_empty());
    }
}

#[test]
fn a_line_has_a_bound() {
    let mut line = vec![b'a'; Malformed::LINE + 2];
    line[0] = b'+';
    assert_eq!(skip(&line), Err(Malformed::LongLine));
    line.truncate(Malformed::LINE + 1);
    assert_eq!(skip(&line), Ok(None));
    line.extend_from_slice(b"\r\n");
    let length = line.len();
    assert_eq!(
        skip(&line),
        Ok(Some(Answer {
            length,
            kind: Kind::Simple
        }))
    );
}

#[test]
fn aggregates_in_one_another_have_a_bound() {
    let nested = |depth: usize| [b"*1\r\n".repeat(depth), b":1\r\n".to_vec()].concat();
    let deepest = nested(Answers::DEPTH);
    let length = deepest.len();
    assert_eq!(
        skip(&deepest),
        Ok(Some(Answer {
            length,
            kind: Kind::Array
        }))
    );
    assert_eq!(skip(&nested(Answers::DEPTH + 1)), Err(Malformed::TooDeep));
    let attributes = b"|1\r\n".repeat(Answers::DEPTH + 1);
    assert_eq!(skip(&attributes), Err(Malformed::TooDeep));
    // An empty one has no depth.
    let flat = [b"*1\r\n".repeat(Answers::DEPTH), b"*0\r\n".to_vec()].concat();
    assert!(matches!(skip(&flat), Ok(Some(_))));
}

#[test]
fn an_announced_length_is_only_a_number() {
    let large = format!("*{0}\r\n%{0}\r\n:1\r\n", i64::MAX);
    assert_eq!(skip(large.as_bytes()), Ok(None));
    let large = format!("${}\r\nabc", i64::MAX);
    assert!(matches!(
        skip(large.as_bytes()),
        Ok(None) | Err(Malformed::Length)
    ));
}

/// If anything were read again with each byte, this would take hours.
#[test]
fn an_answer_that_arrives_byte_by_byte_is_read_once() {
    let mut input = b"*100002\r\n".to_vec();
    for _ in 0..100_000 {
        input.extend_from_slice(b":1\r\n");
    }
    input.push(b'+');
    input.resize(input.len() + 100_000, b'x');
    input.extend_from_slice(b"\r\n$100000\r\n");
    input.resize(input.len() + 100_000, b'y');
    input.extend_from_slice(b"\r\n");
    let mut answers = Answers::default();
    for arrived in 0..input.len() {
        assert_eq!(answers.skip(&input[..arrived]), Ok(None));
    }
    let length = input.len();
    assert_eq!(
        answers.skip(&input),
        Ok(Some(Answer {
            length,
            kind: Kind::Array
        }))
    );
}

#[test]
fn kinds_say_what_a_client_asks() {
    assert!(Kind::Error.is_error() && Kind::BulkError.is_error() && !Kind::Bulk.is_error());
    assert!(Kind::Null.is_null() && Kind::NullArray.is_null() && !Kind::Array.is_null());
}
