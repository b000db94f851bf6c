//! What of an object is mapped, and copies of it.
#![expect(unsafe_code, reason = "sections of other objects are read in place")]

use std::ffi::CStr;
use std::ops::Range;
use std::ptr;

/// What of an object is mapped, and how.
pub struct Memory {
    /// All of it.
    pub readable: Vec<Range<usize>>,
    /// Its code.
    pub executable: Vec<Range<usize>>,
    /// Its data.
    pub writable: Vec<Range<usize>>,
}

/// Whether a part lies in one of some ranges.
pub fn within(ranges: &[Range<usize>], part: &Range<usize>) -> bool {
    let mut ranges = ranges.iter();
    part.start <= part.end && ranges.any(|range| range.start <= part.start && part.end <= range.end)
}

impl Memory {
    /// Whether a part can be read.
    pub fn holds_readable(&self, part: &Range<usize>) -> bool {
        within(&self.readable, part)
    }

    /// A copy of what lies at an address, of a type for which any bytes are a value.
    pub fn read<T: Copy>(&self, address: usize) -> Option<T> {
        let end = address.checked_add(size_of::<T>())?;
        // SAFETY: it is mapped and readable; numbers have no invalid values.
        self.holds_readable(&(address..end))
            .then(|| unsafe { ptr::read_unaligned(address as *const T) })
    }

    /// The text that begins at an address and ends with a zero byte.
    pub fn text(&self, address: usize) -> Option<&'static str> {
        const LONGEST: usize = 16 * 1024;
        let mut ranges = self.readable.iter();
        let range = ranges.find(|range| range.contains(&address))?;
        let length = (range.end - address).min(LONGEST);
        // SAFETY: it is mapped and readable, and as the sections of code not written to.
        let bytes = unsafe { std::slice::from_raw_parts(address as *const u8, length) };
        CStr::from_bytes_until_nul(bytes).ok()?.to_str().ok()
    }
}
