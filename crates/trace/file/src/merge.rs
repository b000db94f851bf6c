//! The second pass over a trace: its events, merged by time.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashSet, VecDeque};

use perflab_abi::ChunkKind;

use crate::collect::is_plausible;
use crate::contents::{Probe, Process, Thread};
use crate::event::Values;
use crate::horizon::Horizon;
use crate::order::{Order, Shown, When};
use crate::read::{Chunk, Cut};
use crate::run::{Found, Run};
use crate::source::Chunks;
use crate::times::Times;

/// Which events are wanted: all, unless said otherwise.
#[derive(Clone, Copy)]
pub struct EventSelection<'f> {
    /// Those from this time on, in nanoseconds of `CLOCK_MONOTONIC`.
    pub from: u64,
    /// Those up to this time, and of it.
    pub to: u64,
    /// Those of such probes.
    pub probes: &'f dyn Fn(&Probe) -> bool,
    /// Those of such threads.
    pub threads: &'f dyn Fn(&Process, &Thread) -> bool,
    /// Bytes of chunks that may wait in memory, besides one chunk, before their events are given out of order.
    pub memory: usize,
}

impl Default for EventSelection<'_> {
    fn default() -> Self {
        Self {
            from: 0,
            to: u64::MAX,
            probes: &|_| true,
            threads: &|_, _| true,
            memory: 64 * 1024 * 1024,
        }
    }
}

impl std::fmt::Debug for EventSelection<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EventSelection")
            .field("from", &self.from)
            .field("to", &self.to)
            .field("memory", &self.memory)
            .finish_non_exhaustive()
    }
}

/// An event.
#[derive(Debug, Clone)]
pub struct Event<'t> {
    /// Its process.
    pub process: &'t Process,
    /// Its thread.
    pub thread: &'t Thread,
    /// Its probe.
    pub probe: &'t Probe,
    /// Its number among those of the thread that found a place, from 0.
    pub index: u64,
    /// Its time as it was recorded, in units of the clock of its process.
    pub time: u64,
    /// Its time in nanoseconds of `CLOCK_MONOTONIC`.
    pub nanoseconds: u64,
    /// How sure its place is among the events of other threads.
    pub order: Order,
    /// Whether a text was longer than what was kept of it.
    pub is_cut: bool,
    arguments: Box<[u8]>,
}

impl Event<'_> {
    /// The values of its arguments, in the order of [`Probe::arguments`].
    pub fn values(&self) -> Values<'_> {
        Values::new(&self.probe.layout, &self.arguments)
    }
}

/// What the first pass over a trace found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Known<'t> {
    /// Bytes up to the end of the last chunk that was read.
    pub length: u64,
    /// The processes, by their numbers.
    pub processes: &'t BTreeMap<u32, Process>,
    /// Their clocks.
    pub times: &'t Times,
    /// Up to which time all events were read.
    pub horizon: &'t Horizon,
}

/// The events of a trace, merged by time.
///
/// Those of a thread come in the order in which it recorded them, whatever their times. An event is given out
/// when the rest of the file has no earlier one, or when more than [`EventSelection::memory`] waits; what comes
/// too late then is [`Order::Late`]. In memory are the chunks that wait, and no events.
#[derive(Debug)]
pub struct Events<'t> {
    known: Known<'t>,
    chunks: Chunks<'t>,
    /// Chunks of events that were read.
    count: usize,
    is_read: bool,
    queues: Vec<Queue<'t>>,
    /// Place in `queues`, by process and thread; nothing for a thread that is not wanted.
    places: BTreeMap<(u32, u32), Option<usize>>,
    /// The next event of each queue that has one.
    heads: BinaryHeap<Reverse<(u64, u64, usize)>>,
    waiting: usize,
    shown: Shown,
    probes: HashSet<(u32, u32)>,
    from: u64,
    to: u64,
    memory: usize,
}

/// What was read of a thread, and not given out.
#[derive(Debug)]
struct Queue<'t> {
    process: &'t Process,
    thread: &'t Thread,
    /// How far its clock is read ahead of an event at most, in ticks, where the probe does not say.
    ahead: u64,
    /// The time from which on it is not.
    ordered_from: u64,
    /// Number of the next event that may come.
    next: u64,
    runs: VecDeque<Run<Vec<u8>>>,
    /// The first event of the first run.
    head: Option<Found<'t>>,
}

impl<'t> Events<'t> {
    pub(crate) fn new(
        known: Known<'t>,
        chunks: Chunks<'t>,
        selection: &EventSelection<'_>,
    ) -> Self {
        let mut queues = Vec::new();
        let mut places = BTreeMap::new();
        let mut probes = HashSet::new();
        for process in known.processes.values() {
            let wanted = process
                .probes
                .values()
                .filter(|each| (selection.probes)(each));
            probes.extend(wanted.map(|probe| (process.number, probe.number)));
            for thread in process.threads.values() {
                let place = (selection.threads)(process, thread).then_some(queues.len());
                places.insert((process.number, thread.number), place);
                if place.is_some() {
                    let ahead = known.times.of(process.clock).ticks(process.ahead);
                    // A thread may have learnt of it so much later.
                    let since = process.ordered_since.unwrap_or(u64::MAX);
                    queues.push(Queue {
                        process,
                        thread,
                        ahead,
                        ordered_from: since.saturating_add(ahead),
                        next: 0,
                        runs: VecDeque::new(),
                        head: None,
                    });
                }
            }
        }
        Self {
            known,
            chunks,
            count: 0,
            is_read: false,
            queues,
            places,
            heads: BinaryHeap::new(),
            waiting: 0,
            shown: Shown::default(),
            probes,
            from: selection.from,
            to: selection.to,
            memory: selection.memory,
        }
    }

    /// Why no more events come, if the file could not be read as far as when it was opened: it was changed.
    pub fn cut(&self) -> Option<&Cut> {
        let cut = self.chunks.cut();
        cut.filter(|cut| cut.offset < self.known.length)
    }

    /// Reads up to the next chunk of events, or to the end.
    fn read(&mut self) {
        while let Some(chunk) = self.chunks.next() {
            if chunk.kind == ChunkKind::EVENTS && chunk.version == 1 {
                self.count += 1;
                if let Some((place, run)) = take(chunk, &self.places, &mut self.queues) {
                    self.add(place, run);
                }
                return;
            }
        }
        self.is_read = true;
    }

    fn add(&mut self, place: usize, run: Run<Vec<u8>>) {
        let Some(queue) = self.queues.get_mut(place) else {
            return;
        };
        self.waiting += run.size();
        queue.runs.push_back(run);
        if queue.head.is_none() {
            self.advance(place);
        }
    }

    /// Finds the next event of a queue.
    fn advance(&mut self, place: usize) {
        let Some(queue) = self.queues.get_mut(place) else {
            return;
        };
        queue.head = None;
        while let Some(run) = queue.runs.front_mut() {
            match run.next(&queue.process.probes) {
                Some(Ok(Some(found))) => {
                    let conversion = self.known.times.of(queue.process.clock);
                    let nanoseconds = conversion.nanoseconds(found.time);
                    self.heads.push(Reverse((nanoseconds, found.time, place)));
                    queue.head = Some(found);
                    return;
                }
                Some(Ok(None)) => {}
                Some(Err(_)) | None => {
                    self.waiting -= run.size();
                    queue.runs.pop_front();
                }
            }
        }
    }

    /// The earliest of the next events of all queues, if it is time for it.
    fn pop(&mut self) -> Option<(u64, usize)> {
        let Reverse((nanoseconds, _, place)) = *self.heads.peek()?;
        let is_next = self.is_read
            || self.waiting > self.memory
            || nanoseconds < self.known.horizon.behind(self.count);
        is_next.then(|| {
            self.heads.pop();
            (nanoseconds, place)
        })
    }

    /// The first event of a queue, if it is wanted.
    fn event(&mut self, nanoseconds: u64, place: usize) -> Option<Event<'t>> {
        let queue = self.queues.get(place)?;
        let found = queue.head.clone()?;
        let key = (found.probe.process, found.probe.number);
        if nanoseconds < self.from || nanoseconds > self.to || !self.probes.contains(&key) {
            return None;
        }
        let conversion = self.known.times.of(queue.process.clock);
        let ahead = found.probe.ahead;
        let ahead = match ahead {
            Some(ahead) => conversion.ticks(ahead),
            None if found.time >= queue.ordered_from => 0,
            None => queue.ahead,
        };
        let when = When {
            clock: queue.process.clock,
            ticks: found.time,
            nanoseconds,
            ahead,
        };
        let arguments = queue.runs.front()?.bytes(found.arguments).into();
        Some(Event {
            process: queue.process,
            thread: queue.thread,
            probe: found.probe,
            index: found.index,
            time: found.time,
            nanoseconds,
            order: self.shown.show(self.known.times, place, when),
            is_cut: found.is_cut,
            arguments,
        })
    }
}

/// The events of a chunk, and the queue that they belong to. What the first pass refused is refused here.
fn take(
    chunk: Chunk<'_>,
    places: &BTreeMap<(u32, u32), Option<usize>>,
    queues: &mut [Queue<'_>],
) -> Option<(usize, Run<Vec<u8>>)> {
    let (fields, _) = Run::new(chunk.content, chunk.offset).ok()?;
    let place = (*places.get(&(fields.process, fields.thread))?)?;
    let queue = queues.get_mut(place)?;
    if fields.first < queue.next || chunk.offset < queue.process.offset || !is_plausible(&fields) {
        return None;
    }
    queue.next = fields.first.checked_add(u64::from(fields.count))?;
    let (_, run) = Run::new(chunk.content.to_vec(), chunk.offset).ok()?;
    Some((place, run))
}

impl<'t> Iterator for Events<'t> {
    type Item = Event<'t>;

    fn next(&mut self) -> Option<Event<'t>> {
        loop {
            if let Some((nanoseconds, place)) = self.pop() {
                let event = self.event(nanoseconds, place);
                self.advance(place);
                if event.is_some() {
                    return event;
                }
            } else if self.is_read {
                return None;
            } else {
                self.read();
            }
        }
    }
}
