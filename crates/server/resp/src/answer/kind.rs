//! What a reply is.

/// The kind of a reply, which its first byte says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A status: one line.
    Simple,
    /// An error of one line.
    Error,
    /// An error of any bytes, of RESP3.
    BulkError,
    /// An integer of 64 bits.
    Integer,
    /// An integer of any size, of RESP3.
    BigNumber,
    /// A floating-point number, of RESP3.
    Double,
    /// Yes or no, of RESP3.
    Boolean,
    /// A string of any bytes.
    Bulk,
    /// A text for people, of RESP3.
    Verbatim,
    /// No value: the null of RESP3, or where RESP2 would have a string.
    Null,
    /// No value where RESP2 would have an array.
    NullArray,
    /// An array.
    Array,
    /// A set, of RESP3.
    Set,
    /// A map, of RESP3.
    Map,
    /// A message that was not asked for, of RESP3.
    Push,
}

impl Kind {
    /// Whether it is an error of either form.
    pub fn is_error(self) -> bool {
        matches!(self, Self::Error | Self::BulkError)
    }

    /// Whether it is no value, of either form.
    pub fn is_null(self) -> bool {
        matches!(self, Self::Null | Self::NullArray)
    }
}
