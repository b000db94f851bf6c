//! How much memory the rings of a process may take.

use perflab_abi::recording::{RING_BLOCK_WORDS, RING_HEAD_BYTES};

use super::ring_file::RingFile;
use super::slots;

/// Memory for rings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Of one ring, in bytes; rounded to what a ring can have.
    pub ring: u64,
    /// Of all rings together, in bytes.
    pub all: u64,
}

impl Size {
    /// Without a wish.
    pub const DEFAULT: Self = Self {
        ring: 256 << 10,
        all: 256 << 20,
    };

    /// With these wishes in KiB, where they are not 0.
    pub fn or(self, ring: u32, all: u32) -> Self {
        let wished = |kibibytes: u32, without: u64| {
            if kibibytes == 0 {
                without
            } else {
                u64::from(kibibytes) << 10
            }
        };
        Self {
            ring: wished(ring, self.ring),
            all: wished(all, self.all),
        }
    }

    /// The logarithm of a ring's blocks: two rings at least have room.
    pub fn log(self) -> u32 {
        let room = (self.all / 2).saturating_sub(RING_HEAD_BYTES as u64);
        let blocks = self.ring.min(room) / (RING_BLOCK_WORDS as u64 * 8);
        blocks.max(1).ilog2().clamp(1, slots::MOST_LOG as u32)
    }

    /// Bytes of a ring.
    pub fn of_ring(self) -> u64 {
        RingFile::bytes(self.log()) as u64
    }

    /// Rings at one time, if all are of this size.
    pub fn rings(self) -> usize {
        let rings = usize::try_from(self.all / self.of_ring()).unwrap_or(slots::SLOTS);
        rings.clamp(2, slots::SLOTS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wishes come from a command line and from the environment, each of which has its part only.
    #[test]
    fn two_rings_have_room() {
        for (ring, all) in [
            (0, 0),
            (262_144, 0),
            (262_144, 24),
            (0, 24),
            (8, 24),
            (256, 519),
            (0, 520),
        ] {
            let size = Size::DEFAULT.or(ring, all);
            let rings = size.rings() as u64;
            assert!(
                rings >= 2 && rings * RingFile::bytes(size.log()) as u64 <= size.all,
                "{size:?}"
            );
        }
        assert_eq!(Size::DEFAULT.log(), Size::DEFAULT.or(256, 520).log());
    }
}
