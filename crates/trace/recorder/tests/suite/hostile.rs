//! Files that no agent of ours wrote: no panic, no endless work, no more in the trace than could be there.

use std::fs::OpenOptions;
use std::os::unix::fs::{FileExt, symlink};
use std::slice;

use perflab_abi::recording::{LOSSES_MAGIC, RING_BLOCK_WORDS, losses};
use perflab_recorder::{Mapping, Progress, RecordError, Recording, recover, snapshot};
use perflab_ring::{Header, Mode, Outcome, Position, word};
use proptest::prelude::*;

use crate::support::{HEAD, KEEP, Kept, LOOK, Value, check, dead, own, producer, read, trace};

/// It says more of a probe than is known here; of another one that it has many arguments.
#[test]
fn a_later_agent() {
    let kept = Kept::new(own());
    kept.probe_versioned(1, 3, "u64 a");
    kept.probe(1, "i8 b");
    kept.probe_versioned(2, 2, &"u64 a\n".repeat(13));
    let ring = kept.ring(1, 2, Mode::Overwrite);
    let writer = producer(&ring);
    for outcome in [
        writer.record(1, || 10, [-1i64 as u64], &()),
        writer.record(
            2,
            || 20,
            std::array::from_fn::<u64, 13, _>(|at| at as u64),
            &(),
        ),
    ] {
        assert_eq!(outcome, Outcome::Written);
    }
    let mut recording = kept.recording(LOOK);
    recording.round().unwrap();
    let (progress, bytes) = recording.finish().unwrap();
    assert_eq!((progress.events, progress.invalid), (2, 0));
    let events = &read(&bytes).events[&(1, 1)];
    assert_eq!(events[0].values, [Value::Signed(-1)]);
    let values = (0..13).map(Value::Unsigned);
    assert!(events[1].values.iter().cloned().eq(values));
}

/// Records that a ring of so many blocks has at most.
fn most(blocks: usize) -> u64 {
    // One of two words each; and what the position says of the last block.
    (blocks * RING_BLOCK_WORDS / 2) as u64 + 1024
}

/// Records some rounds and recovers.
fn read_all(kept: &Kept, blocks: usize, meanwhile: impl Fn(usize)) -> Progress {
    let mut recording = kept.recording(KEEP);
    let rounds = 4;
    for round in 0..rounds {
        meanwhile(round);
        recording.round().unwrap();
    }
    let (progress, bytes) = recording.finish().unwrap();
    let placed = progress.events + progress.incomplete;
    assert!(placed <= most(blocks) * (rounds as u64 + 2), "{progress:?}");
    assert!(bytes.len() < 16 * 1024 * 1024);
    progress
}

/// A word that is somehow near to what is expected.
fn near() -> impl Strategy<Value = u64> {
    let header =
        (0..9u32, 0..256usize, any::<bool>(), 0..6u64).prop_map(|(probe, words, is_cut, block)| {
            let header = Header {
                probe,
                words,
                is_cut,
            };
            header.to_word(block)
        });
    let position = (0..9u64, 0..1024u64, 0..1024usize).prop_map(|(block, count, offset)| {
        let position = Position {
            block,
            count,
            offset,
        };
        position.to_word()
    });
    prop_oneof![any::<u64>(), 0..8u64, header, position, Just(u64::MAX)]
}

fn place(blocks: usize) -> impl Strategy<Value = usize> {
    let words = HEAD + blocks * RING_BLOCK_WORDS;
    // The magic stays, or nothing is read.
    prop_oneof![3 => 1..32usize, 2 => HEAD..HEAD + 8, 5 => 1..words]
}

fn filled(kept: &Kept, blocks: usize) -> Mapping {
    let ring = kept.ring(1, blocks, Mode::Overwrite);
    for event in 0..blocks as u64 * 127 + 60 {
        let _ = producer(&ring).record(1, || event, [event, check(1, event)], &());
    }
    ring
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn rings_with_other_words(
        is_dead: bool,
        changes in prop::collection::vec((0..4usize, place(4), near()), 1..40),
    ) {
        let kept = Kept::new(if is_dead { dead() } else { own() });
        kept.probe(1, "u64 event\nu64 check");
        kept.probe(2, "str text\nbytes more");
        let ring = filled(&kept, 4);
        read_all(&kept, 4, |now| {
            for (round, place, value) in &changes {
                if *round == now {
                    ring.store(*place, *value);
                }
            }
        });
    }

    #[test]
    fn rings_of_random_words(words in prop::collection::vec(near(), 2 * RING_BLOCK_WORDS), head in prop::collection::vec(near(), 31)) {
        let kept = Kept::new(dead());
        kept.probe(1, "u64 event\nu64 check");
        kept.probe(2, "str text");
        let ring = kept.ring(1, 2, Mode::Keep);
        for (index, value) in (1..).zip(head).chain((HEAD..).zip(words)) {
            ring.store(index, value);
        }
        read_all(&kept, 2, |_| {});
    }

    #[test]
    fn process_files_with_other_bytes(changes in prop::collection::vec((0..600u64, any::<u8>()), 1..6), losses: [u64; 2]) {
        let kept = Kept::new(own());
        kept.probe(1, "u64 event\nu64 check");
        kept.snapshot(5, 6);
        kept.no_ring(1);
        filled(&kept, 2);
        let write = |name: &str, place, bytes: &[u8]| {
            let file = OpenOptions::new().write(true).open(kept.path.join(name)).unwrap();
            file.write_all_at(bytes, place).unwrap();
        };
        for (place, byte) in &changes {
            write("process", *place, &[*byte]);
        }
        write("losses", 0, &losses[0].to_le_bytes());
        write("losses", 8, &losses[1].to_le_bytes());
        read_all(&kept, 2, |_| {});
    }
}

#[test]
fn a_position_without_end() {
    let kept = Kept::new(own());
    kept.probe(1, "u64 event\nu64 check");
    let ring = filled(&kept, 2);
    read_all(&kept, 2, |round| {
        let position = Position {
            block: (1 << 44) - 1 - round as u64 * 7,
            count: 1023,
            offset: 1023,
        };
        ring.store(word::POSITION, position.to_word());
        ring.store(word::DROPPED, u64::MAX - round as u64);
    });
}

#[test]
fn numbers_of_blocks_and_events_that_do_not_fit() {
    let kept = Kept::new(dead());
    kept.probe(1, "u64 event\nu64 check");
    let ring = filled(&kept, 4);
    // The second block left says of events before it what cannot be.
    let block = HEAD + 2 * RING_BLOCK_WORDS;
    ring.store(block + 1, u64::MAX);
    let pass = recover(slice::from_ref(&kept.path), trace()).unwrap();
    assert!(pass.progress.invalid > 0);
    read(&pass.writer);
}

#[test]
fn files_that_are_no_rings() {
    let kept = Kept::new(own());
    kept.probe(1, "u64 event\nu64 check");
    filled(&kept, 2);
    symlink(kept.ring_path(1), kept.ring_path(2)).unwrap();
    std::fs::create_dir(kept.ring_path(3)).unwrap();
    std::fs::write(kept.ring_path(4), vec![1; 4096 * 4]).unwrap();
    std::fs::write(kept.ring_path(5), vec![1; 4096 * 3 + 1]).unwrap();
    let fifo = rustix::fs::FileType::Fifo;
    let mode = rustix::fs::Mode::RWXU;
    rustix::fs::mknodat(rustix::fs::CWD, kept.ring_path(6), fifo, mode, 0).unwrap();
    std::fs::write(kept.path.join("07.ring"), "").unwrap();
    // Not ready yet.
    std::fs::write(kept.ring_path(8), "").unwrap();
    std::fs::write(kept.ring_path(9), vec![0; 4096 * 3]).unwrap();
    let progress = read_all(&kept, 2, |_| {});
    assert_eq!(progress.broken, 5, "2 to 6");
    assert!(progress.events > 127);
    let pass = snapshot(slice::from_ref(&kept.path), trace(), None).unwrap();
    assert_eq!(
        pass.progress,
        Progress {
            bytes: pass.progress.bytes,
            ..progress
        }
    );
}

#[test]
fn directories_that_are_not_believed() {
    let kept = Kept::new(own());
    let mut recording = Recording::new(trace(), KEEP);
    let mut refused = |path: &std::path::Path| recording.add(path).unwrap_err();
    let other = kept.parent.path().join("1-x.rings");
    assert!(matches!(refused(&other), RecordError::Name(_)));
    let link = kept.parent.path().join("1-2.rings");
    symlink(&kept.path, &link).unwrap();
    assert!(matches!(refused(&link), RecordError::File { .. }));
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o750);
    std::fs::set_permissions(&kept.path, open).unwrap();
    assert!(matches!(refused(&kept.path), RecordError::NotOurs(_)));
    if rustix::process::geteuid().is_root() {
        let closed = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        std::fs::set_permissions(&kept.path, closed).unwrap();
        std::os::unix::fs::chown(&kept.path, Some(65534), None).unwrap();
        let error = refused(&kept.path);
        assert!(
            matches!(
                error,
                RecordError::Claim {
                    owner: 65534,
                    user: 0,
                    ..
                }
            ),
            "{error}"
        );
    } else {
        perflab_testing::not_checked(
            &format!("{}: of another user", perflab_testing::test_name()),
            "only root can give a directory to another user",
        );
    }
}

#[test]
fn an_agent_of_another_version() {
    let kept = Kept::new(dead());
    filled(&kept, 2);
    kept.no_ring(17);
    kept.loss(losses::MAGIC, LOSSES_MAGIC - (1 << 56));
    let pass = recover(slice::from_ref(&kept.path), trace()).unwrap();
    assert_eq!(pass.progress.events, 0);
    assert!(matches!(pass.refused[0].1, RecordError::Version(_)));
    // Not yet written.
    kept.loss(losses::MAGIC, 0);
    let pass = recover(slice::from_ref(&kept.path), trace()).unwrap();
    assert_eq!(pass.refused.len(), 0);
}

#[test]
fn a_file_that_names_another_process() {
    let kept = Kept::new(dead());
    let other = Kept::new(own());
    other.probe(1, "u64 event\nu64 check");
    std::fs::copy(other.path.join("process"), kept.path.join("process")).unwrap();
    filled(&kept, 2);
    let pass = recover(slice::from_ref(&kept.path), trace()).unwrap();
    assert_eq!(pass.progress.events, 0);
    assert!(read(&pass.writer).processes.is_empty());
    let refused = recover(slice::from_ref(&other.path), trace())
        .unwrap()
        .refused;
    assert!(matches!(refused[0].1, RecordError::Lives(_)));
}
