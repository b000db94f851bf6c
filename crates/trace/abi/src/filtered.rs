//! How an agent judges events by a filter, as it answers.

use crate::fields::{MessageError, Reader, Writer};

/// Most bytes of an expression, or of a reason, that are shown of a [`SiteFilter`]: an answer may be about many
/// thousands of sites. Some more of a longer one are sent, so that its receiver knows that it is longer.
pub const LONGEST_SHOWN: usize = 256;

/// Most bytes that are sent. A letter has up to four.
const LONGEST_SENT: usize = LONGEST_SHOWN + 4;

/// How the events of a site are judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FilterMode {
    /// By machine code.
    Native = 1,
    /// By the interpreter.
    Interpreted = 2,
    /// They are not, as the probe lacks a name that the filter needs: no event is accepted.
    Never = 3,
    /// They are not, as a name is that of an argument of another class there: no event is accepted.
    Unbound = 4,
}

impl FilterMode {
    /// The mode of a number.
    pub fn from_number(number: u8) -> Option<Self> {
        Some(match number {
            1 => Self::Native,
            2 => Self::Interpreted,
            3 => Self::Never,
            4 => Self::Unbound,
            _ => return None,
        })
    }

    fn decode(number: u8) -> Result<Self, MessageError> {
        Self::from_number(number).ok_or(MessageError::Value(number))
    }
}

/// The filter of a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SiteFilter<'a> {
    /// How its events are judged.
    pub mode: FilterMode,
    /// Bytes of native code; 0 if there is none.
    pub code: u32,
    /// As a person wrote it. If it has more than [`LONGEST_SHOWN`] bytes, not all are sent.
    pub expression: &'a str,
    /// Why it is not native: a phrase. If it has more than [`LONGEST_SHOWN`] bytes, not all are sent.
    pub reason: &'a str,
}

impl<'a> SiteFilter<'a> {
    /// Puts the fields into a message; of a site that has no filter, one byte.
    pub(crate) fn encode(
        filter: Option<&Self>,
        writer: &mut Writer<'_>,
    ) -> Result<(), MessageError> {
        let Some(filter) = filter else {
            return writer.u8(0);
        };
        writer.u8(filter.mode as u8)?;
        writer.u32(filter.code)?;
        writer.text(cut(filter.expression))?;
        writer.text(cut(filter.reason))
    }

    /// Reads the fields. Earlier agents send none of them.
    pub(crate) fn decode(reader: &mut Reader<'a>) -> Result<Option<Self>, MessageError> {
        let Ok(number @ 1..) = reader.u8() else {
            return Ok(None);
        };
        Ok(Some(Self {
            mode: FilterMode::decode(number)?,
            code: reader.u32()?,
            expression: cut(reader.text()?),
            reason: cut(reader.text()?),
        }))
    }
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST_SENT)]
}

/// What became of a filter for a probe. Where its sites differ in mode or reason, there is one of these for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filtered<'a> {
    /// `provider:name`.
    pub probe: &'a str,
    /// Sites that are meant.
    pub sites: u32,
    /// How their events are judged.
    pub mode: FilterMode,
    /// Bytes of native code; 0 if there is none.
    pub code: u32,
    /// Bytes that the agent keeps besides that.
    pub kept: u32,
    /// Nanoseconds that it took to verify the program and to lower it.
    pub verified: u64,
    /// Nanoseconds that it took to make native code.
    pub emitted: u64,
    /// Nanoseconds that it took until events were judged by it.
    pub published: u64,
    /// Why it is not native: a phrase.
    pub reason: &'a str,
}

impl<'a> Filtered<'a> {
    /// Puts the fields into a message.
    ///
    /// # Errors
    /// When there is no room.
    pub fn encode(&self, writer: &mut Writer<'_>) -> Result<(), MessageError> {
        writer.text(self.probe)?;
        writer.u32(self.sites)?;
        writer.u8(self.mode as u8)?;
        writer.u32(self.code)?;
        writer.u32(self.kept)?;
        writer.u64(self.verified)?;
        writer.u64(self.emitted)?;
        writer.u64(self.published)?;
        writer.text(self.reason)
    }

    /// Reads the fields.
    ///
    /// # Errors
    /// When one is missing or broken.
    pub fn decode(reader: &mut Reader<'a>) -> Result<Self, MessageError> {
        Ok(Self {
            probe: reader.text()?,
            sites: reader.u32()?,
            mode: FilterMode::decode(reader.u8()?)?,
            code: reader.u32()?,
            kept: reader.u32()?,
            verified: reader.u64()?,
            emitted: reader.u64()?,
            published: reader.u64()?,
            reason: reader.text()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_goes_and_comes() {
        let filtered = Filtered {
            probe: "shop:sold",
            sites: 3,
            mode: FilterMode::Interpreted,
            code: 0,
            kept: 900,
            verified: 1,
            emitted: 2,
            published: u64::MAX,
            reason: "no memory is executable",
        };
        let mut buffer = [0; 100];
        let mut writer = Writer::new(&mut buffer);
        filtered.encode(&mut writer).unwrap();
        let length = writer.written();
        // A later version may say more.
        assert_eq!(Filtered::decode(&mut Reader::new(&buffer)), Ok(filtered));
        for short in 0..length {
            let read = Filtered::decode(&mut Reader::new(&buffer[..short]));
            assert_eq!(read, Err(MessageError::Short), "{short}");
        }
        let mode = 2 + filtered.probe.len() + 4;
        for number in [0, 5] {
            buffer[mode] = number;
            let read = Filtered::decode(&mut Reader::new(&buffer));
            assert_eq!(read, Err(MessageError::Value(number)));
        }
    }

    #[test]
    fn long_expressions_are_cut() {
        let mut long = [b'a'; 300];
        // Letters of two bytes, of which one would be cut in half.
        for pair in long[1..299].chunks_exact_mut(2) {
            pair.copy_from_slice("ä".as_bytes());
        }
        let long = core::str::from_utf8(&long).unwrap();
        let filter = SiteFilter {
            mode: FilterMode::Native,
            code: 4096,
            expression: long,
            reason: "",
        };
        let mut buffer = [0; 400];
        let mut writer = Writer::new(&mut buffer);
        SiteFilter::encode(Some(&filter), &mut writer).unwrap();
        let length = writer.written();
        let shown = SiteFilter {
            expression: &long[..259],
            ..filter
        };
        let read = SiteFilter::decode(&mut Reader::new(&buffer[..length]));
        assert_eq!(read, Ok(Some(shown)));
        assert_eq!(SiteFilter::decode(&mut Reader::new(&[])), Ok(None));
        assert_eq!(SiteFilter::decode(&mut Reader::new(&[0, 9])), Ok(None));
        let read = SiteFilter::decode(&mut Reader::new(&[9]));
        assert_eq!(read, Err(MessageError::Value(9)));
        for short in 1..length {
            let read = SiteFilter::decode(&mut Reader::new(&buffer[..short]));
            assert_eq!(read, Err(MessageError::Short), "{short}");
        }
    }
}
