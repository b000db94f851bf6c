//! The fields of messages and chunks: numbers, texts and bytes, one after the other.

use core::fmt;

use crate::filter::FILTER_VERSION;

/// Version of the protocol that an agent speaks.
pub const PROTOCOL: u16 = 1;

/// Most bytes that may follow the header of a message.
pub const LONGEST_MESSAGE: u32 = 64 * 1024;

/// Why a message cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageError {
    /// It does not begin with [`MAGIC`](crate::MAGIC).
    Magic,
    /// It is of this other version.
    Protocol(u16),
    /// Its kind is unknown.
    Kind(u16),
    /// It is said to be longer than [`LONGEST_MESSAGE`].
    TooLong(u32),
    /// It ends within a field.
    Short,
    /// A text is not UTF-8.
    Text,
    /// The fields of a filter are of this other version.
    FilterVersion(u8),
    /// A field has this value, which has no meaning there.
    Value(u8),
}

impl fmt::Display for MessageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Magic => f.write_str("it is no message of perflab"),
            Self::Protocol(found) => {
                write!(f, "it is of protocol {found}, this side speaks {PROTOCOL}")
            }
            Self::Kind(number) => write!(f, "its kind {number} is unknown"),
            Self::TooLong(length) => {
                write!(
                    f,
                    "it is said to have {length} bytes, at most {LONGEST_MESSAGE} are allowed"
                )
            }
            Self::Short => f.write_str("it ends within a field"),
            Self::Text => f.write_str("a text in it is not UTF-8"),
            Self::FilterVersion(found) => write!(
                f,
                "its filter is of version {found}, this side knows version {FILTER_VERSION}"
            ),
            Self::Value(value) => write!(f, "a field of it has the unknown value {value}"),
        }
    }
}

impl core::error::Error for MessageError {}

/// Reads fields, one after the other.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Begins at the first byte.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], MessageError> {
        let (field, rest) = self.rest.split_first_chunk().ok_or(MessageError::Short)?;
        self.rest = rest;
        Ok(*field)
    }

    /// One byte.
    ///
    /// # Errors
    /// As all of these: when there is not as much left.
    pub fn u8(&mut self) -> Result<u8, MessageError> {
        self.take().map(u8::from_le_bytes)
    }

    /// Two bytes.
    pub fn u16(&mut self) -> Result<u16, MessageError> {
        self.take().map(u16::from_le_bytes)
    }

    /// Four bytes.
    pub fn u32(&mut self) -> Result<u32, MessageError> {
        self.take().map(u32::from_le_bytes)
    }

    /// Eight bytes.
    pub fn u64(&mut self) -> Result<u64, MessageError> {
        self.take().map(u64::from_le_bytes)
    }

    /// A text.
    pub fn text(&mut self) -> Result<&'a str, MessageError> {
        let length = usize::from(self.u16()?);
        core::str::from_utf8(self.slice(length)?).map_err(|_| MessageError::Text)
    }

    /// Bytes, with their number in front.
    pub fn bytes(&mut self) -> Result<&'a [u8], MessageError> {
        let length = self.u32()?;
        self.slice(length as usize)
    }

    fn slice(&mut self, length: usize) -> Result<&'a [u8], MessageError> {
        let (slice, rest) = self
            .rest
            .split_at_checked(length)
            .ok_or(MessageError::Short)?;
        self.rest = rest;
        Ok(slice)
    }

    /// Bytes that are left.
    pub fn left(&self) -> usize {
        self.rest.len()
    }
}

/// Puts fields into a buffer, one after the other.
#[derive(Debug)]
pub struct Writer<'a> {
    buffer: &'a mut [u8],
    written: usize,
}

impl<'a> Writer<'a> {
    /// Begins at the first byte.
    pub fn new(buffer: &'a mut [u8]) -> Self {
        Self { buffer, written: 0 }
    }

    /// Bytes so far.
    pub fn written(&self) -> usize {
        self.written
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), MessageError> {
        let end = self.written.saturating_add(bytes.len());
        let place = self.buffer.get_mut(self.written..end);
        place.ok_or(MessageError::Short)?.copy_from_slice(bytes);
        self.written = end;
        Ok(())
    }

    /// One byte.
    ///
    /// # Errors
    /// As all of these: when the buffer has no room for it.
    pub fn u8(&mut self, value: u8) -> Result<(), MessageError> {
        self.put(&value.to_le_bytes())
    }

    /// Two bytes.
    pub fn u16(&mut self, value: u16) -> Result<(), MessageError> {
        self.put(&value.to_le_bytes())
    }

    /// Four bytes.
    pub fn u32(&mut self, value: u32) -> Result<(), MessageError> {
        self.put(&value.to_le_bytes())
    }

    /// Eight bytes.
    pub fn u64(&mut self, value: u64) -> Result<(), MessageError> {
        self.put(&value.to_le_bytes())
    }

    /// A text, of which at most 65535 bytes are sent.
    pub fn text(&mut self, text: &str) -> Result<(), MessageError> {
        let end = text.floor_char_boundary(usize::from(u16::MAX));
        let text = &text[..end];
        self.u16(u16::try_from(text.len()).unwrap_or(u16::MAX))?;
        self.put(text.as_bytes())
    }

    /// Bytes, with their number in front.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(), MessageError> {
        self.u32(u32::try_from(bytes.len()).map_err(|_| MessageError::Short)?)?;
        self.put(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_is_none() {
        assert_eq!(Reader::new(&[1, 0, 0xff]).text(), Err(MessageError::Text));
        assert_eq!(Reader::new(&[2, 0, b'a']).text(), Err(MessageError::Short));
    }

    #[test]
    fn bytes_go_and_come() {
        let mut buffer = [0; 8];
        let mut writer = Writer::new(&mut buffer);
        assert_eq!(writer.bytes(&[7; 5]), Err(MessageError::Short));
        let mut writer = Writer::new(&mut buffer);
        assert_eq!(writer.bytes(&[7; 3]), Ok(()));
        let mut reader = Reader::new(&buffer);
        assert_eq!(reader.bytes(), Ok(&[7; 3][..]));
        assert_eq!(reader.left(), 1);
        let most = u32::MAX.to_le_bytes();
        assert_eq!(Reader::new(&most).bytes(), Err(MessageError::Short));
    }
}
