//! The bytes of a log.
//!
//! ```text
//! #perflab-aof 1 SALT CHECKSUM        the first line
//! #block LENGTH CHECKSUM OWN          a block: its header,
//! ...                                 LENGTH bytes of payload, and a line end
//! ```
//!
//! Numbers are hexadecimal, in lower case and of fixed width: SALT has 16 digits, the others have 8. Checksums are
//! CRC-32 (ISO-HDLC, as of zlib). CHECKSUM of the first line is that of the 32 bytes before it, CHECKSUM of a block
//! that of the payload. OWN is that of the salt and of the header's offset in the file, 8 bytes each, the lowest
//! first, and of the 25 bytes of the header before it.
//!
//! So a length can be trusted if OWN is right, and is not followed if it is wrong: this tells a file that ends within
//! a block from one that was damaged. A payload may hold any bytes, also a whole block of the same file. Nobody looks
//! for blocks in it while lengths can be trusted, and otherwise that block has the offset of another place. A client
//! that never saw the file cannot make one that fits: it does not know the salt.

/// Length of the first line, in bytes.
pub(crate) const HEAD_BYTES: usize = 41;

/// Length of a block's header, in bytes.
pub(crate) const HEADER_BYTES: usize = 34;

/// What a block has besides its payload: the header, and a line end.
pub(crate) const FRAME_BYTES: u64 = HEADER_BYTES as u64 + 1;

/// What every log begins with, of whatever version.
pub(crate) const MAGIC: &[u8] = b"#perflab-aof ";

/// What logs of this version begin with.
const HEAD_START: &[u8] = b"#perflab-aof 1 ";

/// What each header begins with.
pub(crate) const HEADER_START: &[u8] = b"#block ";

/// How much of the first line its checksum covers.
const HEAD_CHECKED: usize = HEAD_BYTES - 9;

/// How much of a header its own checksum covers.
const HEADER_CHECKED: usize = HEADER_BYTES - 9;

/// The first line of a file with this salt.
pub(crate) fn head(salt: u64) -> [u8; HEAD_BYTES] {
    let mut head = [b' '; HEAD_BYTES];
    head[..HEAD_START.len()].copy_from_slice(HEAD_START);
    write_hex(&mut head[HEAD_START.len()..][..16], salt);
    let checksum = crc32fast::hash(&head[..HEAD_CHECKED]);
    write_hex(&mut head[HEAD_CHECKED..][..8], u64::from(checksum));
    head[HEAD_BYTES - 1] = b'\n';
    head
}

/// The salt that a first line of this version names. `None` if the line is damaged.
pub(crate) fn salt(line: &[u8; HEAD_BYTES]) -> Option<u64> {
    let salt = read_hex(line.get(HEAD_START.len()..HEAD_CHECKED - 1)?)?;
    (*line == head(salt)).then_some(salt)
}

/// Whether a file ends inside of its first line: these are all of its bytes. A power failure may leave a file with its
/// length and zeros.
pub(crate) fn is_unfinished_head(file: &[u8]) -> bool {
    if file.len() <= HEAD_BYTES && file.iter().all(|byte| *byte == 0) {
        return true;
    }
    // No byte of the salt can be foreseen, so only the start is compared.
    let shared = file.len().min(HEAD_START.len());
    file.len() < HEAD_BYTES && file[..shared] == HEAD_START[..shared]
}

/// The version that a first line names, as text, if it is that of any log. The line may be cut short.
pub(crate) fn version(line: &[u8]) -> Option<&[u8]> {
    let rest = line.strip_prefix(MAGIC)?;
    let end = rest.iter().position(|byte| *byte == b' ' || *byte == b'\n');
    Some(&rest[..end.unwrap_or(rest.len())])
}

/// Whether this text is the version of this format.
pub(crate) fn is_known_version(version: &[u8]) -> bool {
    HEAD_START
        .strip_prefix(MAGIC)
        .and_then(|rest| rest.strip_suffix(b" "))
        == Some(version)
}

/// A payload as its header describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// Length of the payload, in bytes.
    pub length: u32,
    /// Checksum of the payload.
    pub checksum: u32,
}

impl Block {
    /// Describes a payload. `None` if it is too long for a block.
    pub fn of(payload: &[u8]) -> Option<Self> {
        Some(Self {
            length: u32::try_from(payload.len()).ok()?,
            checksum: crc32fast::hash(payload),
        })
    }

    /// Length of the block in the file, in bytes.
    pub fn bytes(self) -> u64 {
        FRAME_BYTES + u64::from(self.length)
    }

    /// The header of a block at this offset of a file with this salt.
    pub fn header(self, salt: u64, offset: u64) -> [u8; HEADER_BYTES] {
        let mut header = self.unsealed();
        let own = own_checksum(&header, salt, offset);
        write_hex(&mut header[HEADER_CHECKED..][..8], u64::from(own));
        header
    }

    /// The header without its own checksum, before it is known where the block goes.
    pub fn unsealed(self) -> [u8; HEADER_BYTES] {
        let mut header = [b' '; HEADER_BYTES];
        header[..7].copy_from_slice(HEADER_START);
        write_hex(&mut header[7..15], u64::from(self.length));
        write_hex(&mut header[16..24], u64::from(self.checksum));
        header[HEADER_BYTES - 1] = b'\n';
        header
    }

    /// Reads the header of a block at this offset. `None` if it is none, is damaged, or belongs elsewhere.
    pub fn parse(header: &[u8], salt: u64, offset: u64) -> Option<Self> {
        let length = u32::try_from(read_hex(header.get(7..15)?)?).ok()?;
        let checksum = u32::try_from(read_hex(header.get(16..24)?)?).ok()?;
        let block = Self { length, checksum };
        (*header == block.header(salt, offset)).then_some(block)
    }

    /// Whether the payload and the line end behind a header are as the header says.
    pub fn fits(self, payload: &[u8], end: u8) -> bool {
        end == b'\n' && crc32fast::hash(payload) == self.checksum
    }
}

fn own_checksum(header: &[u8; HEADER_BYTES], salt: u64, offset: u64) -> u32 {
    let mut covered = [0; 16 + HEADER_CHECKED];
    covered[..8].copy_from_slice(&salt.to_le_bytes());
    covered[8..16].copy_from_slice(&offset.to_le_bytes());
    covered[16..].copy_from_slice(&header[..HEADER_CHECKED]);
    crc32fast::hash(&covered)
}

/// Fills all of `digits`.
fn write_hex(digits: &mut [u8], mut value: u64) {
    for digit in digits.iter_mut().rev() {
        *digit = b"0123456789abcdef"[(value & 15) as usize];
        value >>= 4;
    }
}

/// Reads at most 16 digits in lower case, and nothing else.
fn read_hex(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0, |value: u64, digit| {
        let digit = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            _ => return None,
        };
        Some((value << 4) | u64::from(digit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The checksums were computed with zlib.crc32 of Python.
    #[test]
    fn the_bytes_are_those_that_are_documented() {
        assert_eq!(
            &head(0x0123_4567_89ab_cdef)[..32],
            b"#perflab-aof 1 0123456789abcdef "
        );
        let block = Block::of(b"PING").expect("it is short");
        let header = block.header(0x0123_4567_89ab_cdef, 41);
        assert_eq!(&header[..25], b"#block 00000004 1340d049 ");
        assert_eq!(&header[25..], b"26d80bc9\n");
        assert_eq!(&head(0x0123_4567_89ab_cdef)[32..], b"65fd416c\n");
        assert_eq!(block.bytes(), 39);
    }

    #[test]
    fn a_header_holds_for_one_place_of_one_file() {
        let block = Block::of(b"payload").expect("it is short");
        let header = block.header(7, 41);
        assert_eq!(Block::parse(&header, 7, 41), Some(block));
        assert_eq!(Block::parse(&header, 7, 42), None);
        assert_eq!(Block::parse(&header, 8, 41), None);
        assert_eq!(Block::parse(&header[..33], 7, 41), None);
    }

    #[test]
    fn no_changed_bit_is_missed() {
        let (head, header) = (
            head(7),
            Block {
                length: 5,
                checksum: 9,
            }
            .header(7, 41),
        );
        assert_eq!(salt(&head), Some(7));
        for bit in 0..HEAD_BYTES * 8 {
            let mut changed = head;
            changed[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(salt(&changed), None, "bit {bit}");
        }
        for bit in 0..HEADER_BYTES * 8 {
            let mut changed = header;
            changed[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Block::parse(&changed, 7, 41), None, "bit {bit}");
        }
    }

    #[test]
    fn first_lines_of_others_are_told_from_unfinished_ones() {
        for end in 0..HEAD_BYTES {
            assert!(is_unfinished_head(&head(7)[..end]), "{end}");
        }
        assert!(!is_unfinished_head(&head(7)));
        assert!(is_unfinished_head(&[0; HEAD_BYTES]));
        assert!(!is_unfinished_head(&[0; HEAD_BYTES + 1]));
        assert!(!is_unfinished_head(b"#perflab-aof 2"));
        assert!(!is_unfinished_head(b"REDIS"));
        assert_eq!(version(b"#perflab-aof 12 "), Some(b"12".as_slice()));
        assert_eq!(version(b"*2\r\n"), None);
        assert!(is_known_version(b"1") && !is_known_version(b"12") && !is_known_version(b""));
    }
}
