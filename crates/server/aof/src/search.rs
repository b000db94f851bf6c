//! Whether a sound block is behind something that is none.

use std::io;

use crate::blocks::{Found, look};
use crate::format::HEADER_START;
use crate::window::Window;

/// How much is searched at once, in bytes.
const STEP_BYTES: u64 = 64 << 10;

/// The offset of the first sound block from an offset on.
///
/// Within a file whose lengths cannot be trusted, payloads are searched, too. What looks like a block there is sound
/// only if it was made for this place of this file.
pub(crate) fn next_sound(window: &mut Window<'_>, salt: u64, from: u64) -> io::Result<Option<u64>> {
    let mut at = from;
    while window.rest(at) >= HEADER_START.len() as u64 {
        let bytes = window.get(at, STEP_BYTES)?;
        let mut starts = bytes.windows(HEADER_START.len());
        let Some(start) = starts.position(|start| start == HEADER_START) else {
            // The end of this part may have the first bytes of one.
            at += bytes.len() as u64 - (HEADER_START.len() as u64 - 1);
            continue;
        };
        at += start as u64;
        if let Found::Block(..) = look(window, salt, at)? {
            return Ok(Some(at));
        }
        at += 1;
    }
    Ok(None)
}
