//! Processes that are started with the environment of a recording, so that they keep their events for it.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::hash::{BuildHasher, RandomState};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use perflab_control::variable::{
    NAMESPACE, RECORD, RECORD_FOR, RECORD_MEMORY, RECORD_REFUSED, RECORD_RING, WHEN,
};
use perflab_control::{Agent, ControlError, EncodedFilter, RecordWish, Traced, is_dead, traced};

use crate::directory::Directory;
use crate::error::RecordError;
use crate::live::agentless::Agentless;
use crate::live::attached::Attached;
use crate::live::problem::Problem;
use crate::live::refusals::{Pipe, Refusal};
use crate::losses::are_unfiltered;
use crate::places::{Recorded, directories, kept_for};
use crate::process_dir::ProcessDir;

/// Processes that are named of those that could not be recorded.
const NAMED: usize = 8;

/// What programs are started with.
#[derive(Debug)]
pub struct StartOptions {
    /// Which probes, as `provider:name` with `*`; several with commas.
    pub probes: String,
    /// Memory for the events of each process.
    pub memory: RecordWish,
    /// Which of their events are recorded; all, if there is none.
    pub when: Option<EncodedFilter>,
    /// The value of `LD_PRELOAD`: the shared objects to load, with the agent's ([`AGENT`](crate::AGENT)).
    pub preload: OsString,
}

/// The variables of the sizes that are asked for, with their values: threads that start before a recorder comes have
/// them too.
pub fn sizes(wish: RecordWish) -> impl Iterator<Item = (&'static str, String)> {
    let sizes = [(RECORD_RING, wish.ring), (RECORD_MEMORY, wish.all)];
    let asked = sizes.into_iter().filter(|(_, kibibytes)| *kibibytes > 0);
    asked.map(|(variable, kibibytes)| (variable, kibibytes.to_string()))
}

/// Processes that are started, and the processes that these start.
#[derive(Debug)]
pub struct Started {
    options: StartOptions,
    /// The value of [`RECORD_FOR`] in their environment.
    mark: String,
    /// The pipe by which they report that they cannot be recorded, and its name.
    pipe: Option<(String, Pipe)>,
    /// Sockets that were seen, by path, inode and time of the last change.
    known: BTreeSet<(PathBuf, u64, (i64, i64))>,
    /// Those that could not be recorded.
    refused: BTreeSet<u32>,
    /// Those that may turn out to be such.
    agentless: Agentless,
    /// How many of those that could not be recorded had no agent.
    without_agent: usize,
    /// Processes that may have probes, as far as can be seen.
    hidden: usize,
}

impl Started {
    /// None yet.
    pub fn new(options: StartOptions) -> Self {
        let random = RandomState::new().hash_one(&options.probes) as u32;
        let namespace = std::fs::metadata(NAMESPACE).map_or(0, |about| about.ino() as u32);
        // Without it, only those that are still there when they are asked say that they cannot be recorded.
        let pipe = Pipe::new().and_then(|pipe| Ok((pipe.name()?, pipe))).ok();
        Self {
            options,
            mark: format!("{}-{random:08x}{namespace:08x}", std::process::id()),
            pipe,
            known: BTreeSet::new(),
            refused: BTreeSet::new(),
            agentless: Agentless::default(),
            without_agent: 0,
            hidden: 0,
        }
    }

    /// What they are started with.
    pub fn environment(&self) -> Vec<(OsString, OsString)> {
        let probes = self.options.probes.clone();
        // Without a filter it is empty: one that this process has is for another recording.
        let when = self.options.when.as_ref();
        let when = when.map_or_else(String::new, EncodedFilter::hexadecimal);
        let mark = self.mark.clone();
        let texts = [(RECORD, probes), (RECORD_FOR, mark), (WHEN, when)];
        let pipe = self.pipe.iter();
        let pipe = pipe.map(|(name, _)| (RECORD_REFUSED, name.clone()));
        let texts = texts.into_iter().chain(pipe);
        let mut variables: Vec<(OsString, OsString)> = texts
            .chain(sizes(self.options.memory))
            .map(|(variable, value)| (variable.into(), value.into()))
            .collect();
        variables.push(("LD_PRELOAD".into(), self.options.preload.clone()));
        variables
    }

    /// Looks for those that have begun. `roots`: processes that were started and have not ended.
    pub fn search(
        &mut self,
        attached: &mut Attached,
        roots: &[u32],
        tell: &mut impl FnMut(Problem),
    ) -> Result<(), RecordError> {
        let found = traced().map_err(RecordError::Agents)?;
        // Some may have ended before they could be asked.
        let kept = kept_for(&directories(), &self.mark);
        let come: Vec<Traced> = found
            .into_iter()
            .filter(|traced| self.is_new(traced, &kept))
            .collect();
        for process in come {
            // Its socket took the place of its former program's when that was to be asked.
            if attached.is_connected(process.pid) {
                continue;
            }
            // The events of all others wait for this answer.
            let agent = Agent::at(&process.socket).at_once();
            let (probes, memory) = (&self.options.probes, self.options.memory);
            match agent.record_when(probes, memory, self.options.when.as_ref()) {
                Ok(recorded) => attached.add(recorded, tell),
                // Another program by now, perhaps, which is found the next time. What this one kept is found below.
                Err(ControlError::Closed | ControlError::Gone) => {
                    // Or its agent listens and had no patience.
                    if !is_dead(&process.socket) {
                        self.known.retain(|(socket, ..)| *socket != process.socket);
                    }
                }
                Err(error @ (ControlError::Refused(_) | ControlError::TooOld)) => {
                    self.refuse(process.pid, process.name, error.to_string(), tell);
                }
                Err(error) => tell(Problem::Unanswered(process, error)),
            }
        }
        self.agentless.look(
            roots.to_vec(),
            |pid| attached.is_connected(pid),
            |process| attached.programs(process),
        );
        for process in kept {
            match self.are_unfiltered(&process) {
                Some(false) => attached.add_kept(&process.directory, tell),
                Some(true) => {
                    let pid = process.process.pid;
                    let name = Some(process.process.name()).filter(|name| !name.is_empty());
                    let name = name.unwrap_or_else(|| "ended".to_owned());
                    self.refuse(pid, name, ControlError::TooOld.to_string(), tell);
                }
                None => {}
            }
        }
        attached.drop_finished()
    }

    /// Whether a process is one that was not seen before. One that calls `exec` has a new agent.
    ///
    /// A server may write over its environment, so those count too that are known to keep their events for this.
    fn is_new(&mut self, process: &Traced, kept: &[Recorded]) -> bool {
        let Ok(socket) = std::fs::symlink_metadata(&process.socket) else {
            return false;
        };
        let is_kept = || kept.iter().any(|other| other.process.pid == process.pid);
        let is_marked = || {
            let environment = std::fs::read(format!("/proc/{}/environ", process.pid));
            let environment = environment.unwrap_or_default();
            let wanted = format!("{RECORD_FOR}={}", self.mark);
            let mut variables = environment.split(|byte| *byte == 0);
            variables.any(|variable| variable == wanted.as_bytes())
        };
        (is_kept() || is_marked())
            && self.known.insert((
                process.socket.clone(),
                socket.ino(),
                (socket.mtime(), socket.mtime_nsec()),
            ))
    }

    /// Whether there is a filter, and the agent of a process ignores it. Nothing if that is not known yet.
    fn are_unfiltered(&self, process: &Recorded) -> Option<bool> {
        if self.options.when.is_none() {
            return Some(false);
        }
        // What is wrong with the directory is found when it is added.
        let directory = Directory::open(&process.directory);
        directory.map_or(Some(false), |directory| are_unfiltered(&directory))
    }

    /// One could not be recorded, which is told if it is one of the first.
    fn refuse(&mut self, pid: u32, name: String, reason: String, tell: &mut impl FnMut(Problem)) {
        let refusal = Refusal {
            process: pid,
            name,
            reason,
        };
        self.tell_once(pid, Problem::Refused(refusal), tell);
    }

    /// Tells what is wrong with a process that could not be recorded, if it is one of the first.
    fn tell_once(&mut self, pid: u32, problem: Problem, tell: &mut impl FnMut(Problem)) {
        if self.refused.insert(pid) && self.refused.len() <= NAMED {
            tell(problem);
        }
    }

    /// Takes in which have said that they cannot be recorded.
    pub fn take_refusals(&mut self, tell: &mut impl FnMut(Problem)) {
        let said = self.pipe.as_mut().map(|(_, pipe)| pipe.refusals());
        for refusal in said.into_iter().flatten() {
            self.tell_once(refusal.process, Problem::Refused(refusal), tell);
        }
    }

    /// Those that begin from now on see that they are not recorded.
    pub fn end(&mut self) {
        self.pipe = None;
    }

    /// Processes that may have no agent, and when they are looked for.
    pub fn agentless(&mut self) -> &mut Agentless {
        &mut self.agentless
    }

    /// Takes in at the end which had no agent, and tells how many were not named.
    pub fn take_agentless(&mut self, attached: &Attached, tell: &mut impl FnMut(Problem)) {
        let processes = attached.recording.processes().iter();
        let counted = processes.flat_map(ProcessDir::unreached).copied();
        let kept = |process| attached.programs(process);
        let found = self.agentless.found(kept, &counted.collect());
        self.hidden = found.hidden;
        let others = self.refused.len();
        for (pid, name) in found.processes {
            self.tell_once(pid, Problem::Agentless { pid, name }, tell);
        }
        self.without_agent = self.refused.len() - others;
        let more = self.refused.len().saturating_sub(NAMED);
        if more > 0 {
            tell(Problem::Unnamed(more));
        }
    }

    /// How many could not be recorded, how many of these had no agent, and of how many others nothing can be seen.
    pub fn unrecorded(&self) -> [usize; 3] {
        [self.refused.len(), self.without_agent, self.hidden]
    }
}
