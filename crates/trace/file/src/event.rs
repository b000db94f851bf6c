//! One event: from the words of a ring to bytes of a file, and from those to values.
//!
//! The only place that knows the encoding of events, which [`perflab_abi::EventsContent`] describes.

use perflab_abi::recording::NULL_TEXT;
use perflab_abi::{ArgumentType, Description};

use crate::varint;

/// How an argument is encoded, made once for each probe from its description.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// A signed integer or an enumeration.
    Signed,
    /// An unsigned integer.
    Unsigned,
    /// A truth value.
    Bool,
    /// An address.
    Address,
    /// A floating-point number of 32 bits.
    Single,
    /// A floating-point number of 64 bits.
    Double,
    /// A text or bytes.
    Text,
}

impl Layout {
    /// Of a type.
    pub fn of(kind: ArgumentType<'_>) -> Self {
        match kind {
            ArgumentType::Signed(_) | ArgumentType::Enum(_) => Self::Signed,
            ArgumentType::Unsigned(_) => Self::Unsigned,
            ArgumentType::Bool => Self::Bool,
            ArgumentType::Pointer => Self::Address,
            ArgumentType::Float(32) => Self::Single,
            ArgumentType::Float(_) => Self::Double,
            ArgumentType::CString | ArgumentType::Str | ArgumentType::Bytes => Self::Text,
        }
    }

    /// Of all arguments of a probe.
    pub fn of_probe(description: &Description<'_>) -> Vec<Self> {
        let arguments = description.arguments();
        arguments.map(|argument| Self::of(argument.kind)).collect()
    }
}

/// The value of an argument.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    /// Of a signed integer or an enumeration.
    Signed(i64),
    /// Of an unsigned integer.
    Unsigned(u64),
    /// Of a floating-point number of 32 bits.
    Single(f32),
    /// Of one of 64 bits.
    Double(f64),
    /// Of a truth value.
    Bool(bool),
    /// An address.
    Address(u64),
    /// Of a text or bytes; nothing for a null pointer.
    Text(Option<&'a [u8]>),
}

/// The words or bytes of an event do not fit its probe's arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an event does not fit the arguments of its probe")]
pub struct Misfit;

/// What an event that was begun and never completed is written as.
pub(crate) const INCOMPLETE: u8 = 0;

/// Bytes that must be free for an event of so many words: a number has at most ten for each, and two
/// numbers come before.
#[inline(always)]
pub(crate) fn room(words: usize) -> usize {
    varint::LONGEST * (words + 2) + varint::SLACK
}

/// Writes an event at a place that has [`room`], and returns where it ends. `since` is the time since the
/// event before. Nothing if the words do not fit; the bytes from `at` on are then any.
#[inline(always)]
pub(crate) fn put(
    to: &mut [u8],
    mut at: usize,
    (probe, is_cut): (u32, bool),
    since: i64,
    layout: &[Layout],
    words: &[u64],
) -> Option<usize> {
    varint::put(to, &mut at, u64::from(probe) << 1 | u64::from(is_cut))?;
    varint::put(to, &mut at, varint::fold(since))?;
    put_arguments(to, at, layout, words)
}

/// Writes the arguments of an event, which a ring has as words: a number is one word, a text its length in
/// bytes, or [`NULL_TEXT`], then its bytes in as many words as they need.
#[inline(always)]
fn put_arguments(
    to: &mut [u8],
    mut at: usize,
    layout: &[Layout],
    mut words: &[u64],
) -> Option<usize> {
    for kind in layout {
        let (word, rest) = words.split_first()?;
        words = rest;
        match kind {
            Layout::Signed => varint::put(to, &mut at, varint::fold(*word as i64))?,
            Layout::Unsigned | Layout::Bool | Layout::Address => {
                varint::put(to, &mut at, *word)?;
            }
            Layout::Single => {
                *to.get_mut(at..)?.first_chunk_mut()? = (*word as u32).to_le_bytes();
                at += 4;
            }
            Layout::Double => {
                *to.get_mut(at..)?.first_chunk_mut()? = word.to_le_bytes();
                at += 8;
            }
            Layout::Text if *word == NULL_TEXT => varint::put(to, &mut at, 0)?,
            Layout::Text => {
                let length = usize::try_from(*word).ok()?;
                let (text, rest) = words.split_at_checked(length.div_ceil(8))?;
                words = rest;
                varint::put(to, &mut at, *word + 1)?;
                let place = to.get_mut(at..at + 8 * text.len())?;
                for (eight, word) in place.as_chunks_mut::<8>().0.iter_mut().zip(text) {
                    *eight = word.to_le_bytes();
                }
                at += length;
            }
        }
    }
    words.is_empty().then_some(at)
}

/// An event as it is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Encoded<'b> {
    pub probe: u32,
    pub is_cut: bool,
    /// Since the event before.
    pub since: i64,
    /// As [`Values`] reads them.
    pub arguments: &'b [u8],
}

/// Reads an event and takes it off the front: nothing if it was never completed.
///
/// # Errors
/// When the bytes are not those of an event.
pub(crate) fn take<'b, 'l>(
    from: &mut &'b [u8],
    layout_of: impl FnOnce(u32) -> Option<&'l [Layout]>,
) -> Result<Option<Encoded<'b>>, Misfit> {
    let head = varint::take(from).ok_or(Misfit)?;
    if head == u64::from(INCOMPLETE) {
        return Ok(None);
    }
    let probe = u32::try_from(head >> 1).map_err(|_| Misfit)?;
    let since = varint::take_signed(from).ok_or(Misfit)?;
    let layout = layout_of(probe).ok_or(Misfit)?;
    let all = *from;
    for kind in layout {
        value(*kind, from).ok_or(Misfit)?;
    }
    let length = all.len() - from.len();
    Ok(Some(Encoded {
        probe,
        is_cut: head & 1 != 0,
        since,
        arguments: all.get(..length).ok_or(Misfit)?,
    }))
}

/// The values of an event's arguments, in order.
#[derive(Debug, Clone)]
pub struct Values<'a> {
    layout: &'a [Layout],
    bytes: &'a [u8],
}

impl<'a> Values<'a> {
    pub(crate) fn new(layout: &'a [Layout], bytes: &'a [u8]) -> Self {
        Self { layout, bytes }
    }
}

impl<'a> Iterator for Values<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Value<'a>> {
        let (kind, rest) = self.layout.split_first()?;
        self.layout = rest;
        value(*kind, &mut self.bytes)
    }
}

fn value<'b>(kind: Layout, from: &mut &'b [u8]) -> Option<Value<'b>> {
    Some(match kind {
        Layout::Signed => Value::Signed(varint::take_signed(from)?),
        Layout::Unsigned => Value::Unsigned(varint::take(from)?),
        Layout::Bool => Value::Bool(varint::take(from)? != 0),
        Layout::Address => Value::Address(varint::take(from)?),
        Layout::Single => {
            let (bytes, rest) = from.split_first_chunk()?;
            *from = rest;
            Value::Single(f32::from_le_bytes(*bytes))
        }
        Layout::Double => {
            let (bytes, rest) = from.split_first_chunk()?;
            *from = rest;
            Value::Double(f64::from_le_bytes(*bytes))
        }
        Layout::Text => {
            let Some(length) = varint::take(from)?.checked_sub(1) else {
                return Some(Value::Text(None));
            };
            let (text, rest) = from.split_at_checked(usize::try_from(length).ok()?)?;
            *from = rest;
            Value::Text(Some(text))
        }
    })
}
