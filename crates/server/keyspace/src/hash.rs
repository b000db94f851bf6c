//! Hashes of keys and fields. They are keyed with a secret of the process, so that no client can choose collisions.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::LazyLock;

/// SipHash-1-3 with a random key, which the standard library chooses.
static SECRET: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// A key of a database, with its hash, which is made once for each command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key<'k> {
    bytes: &'k [u8],
    hash: u64,
}

impl<'k> Key<'k> {
    /// The key of these bytes.
    pub fn of(bytes: &'k [u8]) -> Self {
        Self {
            bytes,
            hash: of_bytes(bytes),
        }
    }

    /// A key whose hash is known, as it was made by [`Key::of`] before.
    pub(crate) fn hashed(bytes: &'k [u8], hash: u64) -> Self {
        Self { bytes, hash }
    }

    /// Its bytes.
    pub fn bytes(self) -> &'k [u8] {
        self.bytes
    }

    /// Its hash.
    pub fn hash(self) -> u64 {
        self.hash
    }
}

/// The hash by which fields and members are ordered. It is never 0, which is the cursor at the end of a scan.
pub(crate) fn of_field(field: &[u8]) -> u64 {
    of_bytes(field).max(1)
}

fn of_bytes(bytes: &[u8]) -> u64 {
    let mut hasher = SECRET.build_hasher();
    hasher.write(bytes);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_bytes_have_equal_hashes_and_others_differ() {
        assert_eq!(Key::of(b"a"), Key::of(b"a"));
        assert_ne!(Key::of(b"a").hash(), Key::of(b"b").hash());
        assert_ne!(of_field(b""), 0);
    }
}
