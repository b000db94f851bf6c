//! Words that are a pointer and a small number: addresses have 48 bits, and the number has the other 16.

#[cfg(not(target_pointer_width = "64"))]
compile_error!("the table keeps a tag in the upper 16 bits of a pointer, so pointers need 64 bits");

/// Bits of an address. A program gets longer ones only if it asks the kernel for them.
const ADDRESS_BITS: u32 = 48;

const ADDRESS: usize = (1 << ADDRESS_BITS) - 1;

/// The word.
///
/// # Panics
/// If the address has more than 48 bits.
#[inline(always)]
pub fn pack<T>(pointer: *mut T, number: u16) -> *mut T {
    assert!(
        pointer.addr() <= ADDRESS,
        "an address of more than 48 bits: {pointer:p}"
    );
    pointer.map_addr(|address| address | usize::from(number) << ADDRESS_BITS)
}

/// The number in a word.
#[inline(always)]
pub fn number<T>(word: *mut T) -> u16 {
    (word.addr() >> ADDRESS_BITS) as u16
}

/// The pointer in a word.
#[inline(always)]
pub fn pointer<T>(word: *mut T) -> *mut T {
    word.map_addr(|address| address & ADDRESS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr;

    #[test]
    fn a_word_is_taken_apart() {
        let mut value = 3u32;
        for number_in in [0, 1, 0x8000, u16::MAX] {
            let word = pack(&raw mut value, number_in);
            assert_eq!((number(word), pointer(word)), (number_in, &raw mut value));
        }
        assert!(pointer(pack(ptr::null_mut::<u32>(), 7)).is_null());
    }

    #[test]
    #[should_panic(expected = "more than 48 bits")]
    fn a_long_address_is_refused() {
        pack(ptr::without_provenance_mut::<u32>(1 << 48), 0);
    }
}
