//! How a value is kept, and what Redis calls that.

use std::fmt;

/// The type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Bytes.
    String,
    /// Elements by position.
    List,
    /// Values by field.
    Hash,
    /// Members without order.
    Set,
    /// Members by score.
    Zset,
}

impl Kind {
    /// The name, as the command TYPE answers it.
    pub fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::List => "list",
            Self::Hash => "hash",
            Self::Set => "set",
            Self::Zset => "zset",
        }
    }
}

/// How an entry keeps its value. An entry never changes its form: a new entry takes its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Form {
    /// A string as a client sent it.
    Plain,
    /// A string that was made of parts, as by APPEND: never an integer for Redis.
    Raw,
    List,
    HashSmall,
    HashLarge,
    SetInts,
    SetLarge,
    ZsetSmall,
    ZsetLarge,
}

impl Form {
    pub fn kind(self) -> Kind {
        match self {
            Self::Plain | Self::Raw => Kind::String,
            Self::List => Kind::List,
            Self::HashSmall | Self::HashLarge => Kind::Hash,
            Self::SetInts | Self::SetLarge => Kind::Set,
            Self::ZsetSmall | Self::ZsetLarge => Kind::Zset,
        }
    }

    pub fn is_string(self) -> bool {
        matches!(self, Self::Plain | Self::Raw)
    }
}

/// A command for one type met a value of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrongType;

impl fmt::Display for WrongType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WRONGTYPE Operation against a key holding the wrong kind of value")
    }
}

impl std::error::Error for WrongType {}
