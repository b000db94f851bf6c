//! Counts events by the value of an argument, in memory that is bounded: for the values that come first, and for all
//! others together.
//!
//! Threads and handlers of signals count at the same time, and none waits for another. A value takes an entry by its
//! hash, in one step. Whoever finds the entry without the value writes it there; it is the same for all of them.
#![expect(
    unsafe_code,
    reason = "texts are read at addresses that the program passes"
)]

use std::sync::atomic::{AtomicU64, Ordering};

use perflab_abi::{Description, LONGEST_COUNTED, Value};
use perflab_bpf::{Class, Context, ContextField, Import, Place, Unbound, bind};

/// Values that are counted apart, at most.
const ENTRIES: usize = 1024;

/// Entries that are looked at for a value.
const LOOKS: usize = 64;

/// Words of a text.
const WORDS: usize = LONGEST_COUNTED / size_of::<u64>();

/// The kind of a value, and the length of a text: in the lower bits.
const NUMBER: u64 = 0x100;
const NULL: u64 = 0x200;
const CUT: u64 = 0x80;

/// Set once an entry has its value.
const WRITTEN: u64 = 1 << 32;

/// A value as it is compared and kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Key {
    kind: u64,
    words: [u64; WORDS],
}

impl Key {
    const fn number(number: u64) -> Self {
        let mut words = [0; WORDS];
        words[0] = number;
        Self {
            kind: NUMBER,
            words,
        }
    }

    const NULL: Self = Self {
        kind: NULL,
        words: [0; WORDS],
    };

    /// The first bytes of a text, with zeros behind them.
    fn text(bytes: &[u8; LONGEST_COUNTED], length: usize, is_cut: bool) -> Self {
        let (chunks, _) = bytes.as_chunks();
        let mut words = [0; WORDS];
        for (word, chunk) in words.iter_mut().zip(chunks) {
            *word = u64::from_le_bytes(*chunk);
        }
        let kind = length as u64 | if is_cut { CUT } else { 0 };
        Self { kind, words }
    }

    /// Never 0. Two values with one hash are counted together, so whoever makes values cannot know it.
    fn hash(&self, seed: u64) -> u64 {
        let mut hash = seed ^ self.kind;
        for word in self.words {
            let product = u128::from(hash ^ word) * 0x9e37_79b9_7f4a_7c15;
            hash = (product as u64) ^ (product >> 64) as u64 ^ hash.rotate_left(29);
        }
        hash | 1
    }
}

/// Room for a value.
#[derive(Debug)]
struct Entry {
    /// Its hash; 0 as long as there is none.
    hash: AtomicU64,
    hits: AtomicU64,
    kind: AtomicU64,
    words: [AtomicU64; WORDS],
}

/// How often there was each value of an argument.
#[derive(Debug)]
pub struct Counts {
    argument: String,
    entries: Box<[Entry]>,
    others: AtomicU64,
    seed: u64,
}

impl Counts {
    /// Of an argument, or of `$ctx.` and a name. Nothing was counted yet.
    pub fn new(argument: &str) -> Self {
        let entry = || Entry {
            hash: AtomicU64::new(0),
            hits: AtomicU64::new(0),
            kind: AtomicU64::new(0),
            words: [const { AtomicU64::new(0) }; WORDS],
        };
        let entries: Box<[Entry]> = (0..ENTRIES).map(|_| entry()).collect();
        Self {
            argument: argument.to_owned(),
            // Memory is at random addresses. To ask for a random number may end a process that has filters of calls.
            seed: entries.as_ptr().addr() as u64,
            entries,
            others: AtomicU64::new(0),
        }
    }

    /// Where a probe's events have the value.
    ///
    /// # Errors
    /// When they have none, or it is a floating-point number.
    pub fn place<'c>(&'c self, description: &Description<'_>) -> Result<Place, Unbound<'c>> {
        let of = |class| {
            let import = Import {
                class,
                name: &self.argument,
            };
            bind([import], description)
        };
        let places = of(Class::Integer).or_else(|unbound| match unbound {
            Unbound::OtherClass(_, Class::Text) => of(Class::Text),
            other => Err(other),
        })?;
        places
            .first()
            .copied()
            .ok_or(Unbound::Missing(&self.argument))
    }

    /// Counts an event.
    ///
    /// # Safety
    /// The place is one of [`Counts::place`], and the words are those of an event of that probe.
    pub unsafe fn count(&self, place: Place, words: &[u64], context: &Context) {
        // SAFETY: what the caller promises.
        self.add(unsafe { key(place, words, context) });
    }

    fn add(&self, key: Key) {
        let hash = key.hash(self.seed);
        let (before, from) = self.entries.split_at(hash as usize / 2 % ENTRIES);
        for entry in from.iter().chain(before).take(LOOKS) {
            let found = match entry.hash.load(Ordering::Relaxed) {
                0 => {
                    let claimed =
                        entry
                            .hash
                            .compare_exchange(0, hash, Ordering::Relaxed, Ordering::Relaxed);
                    claimed.err().unwrap_or(hash)
                }
                other => other,
            };
            if found == hash {
                if entry.kind.load(Ordering::Relaxed) & WRITTEN == 0 {
                    for (to, word) in entry.words.iter().zip(key.words) {
                        to.store(word, Ordering::Relaxed);
                    }
                    entry.kind.store(key.kind | WRITTEN, Ordering::Release);
                }
                entry.hits.fetch_add(1, Ordering::Relaxed);
                return;
            }
        }
        self.others.fetch_add(1, Ordering::Relaxed);
    }

    /// Shows how often each value came.
    pub fn each(&self, mut show: impl FnMut(Value<'_>, u64)) {
        for entry in self.entries.iter() {
            let (kind, hits) = (
                entry.kind.load(Ordering::Acquire),
                entry.hits.load(Ordering::Relaxed),
            );
            if kind & WRITTEN == 0 || hits == 0 {
                continue;
            }
            let words = entry
                .words
                .each_ref()
                .map(|word| word.load(Ordering::Relaxed));
            let bytes = words.map(u64::to_le_bytes);
            let length = (kind & (CUT - 1)) as usize;
            let value = match kind & !WRITTEN {
                NUMBER => Value::Number(words[0]),
                NULL => Value::Null,
                text => Value::Text {
                    bytes: bytes.as_flattened().get(..length).unwrap_or_default(),
                    is_cut: text & CUT != 0,
                },
            };
            show(value, hits);
        }
        let others = self.others.load(Ordering::Relaxed);
        if others > 0 {
            show(Value::Others, others);
        }
    }
}

/// The value of an event.
///
/// # Safety
/// As [`Counts::count`].
unsafe fn key(place: Place, words: &[u64], context: &Context) -> Key {
    let word = |at: u8| words.get(usize::from(at)).copied().unwrap_or(0);
    let (address, most, is_safe) = match place {
        Place::Number(at) | Place::Single(at) => return Key::number(word(at)),
        Place::Context(ContextField::Procname) => (
            context.procname.as_ptr() as u64,
            context.procname.len() as u64,
            true,
        ),
        Place::Context(field) => return Key::number(number(field, context)),
        Place::Terminated(at) => (word(at), u64::MAX, true),
        Place::TerminatedNofault(at) => (word(at), u64::MAX, false),
        Place::Counted(at) => (word(at), word(at.wrapping_add(1)), true),
        Place::CountedNofault(at) => (word(at), word(at.wrapping_add(1)), false),
    };
    if address == 0 && most > 0 {
        return Key::NULL;
    }
    // A byte more, which tells whether there are more.
    let mut copy = [0; LONGEST_COUNTED + 1];
    let most = usize::try_from(most).unwrap_or(usize::MAX).min(copy.len());
    let to = copy.get_mut(..most).unwrap_or_default();
    let read = if is_safe {
        // SAFETY: what the caller promises: the text has so many bytes, or a zero at its end.
        unsafe { copied(address as *const u8, to) }
    } else {
        (context.read)(address, to).min(most)
    };
    let end = copy.iter().take(read).position(|byte| *byte == 0);
    let length = end.unwrap_or(read);
    let mut bytes = [0; LONGEST_COUNTED];
    for (to, byte) in bytes.iter_mut().zip(copy.iter().take(length)) {
        *to = *byte;
    }
    Key::text(
        &bytes,
        length.min(LONGEST_COUNTED),
        length > LONGEST_COUNTED,
    )
}

/// Copies bytes up to a zero. Returns how many.
///
/// # Safety
/// All of them can be read, or all up to a zero.
unsafe fn copied(from: *const u8, to: &mut [u8]) -> usize {
    for (at, to) in to.iter_mut().enumerate() {
        // SAFETY: what the caller promises: none before is zero.
        let byte = unsafe { from.wrapping_add(at).read() };
        if byte == 0 {
            return at;
        }
        *to = byte;
    }
    to.len()
}

fn number(field: ContextField, context: &Context) -> u64 {
    match field {
        ContextField::Vtid => context.vtid,
        ContextField::Vpid => context.vpid,
        ContextField::CpuId => context.cpu_id,
        ContextField::PthreadId => context.pthread_id,
        ContextField::Ip => context.ip,
        ContextField::Procname => 0,
    }
}

#[cfg(test)]
mod tests;
