//! Digits of integers, two for each division.

/// The digits of all numbers below a hundred.
static PAIRS: [u8; 200] = pairs();

const fn pairs() -> [u8; 200] {
    let mut digits = [b'0'; 200];
    let mut number = 0;
    while number < 100 {
        digits[2 * number] += (number / 10) as u8;
        digits[2 * number + 1] += (number % 10) as u8;
        number += 1;
    }
    digits
}

/// The bytes that a number of 64 bits needs at most, with its sign.
pub const LONGEST: usize = 20;

/// Writes a number in front of `end`, and returns where it begins.
///
/// # Panics
///
/// If there are fewer than [`LONGEST`] bytes in front of `end`, and the number needs more than these.
#[inline]
pub fn write_before(buffer: &mut [u8], end: usize, number: i64) -> usize {
    let mut rest = number.unsigned_abs();
    let mut begin = end;
    while rest >= 100 {
        begin -= 2;
        put_pair(buffer, begin, rest % 100);
        rest /= 100;
    }
    if rest >= 10 {
        begin -= 2;
        put_pair(buffer, begin, rest);
    } else {
        begin -= 1;
        buffer[begin] = b'0' + rest as u8;
    }
    if number < 0 {
        begin -= 1;
        buffer[begin] = b'-';
    }
    begin
}

#[inline]
fn put_pair(buffer: &mut [u8], at: usize, number: u64) {
    let from = 2 * number as usize;
    buffer[at..at + 2].copy_from_slice(&PAIRS[from..from + 2]);
}
