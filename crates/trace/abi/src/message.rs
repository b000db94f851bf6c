//! What goes over an agent's socket.
//!
//! A message is a [`Header`] and as many bytes as it says. Numbers are little-endian; a text is its
//! length in two bytes, then UTF-8. A receiver ignores what follows the fields that it knows, and
//! refuses another [`PROTOCOL`].
//!
//! | message | direction | fields |
//! |---|---|---|
//! | `List` | to the agent | pattern |
//! | `On`, `Off` | to the agent | pattern |
//! | `Record` | to the agent | pattern, then see [`RecordWish`] |
//! | `Site` | from it | see [`SiteState`] |
//! | `Recording` | from it | path of the directory with the process's rings, see [`crate::recording`] |
//! | `Done` | from it | sites that matched (u32), sites that were switched (u32), nanoseconds that switching took (u64), how it was done |
//! | `Refused` | from it | the reason |
//!
//! The answer to `Record` is `Recording`, then `Done`, or `Refused`. Who wants all events keeps the connection
//! open: they are kept for that long.
//!
//! The answer to `List` is one `Site` for each site that matches, then `Done`; the answer to `On` and
//! `Off` is `Done`, or `Refused`. A pattern is `provider:name`, either of which may contain `*`;
//! several are separated by a comma.

use core::fmt;

/// The first four bytes of each message, as a number: `PFLB`.
pub const MAGIC: u32 = u32::from_le_bytes(*b"PFLB");

/// Version of this protocol.
pub const PROTOCOL: u16 = 1;

/// Bytes of a [`Header`].
pub const HEADER_SIZE: usize = 12;

/// Most bytes that may follow a header.
pub const LONGEST_MESSAGE: u32 = 64 * 1024;

/// What a message is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Name all sites.
    List,
    /// Switch sites on, those too that come later.
    On,
    /// Switch sites off.
    Off,
    /// Record sites, those too that come later.
    Record,
    /// One site.
    Site,
    /// Where events are.
    Recording,
    /// The end of an answer.
    Done,
    /// The end of an answer: it was not done.
    Refused,
}

impl Kind {
    const ALL: [(Self, u16); 8] = [
        (Self::List, 1),
        (Self::On, 2),
        (Self::Off, 3),
        (Self::Record, 4),
        (Self::Site, 128),
        (Self::Done, 129),
        (Self::Refused, 130),
        (Self::Recording, 131),
    ];

    fn number(self) -> u16 {
        let mut all = Self::ALL.iter();
        all.find(|(kind, _)| *kind == self)
            .map_or(0, |(_, number)| *number)
    }
}

/// What stands before each message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// What follows.
    pub kind: Kind,
    /// Bytes that follow.
    pub length: u32,
}

/// Why a message cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageError {
    /// It does not begin with [`MAGIC`].
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
        }
    }
}

impl core::error::Error for MessageError {}

impl Header {
    /// As it is sent.
    pub fn encode(self) -> [u8; HEADER_SIZE] {
        let mut bytes = [0; HEADER_SIZE];
        bytes[..4].copy_from_slice(&MAGIC.to_le_bytes());
        bytes[4..6].copy_from_slice(&PROTOCOL.to_le_bytes());
        bytes[6..8].copy_from_slice(&self.kind.number().to_le_bytes());
        bytes[8..].copy_from_slice(&self.length.to_le_bytes());
        bytes
    }

    /// Reads a header.
    ///
    /// # Errors
    /// When it is not one of this protocol.
    pub fn decode(bytes: &[u8; HEADER_SIZE]) -> Result<Self, MessageError> {
        let mut reader = Reader::new(bytes);
        if reader.u32()? != MAGIC {
            return Err(MessageError::Magic);
        }
        let protocol = reader.u16()?;
        if protocol != PROTOCOL {
            return Err(MessageError::Protocol(protocol));
        }
        let number = reader.u16()?;
        let mut all = Kind::ALL.iter();
        let found = all.find(|(_, known)| *known == number);
        let (kind, _) = *found.ok_or(MessageError::Kind(number))?;
        let length = reader.u32()?;
        if length > LONGEST_MESSAGE {
            return Err(MessageError::TooLong(length));
        }
        Ok(Self { kind, length })
    }
}

/// How sites are recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordWish {
    /// Whether an event that finds no room is dropped and counted, for as long as the connection stays; else
    /// it takes the place of the oldest.
    pub keep: bool,
    /// Memory of the events of one thread, in KiB; 0 if the agent shall choose.
    pub ring: u32,
    /// Memory of all events of the process, in KiB; 0 if the agent shall choose.
    pub all: u32,
}

impl RecordWish {
    /// Puts the fields into a message.
    pub fn encode(&self, writer: &mut Writer<'_>) -> Result<(), MessageError> {
        writer.u8(u8::from(self.keep))?;
        writer.u32(self.ring)?;
        writer.u32(self.all)
    }

    /// Reads the fields.
    ///
    /// # Errors
    /// When one is missing.
    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, MessageError> {
        Ok(Self {
            keep: reader.u8()? != 0,
            ring: reader.u32()?,
            all: reader.u32()?,
        })
    }
}

/// One site as an agent names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SiteState<'a> {
    /// Address of the site in the process.
    pub address: u64,
    /// Address of its point: sites that share it are copies of one place in the source.
    pub point: u64,
    /// How often the point's handler was called.
    pub hits: u64,
    /// Whether the site is on.
    pub on: bool,
    /// As [`crate::Site::backend`].
    pub backend: u8,
    /// How many kernel tracers and debuggers want it open.
    pub semaphore: u16,
    /// File of the executable or shared object; empty if unknown.
    pub object: &'a str,
    /// The text of its [`crate::Description`].
    pub description: &'a str,
    /// Whether its events are recorded, instead of counting them. Earlier agents do not say so.
    pub recorded: bool,
}

impl<'a> SiteState<'a> {
    /// Puts the fields into a message.
    pub fn encode(&self, writer: &mut Writer<'_>) -> Result<(), MessageError> {
        writer.u64(self.address)?;
        writer.u64(self.point)?;
        writer.u64(self.hits)?;
        writer.u8(u8::from(self.on))?;
        writer.u8(self.backend)?;
        writer.u16(self.semaphore)?;
        writer.text(self.object)?;
        writer.text(self.description)?;
        writer.u8(u8::from(self.recorded))
    }

    /// Reads the fields.
    ///
    /// # Errors
    /// When one is missing or broken.
    pub fn decode(reader: &mut Reader<'a>) -> Result<Self, MessageError> {
        Ok(Self {
            address: reader.u64()?,
            point: reader.u64()?,
            hits: reader.u64()?,
            on: reader.u8()? != 0,
            backend: reader.u8()?,
            semaphore: reader.u16()?,
            object: reader.text()?,
            description: reader.text()?,
            recorded: reader.u8().is_ok_and(|recorded| recorded != 0),
        })
    }
}

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
        let (text, rest) = self
            .rest
            .split_at_checked(length)
            .ok_or(MessageError::Short)?;
        self.rest = rest;
        core::str::from_utf8(text).map_err(|_| MessageError::Text)
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers() {
        for (kind, _) in Kind::ALL {
            let header = Header { kind, length: 9 };
            assert_eq!(Header::decode(&header.encode()), Ok(header));
        }
        let good = Header {
            kind: Kind::On,
            length: 9,
        }
        .encode();
        let with = |index: usize, byte: u8| {
            let mut bytes = good;
            bytes[index] = byte;
            Header::decode(&bytes)
        };
        assert_eq!(with(0, 0), Err(MessageError::Magic));
        assert_eq!(with(4, 9), Err(MessageError::Protocol(9)));
        assert_eq!(with(6, 99), Err(MessageError::Kind(99)));
        assert_eq!(with(11, 1), Err(MessageError::TooLong((1 << 24) + 9)));
    }

    #[test]
    fn a_site_goes_and_comes() {
        let site = SiteState {
            address: 1,
            point: 2,
            hits: u64::MAX,
            on: true,
            backend: 1,
            semaphore: 3,
            object: "/bin/ä",
            description: "p\nn\nf\n1",
            recorded: true,
        };
        let mut buffer = [0; 200];
        let mut writer = Writer::new(&mut buffer);
        site.encode(&mut writer).unwrap();
        let length = writer.written();
        assert_eq!(
            SiteState::decode(&mut Reader::new(&buffer[..length])),
            Ok(site)
        );
        // A later version may say more.
        assert_eq!(SiteState::decode(&mut Reader::new(&buffer)), Ok(site));
        let earlier = SiteState {
            recorded: false,
            ..site
        };
        assert_eq!(
            SiteState::decode(&mut Reader::new(&buffer[..length - 1])),
            Ok(earlier)
        );
        for short in 0..length - 1 {
            assert_eq!(
                SiteState::decode(&mut Reader::new(&buffer[..short])),
                Err(MessageError::Short)
            );
        }
        let mut small = [0; 20];
        assert_eq!(
            site.encode(&mut Writer::new(&mut small)),
            Err(MessageError::Short)
        );
    }

    #[test]
    fn text_that_is_none() {
        assert_eq!(Reader::new(&[1, 0, 0xff]).text(), Err(MessageError::Text));
        assert_eq!(Reader::new(&[2, 0, b'a']).text(), Err(MessageError::Short));
    }
}
