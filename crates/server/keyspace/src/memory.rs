//! Allocations, and the bytes that they really take.
#![expect(unsafe_code, reason = "objects of many sizes are allocated by hand")]

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ptr::NonNull;

/// Bytes that the allocator keeps in front of each allocation.
const HEADER: usize = 8;

/// What freed memory is filled with in debug builds, so that a reader that still looks at it is found.
const POISON: u8 = 0xdb;

/// Memory for an object of a header and a tail of bytes.
///
/// # Panics
/// If it would be larger than `isize::MAX`.
pub(crate) fn allocate<H>(tail: usize) -> NonNull<u8> {
    let layout = layout::<H>(tail);
    debug_assert!(layout.size() > 0, "each object has a header");
    // SAFETY: the header has a size.
    let address = unsafe { alloc(layout) };
    NonNull::new(address).unwrap_or_else(|| handle_alloc_error(layout))
}

/// Frees what [`allocate`] gave.
///
/// # Safety
/// `allocate` gave it for the same header and tail, and nobody uses it any more.
pub(crate) unsafe fn free<H>(object: NonNull<u8>, tail: usize) {
    let layout = layout::<H>(tail);
    if cfg!(debug_assertions) {
        // SAFETY: the object has this size, and nobody uses it.
        unsafe { object.write_bytes(POISON, layout.size()) };
    }
    // SAFETY: as the caller promises.
    unsafe { dealloc(object.as_ptr(), layout) };
}

/// The bytes that an object takes of the heap: what malloc gave, which may be more than was asked for, and its header.
///
/// # Safety
/// The system's allocator gave the object, and nobody has freed it. `asked` is the size that was asked for.
pub(crate) unsafe fn taken(object: *const u8, asked: usize) -> usize {
    if cfg!(miri) {
        return asked + HEADER;
    }
    // SAFETY: as the caller promises.
    unsafe { libc::malloc_usable_size(object.cast_mut().cast()) + HEADER }
}

/// The layout of a header and its tail.
pub(crate) fn layout<H>(tail: usize) -> Layout {
    size_of::<H>()
        .checked_add(tail)
        .and_then(|size| Layout::from_size_align(size, align_of::<H>()).ok())
        .expect("an object is smaller than the address space")
}
