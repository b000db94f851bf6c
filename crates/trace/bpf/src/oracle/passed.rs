//! Events as a site passes them, made of the values that a program is to see.
#![expect(unsafe_code, reason = "events have addresses of texts")]

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::Datum;
use super::guarded::Guarded;
use super::native::Native;
use crate::interpreter::judge;
use crate::lowered::Lowered;
use crate::place::{Context, Place};
use crate::program::Verdict;
use crate::texts::PAGE;

/// An event, with the memory of its texts.
#[derive(Debug)]
pub struct Passed {
    /// Where the values are, in their order.
    pub places: Vec<Place>,
    /// What the site passes.
    pub words: Vec<u64>,
    _memory: Vec<Guarded>,
}

impl Passed {
    /// An event with these values. Each text lies so many bytes before memory that cannot be read. With `nofault`, it
    /// is passed as one that may not be there.
    pub fn new(data: &[Datum], before_end: usize, nofault: bool) -> Self {
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
                    // The upper half may be anything.
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
        Self {
            places,
            words,
            _memory: memory,
        }
    }

    /// The interpreter's verdict.
    pub fn judged(&self, lowered: &Lowered) -> Verdict {
        let context = Context {
            read,
            ..Context::default()
        };
        // SAFETY: the texts are where the words say.
        unsafe { judge(lowered, &self.places, &self.words, &context) }
    }

    /// Native code of a program for events with these places. Nothing if it has to be interpreted.
    pub fn native(&self, lowered: &Arc<Lowered>) -> Option<Native> {
        Native::new(lowered, &self.places, self.words.len())
    }

    /// The verdict of native code that was made for an event with the same places.
    pub fn judged_by(&self, native: &Native) -> Verdict {
        // SAFETY: the texts are where the words say.
        unsafe { native.judge(&self.words) }
    }
}

/// Copies what can be read, in two parts, as the kernel copies all of one or nothing.
pub fn read(address: u64, to: &mut [u8]) -> usize {
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
