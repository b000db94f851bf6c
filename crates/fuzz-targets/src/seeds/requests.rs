//! Requests to a key-value server, its replies, and numbers in both.

use super::collection::Collection;

pub fn collect(all: &mut Collection<'_>) {
    let requests = [
        "*3\r\n$3\r\nSET\r\n$5\r\nkey:1\r\n$5\r\nvalue\r\n*2\r\n$3\r\nGET\r\n$5\r\nkey:1\r\n",
        "PING\r\n*1\r\n$4\r\nPING\r\n\r\n*0\r\n*-1\r\nECHO hi\n",
        "SET \"a \\x41\\n\\\"\" 'it\\'s' plain\"end\"\r\nGET \"open\r\n",
        "*2\r\n$4\r\nECHO\r\n$20\r\n12345678901234567890\r\n*12\r\n$1\r\na\r\n",
        "*1\r\n$999999999999\r\n",
        "*1\r\n:1\r\n",
        "*x\r\n",
        "GET\0\r\n",
    ];
    let replies = [
        "+OK\r\n-ERR no\r\n:-12\r\n$2\r\nhi\r\n$-1\r\n*-1\r\n*0\r\n",
        "*2\r\n*3\r\n:1\r\n+two\r\n$5\r\nthree\r\n$-1\r\n",
        "%1\r\n$5\r\nproto\r\n:3\r\n~2\r\n#t\r\n#f\r\n>1\r\n_\r\n",
        "|1\r\n+ttl\r\n:5\r\n,1.5e-3\r\n,inf\r\n(123456789012345678901\r\n=6\r\ntxt:hi\r\n!3\r\nERR\r\n",
        "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n",
    ];
    let numbers = ["-9223372036854775808", "0x1.8p-3", "-0.1e-5", "infinity"];
    // The first byte of a reply is its kind, the second a length.
    let program: &[&[u8]] = &[
        &[
            11, 4, 0, 1, 3, b'a', b'\r', b'b', 2, 2, b'\n', b'c', 3, 1, 200,
        ],
        &[14, 1, 4, 2, b'k', b'v', 8, 8, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f],
        &[12, 2, 13, 1, 6, 10, 0, 1, 2, b'h', b'i', 9, 1, 5, 1, 7],
    ];
    for (kind, texts) in [
        ("request", &requests[..]),
        ("reply", &replies[..]),
        ("number", &numbers[..]),
    ] {
        for (text, number) in texts.iter().zip(1..) {
            all.add("resp", format!("{kind}-{number}"), *text);
        }
    }
    for (bytes, number) in program.iter().zip(1..) {
        all.add("resp", format!("program-{number}"), *bytes);
    }
}
