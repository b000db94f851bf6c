//! A number as text, without an allocation.

use std::fmt::{self, Write};

use crate::decimal::write_before;

/// The bytes that a text has at most. The longest is that of -2.2250738585072014e-308.
const LONGEST: usize = 24;
/// The digits that are printed at most, as so many tell any two numbers apart.
const DIGITS: i32 = 17;
/// Below this power of ten an exponent is printed.
const LOWEST_FIXED: i32 = -4;

/// The text of a floating-point number. It is ASCII.
#[derive(Clone, Copy, Debug)]
pub struct Text {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Text {
    pub(super) fn new(number: f64) -> Self {
        if let Some(whole) = whole(number) {
            let mut bytes = [0; LONGEST];
            let begin = write_before(&mut bytes, LONGEST, whole);
            bytes.copy_within(begin.., 0);
            let length = LONGEST - begin;
            return Self { bytes, length };
        }
        if number.is_nan() {
            return Self::of(format_args!("nan"));
        }
        if number.is_infinite() {
            return Self::of(format_args!(
                "{}",
                if number > 0.0 { "inf" } else { "-inf" }
            ));
        }
        Self::of_digits(number)
    }

    /// The text.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    fn empty() -> Self {
        Self {
            bytes: [0; LONGEST],
            length: 0,
        }
    }

    fn of(arguments: fmt::Arguments<'_>) -> Self {
        let mut text = Self::empty();
        text.write_fmt(arguments)
            .expect("the longest text was taken for the size");
        text
    }

    /// The 17 digits of a number and its exponent, arranged as C does it.
    fn of_digits(number: f64) -> Self {
        // Such a text is -D.DDDDDDDDDDDDDDDDe-XXX. Rust rounds to the nearest one, and to even digits in the middle.
        let scientific = Self::of(format_args!("{:.16e}", number.abs()));
        let (mantissa, exponent) = scientific.parts();
        let mut digits = [0; DIGITS as usize];
        digits[0] = mantissa[0];
        digits[1..].copy_from_slice(&mantissa[2..]);
        let significant = digits
            .iter()
            .rposition(|digit| *digit != b'0')
            .map_or(1, |last| last + 1);
        let digits = &digits[..significant];

        let mut text = Self::empty();
        if number.is_sign_negative() {
            text.push(b"-");
        }
        if (LOWEST_FIXED..DIGITS).contains(&exponent) {
            text.push_fixed(digits, exponent);
        } else {
            text.push_scientific(digits, exponent);
        }
        text
    }

    /// What is before and behind the `e`.
    fn parts(&self) -> (&[u8], i32) {
        let text = std::str::from_utf8(self.as_bytes()).expect("it is ASCII");
        let (mantissa, exponent) = text.split_once('e').expect("it has an exponent");
        let exponent = exponent.parse().expect("the exponent is a number");
        (mantissa.as_bytes(), exponent)
    }

    fn push_fixed(&mut self, digits: &[u8], exponent: i32) {
        let Ok(last) = usize::try_from(exponent) else {
            self.push(b"0.");
            for _ in exponent + 1..0 {
                self.push(b"0");
            }
            self.push(digits);
            return;
        };
        let before = digits.len().min(last + 1);
        self.push(&digits[..before]);
        for _ in before..=last {
            self.push(b"0");
        }
        if before < digits.len() {
            self.push(b".");
            self.push(&digits[before..]);
        }
    }

    fn push_scientific(&mut self, digits: &[u8], exponent: i32) {
        self.push(&digits[..1]);
        if digits.len() > 1 {
            self.push(b".");
            self.push(&digits[1..]);
        }
        self.push(if exponent < 0 { b"e-" } else { b"e+" });
        let mut buffer = [b'0'; LONGEST];
        let begin = write_before(&mut buffer, LONGEST, i64::from(exponent.abs()));
        // C prints two digits of an exponent or more.
        self.push(&buffer[begin.min(LONGEST - 2)..]);
    }

    fn push(&mut self, bytes: &[u8]) {
        self.bytes[self.length..][..bytes.len()].copy_from_slice(bytes);
        self.length += bytes.len();
    }
}

impl Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let free = self.bytes[self.length..].get_mut(..text.len());
        free.ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.length += text.len();
        Ok(())
    }
}

/// A number that is an integer of up to 15 digits, which print without a point or an exponent. Zero with a minus sign is
/// none.
fn whole(number: f64) -> Option<i64> {
    const BOUND: f64 = 1e15;
    let is_small = number.abs() < BOUND;
    let whole = number as i64;
    let is_whole = is_small && whole as f64 == number;
    let is_negative_zero = whole == 0 && number.is_sign_negative();
    (is_whole && !is_negative_zero).then_some(whole)
}
