//! A change of one site, as it is asked for and in bytes.

use perflab_abi::{NOP5, SITE_LENGTH};

use super::text;

/// A site to change.
#[derive(Debug, Clone, Copy)]
pub struct Change {
    /// Address of its first byte.
    pub address: usize,
    /// Address of the out-of-line path.
    pub target: usize,
    /// On, or off.
    pub on: bool,
}

/// The first byte of a jump.
pub const JUMP: u8 = 0xe9;

/// A jump from one address to another.
///
/// # Errors
/// When it is too far.
pub fn jump(from: usize, to: usize) -> Result<[u8; SITE_LENGTH], String> {
    let distance = (to as i64).wrapping_sub(from as i64 + SITE_LENGTH as i64);
    let distance = i32::try_from(distance)
        .map_err(|_| format!("{to:#x} is further away from {from:#x} than a jump reaches"))?;
    let [a, b, c, d] = distance.to_le_bytes();
    Ok([JUMP, a, b, c, d])
}

/// What becomes of one site.
#[derive(Debug, Clone, Copy)]
pub struct SiteEdit {
    /// Address of its first byte.
    pub address: usize,
    /// Its bytes before.
    pub old: [u8; SITE_LENGTH],
    /// And after.
    pub new: [u8; SITE_LENGTH],
}

impl SiteEdit {
    /// Sees that the site has the bytes that are expected.
    ///
    /// # Errors
    /// When it has others.
    pub fn check(&self) -> Result<(), String> {
        let found = text::read(self.address);
        if found == self.old {
            return Ok(());
        }
        Err(format!(
            "the code at {:#x} is {found:02x?} where {:02x?} was expected: a debugger or another tool has \
             changed it; end that and try again",
            self.address, self.old
        ))
    }

    /// What was written is there: the kernel may put a copy of the page in its place meanwhile, as it does for
    /// tracers, and lose it.
    ///
    /// # Errors
    /// When something else is there.
    pub fn expect(&self, bytes: &[u8]) -> Result<(), String> {
        self.expect_behind(0, bytes)
    }

    /// As [`SiteEdit::expect`], of bytes behind so many others.
    ///
    /// # Errors
    /// As there.
    pub fn expect_behind(&self, others: usize, bytes: &[u8]) -> Result<(), String> {
        let found = text::read(self.address);
        if found
            .iter()
            .skip(others)
            .zip(bytes)
            .all(|(found, byte)| found == byte)
        {
            return Ok(());
        }
        Err(format!(
            "the code at {:#x} is {found:02x?} where {bytes:02x?} was written: another tool changes it too; \
             try again",
            self.address + others
        ))
    }

    /// Whether the site goes on.
    pub fn goes_on(&self) -> bool {
        self.new != NOP5
    }

    /// The way back.
    pub fn reversed(&self) -> Self {
        Self {
            old: self.new,
            new: self.old,
            ..*self
        }
    }
}
