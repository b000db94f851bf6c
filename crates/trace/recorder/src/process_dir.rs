//! What one process keeps for whoever records it: its directory, from round to round.

use std::collections::BTreeSet;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::{Duration, Instant};

use perflab_abi::recording::{
    LOSSES_FILE, LOSSES_MAGIC, PROCESS_FILE, RING_BLOCK_WORDS, RING_SUFFIX, RINGS_SUFFIX, losses,
};
use perflab_abi::{LossesContent, WatermarkContent};
use perflab_control::{Process, State};

use crate::clock;
use crate::directory::Directory;
use crate::drain::{Drain, Round};
use crate::error::RecordError;
use crate::mapping::Access;
use crate::output::Output;
use crate::process_file::ProcessFile;
use crate::progress::{ProbeProgress, Progress};
use crate::ring_file::{BlockCopy, RingFile};

/// How long an event that is being written is waited for at the end.
const MOMENT: Duration = Duration::from_millis(20);

/// Ring files of a process that are read at the same time.
const MOST_RINGS: usize = 8192;

/// Words that are read of what a process has counted.
const LOSSES_WORDS: usize = losses::BEFORE_OVERWRITTEN[2] + 1;

/// From when on events are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// All that are still there.
    Oldest,
    /// Those that are not older than this when the first round begins.
    Last(Duration),
    /// Those of this moment and after it, however long it takes until the first round begins.
    Moment(Instant),
}

/// What a process may lack for another ring, besides memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lack {
    /// It has another user than its directory has, where it can make no more files.
    Rights,
    /// It has a filter of system calls, which may refuse what a ring needs.
    Calls,
}

/// How a process is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Manner {
    /// Whether blocks are given back that were read, and threads that ended are marked as read. Else nothing in
    /// the process's files is changed.
    pub keep: bool,
    /// From when on.
    pub since: Since,
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
    no_ring: u64,
    late: u64,
    unreached: u64,
    /// What else than memory the process may have lacked when it lost events for want of a ring.
    lack: Option<Lack>,
    /// What was counted before the recording, in the order of [`losses::COUNTS`], once it is known.
    lost_before: [Option<u64>; 3],
    /// Children that could not be recorded, the first ones.
    children: Vec<u32>,
    /// By the process's clock; known from the first round on.
    since: Option<u64>,
    /// What the trace says of the time up to which all is written.
    up_to: u64,
    /// Whether somebody knows that nothing more comes.
    is_left: bool,
    is_finished: bool,
    /// Nothing between rounds once all was read.
    copy: Option<Box<BlockCopy>>,
}

/// The process whose directory this is.
pub(crate) fn process_of(path: &Path) -> Option<Process> {
    let name = path.file_name()?.to_str()?;
    Process::named(name.strip_suffix(RINGS_SUFFIX)?)
}

/// Whether the process of a directory lives.
pub(crate) fn lives(path: &Path) -> bool {
    process_of(path).is_some_and(|process| process.state() != State::Ended)
}

impl ProcessDir {
    /// Opens the directory of a process that gets this number in the trace.
    ///
    /// # Errors
    /// When it is not called as one, others may enter it, it is another user's or names another user's process, or
    /// it has no file of the process.
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
        Ok(Self {
            directory,
            process,
            number,
            manner,
            file: ProcessFile::new(file, number, process),
            rings: Vec::new(),
            done: BTreeSet::new(),
            read: Progress::default(),
            no_ring: 0,
            late: 0,
            unreached: 0,
            lack: None,
            lost_before: [None; 3],
            children: Vec::new(),
            since: None,
            up_to: 0,
            is_left: false,
            is_finished: false,
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

    /// Nothing more comes.
    pub(crate) fn end(&mut self) {
        self.is_left = true;
    }

    /// Whether nothing more comes: the process has ended, or is no more the program that had this directory.
    fn is_over(&self) -> bool {
        self.is_left || self.process.state() == State::Ended || self.is_gone()
    }

    /// Whether its place has gone, or is another program's.
    pub(crate) fn is_gone(&self) -> bool {
        self.directory.is_gone()
    }

    /// Whether the process has ended or is another program, and all that it left was read.
    pub fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// What was read so far.
    pub fn progress(&self) -> Progress {
        let mut sum = self.read;
        for ring in &self.rings {
            sum += ring.totals();
        }
        sum.no_ring = self.no_ring;
        sum.late = self.late;
        sum.unreached = self.unreached;
        sum
    }

    /// Numbers of children that could not be recorded, the first ones.
    pub fn unreached(&self) -> &[u32] {
        &self.children
    }

    /// What else than memory the process may have lacked for events that had no ring.
    pub fn lack(&self) -> Option<Lack> {
        self.lack
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
        if self.is_finished {
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
        while is_over && !self.is_finished {
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
            ring.say_dropped(self.number, output)?;
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
        if self.is_finished {
            return Ok(());
        }
        // The clock first. A thread takes its place in a ring before it reads its clock, so an event from before
        // this moment has one; the system calls below leave it the time to become visible.
        let about = self.file.about();
        let now = about.and_then(|about| clock::now(about.clock));
        self.file.read(&mut output.trace)?;
        if self.file.about().is_none() {
            // Nothing is known without it. If it does not come any more, nothing can be read.
            self.is_finished = is_over;
            if is_over {
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
        self.say_losses(output)?;
        let since = self.since();
        let mut up_to = about
            .zip(now)
            .map(|(about, now)| now.saturating_sub(about.skew));
        let mut round = Round {
            output,
            process_file: &mut self.file,
            process: self.number,
            keep: self.manner.keep,
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
        let (read, done) = (&mut self.read, &mut self.done);
        self.rings.retain(|ring| {
            if ring.is_read() {
                *read += ring.totals();
                done.insert(ring.number());
            }
            !ring.is_read()
        });
        self.is_finished = is_over && are_all && self.rings.is_empty();
        if self.is_finished {
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

    /// Keeps no file open: a server may have any number of children, one after the other.
    fn close(&mut self) {
        self.directory.close();
        self.file.close();
    }

    /// Opens ring files among these that have come. What is none is not looked at again as long as it is there.
    /// Returns whether there was room for all.
    fn open_rings(&mut self, there: &BTreeSet<u32>) -> bool {
        self.done.retain(|number| there.contains(number));
        let access = if self.manner.keep {
            Access::Write
        } else {
            Access::Read
        };
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

    fn say_losses<W: Write>(&mut self, output: &mut Output<W>) -> Result<(), RecordError> {
        let Some([no_ring, late, unreached]) = self.losses() else {
            return Ok(());
        };
        if no_ring > self.no_ring {
            let owner = self.directory.owner();
            if self.process.user().is_some_and(|user| user != owner) {
                self.lack = Some(Lack::Rights);
            } else if self.process.has_filter() {
                self.lack.get_or_insert(Lack::Calls);
            }
        }
        if no_ring > self.no_ring || late > self.late || unreached > self.unreached {
            self.no_ring = no_ring.max(self.no_ring);
            self.late = late.max(self.late);
            self.unreached = unreached.max(self.unreached);
            let process = self.number;
            let no_ring = self.no_ring.saturating_add(self.late);
            let no_ring = no_ring.saturating_add(self.unreached);
            output.trace.losses(&LossesContent { process, no_ring })?;
        }
        Ok(())
    }

    /// Events of the process, and of its children, for which there was no ring.
    fn losses(&mut self) -> Option<[u64; 3]> {
        let file = self.directory.file(LOSSES_FILE, Access::Read).ok()?;
        let mut bytes = [0; LOSSES_WORDS * 8];
        file.read_exact_at(&mut bytes, 0).ok()?;
        let (words, _) = bytes.as_chunks::<8>();
        let word = |index: usize| u64::from_le_bytes(words[index]);
        if word(losses::MAGIC) != LOSSES_MAGIC {
            return None;
        }
        let all = losses::COUNTS.map(word);
        let [kept, overwritten] =
            [losses::BEFORE_KEPT, losses::BEFORE_OVERWRITTEN].map(|before| before.map(word));
        let mut lost = [0; 3];
        for (index, lost) in lost.iter_mut().enumerate() {
            let before = match (self.manner.keep, self.manner.since) {
                (true, Since::Oldest) => 0,
                (true, _) => kept[index],
                // Counts only grow: the greater one is of the last recording.
                (false, _) => kept[index].max(overwritten[index]),
            };
            // Somebody else may come meanwhile.
            let before = *self.lost_before[index].get_or_insert(before);
            *lost = all[index].saturating_sub(before);
        }
        let [no_ring, unreached, late] = lost;
        if unreached > 0 {
            // A child is counted before it is named, and at the end of a recording the process forgets all names.
            let children = losses::CHILDREN.map(word);
            for child in children.filter_map(|child| u32::try_from(child).ok()) {
                let is_full = self.children.len() >= losses::CHILDREN.len();
                if child != 0 && !is_full && !self.children.contains(&child) {
                    self.children.push(child);
                }
            }
        }
        Some([no_ring, late, unreached])
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

/// The number of `NUMBER.ring`, written as a number is.
pub(crate) fn ring_number(name: &str) -> Option<u32> {
    let digits = name.strip_suffix(RING_SUFFIX)?;
    let number: u32 = digits.parse().ok()?;
    (number.to_string() == digits).then_some(number)
}
