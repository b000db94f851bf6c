//! How often an argument had a value, as agents say it.

/// A value of an argument.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    /// A number of 64 bits, with a sign or without.
    Number(u64),
    /// A text.
    Text {
        /// Its first bytes.
        bytes: Vec<u8>,
        /// Whether it has more.
        is_cut: bool,
    },
    /// No text, but a null pointer.
    Null,
    /// All values for which the agent had no room.
    Others,
}

/// How often an argument had a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueHits {
    /// The value.
    pub value: Value,
    /// How often.
    pub hits: u64,
}

impl From<perflab_abi::ValueHits<'_>> for ValueHits {
    fn from(hits: perflab_abi::ValueHits<'_>) -> Self {
        Self {
            value: match hits.value {
                perflab_abi::Value::Number(number) => Value::Number(number),
                perflab_abi::Value::Text { bytes, is_cut } => Value::Text {
                    bytes: bytes.to_vec(),
                    is_cut,
                },
                perflab_abi::Value::Null => Value::Null,
                perflab_abi::Value::Others => Value::Others,
            },
            hits: hits.hits,
        }
    }
}
