//! Where the words of producers are: those of a thread's first ring in memory of the thread's own, which no address has
//! to be loaded for but its distance from the thread pointer; those of others in a slot.
#![expect(
    unsafe_code,
    reason = "no language says how memory of a thread's own is reached"
)]

use std::sync::atomic::AtomicU64;

use perflab_ring::{PRODUCER_WORDS, Words, frame};

// Words of each thread: those of the producer of its first ring, the address of the slot with the next, its mark for
// filters, its number, and those in which filters count that take some events only. Rust's own thread-locals of a shared
// object call a function that may allocate, in the first event of a thread, which may be in a signal handler. Here their
// place from the thread pointer is known when the program starts. The mark has a name of its own, as code that no
// compiler makes comes to it.
std::arch::global_asm!(
    ".pushsection .tbss.perflab_thread,\"awT\",@nobits",
    ".globl perflab_thread",
    ".hidden perflab_thread",
    ".type perflab_thread,@tls_object",
    ".size perflab_thread, 128",
    ".globl perflab_mark",
    ".hidden perflab_mark",
    ".type perflab_mark,@tls_object",
    ".size perflab_mark, 8",
    ".balign 8",
    "perflab_thread: .zero 80",
    "perflab_mark: .zero 48",
    ".popsection",
);

const _: () = assert!(80 == THREAD_MARK * size_of::<u64>());
const _: () = assert!(128 == (THREAD_SAMPLERS + SAMPLERS) * size_of::<u64>());

/// The word behind those of the producer.
pub const THREAD_NEXT: usize = PRODUCER_WORDS;

/// Whether the thread is inside a gate, see [`crate::filter`].
pub const THREAD_MARK: usize = THREAD_NEXT + 1;

/// The number of the thread, once it came to a gate.
pub const THREAD_NUMBER: usize = THREAD_MARK + 1;

/// The first of the words in which filters count that take some events only.
const THREAD_SAMPLERS: usize = THREAD_NUMBER + 1;

/// How many of these there are.
pub const SAMPLERS: usize = 4;

/// The calling thread's words, by their distance from the thread pointer.
#[derive(Debug, Clone, Copy)]
pub struct ThreadWords(u64);

impl ThreadWords {
    #[inline(always)]
    pub fn new() -> Self {
        let distance: u64;
        // SAFETY: it loads a number that does not change.
        unsafe {
            std::arch::asm!(
                "mov {distance}, qword ptr [rip + perflab_thread@GOTTPOFF]",
                distance = out(reg) distance,
                options(nostack, preserves_flags, pure, readonly),
            );
        }
        Self(distance)
    }

    /// One of the words in which filters count.
    pub fn sampler(self, index: usize) -> ThreadWord {
        let word = THREAD_SAMPLERS + index % SAMPLERS;
        ThreadWord(self.0.wrapping_add((word * size_of::<u64>()) as u64))
    }

    /// The address of a word.
    pub fn address<const WORD: usize>(self) -> u64 {
        let pointer: u64;
        // SAFETY: the first word behind the thread pointer is the thread pointer itself, as the platform's ABI says.
        unsafe {
            std::arch::asm!(
                "mov {pointer}, qword ptr fs:[0]",
                pointer = out(reg) pointer,
                options(nostack, preserves_flags, pure, readonly),
            );
        }
        let word = (WORD * size_of::<u64>()) as u64;
        pointer.wrapping_add(self.0).wrapping_add(word)
    }
}

/// A word of the calling thread, by its distance from the thread pointer.
#[derive(Debug, Clone, Copy)]
pub struct ThreadWord(u64);

impl ThreadWord {
    /// The distance, which is the same in all threads, and never 0.
    pub fn distance(self) -> u64 {
        self.0
    }

    pub fn load(self) -> u64 {
        let value: u64;
        // SAFETY: so many words are defined above, and each thread has its own.
        unsafe {
            std::arch::asm!(
                "mov {value}, qword ptr fs:[{distance}]",
                value = out(reg) value,
                distance = in(reg) self.0,
                options(nostack, preserves_flags, readonly),
            );
        }
        value
    }

    pub fn store(self, value: u64) {
        // SAFETY: as above.
        unsafe {
            std::arch::asm!(
                "mov qword ptr fs:[{distance}], {value}",
                value = in(reg) value,
                distance = in(reg) self.0,
                options(nostack, preserves_flags),
            );
        }
    }
}

/// Compares a word with a value, without loading it first; false if the jump is taken.
macro_rules! compared {
    ($words:ident, $word:ident, $value:ident, $jump:literal) => {{
        // SAFETY: as below.
        unsafe {
            std::arch::asm!(
                "cmp qword ptr fs:[{distance} + 8 * {word}], {value}",
                concat!($jump, " {no}"),
                value = in(reg) $value,
                distance = in(reg) $words.0,
                word = const $word,
                no = label { return false },
                options(nostack, readonly),
            );
        }
        true
    }};
}

// SAFETY, in each: so many words are defined above, and each thread has its own.
impl Words for ThreadWords {
    #[inline(always)]
    fn load<const WORD: usize>(self) -> u64 {
        let value: u64;
        // SAFETY: as above.
        unsafe {
            std::arch::asm!(
                "mov {value}, qword ptr fs:[{distance} + 8 * {word}]",
                value = out(reg) value,
                distance = in(reg) self.0,
                word = const WORD,
                options(nostack, preserves_flags, readonly),
            );
        }
        value
    }

    #[inline(always)]
    fn store<const WORD: usize>(self, value: u64) {
        // SAFETY: as above.
        unsafe {
            std::arch::asm!(
                "mov qword ptr fs:[{distance} + 8 * {word}], {value}",
                value = in(reg) value,
                distance = in(reg) self.0,
                word = const WORD,
                options(nostack, preserves_flags),
            );
        }
    }

    #[inline(always)]
    fn store_frame<const WORD: usize>(self) {
        // SAFETY: as above.
        unsafe {
            std::arch::asm!(
                "mov qword ptr fs:[{distance} + 8 * {word}], rsp",
                distance = in(reg) self.0,
                word = const WORD,
                options(nostack, preserves_flags),
            );
        }
    }

    #[inline(always)]
    fn add<const WORD: usize>(self, value: u64) -> u64 {
        let sum: u64;
        // SAFETY: as above.
        unsafe {
            std::arch::asm!(
                "add {value}, qword ptr fs:[{distance} + 8 * {word}]",
                value = inout(reg) value => sum,
                distance = in(reg) self.0,
                word = const WORD,
                options(nostack, readonly),
            );
        }
        sum
    }

    #[inline(always)]
    fn is<const WORD: usize>(self, value: u64) -> bool {
        compared!(self, WORD, value, "jne")
    }

    #[inline(always)]
    fn is_at_least<const WORD: usize>(self, value: u64) -> bool {
        compared!(self, WORD, value, "jb")
    }
}

/// The words of any of a thread's producers.
#[derive(Debug, Clone, Copy)]
pub enum AnyWords {
    /// Of its first ring.
    First(ThreadWords),
    /// Of another one.
    Other(&'static [AtomicU64; PRODUCER_WORDS]),
}

impl Words for AnyWords {
    fn load<const WORD: usize>(self) -> u64 {
        match self {
            Self::First(words) => words.load::<WORD>(),
            Self::Other(words) => words.load::<WORD>(),
        }
    }

    fn store<const WORD: usize>(self, value: u64) {
        match self {
            Self::First(words) => words.store::<WORD>(value),
            Self::Other(words) => words.store::<WORD>(value),
        }
    }

    fn store_frame<const WORD: usize>(self) {
        self.store::<WORD>(frame());
    }
}
