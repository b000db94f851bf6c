//! Clients.

use std::io::{ErrorKind, Read, Write};

/// Sends a line, and returns the line that comes back.
pub fn ask(stream: &mut (impl Read + Write), line: &str) -> String {
    stream.write_all(format!("{line}\n").as_bytes()).unwrap();
    read_line(stream).unwrap()
}

/// The next line, without its end. `None` at the end of the connection, or if it was reset.
pub fn read_line(stream: &mut impl Read) -> Option<String> {
    let mut line = Vec::new();
    loop {
        let mut byte = [0];
        match stream.read(&mut byte) {
            Ok(0) => break,
            Ok(_) if byte == *b"\n" => return Some(String::from_utf8(line).unwrap()),
            Ok(_) => line.push(byte[0]),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => break,
            Err(error) => panic!("cannot read a line: {error}"),
        }
    }
    assert!(line.is_empty(), "the connection ended within a line");
    None
}

/// Whether the connection has ended, without a byte before.
pub fn is_at_end(stream: &mut impl Read) -> bool {
    read_line(stream).is_none()
}

/// Reads so many bytes.
pub fn fill(stream: &mut impl Read, bytes: usize) -> Vec<u8> {
    let mut all = vec![0; bytes];
    stream.read_exact(&mut all).unwrap();
    all
}
