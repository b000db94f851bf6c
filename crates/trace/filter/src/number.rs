//! Constants, as C and LTTng write numbers.

/// A constant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// Without a point. One beyond 63 bits is a negative number, as every value is 64 bits with a sign.
    Integer(i64),
    /// With a point or an exponent.
    Double(f64),
}

/// Reads a number, all of the text; nothing if it is none.
pub fn number(text: &str) -> Option<Number> {
    // In C both letters of a suffix are large, or both small.
    if text.contains("lL") || text.contains("Ll") {
        return None;
    }
    let text = text.to_ascii_lowercase();
    if let Some(digits) = text.strip_prefix("0x") {
        return if digits.contains(['.', 'p']) {
            hexadecimal_double(digits).map(Number::Double)
        } else {
            integer(digits, 16)
        };
    }
    if text.contains(['.', 'e']) {
        let digits = text.strip_suffix(['f', 'l']).unwrap_or(&text);
        return digits.parse().ok().map(Number::Double);
    }
    integer(&text, if text.starts_with('0') { 8 } else { 10 })
}

/// Digits with a suffix of C, which says nothing here. What has more than 64 bits counts as the largest of them.
fn integer(text: &str, radix: u32) -> Option<Number> {
    let digits = text.trim_end_matches(['u', 'l']);
    let suffix = text.get(digits.len()..)?;
    let is_number = matches!(suffix, "" | "u" | "l" | "ll" | "ul" | "ull" | "lu" | "llu")
        && !digits.is_empty()
        && digits.chars().all(|digit| digit.is_digit(radix));
    is_number.then(|| {
        let value = u64::from_str_radix(digits, radix).unwrap_or(u64::MAX);
        Number::Integer(value.cast_signed())
    })
}

/// What is behind `0x` of a number with a point or an exponent of 2.
fn hexadecimal_double(text: &str) -> Option<f64> {
    let (mantissa, exponent) = match text.split_once('p') {
        Some((mantissa, exponent)) => (mantissa, power(exponent)?),
        // An `f` here is a digit.
        None => (text.strip_suffix('l').unwrap_or(text), 0),
    };
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && part.is_empty() {
        return None;
    }
    let (mut value, mut scale) = (0u64, 0);
    for (place, digit) in whole.chars().chain(part.chars()).enumerate() {
        let digit = u64::from(digit.to_digit(16)?);
        if value >> 60 == 0 {
            value = (value << 4) | digit;
        } else {
            // Of digits that have no room it counts for the rounding whether they are all 0.
            value |= u64::from(digit != 0);
            scale += 4;
        }
        if place >= whole.len() {
            scale -= 4;
        }
    }
    Some(scaled(value as f64, scale + exponent))
}

/// The exponent behind a `p`; one that is too long for a number is one that no number has either.
fn power(text: &str) -> Option<i64> {
    let text = text.strip_suffix(['f', 'l']).unwrap_or(text);
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let size: i32 = digits.parse().unwrap_or(i32::MAX);
    let size = i64::from(size);
    Some(if text.starts_with('-') { -size } else { size })
}

/// A number times a power of 2, rounded once.
fn scaled(mut number: f64, exponent: i64) -> f64 {
    const STEP: i64 = 1000;
    let mut exponent = exponent.clamp(-3 * STEP, 3 * STEP);
    while exponent.abs() > STEP {
        let step = STEP * exponent.signum();
        number *= 2f64.powi(step as i32);
        exponent -= step;
    }
    number * 2f64.powi(exponent as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers() {
        for (text, value) in [
            ("0", 0),
            ("7u", 7),
            ("42ULL", 42),
            ("42llu", 42),
            ("017", 15),
            ("0L", 0),
            ("0xfF", 255),
            ("0X10ul", 16),
            ("9223372036854775807", i64::MAX),
            ("0x8000000000000000", i64::MIN),
            ("18446744073709551615", -1),
            // One more, and many more.
            ("18446744073709551616", -1),
            ("99999999999999999999999999", -1),
            ("0xfffffffffffffffff", -1),
        ] {
            assert_eq!(number(text), Some(Number::Integer(value)), "{text}");
        }
    }

    #[test]
    fn doubles() {
        for (text, value) in [
            ("1.5", 1.5),
            (".5", 0.5),
            ("5.", 5.0),
            ("08.5", 8.5),
            ("1e3", 1000.0),
            ("1.e-3F", 0.001),
            ("2E+2l", 200.0),
            ("1e999", f64::INFINITY),
            ("0x1p4", 16.0),
            ("0x1.8", 1.5),
            ("0x.8p1", 1.0),
            ("0x1.8p-1f", 0.75),
            ("0x1.8f", 1.558_593_75),
            ("0x8.l", 8.0),
            ("0x1p-1074", f64::from_bits(1)),
            ("0x1p-1075", 0.0),
            ("0x1p1024", f64::INFINITY),
            ("0x1p99999999999", f64::INFINITY),
            // Half of a unit in the last place is rounded to even, more than half up.
            ("0x1.00000000000008", 1.0),
            ("0x1.00000000000008000000000000000001", 1.0 + f64::EPSILON),
            ("0x100000000000000000000p-80", 1.0),
        ] {
            assert_eq!(number(text), Some(Number::Double(value)), "{text}");
        }
    }

    #[test]
    fn no_numbers() {
        for text in [
            "08",
            "0x",
            "0xg",
            "12abc",
            "1u1",
            "1lul",
            "1e",
            "1.5.2",
            "1.5u",
            "1e+",
            "0x.p3",
            "0x1p",
            "0x1p+",
            "0x1.8p1.5",
            "0b1",
            "1_000",
            "1:",
            ".",
            "1f",
            "0x1.g",
            "1lL",
            "1uLl",
        ] {
            assert_eq!(number(text), None, "{text}");
        }
    }
}
