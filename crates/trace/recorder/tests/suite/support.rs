//! A process that keeps rings, and a reader of traces that knows nothing but what is documented of them.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, FileExt, PermissionsExt};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use perflab_abi::recording::{LOSSES_MAGIC, RING_BLOCK_WORDS, RING_HEAD_BYTES, RING_MAGIC, ring};
use perflab_abi::{
    ArgumentType, ChunkHead, ChunkKind, Clock, ClockSnapshotContent, Description, EventsContent,
    LossesContent, ProbeContent, ProcessContent, ThreadContent, WatermarkContent, Writer,
};
use perflab_control::Process;
use perflab_recorder::{Access, Manner, Mapping, Recording, Since};
use perflab_ring::{
    Event, Fill, Header, Mode, Outcome, PRODUCER_WORDS, Producer, TestPoints, begin, word,
};
use perflab_trace_file::{ChunkReader, TraceWriter};
use tempfile::TempDir;

pub const KEEP: Manner = Manner {
    keep: true,
    since: Since::Oldest,
};

pub const LOOK: Manner = Manner {
    keep: false,
    since: Since::Oldest,
};

pub const HEAD: usize = RING_HEAD_BYTES / 8;

/// This process.
pub fn own() -> Process {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let (_, after) = stat.rsplit_once(')').unwrap();
    Process {
        pid: std::process::id(),
        start: after.split_whitespace().nth(19).unwrap().parse().unwrap(),
    }
}

/// One that has ended.
pub fn dead() -> Process {
    Process {
        start: own().start - 1,
        ..own()
    }
}

pub fn trace() -> TraceWriter<Vec<u8>> {
    TraceWriter::new(Vec::new())
}

/// A directory of rings.
pub struct Kept {
    pub parent: TempDir,
    pub path: PathBuf,
    pub process: Process,
}

impl Kept {
    /// Of a process, with a file that names it.
    pub fn new(process: Process) -> Self {
        let parent = TempDir::new().unwrap();
        fs::set_permissions(parent.path(), fs::Permissions::from_mode(0o700)).unwrap();
        let path = parent
            .path()
            .join(format!("{}-{}.rings", process.pid, process.start));
        fs::DirBuilder::new().mode(0o700).create(&path).unwrap();
        let kept = Self {
            parent,
            path,
            process,
        };
        kept.append(ChunkKind::PROCESS, |writer| {
            let content = ProcessContent {
                process: 0,
                pid: process.pid,
                start: process.start,
                clock: Clock::Monotonic,
                skew: 0,
                executable: "/bin/program",
                command: "program -x",
                ahead: Some(0),
            };
            content.encode(writer).unwrap();
        });
        kept
    }

    /// Of this process, with a probe of one number.
    pub fn of_events() -> Self {
        let kept = Self::new(own());
        kept.probe(1, "u64 event");
        kept
    }

    /// A recording of it.
    pub fn recording(&self, manner: Manner) -> Recording<Vec<u8>> {
        let mut recording = Recording::new(trace(), manner);
        recording.add(&self.path).unwrap();
        recording
    }

    pub fn append(&self, kind: ChunkKind, encode: impl FnOnce(&mut Writer<'_>)) {
        self.append_versioned(kind, 1, encode);
    }

    fn append_versioned(
        &self,
        kind: ChunkKind,
        version: u16,
        encode: impl FnOnce(&mut Writer<'_>),
    ) {
        let mut content = vec![0; 70_000];
        let mut writer = Writer::new(&mut content);
        encode(&mut writer);
        let length = writer.written();
        let content = &content[..length];
        let head = ChunkHead::of(kind, version, content).unwrap();
        let bytes = [&head.encode(), content].concat();
        let path = self.path.join("process");
        let mut options = OpenOptions::new();
        let mut file = options.append(true).create(true).open(path).unwrap();
        file.write_all(&bytes).unwrap();
    }

    /// Adds a probe with arguments in lines.
    pub fn probe(&self, probe: u32, arguments: &str) {
        self.probe_versioned(probe, 1, arguments);
    }

    /// The same in a chunk of any version.
    pub fn probe_versioned(&self, probe: u32, version: u16, arguments: &str) {
        self.append_versioned(ChunkKind::PROBE, version, |writer| {
            let content = ProbeContent {
                process: 0,
                probe,
                object: "",
                description: &format!("shop\nsold{probe}\nshop.c\n1\n{arguments}"),
                ahead: None,
            };
            content.encode(writer).unwrap();
        });
    }

    pub fn snapshot(&self, before: u64, monotonic: u64) {
        self.append(ChunkKind::CLOCK_SNAPSHOT, |writer| {
            let content = ClockSnapshotContent {
                process: 0,
                before,
                after: before,
                monotonic,
                realtime: 1,
                boottime: 1,
            };
            content.encode(writer).unwrap();
        });
    }

    pub fn no_ring(&self, number: u64) {
        let file = File::create(self.path.join("losses")).unwrap();
        file.set_len(4096).unwrap();
        file.write_all_at(&LOSSES_MAGIC.to_le_bytes(), 0).unwrap();
        file.write_all_at(&number.to_le_bytes(), 8).unwrap();
    }

    /// Stores a word of that file.
    pub fn loss(&self, word: usize, number: u64) {
        let file = File::options().write(true).open(self.path.join("losses"));
        let file = file.unwrap();
        file.write_all_at(&number.to_le_bytes(), word as u64 * 8)
            .unwrap();
    }

    /// So many events of children that could not be recorded, of which these are the first.
    pub fn unreached(&self, number: u64, children: &[u64]) {
        let file = File::options().write(true).open(self.path.join("losses"));
        let file = file.unwrap();
        let words = [number]
            .into_iter()
            .chain([0; 5])
            .chain(children.iter().copied());
        for (word, index) in words.zip(2..) {
            file.write_all_at(&word.to_le_bytes(), index * 8).unwrap();
        }
    }

    pub fn ring_path(&self, number: u32) -> PathBuf {
        self.path.join(format!("{number}.ring"))
    }

    pub fn ring(&self, number: u32, blocks: usize, mode: Mode) -> Mapping {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        let file = options.open(self.ring_path(number)).unwrap();
        let words = HEAD + blocks * RING_BLOCK_WORDS;
        file.set_len(words as u64 * 8).unwrap();
        let mapping = Mapping::of(&file, words, Access::Write).unwrap();
        mapping.store(word::MODE, mode.to_word());
        let (head, rest) = mapping.words().split_at(HEAD);
        assert!(begin(head, rest, RING_BLOCK_WORDS));
        mapping.store(ring::BLOCKS, blocks as u64);
        mapping.store(ring::THREAD, 100 + u64::from(number));
        mapping.store(ring::NAME, u64::from_le_bytes(*b"worker\0\0"));
        mapping.store(ring::MAGIC, RING_MAGIC);
        mapping
    }
}

/// Writes events to a ring.
pub struct RingWriter<'m> {
    words: [AtomicU64; PRODUCER_WORDS],
    /// It must stay.
    _ring: &'m Mapping,
}

/// Goes on with a ring where it is.
#[expect(unsafe_code, reason = "a producer is promised that its memory stays")]
pub fn producer(mapping: &Mapping) -> RingWriter<'_> {
    let words = Default::default();
    let (head, blocks) = mapping.words().split_at(HEAD);
    // SAFETY: the memory stays for as long as the writer; nobody else writes records to it while this does.
    let is_open = unsafe { Producer::new(&words, 3).open(head, blocks, RING_BLOCK_WORDS) };
    assert!(is_open);
    RingWriter {
        words,
        _ring: mapping,
    }
}

/// The words of an event, and its time.
struct Words<const N: usize, T>([u64; N], T);

impl<const N: usize, T: Fn() -> u64> Fill for Words<N, T> {
    fn before(&mut self, words: &[AtomicU64]) {
        for (to, word) in words.iter().zip(self.0) {
            to.store(word, Ordering::Relaxed);
        }
    }

    fn stamp(&mut self, words: &[AtomicU64; 2]) {
        words[1].store(self.1(), Ordering::Relaxed);
    }
}

impl RingWriter<'_> {
    /// Writes an event with these words.
    pub fn record<const N: usize>(
        &self,
        probe: u32,
        time: impl Fn() -> u64,
        words: [u64; N],
        steps: &impl TestPoints,
    ) -> Outcome {
        let header = Header {
            probe,
            words: N + 2,
            is_cut: false,
        };
        let event = Event {
            header: header.base(),
            words: N + 2,
        };
        Producer::new(&self.words, 3).record(event, Words(words, time), steps, |_| false)
    }
}

pub fn load(mapping: &Mapping, index: usize) -> u64 {
    mapping.words()[index].load(Ordering::Acquire)
}

/// What the second word of a test's event must be.
pub fn check(thread: u32, event: u64) -> u64 {
    (event ^ u64::from(thread) << 56).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20
}

#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Signed(i64),
    Unsigned(u64),
    Bits32(u32),
    Bits64(u64),
    Text(Option<Vec<u8>>),
}

/// An event that was read; an incomplete one has no probe.
#[derive(Debug, Clone, PartialEq)]
pub struct Read {
    pub index: u64,
    pub dropped: u64,
    pub probe: u32,
    pub is_cut: bool,
    pub time: u64,
    pub values: Vec<Value>,
}

impl Read {
    /// The number of a test's event; nothing of an incomplete one.
    pub fn event(&self, thread: u32) -> Option<u64> {
        match self.values.as_slice() {
            [] => None,
            [Value::Unsigned(event), Value::Unsigned(sum)] if *sum == check(thread, *event) => {
                Some(*event)
            }
            _ => panic!("torn or invented: {self:?}"),
        }
    }
}

/// All that a trace says.
#[derive(Debug, Default)]
pub struct Told {
    pub processes: Vec<(u32, u32, String)>,
    /// (process, thread) -> number of the kernel, name.
    pub threads: BTreeMap<(u32, u32), (u32, String)>,
    pub events: BTreeMap<(u32, u32), Vec<Read>>,
    /// (process, thread) -> number of the next event, dropped, as said at last.
    pub ends: BTreeMap<(u32, u32), (u64, u64)>,
    pub rounds: Vec<(u32, u64)>,
    pub losses: Vec<(u32, u64)>,
    pub snapshots: Vec<ClockSnapshotContent>,
    pub is_ended: bool,
}

pub fn read(bytes: &[u8]) -> Told {
    let mut told = Told::default();
    let mut probes: BTreeMap<(u32, u32), Vec<&'static str>> = BTreeMap::new();
    let mut chunks = ChunkReader::new(bytes);
    while let Some(chunk) = chunks.next() {
        let content = chunk.content;
        match chunk.kind {
            ChunkKind::PROCESS => {
                let said = ProcessContent::decode(content).unwrap();
                let executable = said.executable.to_owned();
                told.processes.push((said.process, said.pid, executable));
            }
            ChunkKind::PROBE => {
                let said = ProbeContent::decode(content).unwrap();
                let description = Description::parse(said.description).unwrap();
                let kinds = description.arguments().map(|argument| match argument.kind {
                    ArgumentType::Signed(_) | ArgumentType::Enum(_) => "signed",
                    ArgumentType::Float(32) => "single",
                    ArgumentType::Float(_) => "double",
                    ArgumentType::CString | ArgumentType::Str | ArgumentType::Bytes => "text",
                    _ => "unsigned",
                });
                probes.insert((said.process, said.probe), kinds.collect());
            }
            ChunkKind::THREAD => {
                let said = ThreadContent::decode(content).unwrap();
                let key = (said.process, said.thread);
                told.threads.insert(key, (said.tid, said.name.to_owned()));
            }
            ChunkKind::CLOCK_SNAPSHOT => told
                .snapshots
                .push(ClockSnapshotContent::decode(content).unwrap()),
            ChunkKind::LOSSES => {
                let said = LossesContent::decode(content).unwrap();
                told.losses.push((said.process, said.no_ring));
            }
            ChunkKind::WATERMARK => {
                let said = WatermarkContent::decode(content).unwrap();
                told.rounds.push((said.process, said.time));
            }
            ChunkKind::EVENTS => events(content, &probes, &mut told),
            ChunkKind::END => told.is_ended = true,
            _ => {}
        }
    }
    assert_eq!(chunks.cut(), None);
    told
}

fn events(content: &[u8], probes: &BTreeMap<(u32, u32), Vec<&'static str>>, told: &mut Told) {
    let said = EventsContent::decode(content).unwrap();
    let key = (said.process, said.thread);
    assert!(
        told.threads.contains_key(&key),
        "a thread comes before its events"
    );
    let mut bytes = content[EventsContent::SIZE..].iter().copied();
    let mut time = said.base;
    let ends = told.ends.entry(key).or_default();
    let is_behind = said.first >= ends.0 && said.dropped >= ends.1;
    assert!(is_behind, "{said:?} after {ends:?}");
    *ends = (said.first + u64::from(said.count), said.dropped);
    for index in 0..said.count {
        let head = number(&mut bytes);
        let mut read = Read {
            index: said.first + u64::from(index),
            dropped: said.dropped,
            probe: (head >> 1) as u32,
            is_cut: head & 1 == 1,
            time: 0,
            values: Vec::new(),
        };
        if head != 0 {
            time = time.wrapping_add(signed(&mut bytes) as u64);
            read.time = time;
            let kinds = &probes[&(said.process, read.probe)];
            read.values = kinds.iter().map(|kind| value(kind, &mut bytes)).collect();
        }
        told.events.entry(key).or_default().push(read);
    }
    assert_eq!(bytes.next(), None);
}

fn value(kind: &str, bytes: &mut impl Iterator<Item = u8>) -> Value {
    match kind {
        "signed" => Value::Signed(signed(bytes)),
        "single" => Value::Bits32(fixed(bytes, 4) as u32),
        "double" => Value::Bits64(fixed(bytes, 8)),
        "text" => Value::Text(
            number(bytes)
                .checked_sub(1)
                .map(|length| bytes.take(length as usize).collect()),
        ),
        _ => Value::Unsigned(number(bytes)),
    }
}

fn fixed(bytes: &mut impl Iterator<Item = u8>, length: u32) -> u64 {
    let byte = |place: u32| u64::from(bytes.next().unwrap()) << (8 * place);
    (0..length).map(byte).sum()
}

fn number(bytes: &mut impl Iterator<Item = u8>) -> u64 {
    let mut number = 0;
    for shift in (0..).step_by(7) {
        let byte = bytes.next().unwrap();
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    number
}

fn signed(bytes: &mut impl Iterator<Item = u8>) -> i64 {
    let number = number(bytes);
    (number >> 1) as i64 ^ -((number & 1) as i64)
}
