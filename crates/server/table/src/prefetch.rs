//! A hint to the processor.
#![expect(unsafe_code, reason = "prefetching is an instruction")]

/// Asks for the cache line at an address. Nothing happens where perflab does not know the instruction.
#[inline(always)]
pub fn prefetch<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: it is a hint, which the processor ignores if the address cannot be read.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}
