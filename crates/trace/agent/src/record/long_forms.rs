//! How the arguments of a probe are passed whose site passes the address of all words. They may be too many for the word
//! that its points have for the agent, so that word names an entry of a table.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use perflab_abi::{Description, MOST_ARGUMENTS};

use super::forms::{Form, HAS_NOFAULT, header};

/// Words that the arguments of any probe may have.
pub const MOST_WORDS: usize = 2 * MOST_ARGUMENTS;

/// Bits of a form in an entry. It is one more there than in [`Form`]: 0 is behind the last argument.
const BITS: usize = 4;

/// Forms in a word of an entry.
const IN_WORD: usize = 16;

/// Words of an entry.
const ENTRY: usize = MOST_ARGUMENTS / IN_WORD;

/// Entries, one for all probes whose arguments are passed alike.
const MOST_ENTRIES: usize = 1024;

/// An entry is written before any point's word names it, and never changes. Those behind the last one are zeros.
static TABLE: [[AtomicU64; ENTRY]; MOST_ENTRIES] =
    [const { [const { AtomicU64::new(0) }; ENTRY] }; MOST_ENTRIES];

/// Held while an entry is looked for or written, under the agent's lock.
static WRITING: Mutex<()> = Mutex::new(());

/// Where the number of the entry, and that of the words, are in a point's word.
const AT_ENTRY: u32 = 24;
const AT_WORDS: u32 = 40;

/// What the word of a point says of its probe: if all arguments are numbers, the same as in [`super::forms::pack`]; else
/// the probe's number, the entry, the number of words, and [`HAS_NOFAULT`]. Nothing if there is no entry left.
pub fn pack(number: u32, description: &Description<'_>) -> Option<u64> {
    let forms = || description.arguments().map(Form::of);
    let words: usize = forms().map(Form::words).sum();
    if forms().all(|form| form == Form::Number) {
        return Some(header(number, words, false));
    }
    let mut entry = [0; ENTRY];
    for (at, form) in forms().enumerate() {
        *entry.get_mut(at / IN_WORD)? |= (form as u64 + 1) << (BITS * (at % IN_WORD));
    }
    let has_nofault = forms().any(|form| form >= Form::TerminatedNofault);
    let flag = if has_nofault { HAS_NOFAULT } else { 0 };
    let place = (words as u64) << AT_WORDS | number_of(entry)? << AT_ENTRY;
    Some(flag | place | u64::from(number))
}

/// Number of an entry, which is written if it is new.
fn number_of(entry: [u64; ENTRY]) -> Option<u64> {
    let _writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let number = TABLE.iter().position(|known| {
        let known = known.each_ref().map(|word| word.load(Ordering::Relaxed));
        known == entry || known == [0; ENTRY]
    })?;
    for (to, word) in TABLE[number].iter().zip(entry) {
        to.store(word, Ordering::Relaxed);
    }
    Some(number as u64)
}

/// The forms of a probe with texts, by the word of its points.
#[inline(always)]
pub fn of(packed: u64) -> impl Iterator<Item = u64> {
    let entry = &TABLE[(packed >> AT_ENTRY) as usize % MOST_ENTRIES];
    let entry = entry.each_ref().map(|word| word.load(Ordering::Relaxed));
    (0..MOST_ARGUMENTS).map_while(move |at| {
        let form = entry[at / IN_WORD] >> (BITS * (at % IN_WORD)) & ((1 << BITS) - 1);
        form.checked_sub(1)
    })
}

/// Words of such a probe.
#[inline(always)]
pub fn words(packed: u64) -> usize {
    (packed >> AT_WORDS & 0xff) as usize
}

#[cfg(test)]
mod tests {
    use super::super::forms::{self, COUNTED, COUNTED_NOFAULT, NUMBER, TERMINATED};
    use super::*;

    fn packed(number: u32, arguments: &[&str]) -> u64 {
        let named = arguments.iter().enumerate();
        let lines: Vec<String> = named.map(|(at, kind)| format!("\n{kind} a{at}")).collect();
        let text = format!("p\nn\nf\n1{}", lines.concat());
        pack(number, &Description::parse(&text).unwrap()).unwrap()
    }

    #[test]
    fn an_entry_for_each_way_of_passing() {
        let mut arguments = ["i32"; MOST_ARGUMENTS];
        let numbers = packed(7, &arguments);
        assert_eq!((forms::number(numbers), numbers >> 24), (7, 66));
        assert_eq!(forms::event_words(numbers), MOST_ARGUMENTS);
        (arguments[0], arguments[17], arguments[63]) = ("cstr", "str", "bytes");
        let texts = packed(8, &arguments);
        assert_eq!((forms::number(texts), words(texts)), (8, 66));
        let found: Vec<u64> = of(texts).collect();
        assert_eq!(found.len(), MOST_ARGUMENTS);
        let all = (0..MOST_ARGUMENTS).map(|at| match at {
            0 => TERMINATED,
            17 | 63 => COUNTED,
            _ => NUMBER,
        });
        assert!(found.iter().copied().eq(all), "{found:?}");
        // The same way, and another one.
        assert_eq!(packed(9, &arguments) >> 24, texts >> 24);
        let other = packed(8, &["bytes_nofault", "cstr"]);
        assert!(of(other).eq([COUNTED_NOFAULT, TERMINATED]));
        assert_eq!((words(other), other & HAS_NOFAULT), (3, HAS_NOFAULT));
        assert!(other >> 24 != texts >> 24 && texts & HAS_NOFAULT == 0);
    }
}
