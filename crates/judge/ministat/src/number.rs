//! Text to number as C's `strtod` and `strtol` read it.

/// Whether C's `isspace` holds in the "C" locale: a space, or one of `\t \n \v \f \r`.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Reads a whole text as `strtod` would; `None` if anything is left over or nothing could be read.
///
/// Accepted are leading white space, a sign, and then a decimal number, a hexadecimal one (`0x1.8p3`),
/// `inf`, `infinity`, `nan` or `nan(letters)`, each in any case (ISO C17, 7.22.1.3).
/// The result is the nearest double, ties to even; what is too large becomes infinite.
pub fn parse_number(text: &[u8]) -> Option<f64> {
    if let Some(number) = parse_decimal(text) {
        return Some(number);
    }
    let start = text.iter().position(|&byte| !is_space(byte))?;
    let (negative, unsigned) = split_sign(&text[start..]);
    let magnitude = match unsigned {
        [b'0', b'x' | b'X', digits @ ..] => parse_hexadecimal(digits)?,
        // A second sign is not for the decimal parser to accept.
        [b'+' | b'-', ..] => return None,
        _ => parse_decimal(unsigned).or_else(|| parse_word(unsigned))?,
    };
    Some(if negative { -magnitude } else { magnitude })
}

/// Reads a whole text as `strtol` would in base 10; `None` if anything is left over or nothing could be read.
///
/// What does not fit takes the nearest value that does.
pub(crate) fn parse_integer(text: &[u8]) -> Option<i64> {
    let (number, rest) = integer_prefix(text)?;
    rest.is_empty().then_some(number)
}

/// The integer with which a text begins, as `strtol` reads it, and the text after it.
pub(crate) fn integer_prefix(text: &[u8]) -> Option<(i64, &[u8])> {
    let start = text.iter().position(|&byte| !is_space(byte))?;
    let (negative, unsigned) = split_sign(&text[start..]);
    let length = unsigned
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let (digits, rest) = unsigned.split_at(length);
    if digits.is_empty() {
        return None;
    }
    let number = digits.iter().fold(0_i64, |number, digit| {
        let digit = i64::from(digit - b'0');
        let shifted = number.saturating_mul(10);
        if negative {
            shifted.saturating_sub(digit)
        } else {
            shifted.saturating_add(digit)
        }
    });
    Some((number, rest))
}

fn split_sign(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    }
}

/// Within this alphabet, which leaves out `inf` and `nan`, Rust and C accept the same texts.
fn parse_decimal(text: &[u8]) -> Option<f64> {
    let plain = text
        .iter()
        .all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'+' | b'-' | b'e' | b'E'));
    if !plain {
        return None;
    }
    str::from_utf8(text).ok()?.parse().ok()
}

fn parse_word(text: &[u8]) -> Option<f64> {
    if text.eq_ignore_ascii_case(b"inf") || text.eq_ignore_ascii_case(b"infinity") {
        return Some(f64::INFINITY);
    }
    let (word, payload) = text.split_at_checked(3)?;
    let valid_payload = match payload {
        [] => true,
        [b'(', letters @ .., b')'] => letters
            .iter()
            .all(|&byte| byte == b'_' || byte.is_ascii_alphanumeric()),
        _ => false,
    };
    (word.eq_ignore_ascii_case(b"nan") && valid_payload).then_some(f64::NAN)
}

/// Reads what follows `0x`: digits with at most one point, then perhaps `p` and a binary exponent.
fn parse_hexadecimal(text: &[u8]) -> Option<f64> {
    let mut significand = 0_u64;
    let mut inexact = false;
    let mut exponent = 0_i64;
    let mut any_digit = false;
    let mut after_point = false;
    let mut rest = text;
    while let [byte, tail @ ..] = rest {
        match (char::from(*byte).to_digit(16), byte) {
            (Some(digit), _) => {
                any_digit = true;
                if significand >> 60 == 0 {
                    significand = significand << 4 | u64::from(digit);
                    exponent -= if after_point { 4 } else { 0 };
                } else {
                    // Digits that no longer fit decide ties only.
                    inexact |= digit != 0;
                    exponent += if after_point { 0 } else { 4 };
                }
            }
            (None, b'.') if !after_point => after_point = true,
            _ => break,
        }
        rest = tail;
    }
    let written_exponent = match rest {
        [] => 0,
        // Unlike an integer of its own, an exponent has no white space before it.
        [b'p' | b'P', first, ..] if !is_space(*first) => parse_integer(&rest[1..])?,
        _ => return None,
    };
    any_digit.then(|| {
        scale(
            significand,
            inexact,
            exponent.saturating_add(written_exponent),
        )
    })
}

/// The double nearest to `significand * 2^exponent`, ties to even.
///
/// `inexact` says that the true value lies above that by less than one unit of the significand;
/// the significand then has at least 61 significant bits.
fn scale(significand: u64, inexact: bool, exponent: i64) -> f64 {
    const BITS: i64 = f64::MANTISSA_DIGITS as i64;
    const SMALLEST_NORMAL: i64 = f64::MIN_EXP as i64 - 1;
    if significand == 0 {
        return 0.0;
    }
    let lead = significand.leading_zeros();
    let top = exponent.saturating_add(63 - i64::from(lead));
    if top >= i64::from(f64::MAX_EXP) {
        return f64::INFINITY;
    }
    // Below the smallest normal number each power of two costs one bit.
    let missing = SMALLEST_NORMAL.saturating_sub(top).max(0);
    if missing > BITS {
        return 0.0;
    }
    let dropped = 64 - BITS + missing;
    let wide = u128::from(significand << lead);
    let half = 1_u128 << (dropped - 1);
    let remainder = wide & (2 * half - 1);
    let mut kept = (wide >> dropped) as u64;
    if remainder > half || remainder == half && (inexact || kept & 1 == 1) {
        kept += 1;
    }
    // The leading bit of a normal significand adds the last one to the exponent field, and so does a carry.
    let exponent_field = if missing == 0 {
        (top - SMALLEST_NORMAL) as u64
    } else {
        0
    };
    f64::from_bits((exponent_field << (BITS - 1)) + kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_numbers_are_rounded_to_nearest_even() {
        // Expected values as glibc's strtod gives them.
        let cases: [(&str, u64); 16] = [
            ("0x10", 0x4030_0000_0000_0000),
            ("-0X1.8p+3", 0xc028_0000_0000_0000),
            ("0x.8", 0x3fe0_0000_0000_0000),
            ("0x1.", 0x3ff0_0000_0000_0000),
            ("0x1.fffffffffffff8p0", 0x4000_0000_0000_0000),
            ("0x1.00000000000008p0", 0x3ff0_0000_0000_0000),
            ("0x1.00000000000018p0", 0x3ff0_0000_0000_0002),
            ("0x1.0000000000000800000000001p0", 0x3ff0_0000_0000_0001),
            ("0x100000000000008000000000000000001", 0x47f0_0000_0000_0001),
            ("0x1p-1074", 0x0000_0000_0000_0001),
            ("0x1p-1075", 0x0000_0000_0000_0000),
            ("0x1.8p-1075", 0x0000_0000_0000_0001),
            ("0x1.fffffffffffffp-1023", 0x0010_0000_0000_0000),
            ("0x1.fffffffffffff8p1023", 0x7ff0_0000_0000_0000),
            ("0x1p-99999999999999999999", 0x0000_0000_0000_0000),
            ("-0x0p99999999999999999999", 0x8000_0000_0000_0000),
        ];
        for (text, bits) in cases {
            assert_eq!(
                parse_number(text.as_bytes()).map(f64::to_bits),
                Some(bits),
                "{text}"
            );
        }
    }

    #[test]
    fn decimal_numbers_and_words_are_read_whatever_their_case() {
        for (text, number) in [
            ("1", 1.0),
            (" \t\u{b}+1.5", 1.5),
            (".5", 0.5),
            ("5.", 5.0),
            ("-1E+2", -100.0),
            ("1e400", f64::INFINITY),
            ("1e-400", 0.0),
            ("-InF", f64::NEG_INFINITY),
            ("iNfInItY", f64::INFINITY),
        ] {
            assert_eq!(parse_number(text.as_bytes()), Some(number), "{text}");
        }
        for (text, negative) in [
            ("nan", false),
            ("-NAN", true),
            ("+nan()", false),
            ("-nan(0x_Z)", true),
        ] {
            let number = parse_number(text.as_bytes()).unwrap();
            assert!(
                number.is_nan() && number.is_sign_negative() == negative,
                "{text}"
            );
        }
    }

    #[test]
    fn anything_left_over_is_refused() {
        for text in [
            "", " ", ".", "+", "-.", "e5", "1e", "1e+", "1 ", "1,5", "1_0", "--1", "+-1", "1.2.3",
            "0x", "0x.", "0xg", "0x1p", "0x1p+", "0x1p 1", "0x1.2.3", "0x-1", "infinit", "nano",
            "nan(", "nan(-)", "n", "½",
        ] {
            assert_eq!(parse_number(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn integers_saturate() {
        for (text, number) in [
            ("40", Some(40)),
            (" +7", Some(7)),
            ("-9223372036854775808", Some(i64::MIN)),
            ("99999999999999999999", Some(i64::MAX)),
            ("-99999999999999999999", Some(i64::MIN)),
            ("", None),
            ("- 1", None),
            ("0x10", None),
            ("4 ", None),
        ] {
            assert_eq!(parse_integer(text.as_bytes()), number, "{text}");
        }
        assert_eq!(integer_prefix(b"80x24"), Some((80, b"x24".as_slice())));
    }
}
