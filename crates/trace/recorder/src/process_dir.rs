//! What one process keeps for whoever records it: its directory, from round to round.

use std::collections::BTreeSet;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use perflab_abi::recording::{PROCESS_FILE, RING_BLOCK_WORDS, RING_SUFFIX};
use perflab_abi::{OrderContent, WatermarkContent};
use perflab_control::{Process, State};

use crate::clock;
use crate::directory::Directory;
use crate::drain::Drain;
use crate::error::RecordError;
use crate::losses::{Losses, are_of_another_version};
use crate::manner::{Manner, Since};
use crate::mapping::Access;
use crate::names::{process_of, ring_number};
use crate::output::Output;
use crate::process_file::ProcessFile;
use crate::progress::{ProbeProgress, Progress};
use crate::ring_file::{BlockCopy, RingFile};
use crate::round::Round;

/// How long an event that is being written is waited for at the end.
const MOMENT: Duration = Duration::from_millis(20);

/// Ring files of a process that are read at the same time.
const MOST_RINGS: usize = 8192;

/// How far a process has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// More may come.
    Open,
    /// Somebody knows that nothing more comes.
    Left,
    /// And all was read.
    Finished,
}

/// The directory of a process.
#[derive(Debug)]
pub struct ProcessDir {
    directory: Directory,
    process: Process,
    number: u32,
    manner: Manner,
    file: ProcessFile,
    rings: Vec<Drain>,
    /// Numbers of ring files that are not looked at again.
    done: BTreeSet<u32>,
    /// Totals of the rings that were read to their end.
    read: Progress,
    losses: Losses,
    /// By the process's clock; known from the first round on.
    since: Option<u64>,
    /// What the trace says of the time up to which all is written.
    up_to: u64,
    stage: Stage,
    /// Whether the trace says from when on the events are in order.
    is_order_said: bool,
    /// Nothing between rounds once all was read.
    copy: Option<Box<BlockCopy>>,
}

impl ProcessDir {
    /// Opens the directory of a process that gets this number in the trace.
    ///
    /// # Errors
    /// When it is not called as one, others may enter it, it is another user's or names another user's process,
    /// it has no file of the process, or the agent is of another version.
    pub fn open(path: &Path, number: u32, manner: Manner) -> Result<Self, RecordError> {
        let process = process_of(path).ok_or_else(|| RecordError::Name(path.to_owned()))?;
        let directory = Directory::open(path)?;
        let owner = directory.owner();
        if process.state() != State::Ended
            && let Some(user) = process.user()
            && owner != user
            && owner != 0
        {
            let path = path.to_owned();
            return Err(RecordError::Claim { path, owner, user });
        }
        let file = directory.file(PROCESS_FILE, Access::Read);
        let file = file.map_err(|error| RecordError::file(&path.join(PROCESS_FILE), error))?;
        if are_of_another_version(&directory) {
            return Err(RecordError::Version(path.to_owned()));
        }
        Ok(Self {
            directory,
            process,
            number,
            manner,
            file: ProcessFile::new(file, number, process),
            rings: Vec::new(),
            done: BTreeSet::new(),
            read: Progress::default(),
            losses: Losses::default(),
            since: None,
            up_to: 0,
            stage: Stage::Open,
            is_order_said: false,
            copy: None,
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Its number in the trace.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The process.
    pub fn process(&self) -> Process {
        self.process
    }

    /// The file name of its program; empty before it was read.
    pub(crate) fn program(&self) -> &str {
        self.file.program()
    }

    /// Nothing more comes.
    pub(crate) fn end(&mut self) {
        if self.stage == Stage::Open {
            self.stage = Stage::Left;
        }
    }

    /// Whether its agent has ended the recording, as its files say by now.
    pub(crate) fn is_let_go(&self) -> bool {
        self.losses.is_let_go_by_now(&self.directory)
    }

    /// Whether nothing more comes: the process has ended, or is no more the program that had this directory.
    fn is_over(&self) -> bool {
        self.stage != Stage::Open || self.process.state() == State::Ended || self.is_gone()
    }

    /// Whether its place has gone, or is another program's.
    pub(crate) fn is_gone(&self) -> bool {
        self.directory.is_gone()
    }

    /// Whether the process has ended or is another program, and all that it left was read.
    pub fn is_finished(&self) -> bool {
        self.stage == Stage::Finished
    }

    /// Whether all that it left is in the trace: nothing that it recorded on its own, and nothing is damaged.
    pub(crate) fn is_all_read(&self) -> bool {
        self.is_finished() && !self.losses.has_own() && self.progress().broken == 0
    }

    /// What was read so far.
    pub fn progress(&self) -> Progress {
        let mut sum = self.read;
        for ring in &self.rings {
            sum += ring.totals();
        }
        self.losses.add_to(&mut sum);
        sum
    }

    /// Numbers of children that could not be recorded, the first ones.
    pub fn unreached(&self) -> &[u32] {
        self.losses.children()
    }

    /// What it says of events that are not in its rings.
    pub(crate) fn losses(&self) -> &Losses {
        &self.losses
    }

    /// Events of each probe that is known so far.
    pub fn probes(&self) -> impl Iterator<Item = ProbeProgress> {
        self.file.probes().map(|probe| ProbeProgress {
            process: self.number,
            pid: self.file.pid(),
            program: self.file.program().to_owned(),
            object: probe.object.clone(),
            provider: probe.provider.clone(),
            name: probe.name.clone(),
            events: probe.events,
        })
    }

    /// Writes what is new.
    ///
    /// # Errors
    /// When the trace cannot be written.
    pub fn round<W: Write>(&mut self, output: &mut Output<W>) -> Result<(), RecordError> {
        if self.is_finished() {
            return Ok(());
        }
        self.read(output, self.is_over(), false)
    }

    /// Writes what is new, and what there is to say at the end. No other round must follow.
    ///
    /// Who gives blocks back is told of each event, so those that are being written are waited for, for a moment.
    ///
    /// # Errors
    /// When the trace cannot be written.
    pub fn last_round<W: Write>(&mut self, output: &mut Output<W>) -> Result<(), RecordError> {
        let is_over = self.is_over();
        self.read(output, is_over, false)?;
        while is_over && !self.is_finished() {
            self.read(output, is_over, false)?;
        }
        let begin = Instant::now();
        let mut is_last = !self.manner.keep;
        while !is_last && self.rings.iter().any(Drain::is_waiting) {
            is_last = begin.elapsed() >= MOMENT;
            std::thread::sleep(Duration::from_millis(1));
            self.read(output, is_over, is_last)?;
        }
        for ring in &mut self.rings {
            ring.say_end(self.number, output)?;
        }
        if let (Some(about), Some(boot)) = (self.file.about(), self.file.first_snapshot())
            && let Some(now) = clock::snapshot(about.clock, self.number)
            && now.boottime >= boot.boottime
        {
            output.trace.clock_snapshot(&now)?;
        }
        Ok(())
    }

    fn read<W: Write>(
        &mut self,
        output: &mut Output<W>,
        is_over: bool,
        is_last: bool,
    ) -> Result<(), RecordError> {
        if self.is_finished() {
            return Ok(());
        }
        // The clock first. A thread takes its place in a ring before it reads its clock, so an event from before
        // this moment has one; the system calls below leave it the time to become visible.
        let about = self.file.about();
        let now = about.and_then(|about| clock::now(about.clock));
        self.file.read(&mut output.trace)?;
        if self.file.about().is_none() {
            // Nothing is known without it. If it does not come any more, nothing can be read.
            if is_over {
                // No agent makes a ring before it has named the process.
                let names = self.directory.names().unwrap_or_default();
                let has_rings = names.iter().any(|name| ring_number(name).is_some());
                let is_damaged = has_rings || self.file.is_damaged();
                self.read.broken += u64::from(is_damaged);
                self.close();
            }
            return Ok(());
        }
        let names = self.directory.names().ok();
        let there = names.map(|names| {
            let numbers = names.iter().filter_map(|name| ring_number(name));
            numbers.collect::<BTreeSet<u32>>()
        });
        let are_all = there.as_ref().is_none_or(|there| self.open_rings(there));
        let (number, manner) = (self.number, self.manner);
        let losses = &mut self.losses;
        if let Some(content) = losses.read(&self.directory, self.process, number, manner) {
            output.trace.losses(&content)?;
        }
        let is_let_go = self.losses.is_let_go();
        if is_let_go {
            self.rings.iter_mut().for_each(Drain::let_go);
        }
        let since = self.since();
        let mut up_to = about
            .zip(now)
            .map(|(about, now)| now.saturating_sub(about.skew));
        let mut round = Round {
            output,
            process_file: &mut self.file,
            process: self.number,
            // What was let go may be another recorder's.
            keep: self.manner.keep && !is_let_go,
            is_over,
            is_last,
            since,
        };
        let copy = self.copy.take();
        let mut copy = copy.unwrap_or_else(|| Box::new([0; RING_BLOCK_WORDS]));
        for ring in &mut self.rings {
            // A ring is removed when no thread has it.
            let is_gone = there
                .as_ref()
                .is_some_and(|there| !there.contains(&ring.number()));
            round.is_over = is_over || is_gone;
            if let Some(last) = ring.round(&mut round, &mut copy)? {
                up_to = up_to.map(|time| time.min(last));
            }
        }
        // After the events: whoever had one knew before.
        let mut since = self.rings.iter().filter_map(Drain::ordered_since);
        if let Some(since) = since.next().filter(|_| !self.is_order_said) {
            let process = self.number;
            round.output.trace.order(&OrderContent { process, since })?;
            self.is_order_said = true;
        }
        let (read, done) = (&mut self.read, &mut self.done);
        self.rings.retain(|ring| {
            if ring.is_read() {
                *read += ring.totals();
                done.insert(ring.number());
            }
            !ring.is_read()
        });
        if is_over && are_all && self.rings.is_empty() {
            // No event comes before that file is ready.
            let has_no_losses = self.read.events > 0 && self.losses.are_unread();
            self.read.broken += u64::from(self.file.is_damaged()) + u64::from(has_no_losses);
            self.close();
        } else {
            self.copy = Some(copy);
        }
        if let Some(time) = up_to.filter(|time| *time > self.up_to) {
            self.up_to = time;
            let process = self.number;
            output
                .trace
                .watermark(&WatermarkContent { process, time })?;
        }
        Ok(())
    }

    /// All was read. Keeps no file open: a server may have any number of children, one after the other.
    fn close(&mut self) {
        self.stage = Stage::Finished;
        if self.manner.keep && self.losses.has_own() && !self.losses.is_let_go() {
            // Where it cannot be written, these losses are counted twice.
            let _ = Losses::finish(&self.directory);
        }
        self.directory.close();
        self.file.close();
    }

    /// Opens ring files among these that have come. What is none is not looked at again as long as it is there.
    /// Returns whether there was room for all.
    fn open_rings(&mut self, there: &BTreeSet<u32>) -> bool {
        self.done.retain(|number| there.contains(number));
        let access = self.manner.access();
        let known: BTreeSet<u32> = self.rings.iter().map(Drain::number).collect();
        for &number in there {
            if self.rings.len() >= MOST_RINGS {
                return false;
            }
            if known.contains(&number) || self.done.contains(&number) {
                continue;
            }
            let name = format!("{number}{RING_SUFFIX}");
            match RingFile::open(&self.directory, &name, number, access) {
                Ok(Some(ring)) => self.rings.push(Drain::new(ring, self.manner)),
                Ok(None) => {}
                // It was removed just now: no thread had it, or a program that this one became begins again.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) if error.kind() == ErrorKind::OutOfMemory && !self.rings.is_empty() => {
                    return false;
                }
                Err(_) => {
                    self.read.broken += 1;
                    self.done.insert(number);
                }
            }
        }
        true
    }

    /// From when on events are written, by the process's clock. All of them if that cannot be told.
    fn since(&mut self) -> u64 {
        let since = self.since.or_else(|| {
            if self.manner.since == Since::Oldest {
                return Some(0);
            }
            let clock = self.file.about()?.clock;
            let now = clock::snapshot(clock, self.number)?;
            let time = match self.manner.since {
                Since::Oldest => return Some(0),
                Since::Last(time) => time,
                // Only now: any delay before must not make it a later moment.
                Since::Moment(moment) => moment.elapsed(),
            };
            let units = clock::units(self.file.first_snapshot()?, &now, time)?;
            Some(now.before.saturating_sub(units))
        });
        *self.since.insert(since.unwrap_or(0))
    }
}
