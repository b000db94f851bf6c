//! The end of a file is missing.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use perflab_aof::{Fault, Policy};

use crate::fixture::{FRAME, HEAD, names, open, payloads, place, scan, write};

/// A payload that has a whole block of the same file in it.
fn lookalike() -> (Vec<u8>, Vec<usize>) {
    let (_directory, path) = place();
    write(&path, &[b"*1\r\n$4\r\nPING\r\n"]);
    let outer = fs::read(&path).unwrap()[HEAD..].to_vec();
    let (log, _, _) = open(&path, Policy::No);
    log.append(&outer).unwrap();
    log.append(b"").unwrap();
    log.append(b"end").unwrap();
    log.close().unwrap();
    let bytes = fs::read(&path).unwrap();
    let first = HEAD + FRAME + 14;
    let second = first + FRAME + outer.len();
    let third = second + FRAME;
    let ends = vec![HEAD, first, second, third, third + FRAME + 3];
    assert_eq!(ends.last(), Some(&bytes.len()));
    (bytes, ends)
}

#[test]
fn a_file_may_end_anywhere() {
    let (bytes, ends) = lookalike();
    let whole = scan(&bytes).1;
    assert_eq!(whole.len(), 4);
    for length in 0..=bytes.len() {
        let (directory, path) = place();
        fs::write(&path, &bytes[..length]).unwrap();
        let (log, opened, blocks) = open(&path, Policy::Always);
        let end = ends.iter().rev().find(|end| **end <= length);
        let count = ends
            .iter()
            .filter(|end| **end <= length)
            .count()
            .saturating_sub(1);
        assert_eq!(blocks, whole[..count], "{length}");
        let is_torn = length > 0 && !ends.contains(&length);
        assert_eq!(opened.cut.is_some(), is_torn, "{length}");
        // A file without its first line begins again.
        assert_eq!(opened.bytes, *end.unwrap_or(&HEAD) as u64);
        assert_eq!(fs::metadata(&path).unwrap().len(), opened.bytes);
        if let Some(cut) = opened.cut {
            let start = end.copied().unwrap_or(0);
            assert_eq!(
                (cut.offset, cut.bytes),
                (start as u64, (length - start) as u64)
            );
            assert_eq!(fs::read(&cut.kept).unwrap(), bytes[start..length]);
            let mode = fs::metadata(&cut.kept).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
            let kept = format!("log.aof.cut-{start}");
            assert_eq!(
                names(directory.path()),
                ["log.aof".to_owned(), kept.clone()]
            );
            let said = cut.to_string();
            assert!(
                said.contains(&format!("from byte {start} on, were cut off")),
                "{said}"
            );
            assert!(said.contains(&kept), "{said}");
        }
        // It goes on behind the last block.
        let ticket = log.append(b"next").unwrap();
        log.wait(ticket).unwrap();
        log.close().unwrap();
        let (_log, opened, mut blocks) = open(&path, Policy::Always);
        assert_eq!(opened.cut, None);
        assert_eq!(blocks.pop().unwrap(), b"next");
        assert_eq!(blocks, whole[..count]);
    }
}

#[test]
fn the_reason_is_reported() {
    let (bytes, ends) = lookalike();
    let torn = |bytes: &[u8]| scan(bytes).0.unwrap().torn.unwrap();
    assert_eq!(torn(&bytes[..10]).fault, Fault::NoHead);
    assert_eq!(torn(&bytes[..ends[1] + 33]).fault, Fault::NoHeader);
    let expected = (ends[2] - ends[1]) as u64;
    let fault = torn(&bytes[..ends[1] + 34]).fault;
    assert_eq!(
        fault,
        Fault::NoPayload {
            expected,
            found: 34
        }
    );
    let end = bytes.len();
    let mut changed = bytes.clone();
    changed[end - 2] ^= 1;
    assert_eq!(torn(&changed).fault, Fault::WrongPayload);
    // The line end is a part of the block.
    changed.clone_from(&bytes);
    changed[end - 1] = b' ';
    assert_eq!(torn(&changed).fault, Fault::WrongPayload);
    // A power failure may leave zeros.
    changed.clone_from(&bytes);
    changed[ends[3]..].fill(0);
    assert_eq!(torn(&changed).fault, Fault::WrongHeader);
    changed.resize(changed.len() + 100_000, 0);
    assert_eq!(torn(&changed).bytes, (changed.len() - ends[3]) as u64);
}

/// The block within the payload is that of another place, so it is no reason to refuse the file.
#[test]
fn a_block_within_a_payload_is_none_of_the_file() {
    let (bytes, ends) = lookalike();
    let mut changed = bytes[..ends[2]].to_vec();
    for place in [
        ends[1],
        ends[1] + 10,
        ends[1] + 20,
        ends[1] + 30,
        ends[2] - 1,
    ] {
        changed[place] ^= 1;
        let (replayed, blocks) = scan(&changed);
        assert_eq!(replayed.unwrap().torn.unwrap().offset, ends[1] as u64);
        assert_eq!(blocks.len(), 1);
        changed[place] ^= 1;
    }
}

#[test]
fn what_was_cut_before_is_kept_too() {
    let (directory, path) = place();
    for _ in 0..3 {
        write(&path, &[]);
        let mut bytes = fs::read(&path).unwrap();
        bytes.extend_from_slice(b"#block");
        fs::write(&path, bytes).unwrap();
        open(&path, Policy::No);
    }
    let kept = ["log.aof.cut-41", "log.aof.cut-41-2", "log.aof.cut-41-3"];
    assert_eq!(names(directory.path())[1..], kept);
    assert_eq!(payloads(&path).len(), 0);
}
