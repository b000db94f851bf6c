//! Numbers in as few bytes as they need: seven bits in each, the lowest first, as in LEB128.

/// Most bytes of a number.
pub const LONGEST: usize = 10;

/// Bytes that have to be free behind the place of a number, however short it is: it is written as one word.
pub const SLACK: usize = 16;

/// Writes an unsigned number and goes behind it; nothing if fewer than [`SLACK`] bytes are free.
///
/// The bytes behind the number, up to eight from its first, are written over with zeros.
#[inline(always)]
pub fn put(to: &mut [u8], at: &mut usize, number: u64) -> Option<()> {
    let place = to.get_mut(*at..)?.first_chunk_mut::<SLACK>()?;
    let (word, length) = if number < 1 << 7 {
        (number, 1)
    } else if number < 1 << 14 {
        ((number & 0x7f) | 0x80 | (number >> 7) << 8, 2)
    } else if number < 1 << 56 {
        spread(number)
    } else {
        *at += put_long(place, number);
        return Some(());
    };
    *place.first_chunk_mut::<8>()? = word.to_le_bytes();
    *at += length;
    Some(())
}

/// The bytes of a number below 2^56 as a word, and how many they are, without a branch.
#[inline(always)]
fn spread(number: u64) -> (u64, usize) {
    // Halves, quarters, then eighths of the 56 bits are moved to where they belong.
    let word = (number & 0x0fff_ffff) | (number & 0x00ff_ffff_f000_0000) << 4;
    let word = (word & 0x0000_3fff_0000_3fff) | (word & 0x0fff_c000_0fff_c000) << 2;
    let word = (word & 0x007f_007f_007f_007f) | (word & 0x3f80_3f80_3f80_3f80) << 1;
    let bits = 64 - (number | 1).leading_zeros();
    let length = bits.div_ceil(7);
    // All bytes but the last say that more follow.
    let more = 0x8080_8080_8080_8080 & ((1u64 << (8 * (length - 1))) - 1);
    (word | more, length as usize)
}

#[cold]
fn put_long(place: &mut [u8; SLACK], mut number: u64) -> usize {
    let mut length = 0;
    for byte in place.iter_mut().take(LONGEST) {
        length += 1;
        if number < 0x80 {
            *byte = number as u8;
            break;
        }
        *byte = number as u8 | 0x80;
        number >>= 7;
    }
    length
}

/// A signed number as an unsigned one, so that those near zero are small (zigzag).
#[inline(always)]
pub fn fold(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

/// Reads an unsigned number, and takes it off the front; nothing if it is cut short or too large.
#[inline]
pub fn take(from: &mut &[u8]) -> Option<u64> {
    let (first, rest) = from.split_first()?;
    if *first < 0x80 {
        *from = rest;
        return Some(u64::from(*first));
    }
    let mut number = 0u64;
    for (index, byte) in from.iter().take(LONGEST).enumerate() {
        let bits = u64::from(byte & 0x7f);
        if index == LONGEST - 1 && bits > 1 {
            return None;
        }
        number |= bits << (7 * index);
        if byte & 0x80 == 0 {
            *from = from.get(index + 1..)?;
            return Some(number);
        }
    }
    None
}

/// Reads a signed number, as [`take`].
#[inline]
pub fn take_signed(from: &mut &[u8]) -> Option<i64> {
    let number = take(from)?;
    Some((number >> 1) as i64 ^ -((number & 1) as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put_simply(to: &mut Vec<u8>, mut number: u64) {
        while number >= 0x80 {
            to.push(number as u8 | 0x80);
            number >>= 7;
        }
        to.push(number as u8);
    }

    #[test]
    fn numbers_of_all_lengths() {
        for shift in 0..64 {
            for number in [1u64 << shift, (1 << shift) - 1, !0 >> shift] {
                let mut expected = Vec::new();
                put_simply(&mut expected, number);
                put_simply(&mut expected, fold(number as i64));
                let mut room = [0xff; 40];
                let mut at = 0;
                put(&mut room, &mut at, number).unwrap();
                put(&mut room, &mut at, fold(number as i64)).unwrap();
                let bytes = &room[..at];
                assert_eq!(bytes, expected);
                let mut rest = bytes;
                assert_eq!(take(&mut rest), Some(number));
                assert_eq!(take_signed(&mut rest), Some(number as i64));
                assert!(rest.is_empty());
                for cut in 0..bytes.len() {
                    let mut rest = &bytes[..cut];
                    let both = take(&mut rest).and_then(|_| take_signed(&mut rest));
                    assert_eq!(both, None);
                }
            }
        }
    }

    #[test]
    fn no_room() {
        let mut at = 1;
        assert_eq!(put(&mut [0; SLACK], &mut at, 1), None);
        assert_eq!(at, 1);
        assert_eq!(put(&mut [0; SLACK + 1], &mut at, u64::MAX), Some(()));
        assert_eq!(at, 11);
    }

    #[test]
    fn a_number_that_is_too_large() {
        let mut rest = [0xff; 10].as_slice();
        assert_eq!(take(&mut rest), None);
        let mut rest = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02].as_slice();
        assert_eq!(take(&mut rest), None);
    }
}
