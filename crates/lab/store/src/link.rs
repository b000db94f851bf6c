//! The name of a line, by which the next one refers to it.

use std::fmt;

use sha2::{Digest, Sha256};

/// The name of a line: the first 64 bits of the SHA-256 of all its bytes, its line feed included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Link([u8; 8]);

impl Link {
    /// Number of hexadecimal digits that it is written in.
    pub(crate) const DIGITS: usize = 16;

    pub(crate) fn of(line: &[u8]) -> Self {
        let mut start = [0; 8];
        for (byte, hashed) in start.iter_mut().zip(Sha256::digest(line)) {
            *byte = hashed;
        }
        Self(start)
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", u64::from_be_bytes(self.0))
    }
}
