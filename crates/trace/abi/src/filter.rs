//! Filters as they are sent to an agent.
//!
//! ```text
//! u8 version, text except, u32 every, u32 at most, u8 then, text expression
//! u8 alternatives, for each:
//!     u8 imports, for each: u8 class, text name
//!     bytes code, bytes literals
//! ```
//!
//! The alternatives are programs for one expression. Each takes its values by their names, but as another class: an
//! argument may be an integer in one probe and a floating-point number in another. For each probe the agent uses the
//! first program whose names all have the class that it needs.

use crate::fields::{MessageError, Reader, Writer};

/// Version of the fields of a filter.
pub(crate) const FILTER_VERSION: u8 = 1;

/// Most bytes of an encoded filter. Twice as many digits fit into a variable of the environment
/// ([`crate::variable::WHEN`]), and what else is asked fits into the same message.
pub const LONGEST_FILTER: usize = 60 * 1024;

/// What becomes of an event that a filter accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Then {
    /// It is counted or recorded, as was asked.
    #[default]
    Act = 0,
    /// Nothing: what judging costs can be measured alone.
    Nothing = 1,
}

impl Then {
    fn from_number(number: u8) -> Result<Self, MessageError> {
        match number {
            0 => Ok(Self::Act),
            1 => Ok(Self::Nothing),
            other => Err(MessageError::Value(other)),
        }
    }
}

/// What is done with the events that a filter accepts. By default all are counted or recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Actions {
    /// The first accepted event of each thread is taken, then each one after so many. 0 and 1 take all.
    pub every: u32,
    /// Most events that are taken in a second; 0 sets no limit.
    pub at_most: u32,
    /// What becomes of these.
    pub then: Then,
}

/// A filter, and what is done with the events that it accepts.
#[derive(Debug, Clone)]
pub struct FilterWish<'a> {
    /// Probes that it does not judge, as a [pattern](crate::patterns): they are counted or recorded as without a
    /// filter. Empty if it judges all that the message is about.
    pub except: &'a str,
    /// What is done with accepted events.
    pub actions: Actions,
    /// As a person wrote it, to be shown.
    pub expression: &'a str,
    alternatives: Alternatives<'a>,
}

/// A program.
#[derive(Debug, Clone)]
pub struct Alternative<'a, I = Imports<'a>> {
    /// The slots of its context, in order.
    pub imports: I,
    /// eBPF instructions, 8 bytes each. Nobody has verified them.
    pub code: &'a [u8],
    /// Data that it reads.
    pub literals: &'a [u8],
}

/// A value that a program takes from an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilterImport<'a> {
    /// The number of its class, as the crate `bpf` numbers them. It may be any.
    pub class: u8,
    /// The name of an argument, or `$ctx.` and a name.
    pub name: &'a str,
}

impl<'a> FilterWish<'a> {
    /// Puts a filter into a message.
    ///
    /// # Errors
    /// When there is no room, or there are more than 255 alternatives, or imports of one.
    pub fn write<'p, I: ExactSizeIterator<Item = FilterImport<'p>>>(
        writer: &mut Writer<'_>,
        except: &str,
        actions: Actions,
        expression: &str,
        alternatives: impl ExactSizeIterator<Item = Alternative<'p, I>>,
    ) -> Result<(), MessageError> {
        writer.u8(FILTER_VERSION)?;
        writer.text(except)?;
        writer.u32(actions.every)?;
        writer.u32(actions.at_most)?;
        writer.u8(actions.then as u8)?;
        writer.text(expression)?;
        writer.u8(count(alternatives.len())?)?;
        for alternative in alternatives {
            writer.u8(count(alternative.imports.len())?)?;
            for import in alternative.imports {
                writer.u8(import.class)?;
                writer.text(import.name)?;
            }
            writer.bytes(alternative.code)?;
            writer.bytes(alternative.literals)?;
        }
        Ok(())
    }

    /// Puts it into a message.
    ///
    /// # Errors
    /// When there is no room.
    pub fn encode(&self, writer: &mut Writer<'_>) -> Result<(), MessageError> {
        let alternatives = self.alternatives();
        FilterWish::write(
            writer,
            self.except,
            self.actions,
            self.expression,
            alternatives,
        )
    }

    /// Reads the fields.
    ///
    /// # Errors
    /// When one is missing or broken.
    pub fn decode(reader: &mut Reader<'a>) -> Result<Self, MessageError> {
        let version = reader.u8()?;
        if version != FILTER_VERSION {
            return Err(MessageError::FilterVersion(version));
        }
        let except = reader.text()?;
        let actions = Actions {
            every: reader.u32()?,
            at_most: reader.u32()?,
            then: Then::from_number(reader.u8()?)?,
        };
        let expression = reader.text()?;
        let left = reader.u8()?;
        let alternatives = Alternatives {
            reader: *reader,
            left,
        };
        for _ in 0..left {
            alternative(reader)?;
        }
        Ok(Self {
            except,
            actions,
            expression,
            alternatives,
        })
    }

    /// Its programs; the first that fits a probe is the one for it.
    pub fn alternatives(&self) -> Alternatives<'a> {
        self.alternatives.clone()
    }
}

fn count(length: usize) -> Result<u8, MessageError> {
    u8::try_from(length).map_err(|_| MessageError::Short)
}

fn alternative<'a>(reader: &mut Reader<'a>) -> Result<Alternative<'a>, MessageError> {
    let left = reader.u8()?;
    let imports = Imports {
        reader: *reader,
        left,
    };
    for _ in 0..left {
        import(reader)?;
    }
    Ok(Alternative {
        imports,
        code: reader.bytes()?,
        literals: reader.bytes()?,
    })
}

fn import<'a>(reader: &mut Reader<'a>) -> Result<FilterImport<'a>, MessageError> {
    Ok(FilterImport {
        class: reader.u8()?,
        name: reader.text()?,
    })
}

/// The programs of a filter that was read.
#[derive(Debug, Clone)]
pub struct Alternatives<'a> {
    /// Before the next one. All of them were read once.
    reader: Reader<'a>,
    left: u8,
}

impl<'a> Iterator for Alternatives<'a> {
    type Item = Alternative<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        alternative(&mut self.reader).ok()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left.into(), Some(self.left.into()))
    }
}

impl ExactSizeIterator for Alternatives<'_> {}

/// The imports of a program that was read.
#[derive(Debug, Clone)]
pub struct Imports<'a> {
    /// Before the next one. All of them were read once.
    reader: Reader<'a>,
    left: u8,
}

impl<'a> Iterator for Imports<'a> {
    type Item = FilterImport<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        import(&mut self.reader).ok()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left.into(), Some(self.left.into()))
    }
}

impl ExactSizeIterator for Imports<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    const IMPORTS: [FilterImport<'_>; 2] = [
        FilterImport {
            class: 2,
            name: "nämé",
        },
        FilterImport {
            class: 0,
            name: "$ctx.vtid",
        },
    ];

    const ACTIONS: Actions = Actions {
        every: 100,
        at_most: u32::MAX,
        then: Then::Nothing,
    };

    /// A filter of two programs, and its length.
    fn written() -> ([u8; 200], usize) {
        let mut buffer = [0; 200];
        let mut writer = Writer::new(&mut buffer);
        let programs: [(&[FilterImport<'_>], &[u8], &[u8]); 2] =
            [(&IMPORTS, b"code", b"SET"), (&[], b"", b"")];
        let alternatives = programs
            .into_iter()
            .map(|(imports, code, literals)| Alternative {
                imports: imports.iter().copied(),
                code,
                literals,
            });
        FilterWish::write(&mut writer, "shop:*", ACTIONS, "a == 1", alternatives).unwrap();
        let length = writer.written();
        (buffer, length)
    }

    #[test]
    fn a_filter_goes_and_comes() {
        let (buffer, length) = written();
        // A trigger may follow.
        let mut reader = Reader::new(&buffer);
        let filter = FilterWish::decode(&mut reader).unwrap();
        assert_eq!(reader.left(), buffer.len() - length);
        assert_eq!((filter.except, filter.expression), ("shop:*", "a == 1"));
        assert_eq!(filter.actions, ACTIONS);
        assert_eq!(filter.alternatives().len(), 2);
        let mut alternatives = filter.alternatives();
        let first = alternatives.next().unwrap();
        assert_eq!(first.imports.len(), 2);
        assert!(first.imports.eq(IMPORTS));
        assert_eq!((first.code, first.literals), (&b"code"[..], &b"SET"[..]));
        let second = alternatives.next().unwrap();
        assert_eq!((second.imports.len(), second.code.len()), (0, 0));
        assert!(alternatives.next().is_none());
        let mut again = [0; 200];
        let mut writer = Writer::new(&mut again);
        filter.encode(&mut writer).unwrap();
        assert_eq!((writer.written(), again), (length, buffer));
    }

    #[test]
    fn filters_that_are_none() {
        let (buffer, length) = written();
        for short in 0..length {
            let read = FilterWish::decode(&mut Reader::new(&buffer[..short]));
            assert_eq!(read.unwrap_err(), MessageError::Short, "{short}");
        }
        let with = |at: usize, byte: u8| {
            let mut other = buffer;
            other[at] = byte;
            FilterWish::decode(&mut Reader::new(&other)).unwrap_err()
        };
        assert_eq!(with(0, 2), MessageError::FilterVersion(2));
        // Version, pattern, and two numbers.
        let then = 1 + 2 + "shop:*".len() + 8;
        assert_eq!(with(then, 2), MessageError::Value(2));
        assert_eq!(with(3, 0xff), MessageError::Text);
        let mut small = [0; 20];
        let filter = FilterWish::decode(&mut Reader::new(&buffer)).unwrap();
        assert_eq!(
            filter.encode(&mut Writer::new(&mut small)),
            Err(MessageError::Short)
        );
    }
}
