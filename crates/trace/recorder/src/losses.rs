//! Events that had no ring, as their process counts them, and what else it says with these.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::time::Duration;

use perflab_abi::LossesContent;
use perflab_abi::recording::{LOSSES_FILE, LOSSES_MAGIC, losses};
use perflab_control::Process;
use perflab_ring::MOST_EVENTS;

use crate::directory::Directory;
use crate::manner::{Manner, Since};
use crate::mapping::Access;
use crate::progress::Progress;

/// Words that are read of what a process has counted.
const LOSSES_WORDS: usize = losses::LIMITED + 1;

/// Whether the agent of a process counts in another way than is read here.
pub fn are_of_another_version(directory: &Directory) -> bool {
    let is_other = || {
        let file = directory.file(LOSSES_FILE, Access::Read).ok()?;
        let mut magic = [0; 8];
        file.read_exact_at(&mut magic, losses::MAGIC as u64 * 8)
            .ok()?;
        let expected = LOSSES_MAGIC.to_le_bytes();
        Some(magic[..7] == expected[..7] && magic != expected)
    };
    is_other().unwrap_or(false)
}

/// Whether the agent of a process knows no filters, so that none judged what the process keeps. Nothing as long as the
/// agent has not said that: then there are no events either.
pub fn are_unfiltered(directory: &Directory) -> Option<bool> {
    let file = directory.file(LOSSES_FILE, Access::Read).ok()?;
    let word = |index: usize| {
        let mut word = [0; 8];
        file.read_exact_at(&mut word, index as u64 * 8).ok()?;
        Some(u64::from_le_bytes(word))
    };
    match word(losses::MAGIC)? {
        0 => None,
        magic => Some(magic == LOSSES_MAGIC && word(losses::KNOWS_FILTERS)? == 0),
    }
}

/// Recorders that a process has let go.
fn let_go(file: &File) -> io::Result<u64> {
    let mut word = [0; 8];
    file.read_exact_at(&mut word, losses::LET_GO as u64 * 8)?;
    Ok(u64::from_le_bytes(word))
}

/// What a process may lack for another ring, besides memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lack {
    /// It has another user than its directory has, where it can make no more files.
    Rights,
    /// It has a filter of system calls, which may refuse what a ring needs.
    Calls,
}

/// What was counted so far.
#[derive(Debug, Default)]
pub struct Losses {
    no_ring: u64,
    late: u64,
    unreached: u64,
    /// What else than memory the process may have lacked when it lost events for want of a ring.
    lack: Option<Lack>,
    /// What was counted before the recording, in the order of [`losses::COUNTS`], once it is known.
    before: [Option<u64>; 3],
    /// What was counted when the recorder came that keeps events, in the same order, and recorders that were let go
    /// before, once that is known.
    begin: Option<([u64; 3], u64)>,
    /// Whether the process has let the recorder go: what it lost since then is of another recording.
    is_let_go: bool,
    /// Whether the process has recorded on its own.
    has_own: bool,
    /// The number of the last event that came to stop a recording; 0 before the first.
    trigger: u64,
    /// Nanoseconds in which a filter left out events.
    limited: u64,
    /// Children that could not be recorded, the first ones.
    children: Vec<u32>,
    /// Whether a number of events was spoiled.
    is_spoiled: bool,
    /// Whether the file was read.
    is_read: bool,
}

impl Losses {
    /// Adds them to what was recorded.
    pub fn add_to(&self, sum: &mut Progress) {
        sum.broken = sum.broken.saturating_add(u64::from(self.is_spoiled));
        sum.no_ring = self.no_ring;
        sum.late = self.late;
        sum.unreached = self.unreached;
    }

    /// Numbers of children that could not be recorded, the first ones.
    pub fn children(&self) -> &[u32] {
        &self.children
    }

    /// What else than memory the process may have lacked for events that had no ring.
    pub fn lack(&self) -> Option<Lack> {
        self.lack
    }

    /// Whether the process has let the recorder go, when this was read last.
    pub fn is_let_go(&self) -> bool {
        self.is_let_go
    }

    /// Reads again whether the process has let the recorder go.
    pub fn is_let_go_by_now(&self, directory: &Directory) -> bool {
        let now = || let_go(&directory.file(LOSSES_FILE, Access::Read).ok()?).ok();
        let before = self.begin.map(|(_, let_go)| let_go);
        before.is_some_and(|before| now().is_some_and(|now| now > before))
    }

    /// Whether the event has come that stops the recording with this number, which is not 0.
    pub fn was_triggered(&self, number: u64) -> bool {
        self.trigger == number
    }

    /// How long a filter left out events, as there were more than it may take in a second.
    pub fn limited(&self) -> Duration {
        Duration::from_nanos(self.limited)
    }

    /// Whether there was never a file that could be read.
    pub fn are_unread(&self) -> bool {
        !self.is_read
    }

    /// Whether the process has recorded on its own, when this was read last.
    pub fn has_own(&self) -> bool {
        self.has_own
    }

    /// Reads what a process with this number in the trace has counted. Returns what the trace should say, if that is
    /// new.
    pub fn read(
        &mut self,
        directory: &Directory,
        process: Process,
        number: u32,
        manner: Manner,
    ) -> Option<LossesContent> {
        let [no_ring, late, unreached] = self.counted(directory, manner)?;
        if no_ring > self.no_ring {
            let owner = directory.owner();
            if process.user().is_some_and(|user| user != owner) {
                self.lack = Some(Lack::Rights);
            } else if process.has_filter() {
                self.lack.get_or_insert(Lack::Calls);
            }
        }
        let is_new = no_ring > self.no_ring || late > self.late || unreached > self.unreached;
        self.no_ring = no_ring.max(self.no_ring);
        self.late = late.max(self.late);
        self.unreached = unreached.max(self.unreached);
        let all = self.no_ring.saturating_add(self.late);
        is_new.then_some(LossesContent {
            process: number,
            no_ring: all.saturating_add(self.unreached),
        })
    }

    /// Says that what an ended process has lost since a recorder came is of that one. An agent writes the same when it
    /// lets a recorder go.
    ///
    /// # Errors
    /// When that cannot be written.
    pub fn finish(directory: &Directory) -> io::Result<()> {
        let file = directory.file(LOSSES_FILE, Access::Write)?;
        for (count, before) in losses::COUNTS.into_iter().zip(losses::BEFORE_OVERWRITTEN) {
            let mut word = [0; 8];
            file.read_exact_at(&mut word, count as u64 * 8)?;
            file.write_all_at(&word, before as u64 * 8)?;
        }
        Ok(())
    }

    /// Events of the process, and of its children, for which there was no ring.
    fn counted(&mut self, directory: &Directory, manner: Manner) -> Option<[u64; 3]> {
        let file = directory.file(LOSSES_FILE, Access::Read).ok()?;
        // First: what was written before it is read then.
        let let_go = let_go(&file).ok()?;
        let mut bytes = [0; LOSSES_WORDS * 8];
        file.read_exact_at(&mut bytes, 0).ok()?;
        let (words, _) = bytes.as_chunks::<8>();
        let word = |index: usize| u64::from_le_bytes(words[index]);
        if word(losses::MAGIC) != LOSSES_MAGIC {
            return None;
        }
        self.is_read = true;
        let counts = [
            losses::COUNTS,
            losses::BEFORE_KEPT,
            losses::BEFORE_OVERWRITTEN,
            losses::OTHERS_BEFORE_KEPT,
        ];
        let mut counts = counts.into_iter().flatten().chain([losses::OWN_REUSED]);
        self.is_spoiled |= counts.any(|index| word(index) > MOST_EVENTS);
        let count = |index: usize| Some(word(index)).filter(|count| *count <= MOST_EVENTS);
        let count = |index: usize| count(index).unwrap_or(0);
        let all = losses::COUNTS.map(count);
        let [kept, overwritten, others] = [
            losses::BEFORE_KEPT,
            losses::BEFORE_OVERWRITTEN,
            losses::OTHERS_BEFORE_KEPT,
        ]
        .map(|before| before.map(count));
        let (begin, before) = *self.begin.get_or_insert((kept, let_go));
        self.is_let_go = manner.keep && let_go > before;
        self.has_own = word(losses::HAS_OWN) != 0;
        self.trigger = word(losses::TRIGGER);
        // It begins again with the next recorder.
        self.limited = self.limited.max(word(losses::LIMITED));
        let mut lost = [0; 3];
        for (index, lost) in lost.iter_mut().enumerate() {
            let before = match (manner.keep, manner.since) {
                (true, Since::Oldest) => 0,
                (true, _) => kept[index],
                // Counts only grow: the greater one is of the last recording.
                (false, since) => {
                    let last = kept[index].max(overwritten[index]);
                    // What the process has lost on its own before a recorder came counts as well.
                    let own = kept[index].saturating_sub(others[index]);
                    last.saturating_sub(if since == Since::Oldest { own } else { 0 })
                }
            };
            // Somebody else may come meanwhile.
            let before = *self.before[index].get_or_insert(before);
            let mut all = all[index];
            if self.is_let_go {
                all = all.min(overwritten[index]);
                // Somebody else came, and may have gone as well.
                if kept[index] > begin[index] {
                    all = all.min(kept[index]);
                }
            }
            *lost = all.saturating_sub(before);
        }
        let [mut no_ring, unreached, late] = lost;
        if !manner.keep && manner.since == Since::Oldest {
            no_ring = no_ring.saturating_add(count(losses::OWN_REUSED));
        }
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
}
