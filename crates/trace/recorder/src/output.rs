//! Where the events of all rings go: batches of a trace.

use std::io::{self, Write};

use perflab_trace_file::event::{Layout, Misfit};
use perflab_trace_file::{EventBatch, TraceWriter};

/// A trace, and the events of one thread that are still to be written to it.
#[derive(Debug)]
pub struct Output<W> {
    /// The trace. Nothing about events goes there but by the other methods.
    pub trace: TraceWriter<W>,
    batch: EventBatch,
    /// Numbers of the process and the thread whose events are in the batch.
    thread: (u32, u32),
}

impl<W: Write> Output<W> {
    /// To a trace.
    pub fn new(trace: TraceWriter<W>) -> Self {
        Self {
            trace,
            batch: EventBatch::new(0, 0),
            thread: (0, 0),
        }
    }

    /// Events of a thread follow, of which the first has this number, and so many were dropped before it. What
    /// came before was written.
    pub fn begin(&mut self, thread: (u32, u32), first: u64, dropped: u64) {
        if self.thread != thread {
            self.thread = thread;
            self.batch.switch(thread.0, thread.1);
        }
        self.batch.begin(first, dropped);
    }

    /// The next event.
    ///
    /// # Errors
    /// When its words do not fit its probe.
    #[inline]
    pub fn event(
        &mut self,
        (probe, is_cut): (u32, bool),
        time: u64,
        layout: &[Layout],
        words: &[u64],
    ) -> Result<(), Misfit> {
        self.batch.push(probe, is_cut, time, layout, words)
    }

    /// In place of the next event, one that was begun and not completed.
    pub fn incomplete(&mut self) {
        self.batch.push_incomplete();
    }

    /// Writes the events so far if they are many.
    ///
    /// # Errors
    /// When the trace cannot be written.
    pub fn write_if_full(&mut self) -> io::Result<()> {
        if self.batch.is_full() {
            self.write()?;
        }
        Ok(())
    }

    /// Writes the events so far. The next one follows them without a gap.
    ///
    /// # Errors
    /// When the trace cannot be written.
    pub fn write(&mut self) -> io::Result<()> {
        self.trace.events(&mut self.batch)
    }

    /// Writes where a thread has come to, without an event.
    ///
    /// # Errors
    /// When the trace cannot be written.
    pub fn end(&mut self, thread: (u32, u32), first: u64, dropped: u64) -> io::Result<()> {
        self.begin(thread, first, dropped);
        self.trace.last_events(&mut self.batch)
    }
}
