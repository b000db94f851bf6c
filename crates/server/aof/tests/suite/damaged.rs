//! Bits change.

use std::fs;

use perflab_aof::{OpenError, Policy, ReplayError};

use crate::fixture::{FRAME, HEAD, names, place, scan, try_open, write};

/// A log of three blocks, and where they begin, with the end.
fn log() -> (Vec<u8>, [usize; 4]) {
    let (_directory, path) = place();
    write(&path, &[b"first", b"", b"the third one"]);
    let second = HEAD + FRAME + 5;
    let third = second + FRAME;
    let starts = [HEAD, second, third, third + FRAME + 13];
    let bytes = fs::read(&path).unwrap();
    assert_eq!(bytes.len(), starts[3]);
    (bytes, starts)
}

/// The number of the block that a byte belongs to.
fn block_of(starts: &[usize; 4], place: usize) -> Option<usize> {
    starts.iter().rposition(|start| *start <= place)
}

#[test]
fn no_changed_bit_is_replayed() {
    let (bytes, starts) = log();
    let whole = scan(&bytes).1;
    for bit in 0..bytes.len() * 8 {
        let mut changed = bytes.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        let (replayed, blocks) = scan(&changed);
        let block = block_of(&starts, bit / 8);
        assert_eq!(blocks, whole[..block.unwrap_or(0)], "bit {bit}");
        match (block, replayed) {
            (None, Err(ReplayError::Foreign(_) | ReplayError::Version(_) | ReplayError::Head)) => {}
            (Some(2), Ok(replayed)) => {
                assert_eq!(replayed.torn.unwrap().offset, starts[2] as u64);
            }
            (Some(block), Err(ReplayError::Damaged { offset, next, .. })) => {
                assert_eq!(offset, starts[block] as u64, "bit {bit}");
                assert_eq!(next, starts[block + 1] as u64, "bit {bit}");
            }
            (_, other) => panic!("bit {bit}: {other:?}"),
        }
    }
}

#[test]
fn a_damaged_file_is_left_alone() {
    let (bytes, starts) = log();
    for place_of_damage in [0, 13, 20, starts[0] + 9, starts[1] - 3, starts[1] + 30] {
        let (directory, path) = place();
        let mut changed = bytes.clone();
        changed[place_of_damage] ^= 1;
        fs::write(&path, &changed).unwrap();
        // What a rewrite has left is evidence now.
        fs::write(directory.path().join("log.aof.rewriting"), "half").unwrap();
        let error = try_open(&path, Policy::Always).unwrap_err();
        assert!(matches!(error, OpenError::Replay { .. }), "{error}");
        let said = error.to_string();
        assert!(said.contains("nothing was changed"), "{said}");
        assert!(said.contains(&path.display().to_string()), "{said}");
        assert_eq!(fs::read(&path).unwrap(), changed);
        assert_eq!(names(directory.path()), ["log.aof", "log.aof.rewriting"]);
    }
}

/// The message can be followed: cut there, the file can be opened.
#[test]
fn the_message_says_where_and_what_to_do() {
    let (mut bytes, starts) = log();
    bytes[starts[1] + 3] ^= 1;
    let (_directory, path) = place();
    fs::write(&path, &bytes).unwrap();
    let said = try_open(&path, Policy::Always).unwrap_err().to_string();
    let (damaged, next) = (starts[1], starts[2]);
    for part in [
        format!("byte {damaged} should begin a block, but there is no header"),
        format!("Byte {next} begins a sound block"),
        format!("truncate --size={damaged}"),
    ] {
        assert!(said.contains(&part), "{said}");
    }
    bytes.truncate(damaged);
    fs::write(&path, &bytes).unwrap();
    let (_log, opened, blocks) = try_open(&path, Policy::Always).unwrap();
    assert_eq!((opened.cut, blocks), (None, vec![b"first".to_vec()]));
}

/// Bytes that were put in or taken out move all blocks behind them, which fit no longer.
#[test]
fn blocks_that_have_moved_are_not_replayed() {
    let (bytes, starts) = log();
    let mut longer = bytes.clone();
    longer.insert(starts[1], b'\n');
    let mut shorter = bytes.clone();
    shorter.drain(starts[0]..starts[1]);
    for (changed, offset) in [(longer, starts[1]), (shorter, starts[0])] {
        let (replayed, _) = scan(&changed);
        assert_eq!(replayed.unwrap().torn.unwrap().offset, offset as u64);
    }
    // Those of another file do not fit either.
    let (other, _) = log();
    let mixed = [&bytes[..starts[1]], &other[starts[1]..]].concat();
    assert_eq!(scan(&mixed).1, [b"first"]);
}
