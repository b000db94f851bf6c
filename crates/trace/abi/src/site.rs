//! A site, and the point of the source that it is a copy of.

use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64};

/// The instruction at a site that is off: one no-op of five bytes, `nopl 0x0(%rax,%rax,1)`.
///
/// One instruction, never five: a thread may be interrupted between two instructions, and would go
/// on in the middle of the jump that replaced them.
pub const NOP5: [u8; 5] = [0x0f, 0x1f, 0x44, 0x00, 0x00];

/// Bytes of code at a site.
pub const SITE_LENGTH: usize = NOP5.len();

/// The first bytes of a site, which are written at once.
pub const SITE_HEAD: usize = 2;

/// How a site is switched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// The no-op becomes a jump to the out-of-line path.
    Patched,
    /// The program tests [`Point::enabled`].
    Branch,
}

impl Backend {
    /// As [`Site::backend`] has it.
    pub fn from_number(number: u16) -> Option<Self> {
        match number {
            0 => Some(Self::Patched),
            1 => Some(Self::Branch),
            _ => None,
        }
    }
}

/// One copy of a site's code, as inlining, templates and generics make them.
///
/// Offsets are in bytes, from the field that holds them.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Site {
    /// [`crate::VERSION`].
    pub version: u16,
    /// Of this structure, in bytes.
    pub size: u16,
    /// A [`Backend`].
    pub backend: u16,
    /// What the program asks for, such as [`Site::ORDERED`]. Whoever does not know a flag passes over it, as agents did
    /// before there were any: what must not be passed over takes another [`crate::VERSION`].
    pub flags: u16,
    /// To the no-op; its first [`crate::SITE_HEAD`] bytes lie within eight aligned ones.
    pub address: i64,
    /// To the out-of-line path, to which a site that is on jumps.
    pub target: i64,
    /// To the [`Point`].
    pub point: i64,
    /// To the text of the [`crate::Description`], which ends with a zero byte.
    pub text: i64,
    /// To the 16-bit count of debuggers and kernel tracers that want the site open.
    pub semaphore: i64,
}

impl Site {
    /// Of its flags: the time of an event is taken when all that comes before it is done. All copies of a place in the
    /// source ask alike.
    pub const ORDERED: u16 = 1;
    /// Of its flags: the out-of-line path calls a [`RecordHandler`]. All sites with more than
    /// [`FEW_ARGUMENTS`](crate::FEW_ARGUMENTS) have it, and no others. An agent that does not know it refuses the
    /// descriptions of those.
    pub const RECORD: u16 = 2;
}

/// What the out-of-line path calls: the point, then the arguments, each in one or two words.
///
/// An integer is extended to 64 bits, a float has the bits of its own width, `str` and `bytes` are
/// address and length. The words go by the C calling convention of the platform, so a handler may
/// take fewer than are passed, never more.
pub type Handler = unsafe extern "C" fn(point: *const Point);

/// What the out-of-line path of a site with [`Site::RECORD`] calls: the point, then the address of all words, which are
/// there until it returns. A [`Handler`] that takes the point alone may be in its place.
pub type RecordHandler = unsafe extern "C" fn(point: *const Point, words: *const u64);

/// One place in the source with a site, shared by copies of its code: in C and C++ by all that one run of the assembler
/// makes, in Rust by all within an object. Sites of different probes never share one.
#[repr(C)]
#[derive(Debug)]
pub struct Point {
    /// [`crate::VERSION`].
    pub version: u16,
    /// Of this structure, in bytes.
    pub size: u16,
    /// Not zero while the sites are on; [`Backend::Branch`] tests it.
    pub enabled: AtomicU32,
    /// A [`Handler`] or [`RecordHandler`], or null: then nothing is called.
    pub handler: AtomicPtr<()>,
    /// How often the handler was called; counted by the agent's handler.
    pub hits: AtomicU64,
    /// For the agent.
    pub agent: AtomicU64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::{offset_of, size_of};

    // The macros of both languages emit these numbers as text.
    #[test]
    fn layout() {
        assert_eq!(size_of::<Site>(), 48);
        assert_eq!(offset_of!(Site, flags), 6);
        assert_eq!((Site::ORDERED, Site::RECORD), (1, 2));
        assert_eq!(offset_of!(Site, address), 8);
        assert_eq!(offset_of!(Site, semaphore), 40);
        assert_eq!(size_of::<Point>(), 32);
        assert_eq!(offset_of!(Point, enabled), 4);
        assert_eq!(offset_of!(Point, handler), 8);
        assert_eq!(offset_of!(Point, agent), 24);
    }

    #[test]
    fn backends() {
        assert_eq!(Backend::from_number(0), Some(Backend::Patched));
        assert_eq!(Backend::from_number(1), Some(Backend::Branch));
        assert_eq!(Backend::from_number(2), None);
    }
}
