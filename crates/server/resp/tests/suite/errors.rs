//! What is refused, and in which words.

use perflab_resp::{Limits, Next, ProtocolError, Requests};

fn error(input: &[u8]) -> Option<ProtocolError> {
    Requests::default().next(input, &Limits::default()).err()
}

fn reply(error: ProtocolError) -> String {
    let mut out = Vec::new();
    error.reply(&mut out);
    String::from_utf8_lossy(&out).into_owned()
}

#[test]
fn each_error_has_the_words_of_redis() {
    let endless = |begin: &[u8]| [begin, &vec![b'1'; Limits::LINE + 1]].concat();
    for (input, text) in [
        (b"*x\r\n".to_vec(), "invalid multibulk length"),
        (b"*\r\n".to_vec(), "invalid multibulk length"),
        (b"*+1\r\n".to_vec(), "invalid multibulk length"),
        (b"*01\r\n".to_vec(), "invalid multibulk length"),
        (b"*1048577\r\n".to_vec(), "invalid multibulk length"),
        (
            b"*99999999999999999999\r\n".to_vec(),
            "invalid multibulk length",
        ),
        (b"*1\r\n$\r\n".to_vec(), "invalid bulk length"),
        (b"*1\r\n$-1\r\n".to_vec(), "invalid bulk length"),
        (b"*1\r\n$03\r\n".to_vec(), "invalid bulk length"),
        (b"*1\r\n$536870913\r\n".to_vec(), "invalid bulk length"),
        (b"*1\r\n:3\r\n".to_vec(), "expected '$', got ':'"),
        (b"*1\r\n\r\n".to_vec(), "expected '$', got ' '"),
        (b"*1\r\n\n\r\n".to_vec(), "expected '$', got ' '"),
        (b"SET \"a\r\n".to_vec(), "unbalanced quotes in request"),
        (endless(b"*"), "too big mbulk count string"),
        (endless(b"*1\r\n$"), "too big bulk count string"),
        (endless(b""), "too big inline request"),
    ] {
        let begin = input[..input.len().min(30)].escape_ascii();
        let error = error(&input).unwrap_or_else(|| panic!("{begin} is taken"));
        assert_eq!(
            reply(error),
            format!("-ERR Protocol error: {text}\r\n"),
            "{begin}"
        );
    }
}

#[test]
fn an_unexpected_byte_is_repeated_as_it_is() {
    let error = error(b"*1\r\n\xffabc\r\n").unwrap();
    let mut out = Vec::new();
    error.reply(&mut out);
    assert_eq!(out, b"-ERR Protocol error: expected '$', got '\xff'\r\n");
    assert_eq!(
        error.to_string(),
        "Protocol error: expected '$', got '\\xff'"
    );
}

#[test]
fn errors_of_strangers_have_words_of_their_own() {
    for (error, text) in [
        (
            ProtocolError::StrangersMultibulkLength,
            "unauthenticated multibulk length",
        ),
        (
            ProtocolError::StrangersBulkLength,
            "unauthenticated bulk length",
        ),
    ] {
        assert_eq!(reply(error), format!("-ERR Protocol error: {text}\r\n"));
        assert_eq!(error.to_string(), format!("Protocol error: {text}"));
    }
}

#[test]
fn an_error_comes_when_its_line_is_whole() {
    for input in [
        &b"*x"[..],
        b"*x\r",
        b"*1\r\nPING",
        b"*1\r\nPING\r",
        b"SET \"a",
    ] {
        assert_eq!(error(input), None, "{}", input.escape_ascii());
    }
}

#[test]
fn the_longest_line_is_taken() {
    let mut line = vec![b'a'; Limits::LINE];
    assert_eq!(error(&line), None);
    line.push(b'\n');
    let next = Requests::default().next(&line, &Limits::default());
    assert_eq!(next, Ok(Next::Request { length: line.len() }));
    line.insert(0, b'a');
    assert_eq!(error(&line), Some(ProtocolError::EndlessInline));
}
