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
//! were written. What makes it forget them is an instruction that serialises. [`Sync`] makes every
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
//! The last two bytes of the no-op mean nothing, and its first byte makes a jump of it; see [`pun`]. All is written
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

mod plan;
mod pun;
mod seccomp;
mod stop;
mod sync;
mod table;
mod text;

/// The tests check `table` with others in their place.
use std::sync::atomic;

use perflab_abi::{NOP5, SITE_HEAD, SITE_LENGTH};

pub use sync::on_each_processor;

use plan::{Method, Protocol};
use pun::{Puns, TAIL};
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

/// The first byte of a jump.
const JUMP: u8 = 0xe9;

/// A jump from one address to another.
fn jump(from: usize, to: usize) -> Result<[u8; SITE_LENGTH], String> {
    let distance = (to as i64).wrapping_sub(from as i64 + SITE_LENGTH as i64);
    let distance = i32::try_from(distance)
        .map_err(|_| format!("{to:#x} is further away from {from:#x} than a jump reaches"))?;
    let [a, b, c, d] = distance.to_le_bytes();
    Ok([JUMP, a, b, c, d])
}

/// The state that patching keeps.
#[derive(Debug)]
pub struct Patcher {
    plan: plan::Planner,
    puns: Puns,
}

impl Patcher {
    /// Prepares: registers with the kernel what later calls need.
    pub fn new() -> Self {
        Self {
            plan: plan::Planner::new(),
            puns: Puns::new(),
        }
    }

    /// Forgets sites whose code goes.
    pub fn forget(&mut self, addresses: impl Iterator<Item = usize>) {
        let mut gone: Vec<usize> = addresses.collect();
        gone.sort_unstable();
        let is_gone = |site| gone.binary_search(&site).is_ok();
        stop::remove(is_gone);
        self.puns.forget(is_gone);
    }

    /// Prepares again in the child of a fork, which has one thread and a memory of its own.
    pub fn after_fork(&mut self) {
        stop::forget_handlers();
        self.plan.after_fork();
    }

    /// Makes all changes, or none, and says how.
    ///
    /// # Errors
    /// When it cannot be done here, or a site has other bytes than it should. What was written was taken back
    /// then; where even that failed, it is said, and those sites may be on or off.
    pub fn apply(&mut self, changes: &[Change]) -> Result<Method, String> {
        let mut addresses: Vec<usize> = changes.iter().map(|change| change.address).collect();
        addresses.sort_unstable();
        let (method, text) = self.plan.choose(changes, &addresses, &mut self.puns)?;
        let by_pun = method.protocol == Protocol::Pun;
        let mut edits = Vec::with_capacity(changes.len());
        for change in changes {
            edits.push(self.edit(change, by_pun)?);
        }
        edits.sort_unstable_by_key(|edit| edit.address);
        // Late, as the choice takes some time.
        edits.iter().try_for_each(SiteEdit::check)?;
        // What cannot be done shows before anything is written.
        method.sync.all_threads()?;
        let sync = || method.sync.all_threads();
        let Err(reason) = write(method.protocol, sync, &text, &edits) else {
            self.puns.keep(changes, by_pun);
            return Ok(method);
        };
        let back: Vec<SiteEdit> = edits.iter().map(SiteEdit::reversed).collect();
        match write(method.protocol, || Sync::Visit.all_threads(), &text, &back) {
            Ok(()) => Err(reason),
            Err(second) => Err(format!(
                "{reason}; and what was written could not be taken back: {second}"
            )),
        }
    }

    /// A site that is on was brought there by a jump or by a pun, which is known.
    fn edit(&self, change: &Change, by_pun: bool) -> Result<SiteEdit, String> {
        let address = change.address;
        let pun = match (change.on, by_pun) {
            (true, true) => self.puns.bytes(address),
            (true, false) => None,
            (false, _) => self.puns.of(address),
        };
        let on = pun.map_or_else(|| jump(address, change.target), Ok)?;
        let (old, new) = if change.on { (NOP5, on) } else { (on, NOP5) };
        Ok(SiteEdit { address, old, new })
    }
}

/// What becomes of one site.
#[derive(Debug, Clone, Copy)]
struct SiteEdit {
    address: usize,
    old: [u8; SITE_LENGTH],
    new: [u8; SITE_LENGTH],
}

impl SiteEdit {
    fn check(&self) -> Result<(), String> {
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
    fn expect(&self, bytes: &[u8]) -> Result<(), String> {
        self.expect_behind(0, bytes)
    }

    /// As [`SiteEdit::expect`], of bytes behind so many others.
    fn expect_behind(&self, others: usize, bytes: &[u8]) -> Result<(), String> {
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
    fn goes_on(&self) -> bool {
        self.new != NOP5
    }

    fn reversed(&self) -> Self {
        Self {
            old: self.new,
            new: self.old,
            ..*self
        }
    }
}

/// The steps from 2 on. `sync` returns when each thread has serialised since the call.
fn write(
    protocol: Protocol,
    sync: impl FnMut() -> Result<(), String>,
    text: &Text,
    edits: &[SiteEdit],
) -> Result<(), String> {
    match protocol {
        Protocol::Stop(stop) => by_stopping(stop, text, edits, sync),
        Protocol::Word => by_word(text, edits, sync),
        Protocol::Pun => by_pun(text, edits, sync),
    }
}

/// Taken back, a site may be before or behind any of these.
fn by_pun(
    text: &Text,
    edits: &[SiteEdit],
    mut sync: impl FnMut() -> Result<(), String>,
) -> Result<(), String> {
    let (on, off): (Vec<&SiteEdit>, Vec<&SiteEdit>) = edits.iter().partition(|edit| edit.goes_on());
    if !on.is_empty() {
        for edit in &on {
            text.write(edit.address + TAIL, &edit.new[TAIL..])?;
        }
        sync()?;
    }
    for edit in edits {
        if edit.goes_on() {
            edit.expect_behind(1, &edit.new[1..])?;
        }
        text.write(edit.address, &edit.new[..1])?;
    }
    sync()?;
    if !off.is_empty() {
        for edit in &off {
            edit.expect(&edit.new[..1])?;
            text.write(edit.address + TAIL, &edit.new[TAIL..])?;
        }
        sync()?;
    }
    Ok(())
}

fn by_stopping(
    stop: Stop,
    text: &Text,
    edits: &[SiteEdit],
    mut sync: impl FnMut() -> Result<(), String>,
) -> Result<(), String> {
    stop::add(edits.iter().map(|edit| edit.address));
    let byte = stop.byte();
    for edit in edits {
        text.write(edit.address, &[byte])?;
    }
    sync()?;
    for edit in edits {
        edit.expect(&[byte])?;
        text.write(edit.address + 1, &edit.new[1..])?;
    }
    sync()?;
    for edit in edits {
        let [_, a, b, c, d] = edit.new;
        edit.expect(&[byte, a, b, c, d])?;
        text.write(edit.address, &edit.new[..1])?;
    }
    sync()
}

/// A jump over what is left of a site.
const OVER: [u8; SITE_HEAD] = [0xeb, (SITE_LENGTH - SITE_HEAD) as u8];

fn by_word(
    text: &Text,
    edits: &[SiteEdit],
    mut sync: impl FnMut() -> Result<(), String>,
) -> Result<(), String> {
    for edit in edits {
        text.write_head(edit.address, OVER)?;
    }
    sync()?;
    for edit in edits {
        edit.expect(&OVER)?;
        text.write(edit.address + SITE_HEAD, &edit.new[SITE_HEAD..])?;
    }
    sync()?;
    for edit in edits {
        let ([first, second], [_, _, a, b, c]) = (OVER, edit.new);
        edit.expect(&[first, second, a, b, c])?;
        text.write_head(edit.address, [edit.new[0], edit.new[1]])?;
    }
    sync()
}

#[cfg(test)]
mod tests {
    #![expect(unsafe_code, reason = "code is memory that is found by address")]

    use super::text::{PAGE, Writing};
    use super::*;

    const SITES: usize = 3;

    /// Code with some sites, each with its path behind it.
    fn code() -> [Change; SITES] {
        // SAFETY: new memory, which goes with the process.
        let page = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                PAGE,
                libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        assert_ne!(page, libc::MAP_FAILED);
        let mut index = 0;
        [(); SITES].map(|()| {
            let address = page as usize + 64 * index;
            index += 1;
            // SAFETY: within the page.
            unsafe { std::ptr::write_volatile(address as *mut [u8; SITE_LENGTH], NOP5) };
            Change {
                address,
                target: address + 32,
                on: true,
            }
        })
    }

    const PROTOCOLS: [Protocol; 4] = [
        Protocol::Word,
        Protocol::Pun,
        Protocol::Stop(Stop::Fault),
        Protocol::Stop(Stop::Trap),
    ];

    fn bytes(changes: &[Change]) -> Vec<[u8; SITE_LENGTH]> {
        let changes = changes.iter();
        changes.map(|change| text::read(change.address)).collect()
    }

    /// All threads serialise behind each step, and find the code as the steps in this module's documentation say.
    #[test]
    fn no_step_begins_before_all_threads_have_seen_the_last() {
        for protocol in PROTOCOLS {
            let by_pun = protocol == Protocol::Pun;
            let mut patcher = Patcher::new();
            let all = code();
            let text = Text::open(Writing::Protection, &all.map(|change| change.address)).unwrap();
            patcher.puns.prepare(&all).unwrap();
            for on in [true, false] {
                let changes = all.map(|change| Change { on, ..change });
                let edits = changes.map(|change| patcher.edit(&change, by_pun).unwrap());
                let mut seen = Vec::new();
                let sync = || {
                    seen.push(bytes(&all));
                    Ok(())
                };
                write(protocol, sync, &text, &edits).unwrap();
                patcher.puns.keep(&changes, by_pun);
                let expected = |edit: &SiteEdit| {
                    let ([_, _, x, y, z], [_, _, a, b, c]) = (edit.old, edit.new);
                    let ([before, old @ ..], [after, new @ ..]) = (edit.old, edit.new);
                    let with = |first: u8, [a, b, c, d]: [u8; 4]| [first, a, b, c, d];
                    let [over, by] = OVER;
                    match protocol {
                        Protocol::Word => vec![[over, by, x, y, z], [over, by, a, b, c], edit.new],
                        Protocol::Pun if on => vec![with(before, new), edit.new],
                        Protocol::Pun => vec![with(after, old), edit.new],
                        Protocol::Stop(stop) => {
                            vec![with(stop.byte(), old), with(stop.byte(), new), edit.new]
                        }
                    }
                };
                let expected: Vec<Vec<_>> = edits.iter().map(expected).collect();
                let found: Vec<Vec<_>> = (0..SITES)
                    .map(|site| seen.iter().map(|sites| sites[site]).collect())
                    .collect();
                assert_eq!(found, expected, "{protocol:?} {on}");
            }
        }
    }

    /// Whichever step fails, sites that go on, off, or some of each, are as they were, and can be changed then.
    #[test]
    fn a_step_that_fails_is_taken_back() {
        for protocol in PROTOCOLS {
            let by_pun = protocol == Protocol::Pun;
            for on in 0..1 << SITES {
                let mut patcher = Patcher::new();
                let all = code();
                let addresses = all.map(|change| change.address);
                let text = Text::open(Writing::Protection, &addresses).unwrap();
                patcher.puns.prepare(&all).unwrap();
                let edits = |patcher: &Patcher, changes: &[Change]| -> Vec<SiteEdit> {
                    let edits = changes.iter();
                    edits
                        .map(|change| patcher.edit(change, by_pun).unwrap())
                        .collect()
                };
                // Those that are to go off are brought on first.
                let mut changes = all;
                for (index, change) in changes.iter_mut().enumerate() {
                    change.on = on & (1 << index) != 0;
                }
                let first: Vec<Change> = changes.into_iter().filter(|change| !change.on).collect();
                let first: Vec<Change> = first
                    .into_iter()
                    .map(|change| Change { on: true, ..change })
                    .collect();
                write(protocol, || Ok(()), &text, &edits(&patcher, &first)).unwrap();
                patcher.puns.keep(&first, by_pun);
                let before = bytes(&all);
                let edits = edits(&patcher, &changes);
                let back: Vec<SiteEdit> = edits.iter().map(SiteEdit::reversed).collect();
                let mut failed = 0;
                loop {
                    let mut left = failed;
                    let sync = || {
                        left -= 1;
                        if left < 0 {
                            Err("no".to_owned())
                        } else {
                            Ok(())
                        }
                    };
                    if write(protocol, sync, &text, &edits).is_ok() {
                        break;
                    }
                    write(protocol, || Ok(()), &text, &back).unwrap();
                    assert_eq!(bytes(&all), before, "{protocol:?} {on:b} {failed}");
                    failed += 1;
                }
                assert!(failed >= 2, "{protocol:?} {on:b}");
                let new: Vec<_> = edits.iter().map(|edit| edit.new).collect();
                assert_eq!(bytes(&all), new, "{protocol:?} {on:b}");
            }
        }
    }
}
