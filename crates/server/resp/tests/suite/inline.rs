//! Requests of words.

use perflab_resp::{Limits, Next, ProtocolError, Requests};

fn words(line: &[u8]) -> Result<Vec<Vec<u8>>, ProtocolError> {
    let input = [line, b"\r\n"].concat();
    let mut requests = Requests::default();
    match requests.next(&input, &Limits::default())? {
        Next::Request { length } => assert_eq!(length, input.len()),
        Next::Partial { .. } => panic!("{}", line.escape_ascii()),
    }
    let arguments = requests.arguments(&input);
    Ok(arguments.iter().map(<[u8]>::to_vec).collect())
}

#[test]
fn words_are_separated_by_spaces_of_c() {
    let cases: &[(&[u8], &[&[u8]])] = &[
        (b"", &[]),
        (b"  \t ", &[]),
        (b"PING", &[b"PING"]),
        (b"  SET\ta  b ", &[b"SET", b"a", b"b"]),
        (b"a\rb", &[b"a", b"b"]),
        // These two separate words, but do not end one.
        (b"\x0b\x0ca", &[b"a"]),
        (b"a\x0bb\x0cc d", &[b"a\x0bb\x0cc", b"d"]),
        (b"\x80\xff \xa0", &[b"\x80\xff", b"\xa0"]),
    ];
    for (line, expected) in cases {
        assert_eq!(words(line).unwrap(), *expected, "{}", line.escape_ascii());
    }
}

#[test]
fn quotes_make_one_word() {
    let cases: &[(&[u8], &[&[u8]])] = &[
        (br#""a b" c"#, &[b"a b", b"c"]),
        (br#"'a b' c"#, &[b"a b", b"c"]),
        (br#""" ''"#, &[b"", b""]),
        (br#"plain"quoted" x"#, &[b"plainquoted", b"x"]),
        (br#"plain'quoted'"#, &[b"plainquoted"]),
        (br#""\n\r\t\b\a\\\"\q""#, &[b"\n\r\t\x08\x07\\\"q"]),
        (br#""\x41\xfF\x4g\x""#, &[b"A\xffx4gx"]),
        (br#"'it\'s \n \x41'"#, &[br"it's \n \x41"]),
        (b"\"a\"\x0bb", &[b"a", b"b"]),
        (br#""'" '"'"#, &[b"'", b"\""]),
        (br"a\ b", &[br"a\", b"b"]),
    ];
    for (line, expected) in cases {
        assert_eq!(words(line).unwrap(), *expected, "{}", line.escape_ascii());
    }
}

#[test]
fn quotes_must_be_closed_and_followed_by_a_space() {
    for line in [
        &br#"""#[..],
        b"'",
        br#""a"#,
        br#"a "b c"#,
        br#""a"b"#,
        br#""a""b""#,
        b"'a'b",
        br#""a\"#,
        br#""a\""#,
        br"'a\'",
        br#""a'"#,
    ] {
        let error = words(line).expect_err("the quotes are wrong");
        assert_eq!(
            error,
            ProtocolError::UnbalancedQuotes,
            "{}",
            line.escape_ascii()
        );
    }
}

#[test]
fn a_line_may_end_without_a_carriage_return() {
    let mut requests = Requests::default();
    for (input, expected) in [
        (&b"a b\n"[..], 2),
        (b"a\r\r\n", 1),
        (b"\n", 0),
        (b"\r\n", 0),
    ] {
        let next = requests.next(input, &Limits::default());
        assert_eq!(
            next,
            Ok(Next::Request {
                length: input.len()
            })
        );
        assert_eq!(requests.arguments(input).len(), expected);
    }
}

#[test]
fn a_long_line_that_arrives_byte_by_byte_is_searched_once() {
    let mut line = vec![b'a'; Limits::LINE];
    line.push(b'\n');
    let mut requests = Requests::default();
    for arrived in 0..line.len() {
        let next = requests.next(&line[..arrived], &Limits::default());
        assert_eq!(next, Ok(Next::Partial { wanted: 1 }));
    }
    let length = line.len();
    let next = requests.next(&line, &Limits::default());
    assert_eq!(next, Ok(Next::Request { length }));
}
