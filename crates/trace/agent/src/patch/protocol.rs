//! Changes the code of sites while other threads execute it.
//!
//! A site is one no-op of five bytes, or one jump of five bytes that leads to its out-of-line path. Its first two
//! bytes lie within eight aligned ones. A thread must never execute anything but one of the two, whole. A
//! jump and never a call: a call would write to the stack below a leaf function's stack pointer, where it
//! keeps its values.
//!
//! A prefix may stand before the five bytes. It belongs to the instruction, means nothing to the no-op, to
//! the jump and to what stops a thread, and never changes: a thread is before it or behind the site.
//!
//! Processors fetch code without asking: another one may hold the old bytes, decoded, long after they
//! were written. What makes it forget them is an instruction that serialises. [`Sync`](super::sync::Sync) makes every
//! thread of the process execute one.
//!
//! # By word ([`Protocol::Word`]), for any number of sites at once
//!
//! 1. Open the code for writing, and check that each site has the bytes that are expected. Nothing is
//!    written if one has not: somebody else (a debugger, a tracer) wrote there.
//! 2. Write the first two bytes of each site: a jump over the other three. It is one store of the eight
//!    aligned bytes around them; the others keep their value. A processor that fetches them gets the old
//!    eight or the new. *Sync*: from now on no thread has the old instruction in its pipeline, and none is
//!    between its bytes, as it was one instruction.
//! 3. Write the other three bytes of each site. Nobody executes them: they are jumped over. *Sync*: no
//!    thread has the old three bytes.
//! 4. Write the first two bytes of each site as in step 2. A thread sees the jump over the others, or the
//!    new instruction whole. *Sync*. Which site is on is known to all from here on.
//!
//! Processors fetch whole lines, so a store within an aligned quadword is seen whole; virtual machines for
//! Java have changed code like this for long. Intel's manual does not promise it.
//!
//! It needs memory that can be written and executed for a moment, as the store must be one.
//!
//! # By pun ([`Protocol::Pun`]), where memory cannot be both
//!
//! The last two bytes of the no-op mean nothing, and its first byte makes a jump of it; see [`pun`](super::pun). All is written
//! through `/proc/self/mem`.
//!
//! 1. As above. For each site that goes on, a jump to its path is placed where the site's bytes can lead: on pages of
//!    the agent's own. Nobody comes there yet.
//! 2. Write the last two bytes of each site that goes on: how far its jump is. A thread sees the no-op, with any
//!    mixture of old and new in it, which does nothing. *Sync*: all threads have the new bytes.
//! 3. Write the first byte of each site, the no-op's or the jump's. A thread sees one or the other, whole, as the
//!    other bytes stay. *Sync*.
//! 4. Write the last two bytes of each site that went off, as they were in the beginning. A thread sees a no-op, as
//!    in step 2. *Sync*.
//! 5. The jumps stay: a thread may be at one of them, and not have executed it yet.
//!
//! As with the word, an instruction is changed by one store while others fetch it, which Intel's manual does not promise.
//!
//! # By stopping ([`Protocol::Stop`]), if it is asked for
//!
//! An instruction of one byte, [`Stop`], stands at the site for a while and raises a signal in each thread
//! that comes there.
//!
//! 1. As above.
//! 2. Enter the sites into the table of the signal's handler, and see that it is installed.
//! 3. Write the stopping byte to the first byte of each site. A thread that gets there stops; the
//!    handler lets it go on behind the site, as if the site were off. *Sync*.
//! 4. Write the other four bytes of each site. Nobody executes them: the first byte stops. *Sync*.
//! 5. Write the first byte of each site. A thread sees the stopping byte, or the new instruction whole.
//!    *Sync*: no thread stops any more.
//! 6. The handler and its table stay: a thread may have stopped before step 5 and not have got the
//!    signal yet.
//!
//! From step 3 on the signal must be deliverable: a thread that blocks it, and stops, is killed by the
//! kernel, and no look at the threads can tell for sure that none will. So nobody gets this who did not ask for it. And
//! the signal must not be lost: a debugger that attaches at that moment gets it first. The fault (`udb`, SIGILL) leaves
//! the thread in front of the site and its prefix, so if its signal is lost the thread executes the site
//! again. The trap (`int3`, SIGTRAP) leaves it behind the first byte, and gdb keeps SIGTRAP for itself: the
//! thread would go on in the middle of an instruction. So the fault is the better one.

use perflab_abi::{SITE_HEAD, SITE_LENGTH};

use super::change::SiteEdit;
use super::pun::TAIL;
use super::stop::{self, Stop};
use super::text::Text;

/// See the documentation of this module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// By stores of the first two bytes at once.
    Word,
    /// By the first byte alone.
    Pun,
    /// By an instruction that stops threads.
    Stop(Stop),
}

impl Protocol {
    /// As it is shown.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stop(Stop::Fault) => "fault",
            Self::Stop(Stop::Trap) => "trap",
            Self::Word => "word",
            Self::Pun => "pun",
        }
    }
}

/// The steps from 2 on; [`Patcher::apply`](super::Patcher::apply) has made step 1. `sync` returns when each thread has
/// serialised since the call.
///
/// # Errors
/// When a step cannot be made. Sites may be between two steps then, each on or off.
pub fn write(
    protocol: Protocol,
    sync: impl FnMut() -> Result<(), String>,
    text: &Text,
    edits: &[SiteEdit],
) -> Result<(), String> {
    match protocol {
        Protocol::Word => by_word(text, edits, sync),
        Protocol::Pun => by_pun(text, edits, sync),
        Protocol::Stop(stop) => by_stopping(stop, text, edits, sync),
    }
}

/// A jump over what is left of a site.
pub const OVER: [u8; SITE_HEAD] = [0xeb, (SITE_LENGTH - SITE_HEAD) as u8];

fn by_word(
    text: &Text,
    edits: &[SiteEdit],
    mut sync: impl FnMut() -> Result<(), String>,
) -> Result<(), String> {
    // Step 2: the first two bytes become a jump over the others.
    for edit in edits {
        text.write_head(edit.address, OVER)?;
    }
    sync()?;
    // Step 3: the others, which nobody executes.
    for edit in edits {
        edit.expect(&OVER)?;
        text.write(edit.address + SITE_HEAD, &edit.new[SITE_HEAD..])?;
    }
    sync()?;
    // Step 4: the first two bytes.
    for edit in edits {
        let ([first, second], [_, _, a, b, c]) = (OVER, edit.new);
        edit.expect(&[first, second, a, b, c])?;
        text.write_head(edit.address, [edit.new[0], edit.new[1]])?;
    }
    sync()
}

/// Where changes are taken back, a site may be before or behind any of these steps.
fn by_pun(
    text: &Text,
    edits: &[SiteEdit],
    mut sync: impl FnMut() -> Result<(), String>,
) -> Result<(), String> {
    let (on, off): (Vec<&SiteEdit>, Vec<&SiteEdit>) = edits.iter().partition(|edit| edit.goes_on());
    // Step 2: the last bytes of those that go on.
    if !on.is_empty() {
        for edit in &on {
            text.write(edit.address + TAIL, &edit.new[TAIL..])?;
        }
        sync()?;
    }
    // Step 3: the first byte of all.
    for edit in edits {
        if edit.goes_on() {
            edit.expect_behind(1, &edit.new[1..])?;
        }
        text.write(edit.address, &edit.new[..1])?;
    }
    sync()?;
    // Step 4: the last bytes of those that went off.
    if !off.is_empty() {
        for edit in &off {
            edit.expect(&edit.new[..1])?;
            text.write(edit.address + TAIL, &edit.new[TAIL..])?;
        }
        sync()?;
    }
    // Step 5 is to leave the jumps where they are.
    Ok(())
}

fn by_stopping(
    stop: Stop,
    text: &Text,
    edits: &[SiteEdit],
    mut sync: impl FnMut() -> Result<(), String>,
) -> Result<(), String> {
    // Step 2. The handler was installed when this protocol was chosen.
    stop::add(edits.iter().map(|edit| edit.address));
    // Step 3: the first byte stops.
    let byte = stop.byte();
    for edit in edits {
        text.write(edit.address, &[byte])?;
    }
    sync()?;
    // Step 4: the others, which nobody executes.
    for edit in edits {
        edit.expect(&[byte])?;
        text.write(edit.address + 1, &edit.new[1..])?;
    }
    sync()?;
    // Step 5: the first byte.
    for edit in edits {
        let [_, a, b, c, d] = edit.new;
        edit.expect(&[byte, a, b, c, d])?;
        text.write(edit.address, &edit.new[..1])?;
    }
    sync()
    // Step 6 is to leave the handler and its table where they are.
}
