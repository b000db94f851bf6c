//! What the agent does for recording, from the first wish on.

mod heritage;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use perflab_abi::{
    ChunkKind, ClockSnapshotContent, CostContent, Point, ProbeContent, ProcessContent, Writer,
};
use perflab_ring::Mode;

use super::before::Begin;
use super::directory::Directory;
use super::forms::{self, MOST_PROBES};
use super::rings::Rings;
use super::size::Size;
use super::{clock, cost, handlers, long_forms, losses, nofault, slots};
use crate::numbers;
use crate::objects::KnownSite;
use crate::shown::{shown, shown_command};

pub use heritage::Heritage;

/// How often threads that have rings are looked at, and clocks are read together.
const SLOW: Duration = Duration::from_secs(1);

/// After so many snapshots, clocks are read a tenth as often: a flight recorder may run for months.
const MANY_SNAPSHOTS: u32 = 600;

/// What the agent does for recording; one for each process, from the first wish on.
#[derive(Debug)]
pub struct Recorder {
    directory: Directory,
    clock: clock::Choice,
    /// The chunks of the process's file that name probes and costs, for children.
    named: Vec<u8>,
    /// Whether rings are made for threads that come.
    is_active: bool,
    /// Whether events without a ring are counted in this process's files.
    is_counting: bool,
    rings: Rings,
    probes: u32,
    /// By the forms of arguments, and the address of the handler.
    costs: BTreeMap<(u64, usize), u64>,
    snapshots: u32,
    looked: Option<Instant>,
    /// What did not work last.
    pub trouble: Option<String>,
}

impl Recorder {
    /// Makes the files of this process, with no ring yet, of which they may have such ones.
    ///
    /// # Errors
    /// When it cannot be recorded here.
    pub fn start(size: Size) -> Result<Self, String> {
        slots::prepare().map_err(|error| {
            format!("the kernel gives no memory that a fork leaves out (Linux 4.14 does): {error}")
        })?;
        let clock = clock::choose();
        slots::wait(clock.waits);
        Self::begin(clock, size)
    }

    /// Nothing can be recorded with it.
    pub fn discard(mut self) {
        self.rings.withdraw_spare();
        self.directory.remove();
    }

    /// From now on threads may take rings, and events without one are counted here.
    fn begin_to_count(&mut self) -> Result<(), String> {
        if !self.is_counting {
            self.directory.count_losses()?;
            slots::begin();
            self.is_counting = true;
        }
        Ok(())
    }

    fn begin(clock: clock::Choice, size: Size) -> Result<Self, String> {
        let mut recorder = Self {
            directory: Directory::create(size.all)?,
            clock,
            named: Vec::new(),
            is_active: false,
            is_counting: false,
            rings: Rings::new(),
            probes: 0,
            costs: BTreeMap::new(),
            snapshots: 0,
            looked: None,
            trouble: None,
        };
        let begun = recorder.name_process().and_then(|()| recorder.snapshot());
        match begun {
            Ok(()) => Ok(recorder),
            Err(reason) => {
                // Else what is left would be taken for a recording without events.
                recorder.discard();
                Err(reason)
            }
        }
    }

    /// Whether somebody removed its directory, so that nobody finds what it records.
    pub fn is_removed(&self) -> bool {
        self.directory.is_removed()
    }

    /// Begins again in another directory, with no ring yet, as its own was removed. Threads take other rings once it
    /// is active.
    ///
    /// # Errors
    /// When that cannot be made; it may be tried again then.
    pub fn begin_again(&mut self, size: Size) -> Result<(), String> {
        self.directory = Directory::create(size.all)?;
        self.rings.leave_removed();
        self.is_active = false;
        self.is_counting = false;
        self.snapshots = 0;
        let named = std::mem::take(&mut self.named);
        let begun = self
            .name_process()
            .and_then(|()| self.directory.append_chunks(&named))
            .and_then(|()| self.snapshot());
        self.named = named;
        // One without all that is named is as good as none.
        begun.inspect_err(|_| self.directory.remove())
    }

    fn name_process(&mut self) -> Result<(), String> {
        let executable = fs::read_link("/proc/self/exe").unwrap_or_default();
        let command = fs::read("/proc/self/cmdline").unwrap_or_default();
        let identity = numbers::identity()?;
        let (pid, start) = identity.split_once('-').unwrap_or(("0", "0"));
        let named = self.directory.append(ChunkKind::PROCESS, |writer| {
            ProcessContent {
                process: 0,
                pid: pid.parse().unwrap_or(0),
                start: start.parse().unwrap_or(0),
                clock: self.clock.kind,
                skew: self.clock.skew,
                executable: &shown(executable.as_os_str().as_bytes()),
                command: &shown_command(&command),
                ahead: Some(self.clock.ahead),
            }
            .encode(writer)
        });
        named.map(drop)
    }

    /// Why the files are not in the usual place, if so.
    pub fn note(&self) -> Option<&str> {
        self.directory.note()
    }

    /// Where the files are.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Makes rings for threads that come, of this size from now on, and takes events as is wished: as a part of the
    /// recording that goes on, or as another one.
    ///
    /// # Errors
    /// When not one ring can be made. What was recorded before goes on as it did.
    pub fn activate(&mut self, size: Size, mode: Mode, is_another: bool) -> Result<(), String> {
        // Events that are recorded already are counted at least: who expects them shall have that.
        if !self.is_active {
            numbers::check()?;
        }
        let before = self.rings.size();
        let goes_on = !is_another && self.is_active && !self.rings.is_empty();
        self.set_size(size);
        self.rings.try_again();
        let result = self.rings.refill(&self.directory);
        // All that there may be will do, and so will those that threads have: a process that gave up root's rights can
        // make no others, and the events of further threads are counted.
        if slots::free() == 0 && !goes_on && (result.is_err() || self.rings.is_empty()) {
            self.set_size(before);
            return result;
        }
        self.is_active = true;
        if is_another {
            self.begin_recording(match mode {
                Mode::Keep => Begin::Kept,
                Mode::Overwrite => Begin::Own,
            });
        }
        self.rings.set_mode(mode);
        self.begin_to_count()
    }

    /// Rings that are made from now on have this size.
    pub fn set_size(&mut self, size: Size) {
        self.directory.set_of_process(size.all);
        self.rings.set_size(size);
    }

    /// Says for whom events are kept.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep_for(&self, whom: &str) -> Result<(), String> {
        self.directory.keep_for(whom)
    }

    /// Whether threads may want rings at any time.
    pub fn is_active(&self) -> bool {
        self.is_active
    }

    /// Records on, for nobody.
    pub fn overwrite(&mut self) {
        self.rings.set_mode(Mode::Overwrite);
    }

    /// What becomes of events from now on is counted apart from what became of those before.
    pub fn begin_recording(&self, begin: Begin) {
        self.rings.begin(begin);
        if self.is_counting {
            losses::begin(begin);
        }
    }

    /// The process records on its own: what it leaves is wanted.
    pub fn own(&self) {
        losses::own();
    }

    /// A recorder was let go: all is written that tells its events from others.
    pub fn let_go(&self) {
        losses::let_go();
    }

    /// No event comes any more: memory that no thread has is given back.
    pub fn rest(&mut self) {
        self.is_active = false;
        self.overwrite();
        self.rings.withdraw_spare();
    }

    /// The process ends. What is recorded stays, to be recovered; what was recorded before goes.
    pub fn leave(&self) {
        if !self.is_active {
            self.directory.remove();
        }
    }

    /// Makes a site's handler one that records. Its probe is named before its first event.
    ///
    /// # Errors
    /// When it cannot be recorded.
    pub fn handler(&mut self, site: &KnownSite, object: &str) -> Result<*mut (), String> {
        let (point, description) = (site.point(), &site.description);
        let mut clock = self.clock;
        if site.is_ordered {
            clock.ahead = 0;
        }
        let handler = handlers::handler(description, site.by_record, clock)
            .ok_or("it has more arguments than can be recorded")?;
        if forms::number(point.agent.load(Ordering::Relaxed)) == 0 {
            if self.probes == MOST_PROBES {
                return Err("there are more probes than can be recorded".to_owned());
            }
            let number = self.probes + 1;
            let word = if site.by_record {
                long_forms::pack(number, description)
                    .ok_or("there are more probes with many arguments than can be recorded")?
            } else {
                forms::pack(number, description)
            };
            let content = ProbeContent {
                process: 0,
                probe: number,
                object,
                description: &nofault::recorded_as(site.text),
                ahead: site.is_ordered.then_some(clock.ahead),
            };
            let (kind, version) = (ChunkKind::PROBE, content.version());
            let append = |writer: &mut Writer<'_>| content.encode(writer);
            let chunk = self.directory.append_versioned(kind, version, append)?;
            self.named.extend(chunk);
            self.probes = number;
            self.name_cost(handler, site, word)?;
            point.agent.store(word, Ordering::Release);
        }
        Ok(handler)
    }

    /// Measures once for all probes with one handler whose arguments are passed alike.
    fn name_cost(&mut self, handler: *mut (), site: &KnownSite, word: u64) -> Result<(), String> {
        let forms = (word >> 24, handler.addr());
        let known = self.costs.get(&forms).copied();
        let Some(picoseconds) = known.or_else(|| cost::of(handler, site, word)) else {
            return Ok(());
        };
        self.costs.insert(forms, picoseconds);
        let chunk = self.directory.append(ChunkKind::COST, |writer| {
            CostContent {
                process: 0,
                probe: forms::number(word),
                picoseconds,
            }
            .encode(writer)
        })?;
        self.named.extend(chunk);
        Ok(())
    }

    /// Keeps rings ready, and looks after threads and clocks.
    pub fn look(&mut self) {
        if !self.is_active && self.rings.is_empty() {
            return;
        }
        let mut result = Ok(());
        if self.is_active {
            result = self.rings.refill(&self.directory);
        }
        let is_due = self.looked.is_none_or(|looked| looked.elapsed() >= SLOW);
        self.rings.look(is_due);
        if is_due {
            self.looked = Some(Instant::now());
            result = result.and_then(|()| numbers::check());
            result = result.and(self.snapshot());
            self.rings.look_at_total(&self.directory);
        }
        self.trouble = result.err();
    }

    fn snapshot(&mut self) -> Result<(), String> {
        self.snapshots += 1;
        if self.snapshots > MANY_SNAPSHOTS && !self.snapshots.is_multiple_of(10) {
            return Ok(());
        }
        let reading = clock::reading(self.clock.kind);
        let written = self.directory.append(ChunkKind::CLOCK_SNAPSHOT, |writer| {
            ClockSnapshotContent {
                process: 0,
                before: reading.before,
                after: reading.after,
                monotonic: reading.monotonic,
                realtime: reading.realtime,
                boottime: reading.boottime,
            }
            .encode(writer)
        });
        written.map(drop)
    }
}

/// A site's probe has no number any more. Of an event that is recorded before it gets one, only the number is unknown.
pub fn forget(point: &Point) {
    point
        .agent
        .fetch_and(!u64::from(MOST_PROBES), Ordering::Relaxed);
}
