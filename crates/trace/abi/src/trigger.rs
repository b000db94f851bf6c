//! Events that a recording waits for, as they are named to an agent.
//!
//! ```text
//! u8 effect, text probes, u64 number, then a filter
//! ```
//!
//! They come behind the filter of a recording, one after the other, up to a zero or the end.

use crate::fields::{MessageError, Reader, Writer};
use crate::filter::FilterWish;

/// What comes of an event that a recording waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// The recording begins with it: before, its process records nothing.
    Start = 1,
    /// The recorder is told, which ends the recording.
    Stop = 2,
}

/// An event that a recording waits for: one of these probes that the filter accepts. All such events are recorded,
/// whatever else is asked for; before the one that starts the recording, none that stop it.
#[derive(Debug, Clone)]
pub struct Trigger<'a> {
    /// What comes of it.
    pub effect: Effect,
    /// Which probes, as a [pattern](crate::patterns).
    pub probes: &'a str,
    /// What the agent writes to [`TRIGGER`](crate::recording::losses::TRIGGER) at the first event that stops the
    /// recording.
    pub number: u64,
    /// Which of their events.
    pub filter: FilterWish<'a>,
}

impl<'a> Trigger<'a> {
    /// Puts all but the filter into a message. That follows.
    ///
    /// # Errors
    /// When there is no room.
    pub fn begin(
        writer: &mut Writer<'_>,
        effect: Effect,
        probes: &str,
        number: u64,
    ) -> Result<(), MessageError> {
        writer.u8(effect as u8)?;
        writer.text(probes)?;
        writer.u64(number)
    }

    /// Puts it into a message.
    ///
    /// # Errors
    /// When there is no room.
    pub fn encode(&self, writer: &mut Writer<'_>) -> Result<(), MessageError> {
        Trigger::begin(writer, self.effect, self.probes, self.number)?;
        self.filter.encode(writer)
    }

    /// Reads the next one; nothing if there is none.
    ///
    /// # Errors
    /// When a field is missing or broken.
    pub fn decode(reader: &mut Reader<'a>) -> Result<Option<Self>, MessageError> {
        let effect = match reader.u8() {
            Err(_) | Ok(0) => return Ok(None),
            Ok(1) => Effect::Start,
            Ok(2) => Effect::Stop,
            Ok(other) => return Err(MessageError::Value(other)),
        };
        Ok(Some(Self {
            effect,
            probes: reader.text()?,
            number: reader.u64()?,
            filter: FilterWish::decode(reader)?,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::{Actions, Alternative, FilterImport};

    #[test]
    fn triggers_go_and_come() {
        let mut buffer = [0; 100];
        let mut writer = Writer::new(&mut buffer);
        let program = Alternative {
            imports: [FilterImport {
                class: 0,
                name: "x",
            }]
            .into_iter(),
            code: b"code",
            literals: b"",
        };
        Trigger::begin(&mut writer, Effect::Stop, "shop:*", 77).unwrap();
        let programs = [program].into_iter();
        FilterWish::write(&mut writer, "", Actions::default(), "x > 1", programs).unwrap();
        let length = writer.written();
        let trigger = Trigger::decode(&mut Reader::new(&buffer[..length]));
        let trigger = trigger.unwrap().unwrap();
        assert_eq!(
            (trigger.effect, trigger.probes, trigger.number),
            (Effect::Stop, "shop:*", 77)
        );
        assert_eq!(trigger.filter.expression, "x > 1");
        let mut again = [0; 100];
        let mut writer = Writer::new(&mut again);
        trigger.encode(&mut writer).unwrap();
        assert_eq!((writer.written(), again), (length, buffer));
        // Another one, and none behind it.
        buffer[0] = 1;
        let mut reader = Reader::new(&buffer);
        let first = Trigger::decode(&mut reader).unwrap().unwrap();
        assert_eq!(first.effect, Effect::Start);
        assert!(Trigger::decode(&mut reader).unwrap().is_none());
        assert!(Trigger::decode(&mut Reader::new(&[])).unwrap().is_none());
        for short in 1..length {
            let read = Trigger::decode(&mut Reader::new(&buffer[..short]));
            assert_eq!(read.unwrap_err(), MessageError::Short, "{short}");
        }
        buffer[0] = 3;
        let read = Trigger::decode(&mut Reader::new(&buffer));
        assert_eq!(read.unwrap_err(), MessageError::Value(3));
    }
}
