//! Where a line ends.

use crate::limits::Limits;

/// A line, as far as it is there.
pub enum Line {
    /// It ends at this place, where the byte is that ends it.
    Ends(usize),
    /// Its end has not arrived.
    Partial,
    /// It is longer than a line may be.
    Endless,
}

/// Finds the byte that ends the line which begins at `begin`. The line has no end before `searched`, which grows.
///
/// A NUL hides everything behind it, so a line with one does not end. It is refused once it is too long.
pub fn find(input: &[u8], begin: usize, searched: &mut usize, end: u8) -> Line {
    let from = begin.max(*searched);
    // A longer line is refused even if its end is there: what a line is must not depend on how it is cut into pieces.
    let to = input.len().min(begin.saturating_add(Limits::LINE + 1));
    let within = input.get(from..to).unwrap_or_default();
    match within.iter().position(|byte| *byte == end || *byte == 0) {
        Some(offset) => {
            *searched = from + offset;
            if within[offset] == end {
                return Line::Ends(from + offset);
            }
        }
        None => *searched = from.max(to),
    }
    if input.len().saturating_sub(begin) > Limits::LINE {
        Line::Endless
    } else {
        Line::Partial
    }
}

/// The number in a line of the usual form that is whole, and the bytes of the line: a mark, a number from 0 to
/// 999 999 999 without leading zeros, and two bytes that end the line. Others are left to [`find`].
#[inline]
pub fn short_number(line: &[u8], mark: u8) -> Option<(i64, usize)> {
    let [first, rest @ ..] = line else {
        return None;
    };
    if *first != mark {
        return None;
    }
    let mut number = 0_u32;
    for (digits, byte) in rest.iter().enumerate().take(10) {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            // The line, its mark, and the two bytes at its end.
            let length = digits + 3;
            let is_usual = *byte == b'\r' && digits > 0 && length <= line.len();
            return is_usual.then_some((i64::from(number), length));
        }
        let has_leading_zero = number == 0 && digits > 0;
        if has_leading_zero || digits == 9 {
            return None;
        }
        number = number * 10 + u32::from(digit);
    }
    None
}
