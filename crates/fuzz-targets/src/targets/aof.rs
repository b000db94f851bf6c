//! Any bytes as an append-only file. The first line is `=` for one that is taken as it is. For any other, the payloads of
//! its blocks come first, separated by NUL, then a byte 0xff and damage: two bytes each say where, and one which bits
//! change there, or that the file ends there if it is 0.
//!
//! The format is written down here a second time, by what its documentation says.

use std::io;

use perflab_aof::{Progress, ReplayError, Replayed, Source, replay};

use crate::shared::{first_line, has_control, split_at};

const HEAD: usize = 41;
const HEADER: usize = 34;
const SALT: u64 = 0x0123_4567_89ab_cdef;

/// A file that sees how much is read at once: more than it has would be memory that nobody needs.
struct Watched<'i>(&'i [u8]);

impl Source for Watched<'_> {
    fn length(&self) -> io::Result<u64> {
        self.0.length()
    }

    fn read_from(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        assert!(offset + buffer.len() as u64 <= self.0.len() as u64);
        self.0.read_from(offset, buffer)
    }
}

/// Whether the input is worth keeping in a corpus.
pub fn run(input: &[u8]) -> bool {
    let (kind, rest) = first_line(input);
    if kind == b"=" {
        check(rest);
        return true;
    }
    let (payloads, damage) = split_at(rest, 0xff);
    let payloads: Vec<&[u8]> = payloads.split(|byte| *byte == 0).collect();
    let mut file = file(&payloads);
    let mut changes = 0;
    for change in damage.chunks_exact(3) {
        changes += 1;
        let place = usize::from(u16::from_be_bytes([change[0], change[1]]));
        match (change[2], file.get_mut(place)) {
            (0, _) => file.truncate(place),
            (bits, Some(byte)) => *byte ^= bits,
            (_, None) => {}
        }
    }
    let blocks = check(&file);
    if changes == 0 {
        assert_eq!(blocks, payloads);
    }
    // A checksum finds each change of a single byte.
    if changes == 1 {
        let are_first = blocks
            .iter()
            .zip(&payloads)
            .all(|(block, payload)| block == payload);
        assert!(blocks.len() <= payloads.len() && are_first);
    }
    true
}

/// A log with these blocks.
fn file(payloads: &[&[u8]]) -> Vec<u8> {
    let mut file = format!("#perflab-aof 1 {SALT:016x} ").into_bytes();
    let checksum = crc32fast::hash(&file);
    file.extend_from_slice(format!("{checksum:08x}\n").as_bytes());
    for payload in payloads {
        let header = header(SALT, file.len(), payload);
        file.extend_from_slice(&header);
        file.extend_from_slice(payload);
        file.push(b'\n');
    }
    file
}

/// The header of a block at this place.
fn header(salt: u64, offset: usize, payload: &[u8]) -> Vec<u8> {
    let (length, checksum) = (payload.len(), crc32fast::hash(payload));
    let text = format!("#block {length:08x} {checksum:08x} ");
    let offset = (offset as u64).to_le_bytes();
    let salt = salt.to_le_bytes();
    let covered = [salt.as_slice(), offset.as_slice(), text.as_bytes()].concat();
    let own = crc32fast::hash(&covered);
    format!("{text}{own:08x}\n").into_bytes()
}

/// Replays a file. What is handed on is sound, and what is said of the rest is true. Returns the payloads.
fn check(file: &[u8]) -> Vec<Vec<u8>> {
    let salt = file
        .get(15..31)
        .and_then(|digits| std::str::from_utf8(digits).ok());
    let salt = salt.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    let (mut blocks, mut at) = (Vec::new(), HEAD);
    let replayed = replay(&Watched(file), |payload, Progress { done, total }| {
        let salt = salt.expect("a log with a block has a salt");
        assert_eq!(file[at..at + HEADER], header(salt, at, payload));
        assert_eq!(file[at + HEADER..][..payload.len()], *payload);
        at += HEADER + payload.len() + 1;
        assert_eq!(file[at - 1], b'\n');
        assert_eq!((done, total), (at as u64, file.len() as u64));
        blocks.push(payload.to_vec());
        Ok::<(), String>(())
    });
    match replayed {
        Ok(replayed) => ends(&replayed, file, blocks.len(), at),
        Err(error) => {
            let said = error.to_string();
            assert!(!has_control(&said) && !said.contains('\n'), "{said:?}");
            if let ReplayError::Damaged { offset, next, .. } = error {
                assert!(offset == at as u64 && offset < next && next < file.len() as u64);
            }
        }
    }
    if !blocks.is_empty() {
        let refused = replay(&Watched(file), |_, _| Err("no"));
        assert!(matches!(
            refused,
            Err(ReplayError::Refused { offset: 41, .. })
        ));
    }
    blocks
}

/// What is said of a file whose last block ends here.
fn ends(replayed: &Replayed, file: &[u8], blocks: usize, end: usize) {
    let end = if replayed.whole == 0 { 0 } else { end };
    assert_eq!(
        (replayed.blocks, replayed.whole),
        (blocks as u64, end as u64)
    );
    let rest = (file.len() - end) as u64;
    match &replayed.torn {
        Some(torn) => {
            assert_eq!((torn.offset, torn.bytes), (end as u64, rest));
            assert!(rest > 0 && !torn.fault.to_string().is_empty());
        }
        None => assert_eq!(rest, 0),
    }
}
