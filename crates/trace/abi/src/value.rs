//! How often an argument had a value, as an agent counts it.

use crate::fields::{MessageError, Reader, Writer};

/// Bytes of a text by which it is counted: texts that begin with the same ones are one value.
pub const LONGEST_COUNTED: usize = 40;

/// A value of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value<'a> {
    /// A number of 64 bits, with a sign or without.
    Number(u64),
    /// A text.
    Text {
        /// Its first bytes, at most [`LONGEST_COUNTED`].
        bytes: &'a [u8],
        /// Whether it has more.
        is_cut: bool,
    },
    /// No text, but a null pointer.
    Null,
    /// All values for which the agent had no room.
    Others,
}

/// How often an argument had a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValueHits<'a> {
    /// The value.
    pub value: Value<'a>,
    /// How often.
    pub hits: u64,
}

impl<'a> ValueHits<'a> {
    /// Puts the fields into a message.
    ///
    /// # Errors
    /// When there is no room.
    pub fn encode(&self, writer: &mut Writer<'_>) -> Result<(), MessageError> {
        writer.u64(self.hits)?;
        match self.value {
            Value::Number(number) => {
                writer.u8(1)?;
                writer.u64(number)
            }
            Value::Text { bytes, is_cut } => {
                writer.u8(if is_cut { 3 } else { 2 })?;
                writer.bytes(bytes)
            }
            Value::Null => writer.u8(4),
            Value::Others => writer.u8(5),
        }
    }

    /// Reads the fields.
    ///
    /// # Errors
    /// When one is missing or broken.
    pub fn decode(reader: &mut Reader<'a>) -> Result<Self, MessageError> {
        let hits = reader.u64()?;
        let value = match reader.u8()? {
            1 => Value::Number(reader.u64()?),
            kind @ (2 | 3) => Value::Text {
                bytes: reader.bytes()?,
                is_cut: kind == 3,
            },
            4 => Value::Null,
            5 => Value::Others,
            other => return Err(MessageError::Value(other)),
        };
        Ok(Self { value, hits })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_go_and_come() {
        let text = |is_cut| Value::Text {
            bytes: b"SET",
            is_cut,
        };
        let values = [
            Value::Number(u64::MAX),
            text(false),
            text(true),
            Value::Null,
            Value::Others,
        ];
        for value in values {
            let hits = ValueHits { value, hits: 7 };
            let mut buffer = [0; 40];
            let mut writer = Writer::new(&mut buffer);
            hits.encode(&mut writer).unwrap();
            let length = writer.written();
            assert_eq!(ValueHits::decode(&mut Reader::new(&buffer)), Ok(hits));
            for short in 0..length {
                let read = ValueHits::decode(&mut Reader::new(&buffer[..short]));
                assert_eq!(read, Err(MessageError::Short), "{short}");
            }
        }
        let read = ValueHits::decode(&mut Reader::new(&[0, 0, 0, 0, 0, 0, 0, 0, 6]));
        assert_eq!(read, Err(MessageError::Value(6)));
    }
}
