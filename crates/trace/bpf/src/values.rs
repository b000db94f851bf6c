//! Events whose values this process has: a trace's, not those that a site passes.
#![expect(
    unsafe_code,
    reason = "the interpreter reads texts at addresses, which are those of slices here"
)]

use crate::interpreter::judge;
use crate::lowered::Lowered;
use crate::place::{Context, Place};
use crate::program::{MOST_IMPORTS, Verdict};

/// The value of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value<'v> {
    /// An integer, extended to 64 bits as its type has a sign or has none; or the bits of a floating-point number of
    /// 64 bits.
    Number(u64),
    /// A text or bytes; none for a null pointer.
    Text(Option<&'v [u8]>),
}

/// Judges an event with these values of the program's imports, in their order. An import without a value, or with one
/// of another class, is 0, or a text that is absent.
pub fn judge_values(lowered: &Lowered, values: &[Value<'_>]) -> Verdict {
    let mut places = [Place::Number(0); MOST_IMPORTS];
    let mut words = [[0; 2]; MOST_IMPORTS];
    let pairs = places.iter_mut().zip(&mut words);
    for (index, (value, (place, pair))) in values.iter().zip(pairs).enumerate() {
        let at = 2 * index as u8;
        (*place, *pair) = match value {
            Value::Number(number) => (Place::Number(at), [*number, 0]),
            Value::Text(Some(text)) => {
                let address = text.as_ptr() as u64;
                (Place::Counted(at), [address, text.len() as u64])
            }
            // Null, which is absent unless the length is 0.
            Value::Text(None) => (Place::Counted(at), [0, 1]),
        };
    }
    let places = places.get(..values.len()).unwrap_or(&places);
    // SAFETY: the words are null or the addresses of slices that outlive this call, with their lengths.
    unsafe { judge(lowered, places, words.as_flattened(), &Context::default()) }
}
