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
//! | `OnWhen` | to the agent | pattern, then see [`FilterWish`](crate::FilterWish) |
//! | `RecordWhen` | to the agent | as `Record`, then see [`FilterWish`](crate::FilterWish), then any number of [`Trigger`](crate::Trigger)s |
//! | `CountBy` | to the agent | pattern, the name of an argument, then see [`FilterWish`](crate::FilterWish) |
//! | `Values` | to the agent | pattern |
//! | `Await` | to the agent | pattern, then see [`FilterWish`](crate::FilterWish) |
//! | `Site` | from it | see [`SiteState`] |
//! | `Recording` | from it | path of the directory with the process's rings, see [`crate::recording`] |
//! | `Filtered` | from it | see [`Filtered`](crate::Filtered) |
//! | `Value` | from it | see [`ValueHits`](crate::ValueHits) |
//! | `Triggered` | from it | none |
//! | `Done` | from it | sites that matched (u32), sites that were switched (u32), nanoseconds that switching took (u64), how it was done |
//! | `Refused` | from it | the reason |
//!
//! The answer to `Record` is `Recording`, then `Done`, or `Refused`. Who wants all events keeps the connection
//! open: they are kept for that long.
//!
//! The answer to `List` is one `Site` for each site that matches, then `Done`; the answer to `On` and
//! `Off` is `Done`, or `Refused`. A pattern is `provider:name`, either of which may contain `*`;
//! several are separated by a comma.
//!
//! `OnWhen` and `RecordWhen` are answered as `On` and `Record`, but before `Done` comes `Filtered`, for each probe that
//! matches. They are kinds of their own, and no fields at the end of the others, so that an agent that knows no filter
//! refuses them: it must not record what the filter rejects. `CountBy` is answered as `OnWhen`; the answer to `Values`
//! is one `Value` for each value that was counted since, then `Done`.
//!
//! `Await` is for a process that records on its own, and is answered as `OnWhen`. At the first event that the filter
//! accepts, the agent sends `Triggered` on the same connection, and closes it. Whoever waits no longer closes it.

use crate::fields::{LONGEST_MESSAGE, MessageError, PROTOCOL, Reader, Writer};
use crate::filtered::SiteFilter;

/// The first four bytes of each message, as a number: `PFLB`.
pub const MAGIC: u32 = u32::from_le_bytes(*b"PFLB");

/// Bytes of a [`Header`].
pub const HEADER_SIZE: usize = 12;

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
    /// Switch sites on that count the events that a filter accepts, those too that come later.
    OnWhen,
    /// Record the events of sites that a filter accepts, of those too that come later.
    RecordWhen,
    /// Switch sites on that count the events that a filter accepts by the value of an argument.
    CountBy,
    /// How often the argument had each value.
    Values,
    /// Tell when an event comes that a filter accepts.
    Await,
    /// One site.
    Site,
    /// Where events are.
    Recording,
    /// What became of a filter for a probe.
    Filtered,
    /// How often an argument had a value.
    Value,
    /// Such an event has come.
    Triggered,
    /// The end of an answer.
    Done,
    /// The end of an answer: it was not done.
    Refused,
}

impl Kind {
    const ALL: [(Self, u16); 16] = [
        (Self::List, 1),
        (Self::On, 2),
        (Self::Off, 3),
        (Self::Record, 4),
        (Self::OnWhen, 5),
        (Self::RecordWhen, 6),
        (Self::CountBy, 7),
        (Self::Values, 8),
        (Self::Await, 9),
        (Self::Site, 128),
        (Self::Done, 129),
        (Self::Refused, 130),
        (Self::Recording, 131),
        (Self::Filtered, 132),
        (Self::Value, 133),
        (Self::Triggered, 134),
    ];

    /// Its number in a header.
    pub fn number(self) -> u16 {
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
    /// Whether it asks for [`crate::Site::ORDERED`]. Earlier agents do not say so.
    pub ordered: bool,
    /// What judges its events, if anything does. Earlier agents do not say so.
    pub filter: Option<SiteFilter<'a>>,
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
        writer.u8(u8::from(self.recorded))?;
        writer.u8(u8::from(self.ordered))?;
        SiteFilter::encode(self.filter.as_ref(), writer)
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
            ordered: reader.u8().is_ok_and(|ordered| ordered != 0),
            filter: SiteFilter::decode(reader)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filtered::FilterMode;

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
            ordered: true,
            filter: None,
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
        for (missing, recorded, ordered) in [(1, true, true), (2, true, false), (3, false, false)] {
            let earlier = SiteState {
                recorded,
                ordered,
                ..site
            };
            assert_eq!(
                SiteState::decode(&mut Reader::new(&buffer[..length - missing])),
                Ok(earlier)
            );
        }
        for short in 0..length - 3 {
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
    fn the_filter_of_a_site_goes_and_comes() {
        let site = SiteState {
            address: 1,
            point: 2,
            hits: 3,
            on: true,
            backend: 0,
            semaphore: 0,
            object: "",
            description: "p\nn\nf\n1",
            recorded: false,
            ordered: false,
            filter: Some(SiteFilter {
                mode: FilterMode::Interpreted,
                code: 0,
                expression: "x > 1",
                reason: "no memory is executable",
            }),
        };
        let mut buffer = [0; 200];
        let mut writer = Writer::new(&mut buffer);
        site.encode(&mut writer).unwrap();
        assert_eq!(SiteState::decode(&mut Reader::new(&buffer)), Ok(site));
    }
}
