//! Texts that may not be there: the kernel copies them, so that an address that cannot be read ends nothing.
#![expect(
    unsafe_code,
    reason = "the kernel is asked by its own instruction: a function of the C library would change the program's errno"
)]

use std::arch::asm;

use perflab_abi::FEW_ARGUMENTS;
use perflab_abi::recording::LONGEST_TEXT;

use super::forms::{
    COUNTED, COUNTED_NOFAULT, FORM, FORM_BITS, MOST_WORDS, TERMINATED, TERMINATED_NOFAULT,
};
use crate::pages::PAGE;

/// A byte more than is kept, to see whether there are more.
pub const LOOKED_AT: usize = LONGEST_TEXT + 1;

/// A probe's description as a trace has it: what was read is a text like others.
pub fn recorded_as(text: &str) -> String {
    let lines = text.split('\n').enumerate().map(|(index, line)| {
        let plain = || {
            let (kind, name) = line.split_once(' ')?;
            Some(format!("{} {name}", kind.strip_suffix("_nofault")?))
        };
        // Arguments come behind provider, name, file and line.
        let plain = if index < 4 { None } else { plain() };
        plain.unwrap_or_else(|| line.to_owned())
    });
    lines.collect::<Vec<String>>().join("\n")
}

/// Copies such texts, as far as they can be read, and passes on what says of all arguments how they are passed, words
/// that have the addresses of the copies, and whether something was left out.
#[cold]
#[inline(never)]
pub fn copied(packed: u64, words: &[u64], record: impl FnOnce(u64, &[u64], bool)) {
    let mut copies = [[0u8; LOOKED_AT + 1]; FEW_ARGUMENTS];
    let mut all = [0; MOST_WORDS];
    let Some(given) = all.get_mut(..words.len()) else {
        return;
    };
    given.copy_from_slice(words);
    let (mut plain, mut is_cut) = (packed, false);
    let mut at = 0;
    for (index, copy) in copies.iter_mut().enumerate() {
        let shift = 24 + FORM_BITS * index;
        let form = packed >> shift & FORM;
        let counted = matches!(form, COUNTED | COUNTED_NOFAULT);
        if form >= TERMINATED_NOFAULT {
            let becomes = if counted { COUNTED } else { TERMINATED };
            plain = plain & !(FORM << shift) | becomes << shift;
        }
        match given.get_mut(at..) {
            Some([address, ..]) if form == TERMINATED_NOFAULT && *address != 0 => {
                let (kept, is_short) = terminated(*address, &mut copy[..LOOKED_AT]);
                is_cut |= is_short;
                copy[kept] = 0;
                *address = copy.as_ptr() as u64;
            }
            Some([address, length, ..]) if form == COUNTED_NOFAULT && *address != 0 => {
                let (kept, is_short) = of_length(*address, *length, &mut copy[..LONGEST_TEXT]);
                is_cut |= is_short;
                (*address, *length) = (copy.as_ptr() as u64, kept as u64);
            }
            _ => {}
        }
        at += if counted { 2 } else { 1 };
    }
    record(plain, given, is_cut);
}

/// Copies a text that ends with a zero byte, of which one byte less is kept than there is room for. Returns how many are,
/// and whether others were left out.
pub fn terminated(address: u64, to: &mut [u8]) -> (usize, bool) {
    let read = read(address, to);
    let end = to.iter().take(read).position(|byte| *byte == 0);
    let most = to.len().saturating_sub(1);
    (end.unwrap_or(read.min(most)), end.is_none())
}

/// The same of a text with a length, of which as much is kept as there is room for.
pub fn of_length(address: u64, length: u64, to: &mut [u8]) -> (usize, bool) {
    let wanted = usize::try_from(length).unwrap_or(usize::MAX);
    let most = wanted.min(to.len());
    let read = read(address, &mut to[..most]);
    (read, read < wanted)
}

/// Copies what can be read from an address on, and returns how many bytes that is.
pub fn read(address: u64, to: &mut [u8]) -> usize {
    #[repr(C)]
    struct Part(u64, usize);
    let first = to.len().min(PAGE - address as usize % PAGE);
    let local = Part(to.as_mut_ptr() as u64, to.len());
    // In two parts, as the kernel copies all of one or nothing.
    let remote = [
        Part(address, first),
        Part(address.wrapping_add(first as u64), to.len() - first),
    ];
    // SAFETY: it takes nothing.
    let this = unsafe { call(libc::SYS_getpid, [0; 6]) };
    let parts = if remote[1].1 == 0 { 1 } else { 2 };
    let arguments = [
        this as u64,
        &raw const local as u64,
        1,
        remote.as_ptr() as u64,
        parts,
        0,
    ];
    // SAFETY: it writes no more than the bytes of `to`.
    let read = unsafe { call(libc::SYS_process_vm_readv, arguments) };
    usize::try_from(read).map_or(0, |read| read.min(to.len()))
}

/// Asks the kernel.
///
/// # Safety
/// The call does with these arguments nothing that it must not.
unsafe fn call(number: libc::c_long, [a, b, c, d, e, f]: [u64; 6]) -> i64 {
    let result: i64;
    // SAFETY: what the caller promises; the kernel changes these registers only.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number => result,
            in("rdi") a,
            in("rsi") b,
            in("rdx") c,
            in("r10") d,
            in("r8") e,
            in("r9") f,
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::map;

    /// What becomes of words.
    fn kept(packed: u64, words: &[u64]) -> (u64, Vec<Vec<u8>>, bool) {
        let mut result = None;
        copied(packed, words, |packed, words, is_cut| {
            let mut texts = Vec::new();
            let (mut forms, mut words) = (packed >> 24, words.iter());
            while let Some(&word) = words.next() {
                let length = match forms & FORM {
                    TERMINATED if word == 0 => 0,
                    // SAFETY: a copy.
                    TERMINATED => unsafe { super::super::text::length(word as *const u8, 1000) },
                    COUNTED => *words.next().unwrap() as usize,
                    _ => panic!("{packed:o}"),
                };
                // SAFETY: a copy, or no bytes.
                let bytes = (word != 0)
                    .then(|| unsafe { std::slice::from_raw_parts(word as *const u8, length) });
                texts.push(bytes.unwrap_or(b"null").to_vec());
                forms >>= FORM_BITS;
            }
            result = Some((packed, texts, is_cut));
        });
        result.unwrap()
    }

    #[test]
    fn texts_up_to_the_end_of_what_can_be_read() {
        // SAFETY: two new pages, the second of which cannot be read; given back at the end.
        unsafe {
            let pages = map(2 * PAGE, libc::PROT_READ | libc::PROT_WRITE).unwrap();
            libc::mprotect(pages.byte_add(PAGE), PAGE, libc::PROT_NONE);
            let bytes = std::slice::from_raw_parts_mut(pages.cast::<u8>(), PAGE);
            bytes.fill(b'x');
            let end = bytes.as_ptr() as u64 + PAGE as u64;
            let terminated = TERMINATED_NOFAULT << 24 | 7;
            let counted = COUNTED_NOFAULT << 24 | 7;
            for length in [0, 1, 5, 128, 129, 200] {
                let (packed, texts, is_cut) = kept(terminated, &[end - length]);
                assert_eq!((packed, is_cut), (TERMINATED << 24 | 7, true));
                assert_eq!(texts, [vec![b'x'; length.min(128) as usize]]);
                let (packed, texts, is_cut) = kept(counted, &[end - length, length]);
                assert_eq!((packed, is_cut), (COUNTED << 24 | 7, length > 128));
                assert_eq!(texts, [vec![b'x'; length.min(128) as usize]]);
                let (_, texts, is_cut) = kept(counted, &[end - length, length + 1]);
                assert_eq!(
                    (texts, is_cut),
                    (vec![vec![b'x'; length.min(128) as usize]], true)
                );
            }
            bytes[PAGE - 1] = 0;
            for length in [0, 1, 127, 128, 129] {
                let (_, texts, is_cut) = kept(terminated, &[end - 1 - length]);
                assert_eq!(is_cut, length > 128);
                assert_eq!(texts, [vec![b'x'; length.min(128) as usize]]);
            }
            libc::munmap(pages, 2 * PAGE);
        }
    }

    #[test]
    fn addresses_of_nothing() {
        let both = TERMINATED_NOFAULT << 24 | COUNTED_NOFAULT << (24 + FORM_BITS);
        for address in [1, 4095, 1 << 47, 1 << 63, u64::MAX - 3, u64::MAX] {
            let (_, texts, is_cut) = kept(both, &[address, address, u64::MAX]);
            assert_eq!(
                (texts, is_cut),
                (vec![vec![], vec![]], true),
                "{address:#x}"
            );
        }
        let (_, texts, is_cut) = kept(both, &[0, 0, 5]);
        assert_eq!(
            (texts, is_cut),
            (vec![b"null".to_vec(), b"null".to_vec()], false)
        );
    }

    #[test]
    fn a_trace_has_texts() {
        let text = "p\nn\na_nofault b\n1\ncstr_nofault a\ni32 b\nstr_nofault c";
        assert_eq!(
            recorded_as(text),
            "p\nn\na_nofault b\n1\ncstr a\ni32 b\nstr c"
        );
    }
}
