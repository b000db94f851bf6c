//! Texts of the traced program, compared where they are.
//!
//! Nothing is read that `strcmp` might not read: a byte is read if all before it are there and none of them is zero, or
//! if the text has so many bytes; and with a byte that can be read, those behind it on the same page.
#![expect(
    unsafe_code,
    reason = "texts are read at addresses that the program passes"
)]

/// Bytes that can be read behind a literal.
pub(crate) const SLACK: usize = 8;

/// The smallest size of pages: where one can be read, the next may not be.
pub(crate) const PAGE: usize = 4096;

/// The length of a text that ends with a zero, wherever that is.
const ENDLESS: usize = usize::MAX;

/// How a text is compared with a literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextTest {
    /// It is equal.
    Is,
    /// It begins with it.
    Begins,
    /// It matches it as a pattern, in which a zero matches any bytes.
    Matches,
}

/// A text that is there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Text {
    start: *const u8,
    most: usize,
}

impl Text {
    /// The text at an address, which ends with a zero. None at null.
    #[inline(always)]
    pub fn terminated(address: u64) -> Option<Self> {
        (address != 0).then_some(Self {
            start: address as *const u8,
            most: ENDLESS,
        })
    }

    /// The text at an address that has so many bytes. None at null, but for no bytes.
    #[inline(always)]
    pub fn counted(address: u64, length: u64) -> Option<Self> {
        (address != 0 || length == 0).then_some(Self {
            start: address as *const u8,
            // With the largest length, which is a mistake of the program, it would be one that ends with a zero.
            most: (length as usize).min(ENDLESS - 1),
        })
    }

    /// Whether it passes a test with a literal, which has [`SLACK`] bytes behind it. The literal has zeros only in a
    /// pattern.
    ///
    /// # Safety
    /// The text is there: up to a zero, or as many bytes as it has.
    #[inline(always)]
    pub unsafe fn passes(self, how: TextTest, padded: &[u8]) -> bool {
        let bytes = padded.len().saturating_sub(SLACK);
        // SAFETY: what the caller promises. A literal without zeros is compared up to its end or the text's, as a zero
        // differs from it; and the byte behind it is read if the text has one.
        unsafe {
            match how {
                TextTest::Is if self.most == ENDLESS => begins(self.start, padded, bytes, 1),
                TextTest::Is => {
                    bytes <= self.most
                        && begins(self.start, padded, bytes, 0)
                        && self.byte(bytes).is_none()
                }
                TextTest::Begins => bytes <= self.most && begins(self.start, padded, bytes, 0),
                TextTest::Matches => self.matches(padded.get(..bytes).unwrap_or_default()),
            }
        }
    }

    /// Whether it has the same bytes as another one.
    ///
    /// # Safety
    /// Both are there.
    pub unsafe fn is_same(self, other: Self) -> bool {
        let mut at = 0;
        loop {
            // SAFETY: both have `at` bytes, none of which is zero.
            let (one, other) = unsafe { (self.byte(at), other.byte(at)) };
            if one != other || one.is_none() {
                return one == other;
            }
            at += 1;
        }
    }

    /// The byte at an index, from 0. The zeros of a text with a length are bytes like others.
    ///
    /// # Safety
    /// It is there.
    pub unsafe fn at(self, index: u64) -> Option<u8> {
        let index = usize::try_from(index).ok()?;
        if self.most == ENDLESS {
            // SAFETY: none before is zero.
            return (0..=index).try_fold(0, |_, at| unsafe { self.byte(at) });
        }
        // SAFETY: the text has so many bytes.
        (index < self.most).then(|| unsafe { self.start.wrapping_add(index).read() })
    }

    /// The byte at an index; none at the end of the text.
    ///
    /// # Safety
    /// The text is there, and has so many bytes before, none of which is zero.
    #[inline(always)]
    unsafe fn byte(self, at: usize) -> Option<u8> {
        if at == self.most {
            return None;
        }
        // SAFETY: what the caller promises: it is one of the text's bytes, or its zero.
        let byte = unsafe { self.start.wrapping_add(at).read() };
        (byte != 0).then_some(byte)
    }

    /// Whether it matches a pattern, in which a zero matches any bytes. Where a part differs, the last zero before
    /// it takes one byte more.
    ///
    /// # Safety
    /// It is there.
    #[inline(never)]
    unsafe fn matches(self, pattern: &[u8]) -> bool {
        let (mut at, mut part) = (0, 0);
        let mut again = None;
        loop {
            // SAFETY: only behind a byte that is not zero is another one read.
            let byte = unsafe { self.byte(at) };
            match (pattern.get(part), byte) {
                (Some(0), _) => {
                    part += 1;
                    if part == pattern.len() {
                        return true;
                    }
                    again = Some((at, part));
                }
                (Some(wanted), Some(byte)) if *wanted == byte => {
                    at += 1;
                    part += 1;
                }
                (None, None) => return true,
                // Nothing is left for the rest of the pattern.
                (Some(_), None) => return false,
                (_, Some(_)) => {
                    let Some((from, then)) = again else {
                        return false;
                    };
                    again = Some((from + 1, then));
                    (at, part) = (from + 1, then);
                }
            }
        }
    }
}

/// Whether a text begins with the bytes of a literal, none of which is zero, and then `zeros` zeros, 0 or 1.
///
/// # Safety
/// If there is anything to compare, the first byte can be read, and so can each behind one that is not zero, as far as
/// is compared.
#[inline(always)]
unsafe fn begins(start: *const u8, padded: &[u8], bytes: usize, zeros: usize) -> bool {
    let (mut at, mut left) = (start, bytes);
    let (blocks, _) = padded.as_chunks::<8>();
    for block in blocks {
        let block = u64::from_le_bytes(*block);
        if left < 8 {
            let last = block & ((1_u64 << (8 * left)) - 1);
            // SAFETY: all before is equal, so none of it is zero.
            return left + zeros == 0 || unsafe { is_equal(at, last, left + zeros) };
        }
        // SAFETY: as above.
        if !unsafe { is_equal(at, block, 8) } {
            return false;
        }
        at = at.wrapping_add(8);
        left -= 8;
    }
    // There is always a block with fewer than eight bytes of the literal, as there are bytes behind it.
    false
}

/// Whether the first bytes, 1 to 8, are those of a word.
///
/// # Safety
/// The first byte can be read, and so can each behind one that is not zero, as far as is compared. Only the last byte
/// of the word that is compared may be zero.
#[inline(always)]
unsafe fn is_equal(at: *const u8, word: u64, bytes: usize) -> bool {
    if at.addr() % PAGE > PAGE - 8 {
        // SAFETY: what the caller promises.
        return unsafe { is_equal_bytewise(at, word, bytes) };
    }
    // SAFETY: all eight are on the page of the first, which can be read.
    let read = unsafe { at.cast::<u64>().read_unaligned() };
    (read ^ word) << (64 - 8 * bytes) == 0
}

/// # Safety
/// As [`is_equal`].
#[cold]
unsafe fn is_equal_bytewise(at: *const u8, word: u64, bytes: usize) -> bool {
    // SAFETY: all before are equal, so none of them is zero.
    (0..bytes).all(|byte| unsafe { at.wrapping_add(byte).read() } == (word >> (8 * byte)) as u8)
}
