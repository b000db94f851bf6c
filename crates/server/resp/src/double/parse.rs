//! From text to a number.

use super::hexadecimal;

/// Reads a number with the strictness of Redis: what `strtod` of C takes, to the last byte, but no spaces and no `nan`.
///
/// Decimal and hexadecimal numbers, `inf` and `infinity` are taken, with a sign or without. A number that is too large
/// is refused, and so is one that is so small that it would become 0.
///
/// ```
/// use perflab_resp::double::parse;
///
/// assert_eq!(parse(b"-1.5e3"), Some(-1500.0));
/// assert_eq!(parse(b"0x.8"), Some(0.5));
/// assert_eq!(parse(b"+inf"), Some(f64::INFINITY));
/// assert_eq!(parse(b" 1"), None);
/// assert_eq!(parse(b"1e400"), None);
/// ```
pub fn parse(text: &[u8]) -> Option<f64> {
    let (is_negative, size) = match text {
        [b'-', size @ ..] => (true, size),
        [b'+', size @ ..] => (false, size),
        size => (false, size),
    };
    let size = match size {
        [b'0', b'x' | b'X', digits @ ..] => hexadecimal::parse(digits),
        // A second sign is none of the two.
        [b'0'..=b'9' | b'.', ..] => decimal(size),
        name if is_infinity(name) => Some(f64::INFINITY),
        _ => None,
    }?;
    Some(if is_negative { -size } else { size })
}

fn is_infinity(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(b"inf") || name.eq_ignore_ascii_case(b"infinity")
}

/// A number that begins with a digit or a point. The rest of the grammar of C is that of Rust.
fn decimal(text: &[u8]) -> Option<f64> {
    let number: f64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    let mut mantissa = text.iter().take_while(|byte| !matches!(byte, b'e' | b'E'));
    let became_zero = number == 0.0 && mantissa.any(|byte| matches!(byte, b'1'..=b'9'));
    (number.is_finite() && !became_zero).then_some(number)
}
