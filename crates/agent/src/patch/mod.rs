//! Changes the code of sites while other threads execute it.
//!
//! A site is one no-op of five bytes, or one jump of five bytes to its out-of-line path. Its first two
//! bytes lie within eight aligned ones. A thread must never execute anything but one of the two, whole. A
//! jump and never a call: a call would write to the stack below a leaf function's stack pointer, where it
//! keeps its values.
//!
//! A prefix may stand before the five bytes. It belongs to the instruction, means nothing to the no-op, to
//! the jump and to what stops a thread, and never changes: a thread is before it or behind the site.
//!
//! Processors fetch code without asking: another one may hold the old bytes, decoded, long after they
//! were written. What makes it forget them is an instruction that serialises. [`Sync`] makes every
//! thread of the process execute one.
//!
//! # By stopping ([`Protocol::Stop`]), for any number of sites at once
//!
//! An instruction of one byte, [`Stop`], stands at the site for a while and raises a signal in each thread
//! that comes there.
//!
//! 1. Check that each site has the bytes that are expected. Nothing is written if one has not: somebody
//!    else (a debugger, a tracer) wrote there.
//! 2. Enter the sites into the table of the signal's handler, and see that it is installed.
//! 3. Write the stopping byte to the first byte of each site. A thread that gets there stops; the
//!    handler lets it go on behind the site, as if the site were off. *Sync*: from now on no thread has
//!    the old instruction in its pipeline, and none is between its bytes, as it was one instruction.
//! 4. Write the other four bytes of each site. Nobody executes them: the first byte stops. *Sync*:
//!    no thread has the old four bytes.
//! 5. Write the first byte of each site. A thread sees the stopping byte, or the new instruction whole.
//!    *Sync*: no thread stops any more. Which site is on is known to all from here on.
//! 6. The handler and its table stay: a thread may have stopped before step 5 and not have got the
//!    signal yet.
//!
//! From step 3 on the signal must be deliverable: a thread that blocks it, and stops, is killed by the
//! kernel. And it must not be lost: a debugger that attaches at that moment gets it first. The fault
//! (`udb`, SIGILL) leaves the thread in front of the site and its prefix, so if its signal is lost the thread executes
//! the site again. The trap (`int3`, SIGTRAP) leaves it behind the first byte, and gdb keeps SIGTRAP for
//! itself: the thread would go on in the middle of an instruction. So the fault comes first.
//!
//! # By word ([`Protocol::Word`])
//!
//! 1. As above.
//! 2. Write the first two bytes of each site: a jump over the other three. It is one store of the eight
//!    aligned bytes around them; the others keep their value. A processor that fetches them gets the old
//!    eight or the new. *Sync*: no thread has the old instruction in its pipeline.
//! 3. Write the other three bytes of each site. Nobody executes them: they are jumped over. *Sync*.
//! 4. Write the first two bytes of each site as in step 2. A thread sees the jump over the others, or the
//!    new instruction whole. *Sync*.
//!
//! AMD's manual describes a modification within an aligned quadword as seen whole; Intel's leaves it
//! open, but its processors fetch whole lines. So stopping comes first, and the word where the fault
//! cannot be used. It needs memory that can be written and executed for a moment, as the store must be
//! one.

mod plan;
mod stop;
mod sync;
mod table;
mod text;

/// The tests check `table` with others in their place.
use std::sync::atomic;

use perflab_probe_abi::{NOP5, SITE_HEAD, SITE_LENGTH};

use plan::{Method, Protocol};
use stop::Stop;
use sync::Sync;
use text::Text;

/// A site to change.
#[derive(Debug, Clone, Copy)]
pub struct Change {
    /// Of its first byte.
    pub address: usize,
    /// Of the out-of-line path.
    pub target: usize,
    /// On, or off.
    pub on: bool,
}

impl Change {
    fn bytes(&self, on: bool) -> Result<[u8; SITE_LENGTH], String> {
        if !on {
            return Ok(NOP5);
        }
        let distance = (self.target as i64).wrapping_sub(self.address as i64 + SITE_LENGTH as i64);
        let distance = i32::try_from(distance).map_err(|_| {
            format!(
                "the path of {:#x} is further away than a jump reaches",
                self.address
            )
        })?;
        let [a, b, c, d] = distance.to_le_bytes();
        Ok([0xe9, a, b, c, d])
    }
}

/// The state that patching keeps.
#[derive(Debug)]
pub struct Patcher {
    plan: plan::Planner,
}

impl Patcher {
    /// Prepares: registers with the kernel what later calls need.
    pub fn new() -> Self {
        Self {
            plan: plan::Planner::new(),
        }
    }

    /// Forgets sites whose code goes.
    pub fn forget(addresses: impl Iterator<Item = usize>) {
        let mut gone: Vec<usize> = addresses.collect();
        gone.sort_unstable();
        stop::remove(|site| gone.binary_search(&site).is_ok());
    }

    /// Prepares anew in the child of a fork, which has one thread and a memory of its own.
    pub fn after_fork(&mut self) {
        stop::forget_handlers();
        *self = Self::new();
    }

    /// Makes all changes, or none, and says how.
    ///
    /// # Errors
    /// When it cannot be done here, or a site has other bytes than it should; nothing was written then.
    pub fn apply(&mut self, changes: &[Change]) -> Result<Method, String> {
        let mut steps = Vec::with_capacity(changes.len());
        for change in changes {
            let (old, new) = (change.bytes(!change.on)?, change.bytes(change.on)?);
            let found = text::read(change.address);
            if found != old {
                return Err(format!(
                    "the code at {:#x} is {found:02x?} where {old:02x?} was expected: a debugger or \
                     another tool has changed it; end that and try again",
                    change.address
                ));
            }
            steps.push((change.address, new));
        }
        steps.sort_unstable();
        let addresses: Vec<usize> = steps.iter().map(|(address, _)| *address).collect();
        let method = self.plan.choose(&addresses)?;
        let text = Text::open(method.writing, &addresses)?;
        match method.protocol {
            Protocol::Stop(stop) => by_stopping(stop, &text, &steps, method.sync)?,
            Protocol::Word => by_word(&text, &steps, method.sync)?,
        }
        text.close();
        Ok(method)
    }
}

/// The steps of stopping, from 2.
fn by_stopping(
    stop: Stop,
    text: &Text,
    steps: &[(usize, [u8; SITE_LENGTH])],
    sync: Sync,
) -> Result<(), String> {
    stop::add(steps.iter().map(|(address, _)| *address));
    let write = |from: usize, to: usize| -> Result<(), String> {
        for (address, new) in steps {
            text.write(address + from, &new[from..to])?;
        }
        sync.all_threads()
    };
    for (address, _) in steps {
        text.write(*address, &[stop.byte()])?;
    }
    sync.all_threads()?;
    write(1, SITE_LENGTH)?;
    write(0, 1)
}

/// A jump over what is left of a site.
const OVER: [u8; SITE_HEAD] = [0xeb, (SITE_LENGTH - SITE_HEAD) as u8];

/// The steps of the word, from 2.
fn by_word(text: &Text, steps: &[(usize, [u8; SITE_LENGTH])], sync: Sync) -> Result<(), String> {
    for (address, _) in steps {
        text.write_head(*address, OVER)?;
    }
    sync.all_threads()?;
    for (address, [_, _, tail @ ..]) in steps {
        text.write(address + SITE_HEAD, tail)?;
    }
    sync.all_threads()?;
    for (address, [first, second, ..]) in steps {
        text.write_head(*address, [*first, *second])?;
    }
    sync.all_threads()
}
