//! What a site does once it is on.
#![expect(
    unsafe_code,
    reason = "a handler is called with as many words as a site has, which no Rust type can say"
)]

use core::mem::transmute;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

use perflab_abi::{MOST_ARGUMENTS, Point, RecordHandler, VERSION};

/// A point whose sites are off.
pub const fn point() -> Point {
    Point {
        version: VERSION,
        size: size_of::<Point>() as u16,
        enabled: AtomicU32::new(0),
        handler: AtomicPtr::new(core::ptr::null_mut()),
        hits: AtomicU64::new(0),
        agent: AtomicU64::new(0),
    }
}

/// Stops the compiler at a text with a name that nobody could read, or with too many arguments. Each of them begins with
/// a backslash.
pub const fn check_text(text: &str) {
    let (bytes, mut at, mut length, mut arguments) = (text.as_bytes(), 0, 0, 0);
    while at < bytes.len() {
        arguments += (bytes[at] == b'\\') as usize;
        assert!(
            arguments <= MOST_ARGUMENTS,
            "probe!: there are more than 64 arguments"
        );
        assert!(bytes[at] != b'#', "probe!: a name is a raw identifier");
        let is_of_name =
            bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_' || !bytes[at].is_ascii();
        length = if is_of_name { length + 1 } else { 0 };
        assert!(length <= 128, "probe!: a name has more than 128 bytes");
        at += 1;
    }
}

/// Whether a point's sites are on, where sites test a flag.
#[inline(always)]
pub fn is_enabled(point: &Point) -> bool {
    let enabled = point.enabled.load(Ordering::Relaxed) != 0;
    if enabled {
        seldom();
    }
    enabled
}

/// Tells the compiler which way a test seldom goes.
#[cold]
const fn seldom() {}

/// A type of arguments whose values are one word: no other can be named, as it would be cut off or unreadable.
#[diagnostic::on_unimplemented(
    message = "probe!: `{Self}` is no type of an argument",
    note = "the types are i8 to i64, u8 to u64, f32, f64, bool, ptr, cstr, str, bytes and enum(...)"
)]
pub trait Word: sealed::Sealed {
    /// The word, with the value's sign.
    fn word(self) -> u64;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! words {
    ($($kind:ident)*) => {
        $(impl sealed::Sealed for $kind {}
        impl Word for $kind {
            #[inline(always)]
            fn word(self) -> u64 {
                self as u64
            }
        })*
    };
}

words!(i8 i16 i32 i64 u8 u16 u32 u64 bool);

/// The word of an argument of the type `ptr`.
#[inline(always)]
pub fn address<T: ?Sized>(pointer: *const T) -> u64 {
    pointer.cast::<()>() as u64
}

/// The words of each argument, for a tracer in the kernel.
#[cold]
pub fn places<const ARGUMENTS: usize>(words: [&[u64]; ARGUMENTS]) -> [[u64; 2]; ARGUMENTS] {
    let mut places = [[0; 2]; ARGUMENTS];
    for (place, words) in places.iter_mut().zip(words) {
        for (to, word) in place.iter_mut().zip(words) {
            *to = *word;
        }
    }
    places
}

/// Calls the handler of a point with many arguments, if it has one.
#[inline(always)]
pub fn hit_record<const WORDS: usize>(point: &Point, words: &[u64; WORDS]) {
    let handler = point.handler.load(Ordering::Acquire);
    if handler.is_null() {
        return;
    }
    // SAFETY: whoever put the handler there saw that its site has `Site::RECORD`; see `perflab_abi::RecordHandler`.
    let handler = unsafe { transmute::<*mut (), RecordHandler>(handler) };
    // SAFETY: as above; the words are there.
    unsafe { handler(point, words.as_ptr()) };
}

macro_rules! call {
    ($function:ident, $point:ident, $words:ident: $($count:literal => $($index:literal)*,)*) => {
        match $words.len() {
            $($count => {
                // SAFETY: whoever put the handler there chose one that takes this point's words or
                // fewer, which the calling convention allows; see `perflab_abi::Handler`.
                let handler = unsafe {
                    transmute::<*mut (), unsafe extern "C" fn(*const Point $(, call!(@word $index))*)>($function)
                };
                // SAFETY: as above.
                unsafe { handler($point $(, $words[$index])*) }
            })*
            _ => {}
        }
    };
    (@word $index:literal) => { u64 };
}

/// Calls a point's handler, if it has one. The number of words is a constant, so one call remains.
#[inline(always)]
pub fn hit<const WORDS: usize>(point: &Point, words: [u64; WORDS]) {
    let handler = point.handler.load(Ordering::Acquire);
    if handler.is_null() {
        return;
    }
    call!(handler, point, words:
        0 => ,
        1 => 0,
        2 => 0 1,
        3 => 0 1 2,
        4 => 0 1 2 3,
        5 => 0 1 2 3 4,
        6 => 0 1 2 3 4 5,
        7 => 0 1 2 3 4 5 6,
        8 => 0 1 2 3 4 5 6 7,
        9 => 0 1 2 3 4 5 6 7 8,
        10 => 0 1 2 3 4 5 6 7 8 9,
        11 => 0 1 2 3 4 5 6 7 8 9 10,
        12 => 0 1 2 3 4 5 6 7 8 9 10 11,
        13 => 0 1 2 3 4 5 6 7 8 9 10 11 12,
        14 => 0 1 2 3 4 5 6 7 8 9 10 11 12 13,
        15 => 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14,
        16 => 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15,
        17 => 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16,
        18 => 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17,
        19 => 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18,
        20 => 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19,
        21 => 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20,
        22 => 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21,
        23 => 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22,
        24 => 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23,
    );
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;

    fn with(arguments: usize) -> std::string::String {
        std::format!("shop sold {}", "\\nu8 a".repeat(arguments))
    }

    #[test]
    fn as_many_arguments_as_there_may_be() {
        check_text(&with(MOST_ARGUMENTS));
    }

    #[test]
    #[should_panic(expected = "more than 64 arguments")]
    fn one_argument_more() {
        check_text(&with(MOST_ARGUMENTS + 1));
    }
}
