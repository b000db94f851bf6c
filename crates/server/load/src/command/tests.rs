use super::{Command, Piece};
use crate::keys::{Distribution, Keys};
use crate::target::Protocol;

const KEYS: Keys = Keys {
    count: 10,
    bytes: 16,
    distribution: Distribution::Uniform,
};

/// The pieces as text: keys and values by their marks, lengths by what is known of them.
fn written(command: &Command, protocol: Protocol) -> String {
    let pieces = command
        .pieces(protocol, &KEYS)
        .expect("the protocol has it");
    let is_bytes = |piece: &Piece| matches!(piece, Piece::Bytes(_));
    assert!(
        pieces
            .windows(2)
            .all(|pair| !(is_bytes(&pair[0]) && is_bytes(&pair[1]))),
        "{pieces:?}"
    );
    let texts = pieces.iter().map(|piece| match piece {
        Piece::Bytes(bytes) => String::from_utf8(bytes.clone()).expect("text"),
        Piece::Key => "{key}".to_owned(),
        Piece::Length { more } => format!("<value + {more}>"),
        Piece::Value => "{value}".to_owned(),
    });
    texts.collect()
}

fn command(text: &str) -> Command {
    text.parse().expect(text)
}

#[test]
fn redis_gets_words_with_their_lengths() {
    let resp = Protocol::Resp;
    for (made, expected) in [
        (
            Command::set(resp, 1),
            "*3\r\n$3\r\nSET\r\n$16\r\n{key}\r\n$<value + 0>\r\n{value}\r\n",
        ),
        (Command::get(resp, 1), "*2\r\n$3\r\nGET\r\n$16\r\n{key}\r\n"),
        (
            command("LRANGE mylist 0 599"),
            "*4\r\n$6\r\nLRANGE\r\n$6\r\nmylist\r\n$1\r\n0\r\n$3\r\n599\r\n",
        ),
        (
            command("x 'a {value}{key}b' {key}{key} ''"),
            "*4\r\n$1\r\nx\r\n$<value + 19>\r\na {value}{key}b\r\n$32\r\n{key}{key}\r\n$0\r\n\r\n",
        ),
    ] {
        assert_eq!(written(&made, resp), expected);
    }
}

#[test]
fn memcached_gets_a_line_and_a_block() {
    let memcached = Protocol::Memcached;
    for (made, expected) in [
        (
            Command::set(memcached, 1),
            "set {key} 0 0 <value + 0>\r\n{value}\r\n",
        ),
        (Command::get(memcached, 1), "get {key}\r\n"),
        (command("incr a{key} 1"), "incr a{key} 1\r\n"),
        (
            command("append {key} 0 0 {value}"),
            "append {key} 0 0 <value + 0>\r\n{value}\r\n",
        ),
    ] {
        assert_eq!(written(&made, memcached), expected);
    }
    let early = command("append {value} {key}").pieces(memcached, &KEYS);
    assert!(
        early
            .expect_err("not the last")
            .contains("as the last word only")
    );
}

#[test]
fn weights_come_first() {
    let weighted = command("12:LRANGE mylist 0 599");
    assert_eq!(
        (weighted.weight, weighted.name.as_str()),
        (12, "LRANGE mylist 0 599")
    );
    // What comes before the colon is no number, so it is a part of the command.
    let unweighted = command("GET a:{key}");
    assert_eq!(
        (unweighted.weight, unweighted.name.as_str()),
        (1, "GET a:{key}")
    );
    assert_eq!(command("GET 5:{key}").weight, 1);
}

#[test]
fn mistakes_are_told() {
    for (text, words) in [
        ("", "expected a command"),
        ("3:", "expected a command"),
        ("0:GET x", "a weight from 1 to 10000"),
        ("10001:GET x", "a weight from 1 to 10000"),
        ("GET 'x", "missing closing quote"),
        ("SET x {value}{value}", "at most one {value}"),
    ] {
        let refused = text.parse::<Command>().expect_err(text);
        assert!(refused.contains(words), "{text}: {refused}");
    }
}

#[test]
fn only_reads_of_a_key_can_miss() {
    for (text, gets) in [
        ("GET {key}", true),
        ("get x", true),
        ("SET x y", false),
        ("GETRANGE x 0 1", false),
    ] {
        assert_eq!(command(text).gets(), gets, "{text}");
    }
    assert!(Command::get(Protocol::Memcached, 1).gets());
    assert!(!Command::set(Protocol::Resp, 1).gets());
}
