//! Any words and bytes in the files of a process that is recorded.
//!
//! The first line is the kind of input: `c` kinds, lengths and contents of chunks, which are sealed and appended to
//! the process's file; `b` bytes appended to it as they are; otherwise words of a ring that are changed while it is
//! read: a byte of options, then for each the round, the place in two bytes, and the word in eight.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{DirBuilderExt, FileExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use perflab_abi::recording::RING_BLOCK_WORDS;
use perflab_abi::{ChunkHead, ChunkKind, Clock, ProbeContent, ProcessContent, Writer};
use perflab_recorder::{Manner, Recording, Since};
use perflab_trace_file::{ChunkReader, TraceWriter};

use crate::ring_file::{BLOCKS, WORDS, ring_file};
use crate::shared::{directory, first_line};

const ROUNDS: u8 = 3;

fn chunk(kind: ChunkKind, content: &[u8]) -> Vec<u8> {
    let head = ChunkHead::of(kind, 1, content).expect("it is short");
    [head.encode().as_slice(), content].concat()
}

fn fields(kind: ChunkKind, encode: impl FnOnce(&mut Writer<'_>)) -> Vec<u8> {
    let mut content = [0; 1024];
    let mut writer = Writer::new(&mut content);
    encode(&mut writer);
    let length = writer.written();
    chunk(kind, &content[..length])
}

/// What an agent writes of a process with two probes.
fn process_file(pid: u32, start: u64) -> Vec<u8> {
    let mut bytes = fields(ChunkKind::PROCESS, |writer| {
        let content = ProcessContent {
            process: 0,
            pid,
            start,
            clock: Clock::Monotonic,
            skew: 0,
            executable: "",
            command: "",
            ahead: None,
        };
        content.encode(writer).expect("it has room");
    });
    for (probe, arguments) in [(1, "u64 a\ni64 b"), (2, "str a\nf32 b\nbytes c")] {
        bytes.extend(fields(ChunkKind::PROBE, |writer| {
            let content = ProbeContent {
                process: 0,
                probe,
                object: "",
                description: &format!("p\nn\nf\n1\n{arguments}"),
                ahead: None,
            };
            content.encode(writer).expect("it has room");
        }));
    }
    bytes
}

struct Place {
    path: PathBuf,
    process: Vec<u8>,
    ring: Vec<u8>,
}

impl Place {
    fn new(start: u64) -> Self {
        let pid = std::process::id();
        let path = directory().join(format!("{pid}-{start}.rings"));
        fs::DirBuilder::new()
            .mode(0o700)
            .create(&path)
            .expect("it can be made");
        Self {
            path,
            process: process_file(pid, start),
            ring: ring_file(),
        }
    }

    fn write(&self, more: &[u8]) -> File {
        let process = [&self.process, more].concat();
        fs::write(self.path.join("process"), process).expect("it can be written");
        let ring = self.path.join("1.ring");
        fs::write(&ring, &self.ring).expect("it can be written");
        OpenOptions::new()
            .write(true)
            .open(ring)
            .expect("it is there")
    }
}

/// One of a process that has ended, and one of this process.
fn places() -> &'static [Place; 2] {
    static PLACES: OnceLock<[Place; 2]> = OnceLock::new();
    PLACES.get_or_init(|| {
        let stat = fs::read_to_string("/proc/self/stat").expect("there is one");
        let (_, after) = stat.rsplit_once(')').expect("it has a name");
        let start = after
            .split_whitespace()
            .nth(19)
            .and_then(|start| start.parse().ok());
        let start: u64 = start.expect("it has a start");
        [Place::new(start - 1), Place::new(start)]
    })
}

fn record(path: &Path, keep: bool, meanwhile: impl Fn(u8)) {
    let manner = Manner {
        keep,
        since: Since::Oldest,
    };
    let mut recording = Recording::new(TraceWriter::new(Vec::new()), manner);
    recording.add(path).expect("the directory is believed");
    for round in 0..ROUNDS {
        meanwhile(round);
        recording.round().expect("memory can be written");
    }
    let (progress, bytes) = recording.finish().expect("memory can be written");
    // In each round no more than has a place, and what the position says of the last block.
    let placed = progress.events + progress.incomplete;
    let most = (BLOCKS * RING_BLOCK_WORDS / 2 + 1024) as u64 * (u64::from(ROUNDS) + 2);
    assert!(placed <= most, "{progress:?}");
    let mut chunks = ChunkReader::new(bytes.as_slice());
    while chunks.next().is_some() {}
    assert_eq!(chunks.cut(), None);
}

/// Chunks of which each has its kind in a byte and its length in two.
fn sealed(mut rest: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let [kind, low, high, content @ ..] = rest {
        let length = usize::from(u16::from_le_bytes([*low, *high])).min(content.len());
        let (content, others) = content.split_at(length);
        bytes.extend(chunk(ChunkKind(u16::from(*kind)), content));
        rest = others;
    }
    bytes
}

/// Whether the input is worth keeping in a corpus.
pub fn run(input: &[u8]) -> bool {
    let (kind, rest) = first_line(input);
    let [dead, living] = places();
    match kind {
        b"c" | b"b" => {
            let more = if kind == b"c" {
                sealed(rest)
            } else {
                rest.to_vec()
            };
            dead.write(&more);
            record(&dead.path, false, |_| {});
        }
        _ => {
            let Some((options, changes)) = rest.split_first() else {
                return true;
            };
            let place = if options & 1 == 0 { dead } else { living };
            let file = place.write(&[]);
            let apply = |round| {
                for change in changes
                    .chunks_exact(11)
                    .filter(|change| change[0] % ROUNDS == round)
                {
                    let at = usize::from(u16::from_le_bytes([change[1], change[2]])) % WORDS;
                    file.write_all_at(&change[3..], at as u64 * 8)
                        .expect("it can be written");
                }
                if options & 4 != 0 && round == 1 {
                    file.set_len(u64::from(options >> 3) * 512)
                        .expect("it can be cut");
                }
            };
            record(&place.path, options & 2 != 0, apply);
        }
    }
    true
}
