//! Elements of collections: a key and a value of bytes in one allocation, which never changes.
#![expect(
    unsafe_code,
    reason = "bytes follow their lengths in one allocation, which trees keep by address"
)]

use std::ptr::NonNull;
use std::slice;

use crate::memory;

/// An element: of a list or a set its bytes, of a hash the field and its value, of a sorted set the member and its
/// score.
#[repr(C)]
pub(crate) struct Blob {
    key_len: u32,
    value_len: u32,
    // The bytes of the key follow, then those of the value.
}

impl Blob {
    /// What is looked up: the element, the field or the member.
    pub fn key(&self) -> &[u8] {
        // SAFETY: `Held::new` wrote as many bytes behind the lengths. A blob is only reached by its address, which may
        // be used for the whole allocation.
        unsafe { slice::from_raw_parts(self.tail(), self.key_len as usize) }
    }

    /// The value of a field; empty for elements that have none.
    pub fn value(&self) -> &[u8] {
        // SAFETY: as in `key`, where the value begins.
        unsafe {
            let start = self.tail().add(self.key_len as usize);
            slice::from_raw_parts(start, self.value_len as usize)
        }
    }

    /// The score of a member.
    pub fn score(&self) -> f64 {
        let bytes = self.value().first_chunk();
        debug_assert!(bytes.is_some(), "each member has a score");
        bytes.map_or(0.0, |bytes| f64::from_ne_bytes(*bytes))
    }

    fn tail(&self) -> *const u8 {
        (&raw const *self).wrapping_add(1).cast()
    }

    fn tail_len(&self) -> usize {
        self.key_len as usize + self.value_len as usize
    }
}

/// The address of a blob, as trees hold it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Held(NonNull<Blob>);

// SAFETY: threads share blobs, which never change, and any thread may free one.
unsafe impl Send for Held {}
// SAFETY: as above.
unsafe impl Sync for Held {}

impl Held {
    /// A new blob. Whoever has the address frees it.
    ///
    /// # Panics
    /// If key or value has 4 GiB or more.
    pub fn new(key: &[u8], value: &[u8]) -> Self {
        let length = |bytes: &[u8]| u32::try_from(bytes.len()).expect("an element is below 4 GiB");
        let head = Blob {
            key_len: length(key),
            value_len: length(value),
        };
        let blob = memory::allocate::<Blob>(key.len() + value.len()).cast::<Blob>();
        // SAFETY: the allocation has the size of the header, the key and the value, and is aligned for the header.
        unsafe {
            blob.write(head);
            let tail = blob.add(1).cast::<u8>();
            tail.copy_from_nonoverlapping(NonNull::from(key).cast(), key.len());
            tail.add(key.len())
                .copy_from_nonoverlapping(NonNull::from(value).cast(), value.len());
        }
        Self(blob)
    }

    /// A blob of a member and its score.
    pub fn scored(member: &[u8], score: f64) -> Self {
        Self::new(member, &score.to_ne_bytes())
    }

    /// The blob.
    ///
    /// # Safety
    /// Nobody frees it as long as the reference lives.
    pub unsafe fn blob<'b>(self) -> &'b Blob {
        // SAFETY: the address comes from `new`, and the caller promises the rest.
        unsafe { self.0.as_ref() }
    }

    /// The bytes that it takes of the heap.
    ///
    /// # Safety
    /// Nobody has freed it.
    pub unsafe fn taken(self) -> usize {
        // SAFETY: it is alive, as the caller promises.
        unsafe {
            let asked = size_of::<Blob>() + self.blob().tail_len();
            memory::taken(self.address(), asked)
        }
    }

    /// Its address, for [`free`].
    pub fn address(self) -> *mut u8 {
        self.0.as_ptr().cast()
    }
}

/// Frees a blob.
///
/// # Safety
/// The address is of a blob that nobody uses any more.
pub(crate) unsafe fn free(address: *mut u8) {
    // SAFETY: as the caller promises.
    unsafe {
        let blob = NonNull::new_unchecked(address);
        let tail = blob.cast::<Blob>().as_ref().tail_len();
        memory::free::<Blob>(blob, tail);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blob_keeps_its_bytes() {
        for (key, value) in [("", ""), ("field", ""), ("", "value"), ("field", "value")] {
            let held = Held::new(key.as_bytes(), value.as_bytes());
            // SAFETY: it is alive until `free`.
            unsafe {
                assert_eq!(held.blob().key(), key.as_bytes());
                assert_eq!(held.blob().value(), value.as_bytes());
                assert!(held.taken() >= 16 + key.len() + value.len());
                free(held.address());
            }
        }
        let held = Held::scored(b"m", -1.5);
        // SAFETY: as above.
        unsafe {
            assert_eq!((held.blob().key(), held.blob().score()), (&b"m"[..], -1.5));
            free(held.address());
        }
    }
}
