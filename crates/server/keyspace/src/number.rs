//! Integers as Redis reads and writes them: in the one canonical form.

/// The most bytes of an integer: the sign and 19 digits.
pub const MOST_DIGITS: usize = 20;

/// The integer that these bytes are the canonical form of: no sign but one minus, no zero in front, no space.
pub fn integer(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    let canonical = match digits {
        [b'0'] => !negative,
        [b'1'..=b'9', ..] => digits.len() < MOST_DIGITS,
        _ => false,
    };
    if !canonical {
        return None;
    }
    let mut number = 0i64;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        let digit = i64::from(digit - b'0');
        // The smallest integer has no positive counterpart, so the digits of a negative one are subtracted.
        number = number.checked_mul(10)?;
        number = if negative {
            number.checked_sub(digit)?
        } else {
            number.checked_add(digit)?
        };
    }
    Some(number)
}

/// An integer's canonical form, in a buffer on the stack.
#[derive(Debug, Clone, Copy)]
pub struct Digits {
    buffer: [u8; MOST_DIGITS],
    start: u8,
}

impl Digits {
    /// The form of this integer.
    pub fn of(number: i64) -> Self {
        let mut buffer = [0; MOST_DIGITS];
        let mut start = MOST_DIGITS;
        let mut rest = number.unsigned_abs();
        loop {
            start -= 1;
            buffer[start] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        if number < 0 {
            start -= 1;
            buffer[start] = b'-';
        }
        Self {
            buffer,
            start: start as u8,
        }
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.buffer[usize::from(self.start)..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_read_as_they_are_written() {
        for number in [0, 1, -1, 9, 10, -10, 1234567890, i64::MAX, i64::MIN] {
            assert_eq!(Digits::of(number).bytes(), number.to_string().as_bytes());
            assert_eq!(integer(Digits::of(number).bytes()), Some(number));
        }
    }

    #[test]
    fn other_forms_are_no_integers() {
        for text in [
            "",
            "-",
            "-0",
            "+1",
            "01",
            " 1",
            "1 ",
            "1.0",
            "9223372036854775808",
            "-9223372036854775809",
            "99999999999999999999",
        ] {
            assert_eq!(integer(text.as_bytes()), None, "{text:?}");
        }
    }
}
