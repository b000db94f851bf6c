//! What an agent says of its process: chunks that it appends to a file while that is read.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;

use perflab_abi::{
    CHUNK_HEAD, ChunkHead, ChunkKind, Clock, ClockSnapshotContent, CostContent, Description,
    ProbeContent, ProcessContent,
};
use perflab_control::Process;
use perflab_trace_file::TraceWriter;
use perflab_trace_file::event::Layout;

/// Most bytes that are read of such a file.
const LONGEST_FILE: u64 = 64 * 1024 * 1024;

/// Numbers of probes that a process may use.
const MOST_PROBES: u32 = 1 << 18;

/// A probe of the process.
#[derive(Debug)]
pub struct Probe {
    /// Its provider.
    pub provider: String,
    /// Its name.
    pub name: String,
    /// The shared object that it is in; empty for the executable.
    pub object: String,
    /// Of its arguments.
    pub layout: Vec<Layout>,
    /// Events that were written.
    pub events: u64,
}

/// What was said of the process itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct About {
    /// Of its events.
    pub clock: Clock,
    /// How far clocks of its processors may be apart.
    pub skew: u64,
}

/// What comes next in the file.
#[derive(Debug)]
enum Next {
    /// A chunk that is there and whole.
    Chunk(ChunkHead, Vec<u8>),
    /// Nothing, or the first part of a chunk: the rest may follow, unless the process was killed meanwhile.
    Awaited,
    /// What no agent has written.
    Damage,
}

/// The file, and what was read of it.
#[derive(Debug)]
pub struct ProcessFile {
    /// Nothing once all of it was read.
    file: Option<File>,
    /// Number of the process in the trace.
    process: u32,
    /// Whose file it should be.
    named: Process,
    /// Up to where it was read.
    offset: u64,
    about: Option<About>,
    program: String,
    /// By their numbers.
    probes: Vec<Option<Probe>>,
    first_snapshot: Option<ClockSnapshotContent>,
}

impl ProcessFile {
    /// Nothing of it was read.
    pub fn new(file: File, process: u32, named: Process) -> Self {
        Self {
            file: Some(file),
            process,
            named,
            offset: 0,
            about: None,
            program: String::new(),
            probes: Vec::new(),
            first_snapshot: None,
        }
    }

    /// Nothing more is read of it.
    pub fn close(&mut self) {
        self.file = None;
    }

    /// The process; nothing as long as the file does not say.
    pub fn about(&self) -> Option<About> {
        self.about
    }

    /// The process's number, as the kernel has it.
    pub fn pid(&self) -> u32 {
        self.named.pid
    }

    /// The name of the process's executable; empty as long as the file does not say.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// The first clocks that were read together.
    pub fn first_snapshot(&self) -> Option<&ClockSnapshotContent> {
        self.first_snapshot.as_ref()
    }

    /// A probe that is known.
    #[inline]
    pub fn probe(&mut self, number: u32) -> Option<&mut Probe> {
        self.probes.get_mut(number as usize)?.as_mut()
    }

    /// All probes that are known.
    pub fn probes(&self) -> impl Iterator<Item = &Probe> {
        self.probes.iter().flatten()
    }

    /// Reads whole chunks that were appended, and writes what they say to the trace. What cannot be read is looked
    /// at again the next time: it may not be all there yet.
    ///
    /// # Errors
    /// When the trace cannot be written.
    pub fn read(&mut self, trace: &mut TraceWriter<impl Write>) -> io::Result<()> {
        while let Next::Chunk(head, content) = self.next() {
            self.offset += (CHUNK_HEAD + content.len()) as u64;
            // A later agent may write others.
            if head.kind.has_version(head.version) {
                self.take(head.kind, &content, trace)?;
            }
        }
        Ok(())
    }

    /// Whether no agent has written what follows. Nothing behind that is read.
    pub fn is_damaged(&self) -> bool {
        matches!(self.next(), Next::Damage)
    }

    fn next(&self) -> Next {
        self.chunk().unwrap_or(Next::Awaited)
    }

    /// What follows, as far as the file has that.
    fn chunk(&self) -> Option<Next> {
        let file = self.file.as_ref()?;
        let size = file.metadata().ok()?.len().min(LONGEST_FILE);
        let begin = self.offset.checked_add(CHUNK_HEAD as u64)?;
        if begin > size {
            return None;
        }
        let mut head = [0; CHUNK_HEAD];
        file.read_exact_at(&mut head, self.offset).ok()?;
        let Ok(head) = ChunkHead::decode(&head) else {
            return Some(Next::Damage);
        };
        if begin + u64::from(head.length) > size {
            return None;
        }
        let mut content = vec![0; head.length as usize];
        file.read_exact_at(&mut content, begin).ok()?;
        Some(match head.verify(&content) {
            Ok(()) => Next::Chunk(head, content),
            Err(_) => Next::Damage,
        })
    }

    fn take(
        &mut self,
        kind: ChunkKind,
        content: &[u8],
        trace: &mut TraceWriter<impl Write>,
    ) -> io::Result<()> {
        let process = self.process;
        if self.about.is_none() && kind != ChunkKind::PROCESS {
            return Ok(());
        }
        match kind {
            ChunkKind::PROCESS => match ProcessContent::decode(content) {
                Ok(said) if self.about.is_none() && self.is_named(&said) => {
                    let name = said.executable.rsplit('/').next();
                    self.program = name.unwrap_or_default().to_owned();
                    self.about = Some(About {
                        clock: said.clock,
                        skew: said.skew,
                    });
                    trace.process(&ProcessContent { process, ..said })
                }
                _ => Ok(()),
            },
            ChunkKind::PROBE => match ProbeContent::decode(content) {
                Ok(said) if self.add(&said) => trace.probe(&ProbeContent { process, ..said }),
                _ => Ok(()),
            },
            ChunkKind::CLOCK_SNAPSHOT => match ClockSnapshotContent::decode(content) {
                Ok(said) => {
                    self.first_snapshot.get_or_insert(said);
                    trace.clock_snapshot(&ClockSnapshotContent { process, ..said })
                }
                Err(_) => Ok(()),
            },
            ChunkKind::COST => match CostContent::decode(content) {
                Ok(said) => trace.cost(&CostContent { process, ..said }),
                Err(_) => Ok(()),
            },
            // What a later agent says.
            _ => Ok(()),
        }
    }

    fn is_named(&self, said: &ProcessContent<'_>) -> bool {
        (said.pid, said.start) == (self.named.pid, self.named.start)
    }

    /// Adds a probe. Returns whether it can be read and is new: what a number means does not change.
    fn add(&mut self, said: &ProbeContent<'_>) -> bool {
        let Ok(description) = Description::parse(said.description) else {
            return false;
        };
        if said.probe == 0 || said.probe >= MOST_PROBES {
            return false;
        }
        let number = said.probe as usize;
        if number >= self.probes.len() {
            self.probes.resize_with(number + 1, || None);
        }
        match self.probes.get_mut(number) {
            Some(place @ None) => {
                *place = Some(Probe {
                    provider: description.provider.to_owned(),
                    name: description.name.to_owned(),
                    object: said.object.to_owned(),
                    layout: Layout::of_probe(&description),
                    events: 0,
                });
                true
            }
            _ => false,
        }
    }
}
