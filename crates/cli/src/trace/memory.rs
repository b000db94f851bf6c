//! Memory for events in recorded processes, as a user asks for it.

use clap::Args;
use perflab_control::RecordWish;
use perflab_control::variable::{LEAST_MEMORY_KIBIBYTES, RING_KIBIBYTES};

use crate::failure::Failure;

/// KiB of a ring beside its events.
const HEAD: u32 = 4;

/// KiB of a ring, and of all rings of a process, where nobody asks for another size.
const USUAL_RING: u32 = 256;
const USUAL_MEMORY: u32 = 256 << 10;

// Memory for events in recorded processes.
#[derive(Debug, Args)]
pub struct Memory {
    /// Memory for the events of one thread, in KiB (8 to 262144).
    #[arg(long, value_name = "KIB", value_parser = clap::value_parser!(u32)
        .range(i64::from(*RING_KIBIBYTES.start())..=i64::from(*RING_KIBIBYTES.end())))]
    ring: Option<u32>,

    /// Memory for all events of one process, in KiB (24 or more): for two threads at least.
    #[arg(long, value_name = "KIB", value_parser = clap::value_parser!(u32)
        .range(i64::from(LEAST_MEMORY_KIBIBYTES)..))]
    memory: Option<u32>,
}

impl Memory {
    /// With another size of a ring where none was asked for; 0 leaves it to the agent. Rings are smaller than that
    /// where else the memory had no room for two.
    ///
    /// # Errors
    /// When it has no room for two rings of the size that was asked for.
    pub fn wish(&self, keep: bool, ring: u32) -> Result<RecordWish, Failure> {
        let all = self.memory.unwrap_or(USUAL_MEMORY);
        let room = (all / 2).saturating_sub(HEAD);
        let ring = match self.ring {
            Some(asked) if previous_power(asked) > room => {
                let least = 2 * (previous_power(asked) + HEAD);
                let usual = if self.memory.is_some() {
                    ""
                } else {
                    ", as without the flag,"
                };
                return Err(Failure::usage(format!(
                    "--memory {all}{usual} has no room for the events of two threads with --ring {asked}: give {least} or \
                     more, or smaller rings"
                )));
            }
            Some(asked) => asked,
            None if room < if ring == 0 { USUAL_RING } else { ring } => previous_power(room),
            None => ring,
        };
        Ok(RecordWish {
            keep,
            ring,
            all: self.memory.unwrap_or(0),
        })
    }
}

/// The KiB of a ring for which so many are asked for: its blocks are a power of two.
fn previous_power(kibibytes: u32) -> u32 {
    1 << kibibytes.max(1).ilog2()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(ring: Option<u32>, memory: Option<u32>, usual: u32) -> Option<(u32, u32)> {
        let wish = Memory { ring, memory }.wish(true, usual).ok()?;
        Some((wish.ring, wish.all))
    }

    #[test]
    fn there_is_room_for_two_rings() {
        assert_eq!(wish(None, None, 0), Some((0, 0)));
        assert_eq!(wish(None, None, 4096), Some((4096, 0)));
        assert_eq!(wish(Some(100), None, 4096), Some((100, 0)));
        assert_eq!(wish(None, Some(8200), 4096), Some((4096, 8200)));
        assert_eq!(wish(None, Some(8199), 4096), Some((2048, 8199)));
        assert_eq!(wish(None, Some(520), 0), Some((0, 520)));
        assert_eq!(wish(None, Some(519), 0), Some((128, 519)));
        assert_eq!(wish(None, Some(LEAST_MEMORY_KIBIBYTES), 0), Some((8, 24)));
        assert_eq!(wish(Some(8), Some(24), 0), Some((8, 24)));
        assert_eq!(wish(Some(64), Some(136), 0), Some((64, 136)));
        assert_eq!(wish(Some(64), Some(135), 0), None);
        assert_eq!(wish(Some(65536), None, 0), Some((65536, 0)));
        assert_eq!(wish(Some(131_072), None, 0), None);
        assert_eq!(
            wish(Some(131_072), Some(262_152), 0),
            Some((131_072, 262_152))
        );
        // Of which 64 are used.
        assert_eq!(wish(Some(100), Some(136), 0), Some((100, 136)));
    }
}
