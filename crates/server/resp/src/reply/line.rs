//! A line with a number, which begins most replies.

use crate::decimal::{self, write_before};

/// The bytes of a line at most: its mark, its number, and its end.
pub const LONGEST: usize = 1 + decimal::LONGEST + 2;

/// The numbers that are looked up.
const SHORT: usize = 256;
/// The lines of these numbers. The first byte is for the mark, and the last one has the number of bytes before it that
/// are used.
static LINES: [[u8; 8]; SHORT] = lines();

const fn lines() -> [[u8; 8]; SHORT] {
    let mut lines = [[0; 8]; SHORT];
    let mut number = 0;
    while number < SHORT {
        let digits = if number < 10 {
            1
        } else if number < 100 {
            2
        } else {
            3
        };
        let line = &mut lines[number];
        let mut rest = number;
        let mut at = digits;
        while at > 0 {
            line[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            at -= 1;
        }
        line[digits + 1] = b'\r';
        line[digits + 2] = b'\n';
        line[7] = digits as u8 + 3;
        number += 1;
    }
    lines
}

/// Appends the line of a mark and a number.
#[inline]
pub fn push(out: &mut Vec<u8>, mark: u8, number: i64) {
    let short = usize::try_from(number).ok();
    match short.and_then(|number| LINES.get(number)) {
        Some(line) => {
            let length = usize::from(line[7]);
            let mut line = *line;
            line[0] = mark;
            out.extend_from_slice(&line[..length]);
        }
        None => push_long(out, mark, number),
    }
}

fn push_long(out: &mut Vec<u8>, mark: u8, number: i64) {
    const END: usize = LONGEST - 2;
    let mut line = [0; LONGEST];
    line[END..].copy_from_slice(b"\r\n");
    let begin = write_before(&mut line, END, number) - 1;
    line[begin] = mark;
    out.extend_from_slice(&line[begin..]);
}
