//! Integers as Redis takes them.

use crate::decimal::{LONGEST, write_before};

/// Reads an integer of 64 bits with the strictness of Redis: the text must be the one that Redis would print.
///
/// Spaces, a plus sign, leading zeros, `-0` and numbers out of range are refused.
///
/// ```
/// use perflab_resp::integer::parse;
///
/// assert_eq!(parse(b"-12"), Some(-12));
/// assert_eq!(parse(b"+12"), None);
/// assert_eq!(parse(b"012"), None);
/// ```
pub fn parse(text: &[u8]) -> Option<i64> {
    let (is_negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    match digits {
        [b'0'] if !is_negative => return Some(0),
        // A number of 19 digits fits 64 bits without a sign, so the sum below cannot overflow.
        [b'1'..=b'9', ..] if digits.len() <= 19 => {}
        _ => return None,
    }
    let mut size = 0_u64;
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        size = size * 10 + u64::from(digit);
    }
    if is_negative {
        0_i64.checked_sub_unsigned(size)
    } else {
        i64::try_from(size).ok()
    }
}

/// Appends an integer as Redis prints it.
///
/// ```
/// let mut text = Vec::new();
/// perflab_resp::integer::write(i64::MIN, &mut text);
/// assert_eq!(text, b"-9223372036854775808");
/// ```
pub fn write(number: i64, out: &mut Vec<u8>) {
    let mut buffer = [0; LONGEST];
    let begin = write_before(&mut buffer, LONGEST, number);
    out.extend_from_slice(&buffer[begin..]);
}
