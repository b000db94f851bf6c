//! Tables whose keys depend on each other.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

/// Reads a table as `Raw`, then checks it as a whole by turning it into `T`.
///
/// In contrast to serde's `try_from`, a failed check is raised while the table is being read, so
/// that the error carries the table's place in the file even inside a list of tables.
pub(crate) fn table<'de, Raw, T, D>(from: D) -> Result<T, D::Error>
where
    Raw: Deserialize<'de>,
    T: TryFrom<Raw, Error: fmt::Display>,
    D: Deserializer<'de>,
{
    from.deserialize_map(TableVisitor::<Raw, T>(PhantomData))
}

struct TableVisitor<Raw, T>(PhantomData<(Raw, T)>);

impl<'de, Raw, T> Visitor<'de> for TableVisitor<Raw, T>
where
    Raw: Deserialize<'de>,
    T: TryFrom<Raw, Error: fmt::Display>,
{
    type Value = T;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        let raw = Raw::deserialize(MapAccessDeserializer::new(map))?;
        T::try_from(raw).map_err(A::Error::custom)
    }
}
