//! Events written to bytes and read again, and bytes that nobody wrote.

use perflab_abi::ArgumentType;
use perflab_abi::recording::NULL_TEXT;
use proptest::prelude::*;

use crate::event::{Layout, Value, Values, put, room, take};

/// A type, the words that a ring has for a value of it, and the value.
#[derive(Debug, Clone)]
enum Given {
    Signed(i64),
    Unsigned(u64),
    Address(u64),
    Single(f32),
    Double(f64),
    Bool(bool),
    Text(Option<Vec<u8>>),
}

impl Given {
    fn kind(&self) -> ArgumentType<'static> {
        match self {
            Self::Signed(_) => ArgumentType::Signed(64),
            Self::Unsigned(_) => ArgumentType::Unsigned(64),
            Self::Address(_) => ArgumentType::Pointer,
            Self::Single(_) => ArgumentType::Float(32),
            Self::Double(_) => ArgumentType::Float(64),
            Self::Bool(_) => ArgumentType::Bool,
            Self::Text(_) => ArgumentType::Bytes,
        }
    }

    fn words(&self) -> Vec<u64> {
        match self {
            Self::Signed(value) => vec![*value as u64],
            Self::Unsigned(value) | Self::Address(value) => vec![*value],
            Self::Single(value) => vec![u64::from(value.to_bits())],
            Self::Double(value) => vec![value.to_bits()],
            Self::Bool(value) => vec![u64::from(*value)],
            Self::Text(None) => vec![NULL_TEXT],
            Self::Text(Some(text)) => {
                let mut words = vec![text.len() as u64];
                words.extend(text.chunks(8).map(|bytes| {
                    let mut word = [0xff; 8];
                    word[..bytes.len()].copy_from_slice(bytes);
                    u64::from_le_bytes(word)
                }));
                words
            }
        }
    }

    fn value(&self) -> Value<'_> {
        match self {
            Self::Signed(value) => Value::Signed(*value),
            Self::Unsigned(value) => Value::Unsigned(*value),
            Self::Address(value) => Value::Address(*value),
            Self::Single(value) => Value::Single(*value),
            Self::Double(value) => Value::Double(*value),
            Self::Bool(value) => Value::Bool(*value),
            Self::Text(text) => Value::Text(text.as_deref()),
        }
    }
}

fn given() -> impl Strategy<Value = Given> {
    prop_oneof![
        any::<i64>().prop_map(Given::Signed),
        (-100i64..100).prop_map(Given::Signed),
        any::<u64>().prop_map(Given::Unsigned),
        any::<u64>().prop_map(Given::Address),
        (-1e9f32..1e9).prop_map(Given::Single),
        (-1e9f64..1e9).prop_map(Given::Double),
        any::<bool>().prop_map(Given::Bool),
        Just(Given::Text(None)),
        prop::collection::vec(any::<u8>(), 0..40).prop_map(|text| Given::Text(Some(text))),
    ]
}

/// The bytes of an event of probe 7.
fn encode(layout: &[Layout], words: &[u64], since: i64) -> Option<Vec<u8>> {
    let mut bytes = vec![0xff; room(words.len())];
    let end = put(&mut bytes, 0, (7, true), since, layout, words)?;
    bytes.truncate(end);
    Some(bytes)
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        all in prop::collection::vec(given(), 0..12),
        since in any::<i64>(),
        behind in any::<u8>(),
    ) {
        let layout: Vec<Layout> = all.iter().map(|given| Layout::of(given.kind())).collect();
        let layout_of = |probe| (probe == 7).then_some(layout.as_slice());
        let words: Vec<u64> = all.iter().flat_map(Given::words).collect();
        let mut bytes = encode(&layout, &words, since).unwrap();
        bytes.push(behind);
        let mut rest = bytes.as_slice();
        let event = take(&mut rest, layout_of).unwrap().unwrap();
        prop_assert_eq!(rest, &[behind]);
        prop_assert_eq!((event.probe, event.is_cut, event.since), (7, true, since));
        let values = Values::new(&layout, event.arguments);
        prop_assert!(values.eq(all.iter().map(Given::value)));
        // Words that are too few or too many are refused.
        let mut more = words.clone();
        more.push(0);
        prop_assert!(encode(&layout, &more, since).is_none());
        if let Some((_, fewer)) = words.split_last() {
            prop_assert!(encode(&layout, fewer, since).is_none());
        }
        // So are bytes that end too early, and an event of a probe that nobody knows.
        for cut in 0..bytes.len() - 1 {
            prop_assert!(take(&mut &bytes[..cut], layout_of).is_err());
        }
        prop_assert!(take(&mut bytes.as_slice(), |_| None).is_err());
    }

    #[test]
    fn bytes_that_nobody_wrote(
        all in prop::collection::vec(given(), 0..6),
        bytes in prop::collection::vec(any::<u8>(), 0..60),
        words in prop::collection::vec(any::<u64>(), 0..12),
    ) {
        let layout: Vec<Layout> = all.iter().map(|given| Layout::of(given.kind())).collect();
        let _ = take(&mut bytes.as_slice(), |_| Some(&layout));
        let _ = encode(&layout, &words, 0);
    }
}
