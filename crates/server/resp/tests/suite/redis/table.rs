//! Inputs, well-formed and malformed, of which Redis says what they are.

use perflab_resp::Limits;

use crate::random::request;

/// All inputs.
pub fn all() -> Vec<Vec<u8>> {
    let mut inputs: Vec<Vec<u8>> = ARRAYS
        .iter()
        .chain(LINES)
        .map(|input| input.to_vec())
        .collect();
    inputs.extend(damaged_headers());
    inputs.extend(every_first_byte());
    inputs.extend(large());
    inputs
}

/// Inputs at the limits of clients that have not said who they are.
pub fn for_strangers() -> Vec<Vec<u8>> {
    let large = vec![b'x'; 16 * 1024];
    let argument: &[u8] = b"a";
    vec![
        b"*10\r\n".to_vec(),
        b"*11\r\n".to_vec(),
        b"*1000\r\n".to_vec(),
        b"*2147483648\r\n".to_vec(),
        b"*-11\r\n".to_vec(),
        b"*1\r\n$16384\r\n".to_vec(),
        b"*1\r\n$16385\r\n".to_vec(),
        b"*2\r\n$4\r\nECHO\r\n$1000000\r\n".to_vec(),
        b"*1\r\n$536870913\r\n".to_vec(),
        request(&[argument; 10]),
        request(&[argument; 11]),
        request(&[b"ECHO", &large]),
    ]
}

/// Arrays of strings.
const ARRAYS: &[&[u8]] = &[
    b"",
    b"*",
    b"*1",
    b"*1\r",
    b"*1\r\n",
    b"*1\r\n$",
    b"*1\r\n$4",
    b"*1\r\n$4\r",
    b"*1\r\n$4\r\n",
    b"*1\r\n$4\r\nPI",
    b"*1\r\n$4\r\nPING",
    b"*1\r\n$4\r\nPING\r",
    b"*1\r\n$4\r\nPING\r\n",
    b"*1\r\n$4\r\nPING\r\n*1\r\n$4\r\nPING\r\n",
    b"*1\r\n$4\r\nPING\r\n*1\r\n$4\r\nPI",
    b"*2\r\n$4\r\nECHO\r\n$2\r\nhi\r\n",
    b"*2\r\n$4\r\necho\r\n$0\r\n\r\n",
    b"*2\r\n$4\r\nECHO\r\n$4\r\n\r\n\0*\r\n",
    b"*2\r\n$4\r\nECHO\r\n$12\r\n123456789012\r\n",
    b"*2\r\n$4\r\nECHO\r\n$4\r\n$1\r\n\r\n",
    b"*1\r\n$4\r\nECHO\r\n",
    b"*3\r\n$4\r\nECHO\r\n$1\r\na\r\n$1\r\nb\r\n",
    b"*1\r\n$0\r\n\r\n",
    b"*0\r\n",
    b"*0\r\n*1\r\n$4\r\nPING\r\n",
    b"*-1\r\n*1\r\n$4\r\nPING\r\n",
    b"*-12\r\nPING\r\n",
    b"*-9223372036854775808\r\nPING\r\n",
    b"*-9223372036854775809\r\nPING\r\n",
    // The bytes behind a line and behind a string are not looked at.
    b"*1\rx$4\ryPINGzz*1\r\n$4\r\nPING\r\n",
    b"*1\r\r$4\r\rPING\r\r",
    b"*1\r\n$4\r\nPINGPING*0\r\n",
    b"*1\r\n$3\r\nPING\r\nPING\r\n",
    b"*1\r\n$5\r\nPING\r\nPING\r\n",
    // A NUL hides the end of a line.
    b"*1\0\r\n$4\r\nPING\r\n",
    b"\0*1\r\n$4\r\nPING\r\n",
    b"*\x001\r\n$4\r\nPING\r\n",
    b"*1\r\0$4\r\nPING\r\n",
    b"*1\r\n\0$4\r\nPING\r\n",
    b"*1\r\n$4\0\r\nPING\r\n",
    b"*1\r\n$4\r\0PING\r\n",
    b"*1\r\n$4\r\nPI\0G\r\n",
    b"*2147483647\r\n$4\r\nPING\r\n",
    b"*2147483648\r\n",
    b"*9223372036854775807\r\n",
    b"*9223372036854775808\r\n",
    b"*1048577\r\n$4\r\n",
    b"*1000000000\r\n",
    b"*1\r\n$536870912\r\nabc",
    b"*1\r\n$536870913\r\nabc",
    b"*1\r\n$2147483648\r\n",
    b"*1\r\n$9223372036854775807\r\n",
    b"*1\r\n$9223372036854775808\r\n",
    b"*1\r\n$18446744073709551616\r\n",
    b"*2\r\n$4\r\nECHO\r\n*1\r\n$2\r\nhi\r\n",
    b"*2\r\n$4\r\nECHO\r\n+hi\r\n",
    b"*2\r\n$4\r\nECHO\r\n:1\r\n",
    b"*1\r\nPING\r\n",
    b"*1\r\nPING",
    b"*1\r\nPING\r",
    b"*1\r\n\r\n",
    b"*1\r\n\r",
    b"*1\r\n\n\r\n",
    b"*1\r\n \r\n",
    b"*1\r\n$4\r\nPING\r\n*x\r\n",
    b"*1\r\n$4\r\nPING\r\n*x\r\n*1\r\n$4\r\nPING\r\n",
    b"*1\r\n$4\r\nPING\r\n$4\r\n",
    b"*1\n$4\nPING\n",
    b"*1\n$4\nPING\n\r\n",
    b"*1\r\n$4\nPING\r\n",
];

/// Lines of words.
const LINES: &[&[u8]] = &[
    b"\r\n",
    b"\n",
    b"\r",
    b" \r\n",
    b"\r\n\r\n\nPING\r\n",
    b"PING",
    b"PING\r",
    b"PING\n",
    b"PING\r\n",
    b"PING\r\r\n",
    b"ping hi\r\nPING\n",
    b"PING\r\n*1\r\n$4\r\nPING\r\n",
    b"PING\rhi\r\n",
    b"  ECHO\t hi \r\n",
    b"ECHO a b\r\n",
    b"ECHO\r\n",
    b"\x0bECHO a\x0bb\x0cc\r\n",
    b"ECHO\x0ba\r\n",
    b"ECHO \x80\xff\xa0\x85\r\n",
    b"ECHO \"a b\"\r\n",
    b"ECHO 'a b'\r\n",
    b"ECHO \"\"\r\n",
    b"ECHO ''\r\n",
    b"\"\"\r\n",
    b"ECHO a\"b c\"\r\n",
    b"ECHO a'b c'\r\n",
    b"ECHO \"a\"\x0b\r\n",
    b"ECHO \"a\x0bb\"\r\n",
    b"ECHO \"\\n\\r\\t\\b\\a\\\\\\\"\\q\\0\"\r\n",
    b"ECHO \"\\x41\\xfF\\x00\\x4g\\x\\X41\"\r\n",
    b"ECHO 'it\\'s \\n \\x41 \\\\ \"'\r\n",
    b"ECHO \"it's\"\r\n",
    b"ECHO a\\ \r\n",
    b"ECHO \\\"a b\\\"\r\n",
    b"\"ECHO\" 'hi'\r\n",
    b"E'CHO' hi\r\n",
    b"ECHO \"a\r\n",
    b"ECHO 'a\r\n",
    b"ECHO \"\r\n",
    b"ECHO '\r\n",
    b"ECHO \"a\"b\r\n",
    b"ECHO 'a'b\r\n",
    b"ECHO \"a\"\"b\"\r\n",
    b"ECHO 'a'\"b\"\r\n",
    b"ECHO \"a\\\r\n",
    b"ECHO \"a\\\"\r\n",
    b"ECHO 'a\\'\r\n",
    b"ECHO \"a\\x4\"\r\n",
    b"ECHO \"a\\x4\r\n",
    b"ECHO 'a\"\r\n",
    b"ECHO \"a\rb\"\r\n",
    b"ECHO \"a\nb\"\r\n",
    b"ECHO \"a",
    b"PING\r\nECHO \"\r\nPING\r\n",
    b"PI\0NG\r\nPING\r\n",
    b"PING\0\r\n",
    b"PING\r\n\0PING\r\n",
    b"$4\r\nPING\r\n",
    b"+PING\r\n",
    b" *1\r\n$4\r\nPING\r\n",
];

/// Numbers in both kinds of lines that are none, or not in the one form that Redis takes.
fn damaged_headers() -> Vec<Vec<u8>> {
    let numbers = [
        "", "-", "+", "+1", "-0", "00", "01", "-01", "1 ", " 1", "1a", "a", "0x1", "1.0", "1e0",
        "--1", "1\n", "*1",
    ];
    let mut inputs = Vec::new();
    for number in numbers {
        inputs.push(format!("*{number}\r\n$4\r\nPING\r\n").into_bytes());
        inputs.push(format!("*1\r\n${number}\r\nPING\r\n").into_bytes());
    }
    inputs.push(b"*1\r\n$-1\r\nPING\r\n".to_vec());
    inputs.push(b"*1\r\n$-2147483649\r\nPING\r\n".to_vec());
    inputs
}

/// Each byte where a string should begin.
fn every_first_byte() -> Vec<Vec<u8>> {
    (0..=u8::MAX)
        .filter(|byte| !matches!(byte, b'$' | b' ' | b'\n'))
        .map(|byte| [&b"*1\r\n"[..], &[byte], b"4\r\nPING\r\n"].concat())
        .collect()
}

/// Lines and strings at the limits.
fn large() -> Vec<Vec<u8>> {
    let line = vec![b'1'; Limits::LINE];
    let join = |parts: &[&[u8]]| parts.concat();
    let mut many = vec![&b"x"[..]; 3000];
    many[0] = b"ECHO";
    vec![
        join(&[b"ECHO ", &line[5..]]),
        join(&[b"ECHO ", &line[5..], b"\n"]),
        join(&[b"ECHO ", &line[5..], b"1"]),
        join(&[b"ECHO ", &line, &line]),
        join(&[b"ECHO \"", &line[..1000], b"\"\r\n"]),
        join(&[b"*", &line[1..]]),
        join(&[b"*", &line]),
        join(&[b"*", &line[..100], b"\r\n"]),
        join(&[b"*1\r\n$", &line[1..]]),
        join(&[b"*1\r\n$", &line]),
        join(&[b"*1\r\n$", &line[..100], b"\r\n"]),
        join(&[b"*1\r\nx", &line]),
        join(&[b"*1\0\r\n", &line[6..]]),
        join(&[b"*1\0\r\n", &line]),
        join(&[b"PING\0\r\n", &line]),
        request(&[b"ECHO", &line]),
        request(&[b"ECHO", &line[..40_000]]),
        [request(&[b"ECHO", &line]), request(&[b"ECHO", &line[..10]])].concat(),
        request(&many),
    ]
}
