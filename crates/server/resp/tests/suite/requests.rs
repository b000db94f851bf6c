//! Requests of arrays: what is taken, what is missing, what is kept.

use perflab_resp::{Limits, Next, ProtocolError, Requests};

/// Reads one request, and returns its arguments and the bytes that it takes.
fn read(input: &[u8]) -> (Vec<Vec<u8>>, usize) {
    let mut requests = Requests::default();
    match requests.next(input, &Limits::default()) {
        Ok(Next::Request { length }) => {
            let arguments = requests.arguments(input);
            (arguments.iter().map(<[u8]>::to_vec).collect(), length)
        }
        other => panic!("{}: {other:?}", input.escape_ascii()),
    }
}

/// The bytes that are missing at least.
fn wanted(input: &[u8]) -> usize {
    match Requests::default().next(input, &Limits::default()) {
        Ok(Next::Partial { wanted }) => wanted,
        other => panic!("{}: {other:?}", input.escape_ascii()),
    }
}

#[test]
fn arguments_are_any_bytes() {
    let cases: &[(&[u8], &[&[u8]])] = &[
        (b"*1\r\n$4\r\nPING\r\n", &[b"PING"]),
        (b"*2\r\n$3\r\nGET\r\n$0\r\n\r\n", &[b"GET", b""]),
        (b"*1\r\n$4\r\n\r\n\0*\r\n", &[b"\r\n\0*"]),
        (
            b"*2\r\n$12\r\n123456789012\r\n$1\r\na\r\n",
            &[b"123456789012", b"a"],
        ),
        // The bytes behind a line and behind an argument are skipped whatever they are.
        (b"*1\rx$4\ryPINGzz", &[b"PING"]),
    ];
    for (input, expected) in cases {
        let (arguments, length) = read(input);
        assert_eq!(arguments, *expected);
        assert_eq!(length, input.len());
    }
}

#[test]
fn the_next_request_begins_behind() {
    let mut input: &[u8] =
        b"*1\r\n$1\r\na\r\n*0\r\n*-1\r\n*-7\r\nb c\r\n\r\n\n*2\r\n$1\r\nd\r\n$1\r\ne\r\n";
    let mut requests = Requests::default();
    let mut found = Vec::new();
    while let Ok(Next::Request { length }) = requests.next(input, &Limits::default()) {
        let arguments: Vec<&[u8]> = requests.arguments(input).iter().collect();
        found.push(arguments.concat());
        input = &input[length..];
    }
    assert!(input.is_empty());
    let expected: [&[u8]; 8] = [b"a", b"", b"", b"", b"bc", b"", b"", b"de"];
    assert_eq!(found, expected);
    assert!(
        requests.arguments(input).is_empty(),
        "nothing is left of the last one"
    );
}

#[test]
fn arguments_are_found_by_number() {
    let input = b"*3\r\n$1\r\na\r\n$2\r\nbb\r\n$0\r\n\r\n";
    let mut requests = Requests::default();
    requests.next(input, &Limits::default()).unwrap();
    let arguments = requests.arguments(input);
    assert_eq!(arguments.len(), 3);
    assert_eq!(&arguments[1], b"bb");
    assert_eq!(arguments.get(2), Some(b"".as_slice()));
    assert_eq!(arguments.get(3), None);
    assert_eq!(
        arguments.tail(1).iter().collect::<Vec<_>>(),
        [b"bb".as_slice(), b""]
    );
    assert!(arguments.tail(3).is_empty() && arguments.tail(4).is_empty());
}

#[test]
fn what_is_missing_is_told() {
    for (input, missing) in [
        (&b""[..], 1),
        (b"*", 1),
        (b"*2", 1),
        (b"*2\r", 1),
        (b"*2\r\n", 1),
        (b"*2\r\n$", 1),
        (b"*2\r\n$3\r", 1),
        (b"*2\r\n$3\r\n", 5),
        (b"*2\r\n$3\r\nGE", 3),
        (b"*2\r\n$3\r\nGET\r", 1),
        (b"*2\r\n$3\r\nGET\r\n$536870912\r\n", 536_870_914),
        (b"PIN", 1),
        (b"PING\r", 1),
    ] {
        assert_eq!(wanted(input), missing, "{}", input.escape_ascii());
    }
}

#[test]
fn a_nul_hides_the_end_of_a_line() {
    for line in [&b"*1\0\r\n"[..], b"*1\r\n$1\0\r\na\r\n", b"PING\0\r\n"] {
        assert_eq!(wanted(line), 1, "{}", line.escape_ascii());
    }
    let long = [b"*1\0\r\n".to_vec(), vec![b'x'; Limits::LINE]].concat();
    let error = Requests::default().next(&long, &Limits::default());
    assert_eq!(error, Err(ProtocolError::EndlessMultibulkCount));
}

#[test]
fn limits_hold() {
    let limits = Limits {
        bulk: 20_000,
        elements: 100,
        authenticated: true,
    };
    let strangers = Limits {
        authenticated: false,
        ..limits
    };
    let next = |input: &[u8], limits: &Limits| Requests::default().next(input, limits).err();
    for (input, to_all, to_strangers) in [
        (&b"*10\r\n"[..], None, None),
        (
            b"*11\r\n",
            None,
            Some(ProtocolError::StrangersMultibulkLength),
        ),
        (
            b"*100\r\n",
            None,
            Some(ProtocolError::StrangersMultibulkLength),
        ),
        (
            b"*101\r\n",
            Some(ProtocolError::MultibulkLength),
            Some(ProtocolError::MultibulkLength),
        ),
        (b"*1\r\n$16384\r\n", None, None),
        (
            b"*1\r\n$16385\r\n",
            None,
            Some(ProtocolError::StrangersBulkLength),
        ),
        (
            b"*1\r\n$20001\r\n",
            Some(ProtocolError::BulkLength),
            Some(ProtocolError::BulkLength),
        ),
    ] {
        assert_eq!(next(input, &limits), to_all, "{}", input.escape_ascii());
        assert_eq!(
            next(input, &strangers),
            to_strangers,
            "{}",
            input.escape_ascii()
        );
    }
}

#[test]
fn a_limit_that_is_no_limit_does_not_overflow() {
    let limits = Limits {
        bulk: usize::MAX,
        elements: usize::MAX,
        authenticated: true,
    };
    let input = format!("*{0}\r\n${0}\r\nabc", i64::MAX);
    let next = Requests::default().next(input.as_bytes(), &limits);
    assert!(matches!(next, Ok(Next::Partial { .. })), "{next:?}");
}

/// If anything were read again with each byte, this would take hours.
#[test]
fn a_request_that_arrives_byte_by_byte_is_read_once() {
    const COUNT: usize = 100_000;
    let mut input = format!("*{}\r\n", COUNT + 1).into_bytes();
    for _ in 0..COUNT {
        input.extend_from_slice(b"$1\r\nx\r\n");
    }
    input.extend_from_slice(b"$100000\r\n");
    input.resize(input.len() + 100_002, b'y');
    let mut requests = Requests::default();
    for arrived in 0..input.len() {
        let next = requests.next(&input[..arrived], &Limits::default());
        assert!(matches!(next, Ok(Next::Partial { .. })));
    }
    let length = input.len();
    let next = requests.next(&input, &Limits::default());
    assert_eq!(next, Ok(Next::Request { length }));
    assert_eq!(requests.arguments(&input).len(), COUNT + 1);

    // A large request leaves nothing behind but what is kept for the next one.
    assert!(requests.memory() > 1_000_000);
    requests.next(b"PING\r\n", &Limits::default()).unwrap();
    assert!(requests.memory() <= 64 * 1024 + 4096);
}

#[test]
fn an_announced_number_of_arguments_takes_no_memory() {
    let mut requests = Requests::default();
    requests
        .next(b"*1048576\r\n$3\r\n", &Limits::default())
        .unwrap();
    assert_eq!(requests.memory(), 0);
}
