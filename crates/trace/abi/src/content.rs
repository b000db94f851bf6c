//! The content of a trace's chunks. That of [`crate::ChunkKind::MACHINE`] is text in UTF-8, lines `key: value`; that
//! of [`crate::ChunkKind::END`] is empty.
//!
//! Fields are as in messages: numbers are little-endian, a text is its length in two bytes, then UTF-8. A
//! reader ignores what follows the fields that it knows.
//!
//! A process comes before whatever names it, and a probe before its first event.

use crate::description::{Description, FEW_ARGUMENTS};
use crate::fields::{MessageError, Reader, Writer};

/// The clock of a process's events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// The processor's time stamp counter, as it is read.
    TimeStampCounter,
    /// Nanoseconds of `CLOCK_MONOTONIC`.
    Monotonic,
}

/// What a field may be.
trait Field<'a>: Sized {
    fn put(self, writer: &mut Writer<'_>) -> Result<(), MessageError>;
    fn take(reader: &mut Reader<'a>) -> Result<Self, MessageError>;
}

impl Field<'_> for u32 {
    fn put(self, writer: &mut Writer<'_>) -> Result<(), MessageError> {
        writer.u32(self)
    }

    fn take(reader: &mut Reader<'_>) -> Result<Self, MessageError> {
        reader.u32()
    }
}

impl Field<'_> for u64 {
    fn put(self, writer: &mut Writer<'_>) -> Result<(), MessageError> {
        writer.u64(self)
    }

    fn take(reader: &mut Reader<'_>) -> Result<Self, MessageError> {
        reader.u64()
    }
}

/// A field that was added later: it lacks in what was written before. Nothing is all ones, so that others may follow.
impl Field<'_> for Option<u64> {
    fn put(self, writer: &mut Writer<'_>) -> Result<(), MessageError> {
        writer.u64(self.unwrap_or(u64::MAX))
    }

    fn take(reader: &mut Reader<'_>) -> Result<Self, MessageError> {
        Ok(reader.u64().ok().filter(|value| *value != u64::MAX))
    }
}

impl<'a> Field<'a> for &'a str {
    fn put(self, writer: &mut Writer<'_>) -> Result<(), MessageError> {
        writer.text(self)
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, MessageError> {
        reader.text()
    }
}

impl Field<'_> for Clock {
    fn put(self, writer: &mut Writer<'_>) -> Result<(), MessageError> {
        writer.u8(match self {
            Self::TimeStampCounter => 0,
            Self::Monotonic => 1,
        })
    }

    fn take(reader: &mut Reader<'_>) -> Result<Self, MessageError> {
        Ok(match reader.u8()? {
            0 => Self::TimeStampCounter,
            _ => Self::Monotonic,
        })
    }
}

/// A structure whose fields stand one after the other.
macro_rules! content {
    (
        $(#[$about:meta])*
        pub struct $name:ident $(<$life:lifetime>)? {
            $($(#[$of_field:meta])* $field:ident: $kind:ty,)*
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $name $(<$life>)? {
            $($(#[$of_field])* pub $field: $kind,)*
        }

        impl $(<$life>)? $name $(<$life>)? {
            /// Writes the fields.
            ///
            /// # Errors
            /// When there is no room.
            pub fn encode(&self, writer: &mut Writer<'_>) -> Result<(), MessageError> {
                $(self.$field.put(writer)?;)*
                Ok(())
            }

            /// Reads the fields.
            ///
            /// # Errors
            /// When one is missing or broken.
            pub fn decode(content: & $($life)? [u8]) -> Result<Self, MessageError> {
                let mut reader = Reader::new(content);
                Ok(Self {
                    $($field: Field::take(&mut reader)?,)*
                })
            }
        }
    };
}

content! {
    /// The content of [`crate::ChunkKind::PROCESS`], version 1.
    pub struct ProcessContent<'a> {
        /// Its number in the trace; 0 in a process's own file.
        process: u32,
        /// As the kernel has it.
        pid: u32,
        /// When it started, in clock ticks since boot.
        start: u64,
        /// Of its events.
        clock: Clock,
        /// How far the clocks of two processors may be apart, in units of the clock: events of two threads that are
        /// closer cannot be put in order.
        skew: u64,
        /// Path of its executable.
        executable: &'a str,
        /// Its command line, arguments parted by spaces.
        command: &'a str,
        /// How long before its event the clock may have been read, in nanoseconds: a processor reads its counter ahead
        /// of instructions that come before it and wait for something. Nothing if the trace does not say.
        ahead: Option<u64>,
    }
}

content! {
    /// The content of [`crate::ChunkKind::PROBE`], of the version that [`ProbeContent::version`] says.
    pub struct ProbeContent<'a> {
        /// The process whose probe it is.
        process: u32,
        /// Its number there, from 1; 0 is no probe.
        probe: u32,
        /// The executable or shared object; empty for the executable.
        object: &'a str,
        /// The text of its [`crate::Description`].
        description: &'a str,
        /// How long before its events the clock may have been read, in nanoseconds; nothing for as long as the process
        /// says.
        ahead: Option<u64>,
    }
}

impl ProbeContent<'_> {
    /// Version of the chunk: 2 for a probe with more than [`FEW_ARGUMENTS`], which readers of version 1 take for a
    /// damaged one.
    pub fn version(&self) -> u16 {
        let description = Description::parse(self.description);
        let is_long = description.is_ok_and(|read| read.arguments().count() > FEW_ARGUMENTS);
        if is_long { 2 } else { 1 }
    }
}

content! {
    /// The content of [`crate::ChunkKind::THREAD`], version 1. What comes later for the same thread replaces it.
    pub struct ThreadContent<'a> {
        /// The process that it is of.
        process: u32,
        /// Its number in the trace of that process: a thread may have several, one after the other.
        thread: u32,
        /// As the kernel has it.
        tid: u32,
        /// Its name; empty if unknown.
        name: &'a str,
    }
}

content! {
    /// The content of [`crate::ChunkKind::CLOCK_SNAPSHOT`], version 1: clocks that were read together.
    pub struct ClockSnapshotContent {
        /// The process whose clock it is.
        process: u32,
        /// That clock, before the others were read.
        before: u64,
        /// That clock, after the others were read.
        after: u64,
        /// `CLOCK_MONOTONIC`, in nanoseconds.
        monotonic: u64,
        /// `CLOCK_REALTIME`, in nanoseconds since 1970.
        realtime: u64,
        /// `CLOCK_BOOTTIME`, in nanoseconds: goes on while the machine sleeps.
        boottime: u64,
    }
}

content! {
    /// The content of [`crate::ChunkKind::COST`], version 1: what recording one event of a probe takes of its thread's
    /// time, from the call of the handler to its return. It was measured with texts of 15 bytes.
    pub struct CostContent {
        /// The process that it was measured in.
        process: u32,
        /// The probe's number.
        probe: u32,
        /// The median of some blocks, in picoseconds.
        picoseconds: u64,
    }
}

content! {
    /// The content of [`crate::ChunkKind::LOSSES`], version 1. What comes later for the same process replaces it.
    pub struct LossesContent {
        /// The process that lost them.
        process: u32,
        /// Events for which there was no ring.
        no_ring: u64,
    }
}

content! {
    /// The content of [`crate::ChunkKind::WATERMARK`], version 1: whatever follows of this process is not older.
    pub struct WatermarkContent {
        /// The process.
        process: u32,
        /// By its clock: events before it are all written.
        time: u64,
    }
}

content! {
    /// The content of [`crate::ChunkKind::ORDER`], version 1: from a time on the clock was read when all was done that
    /// came before an event. Threads may learn of it as late as the clock may be read ahead elsewhere.
    pub struct OrderContent {
        /// The process.
        process: u32,
        /// By its clock.
        since: u64,
    }
}

content! {
    /// The content of [`crate::ChunkKind::EVENTS`], version 1, before its events: those of one thread, one after the
    /// other without a gap.
    ///
    /// Each event is a number (LEB128) that is twice the probe's number, plus one if a text was cut; then the time
    /// since the one before, or since `base` for the first (a signed LEB128 number, zigzag), then the arguments. A
    /// 0 alone stands for an event that was begun and never completed: it has a number, and no time.
    ///
    /// Arguments follow each other in the order of the description:
    ///
    /// | type | bytes |
    /// |---|---|
    /// | `i8` to `i64`, `enum` | a signed LEB128 number, zigzag |
    /// | `u8` to `u64`, `bool`, `ptr` | a LEB128 number |
    /// | `f32`, `f64` | 4 or 8 bytes, little-endian |
    /// | `cstr`, `str`, `bytes` | a LEB128 number, the length plus one, then the bytes; 0 alone for a null pointer |
    ///
    /// A chunk without events says how many a thread had and how many were dropped up to there: the last of a
    /// thread, if something was lost behind its last event; the first, if the trace begins before the first event
    /// that it has of the thread.
    pub struct EventsContent {
        /// The process.
        process: u32,
        /// The thread's number in the trace of that process.
        thread: u32,
        /// Number of the first event among those of the thread that found a place, from 0. Those between the last of
        /// the chunk before and this were written over before anybody read them. Those before the first chunk are
        /// no part of the trace.
        first: u64,
        /// Events of the thread that were dropped before the first of these, since its beginning. Unless its first
        /// chunk begins with event 0, those that this one says are no part of the trace.
        dropped: u64,
        /// How many events follow, those that were never completed counted.
        count: u32,
        /// The time that the first event's is counted from.
        base: u64,
    }
}

impl EventsContent {
    /// Bytes of the fields; the events are behind them.
    pub const SIZE: usize = 36;
}
