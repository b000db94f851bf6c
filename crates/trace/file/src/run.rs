//! The events of one chunk, one after the other.

use std::collections::BTreeMap;
use std::ops::Range;

use perflab_abi::{EventsContent, MessageError};

use crate::contents::Probe;
use crate::event::{self, Misfit};

/// A chunk of events, and how far it was read.
#[derive(Debug)]
pub(crate) struct Run<B> {
    content: B,
    /// Where it lies in the file.
    offset: u64,
    at: usize,
    index: u64,
    left: u32,
    time: u64,
}

/// An event in a chunk.
#[derive(Debug, Clone)]
pub(crate) struct Found<'p> {
    /// Its number among those of the thread.
    pub index: u64,
    pub probe: &'p Probe,
    pub is_cut: bool,
    pub time: u64,
    /// Its arguments within the content.
    pub arguments: Range<usize>,
}

impl<B: AsRef<[u8]>> Run<B> {
    /// Reads the fields, and stands before the first event.
    pub fn new(content: B, offset: u64) -> Result<(EventsContent, Self), MessageError> {
        let fields = EventsContent::decode(content.as_ref())?;
        let run = Self {
            content,
            offset,
            at: EventsContent::SIZE,
            index: fields.first,
            left: fields.count,
            time: fields.base,
        };
        Ok((fields, run))
    }

    /// The next event; nothing inside for one that was never completed; nothing behind the last.
    ///
    /// # Errors
    /// When the bytes are none, or the probe is not one that the file names before; there are no more then.
    pub fn next<'p>(
        &mut self,
        probes: &'p BTreeMap<u32, Probe>,
    ) -> Option<Result<Option<Found<'p>>, Misfit>> {
        self.left = self.left.checked_sub(1)?;
        let index = self.index;
        self.index = index.wrapping_add(1);
        let found = self.take(index, probes);
        if found.is_err() {
            self.left = 0;
        }
        Some(found)
    }

    fn take<'p>(
        &mut self,
        index: u64,
        probes: &'p BTreeMap<u32, Probe>,
    ) -> Result<Option<Found<'p>>, Misfit> {
        let content = self.content.as_ref();
        let mut rest = content.get(self.at..).ok_or(Misfit)?;
        let mut named = None;
        let encoded = event::take(&mut rest, |number| {
            named = probes
                .get(&number)
                .filter(|probe| probe.offset < self.offset);
            named.map(|probe| probe.layout.as_slice())
        })?;
        let end = content.len() - rest.len();
        self.at = end;
        let Some(encoded) = encoded else {
            return Ok(None);
        };
        self.time = self.time.wrapping_add_signed(encoded.since);
        Ok(Some(Found {
            index,
            probe: named.ok_or(Misfit)?,
            is_cut: encoded.is_cut,
            time: self.time,
            arguments: end - encoded.arguments.len()..end,
        }))
    }

    /// The bytes at a place.
    pub fn bytes(&self, range: Range<usize>) -> &[u8] {
        self.content.as_ref().get(range).unwrap_or_default()
    }

    /// Bytes of the chunk.
    pub fn size(&self) -> usize {
        self.content.as_ref().len()
    }
}
