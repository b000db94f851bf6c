//! Writes a trace, chunk after chunk.

use std::io::{self, Write};

use perflab_abi::{
    CHUNK_HEAD, ChunkHead, ChunkKind, ClockSnapshotContent, CostContent, LossesContent,
    MessageError, OrderContent, ProbeContent, ProcessContent, ThreadContent, WatermarkContent,
    Writer,
};

use crate::batch::EventBatch;

/// Bytes of the longest content but that of events and the machine: fields, and up to three texts.
const LONGEST_CONTENT: usize = 64 + 3 * (2 + u16::MAX as usize);

/// A trace that is being written. Each method writes one chunk with one call of the writer below.
///
/// A process comes before whatever names it, a probe before its first event.
#[derive(Debug)]
pub struct TraceWriter<W> {
    to: W,
    written: u64,
    /// Room for a chunk of fields.
    chunk: Vec<u8>,
}

impl<W: Write> TraceWriter<W> {
    /// Begins a trace.
    pub fn new(to: W) -> Self {
        Self {
            to,
            written: 0,
            chunk: vec![0; CHUNK_HEAD + LONGEST_CONTENT],
        }
    }

    /// Bytes written so far.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// The machine, as JSON.
    ///
    /// # Errors
    /// As all of these: those of the writer below; and when the content is longer than a chunk may be.
    pub fn machine(&mut self, text: &str) -> io::Result<()> {
        self.content(ChunkKind::MACHINE, text.as_bytes())
    }

    /// A process.
    pub fn process(&mut self, content: &ProcessContent<'_>) -> io::Result<()> {
        self.fields(ChunkKind::PROCESS, |writer| content.encode(writer))
    }

    /// A probe.
    pub fn probe(&mut self, content: &ProbeContent<'_>) -> io::Result<()> {
        self.versioned(ChunkKind::PROBE, content.version(), |writer| {
            content.encode(writer)
        })
    }

    /// A thread, or its new name.
    pub fn thread(&mut self, content: &ThreadContent<'_>) -> io::Result<()> {
        self.fields(ChunkKind::THREAD, |writer| content.encode(writer))
    }

    /// Clocks that were read together.
    pub fn clock_snapshot(&mut self, content: &ClockSnapshotContent) -> io::Result<()> {
        self.fields(ChunkKind::CLOCK_SNAPSHOT, |writer| content.encode(writer))
    }

    /// From when on events of a process are in order.
    pub fn order(&mut self, content: &OrderContent) -> io::Result<()> {
        self.fields(ChunkKind::ORDER, |writer| content.encode(writer))
    }

    /// What recording an event costs.
    pub fn cost(&mut self, content: &CostContent) -> io::Result<()> {
        self.fields(ChunkKind::COST, |writer| content.encode(writer))
    }

    /// What a process could not keep, instead of what was said before.
    pub fn losses(&mut self, content: &LossesContent) -> io::Result<()> {
        self.fields(ChunkKind::LOSSES, |writer| content.encode(writer))
    }

    /// That events of a process before a time are all written.
    pub fn watermark(&mut self, content: &WatermarkContent) -> io::Result<()> {
        self.fields(ChunkKind::WATERMARK, |writer| content.encode(writer))
    }

    /// The events of a batch, if there are any. The batch then goes on behind them.
    pub fn events(&mut self, batch: &mut EventBatch) -> io::Result<()> {
        if batch.count() == 0 {
            return Ok(());
        }
        self.last_events(batch)
    }

    /// The events of a batch, even if there are none: the chunk then says how many the thread had and how
    /// many were dropped up to here. For the end of a thread, so that nothing lost behind its last event
    /// is forgotten; and for its beginning at event 0, if others were lost before the first that was read:
    /// what comes before the first chunk of a thread is no part of the trace.
    pub fn last_events(&mut self, batch: &mut EventBatch) -> io::Result<()> {
        let chunk = batch.seal().ok_or_else(too_long)?;
        self.to.write_all(chunk)?;
        self.written += chunk.len() as u64;
        batch.advance();
        Ok(())
    }

    /// What was written so far is with the writer below, which keeps none of it back.
    pub fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }

    /// Ends the trace and returns the writer below.
    pub fn finish(mut self) -> io::Result<W> {
        self.content(ChunkKind::END, &[])?;
        self.to.flush()?;
        Ok(self.to)
    }

    fn fields(
        &mut self,
        kind: ChunkKind,
        encode: impl FnOnce(&mut Writer<'_>) -> Result<(), MessageError>,
    ) -> io::Result<()> {
        self.versioned(kind, 1, encode)
    }

    fn versioned(
        &mut self,
        kind: ChunkKind,
        version: u16,
        encode: impl FnOnce(&mut Writer<'_>) -> Result<(), MessageError>,
    ) -> io::Result<()> {
        let place = self.chunk.split_first_chunk_mut::<CHUNK_HEAD>();
        let (head, content) = place.ok_or_else(too_long)?;
        let mut writer = Writer::new(content);
        encode(&mut writer).map_err(|_| too_long())?;
        let length = writer.written();
        let written = content.get(..length).ok_or_else(too_long)?;
        let of = ChunkHead::of(kind, version, written);
        *head = of.map_err(|_| too_long())?.encode();
        let chunk = self.chunk.get(..CHUNK_HEAD + length);
        self.to.write_all(chunk.ok_or_else(too_long)?)?;
        self.written += (CHUNK_HEAD + length) as u64;
        Ok(())
    }

    fn content(&mut self, kind: ChunkKind, content: &[u8]) -> io::Result<()> {
        let head = ChunkHead::of(kind, 1, content).map_err(|_| too_long())?;
        let chunk = [&head.encode(), content].concat();
        self.to.write_all(&chunk)?;
        self.written += chunk.len() as u64;
        Ok(())
    }
}

fn too_long() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidInput,
        "a chunk of a trace would be longer than 16 MiB",
    )
}
