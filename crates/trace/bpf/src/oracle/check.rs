//! Compares the interpreter with the oracle.
#![expect(unsafe_code, reason = "events have addresses of texts")]

use alloc::vec::Vec;

use super::guarded::{Guarded, PAGE};
use super::made::Made;
use super::{Addresses, Datum, run};
use crate::interpreter::judge;
use crate::lower::lower;
use crate::lowered::Lowered;
use crate::place::{Context, Place};
use crate::program::Verdict;
use crate::verifier::verify;

/// Bytes between a text and memory that cannot be read. With the last one, texts of some bytes lie on two pages.
const BEFORE_END: [usize; 6] = [0, 1, 7, 8, 300, 4090];

/// The verdict on an event with these values. Each text lies so many bytes before memory that cannot be read. With
/// `nofault`, it is passed as one that may not be there.
pub fn judged(lowered: &Lowered, data: &[Datum], before_end: usize, nofault: bool) -> Verdict {
    let mut memory = Vec::new();
    let (mut places, mut words) = (Vec::new(), Vec::new());
    for datum in data {
        let at = words.len() as u8;
        let mut put = |bytes: &[u8]| {
            let mut guarded = Guarded::new();
            let address = guarded.put(bytes, before_end);
            memory.push(guarded);
            address
        };
        places.push(match datum {
            Datum::Integer(word) | Datum::Double(word) => {
                words.push(*word);
                Place::Number(at)
            }
            Datum::Single(bits) => {
                // What is above is nobody's.
                words.push(u64::from(*bits) | 0xabcd << 32);
                Place::Single(at)
            }
            Datum::Terminated(text) => {
                words.push(
                    text.as_ref()
                        .map_or(0, |text| put(&[text.as_slice(), &[0]].concat())),
                );
                if nofault {
                    Place::TerminatedNofault(at)
                } else {
                    Place::Terminated(at)
                }
            }
            Datum::Counted(text) => {
                words.push(text.as_ref().map_or(0, |text| put(text)));
                words.push(text.as_ref().map_or(5, |text| text.len() as u64));
                if nofault {
                    Place::CountedNofault(at)
                } else {
                    Place::Counted(at)
                }
            }
        });
    }
    let context = Context {
        read,
        ..Context::default()
    };
    // SAFETY: the texts are where the words say.
    unsafe { judge(lowered, &places, &words, &context) }
}

/// Copies what can be read, in two parts, as the kernel copies all of one or nothing.
fn read(address: u64, to: &mut [u8]) -> usize {
    let part = |address: u64, bytes| libc::iovec {
        iov_base: address as *mut _,
        iov_len: bytes,
    };
    let first = to.len().min(PAGE - address as usize % PAGE);
    let remote = [
        part(address, first),
        part(address.wrapping_add(first as u64), to.len() - first),
    ];
    let local = part(to.as_mut_ptr() as u64, to.len());
    // SAFETY: it writes no more than the bytes of `to`.
    let read = unsafe { libc::process_vm_readv(libc::getpid(), &local, 1, remote.as_ptr(), 2, 0) };
    usize::try_from(read).unwrap_or(0)
}

/// Makes a program of any bytes, and returns whether it was accepted.
///
/// # Panics
/// If a program that was accepted does harm, if its verdict depends on addresses, or if the interpreter does not judge
/// as the oracle does.
pub fn check(input: &[u8]) -> bool {
    let made = Made::of(input);
    let imports = made.imports();
    let program = made.program(&imports);
    let Ok(verified) = verify(&program) else {
        return false;
    };
    let lowered = lower(&verified);
    let expected = run(&program, &made.data, Addresses::FIRST);
    let verdict = expected.unwrap_or_else(|harm| panic!("{harm:?} is done by {made}"));
    assert_eq!(
        run(&program, &made.data, Addresses::SECOND),
        expected,
        "the addresses are seen by {made}"
    );
    // No text has more bytes than those that are recorded.
    let places = BEFORE_END.map(|before_end| (before_end, false));
    for (before_end, nofault) in places.into_iter().chain([(0, true)]) {
        let judged = judged(&lowered, &made.data, before_end, nofault);
        assert_eq!(
            judged, verdict,
            "{before_end} bytes before the end, nofault {nofault}, {made}{lowered:#?}"
        );
    }
    true
}
