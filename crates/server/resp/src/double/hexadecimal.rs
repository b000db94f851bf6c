//! Hexadecimal numbers of C, such as `0x1.8p3`.

/// What is added to the exponent of two in the bits of a number.
const BIAS: i64 = 1023;
/// The highest exponent of two, that of the first bit of the largest number.
const HIGHEST: i64 = 1023;
/// The exponent of two of the smallest number that has all bits.
const LOWEST: i64 = -1022;
/// The bits of a number.
const BITS: i64 = 53;
/// No exponent that a text can have makes up for this one.
const FAR: i64 = 1 << 40;

/// Reads what is behind the `0x`. A number that is too large is refused, and so is one that would become 0.
pub fn parse(text: &[u8]) -> Option<f64> {
    let mut scanned = Scanned::default();
    let mut has_digit = false;
    let mut has_point = false;
    for (place, byte) in text.iter().enumerate() {
        match byte {
            b'.' if !has_point => has_point = true,
            b'p' | b'P' => {
                scanned.exponent += exponent(&text[place + 1..])?;
                break;
            }
            _ => {
                let digit = char::from(*byte).to_digit(16)?;
                scanned.push(u64::from(digit), has_point);
                has_digit = true;
            }
        }
    }
    if has_digit { scanned.rounded() } else { None }
}

/// The exponent behind a `p`: a sign or none, and digits.
fn exponent(text: &[u8]) -> Option<i64> {
    let (is_negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    if digits.is_empty() {
        return None;
    }
    let mut size = 0;
    for byte in digits {
        let digit = char::from(*byte).to_digit(10)?;
        size = FAR.min(10 * size + i64::from(digit));
    }
    Some(if is_negative { -size } else { size })
}

/// The number `mantissa * 2^exponent`, and a bit more if `has_more`.
#[derive(Default)]
struct Scanned {
    mantissa: u64,
    exponent: i64,
    has_more: bool,
}

impl Scanned {
    fn push(&mut self, digit: u64, is_behind_point: bool) {
        let has_room = self.mantissa >> 60 == 0;
        if has_room {
            self.mantissa = (self.mantissa << 4) | digit;
        } else {
            self.has_more |= digit != 0;
        }
        self.exponent += match (has_room, is_behind_point) {
            (true, true) => -4,
            (false, false) => 4,
            _ => 0,
        };
    }

    /// The nearest number of 64 bits; of two that are as near, the even one.
    fn rounded(&self) -> Option<f64> {
        if self.mantissa == 0 {
            return Some(0.0);
        }
        // The first bit is made the highest of the 64.
        let shift = self.mantissa.leading_zeros();
        let mantissa = u128::from(self.mantissa << shift);
        let exponent = self.exponent - i64::from(shift);
        let highest = exponent + 63;
        if highest > HIGHEST {
            return None;
        }
        // Numbers below the smallest with all bits have fewer. One without any may still be rounded up to one.
        let bits = BITS - (LOWEST - highest).max(0);
        if bits < 0 {
            return None;
        }
        let dropped = 64 - bits;
        let rest = mantissa & ((1_u128 << dropped) - 1);
        let half = 1_u128 << (dropped - 1);
        let mut kept = mantissa >> dropped;
        if rest > half || (rest == half && (self.has_more || kept % 2 == 1)) {
            kept += 1;
        }
        // Both are exact, and so is their product, as the bits were counted for it.
        let number = kept as f64 * power_of_two(exponent + dropped);
        (number.is_finite() && number != 0.0).then_some(number)
    }
}

/// A power of two from the smallest that there is, 2^-1074, to 2^1023.
fn power_of_two(exponent: i64) -> f64 {
    let bits = if exponent < LOWEST {
        1_i64 << (exponent + 1074)
    } else {
        (exponent + BIAS) << 52
    };
    f64::from_bits(bits as u64)
}
