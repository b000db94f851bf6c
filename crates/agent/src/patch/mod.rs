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
//! # By stopping ([`Protocol::Stop`]), where memory cannot be both
//!
//! An instruction of one byte, [`Stop`], stands at the site for a while and raises a signal in each thread
//! that comes there. All is written through `/proc/self/mem`.
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
//! kernel, and no look at the threads can tell for sure that none will. So this comes second. And the signal
//! must not be lost: a debugger that attaches at that moment gets it first. The fault (`udb`, SIGILL) leaves
//! the thread in front of the site and its prefix, so if its signal is lost the thread executes the site
//! again. The trap (`int3`, SIGTRAP) leaves it behind the first byte, and gdb keeps SIGTRAP for itself: the
//! thread would go on in the middle of an instruction. So the fault comes before the trap.

mod plan;
mod stop;
mod sync;
mod table;
mod text;

/// The tests check `table` with others in their place.
use std::sync::atomic;

use perflab_probe_abi::{NOP5, SITE_HEAD, SITE_LENGTH};

pub use sync::on_each_processor;

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
        self.plan.after_fork();
    }

    /// Makes all changes, or none, and says how.
    ///
    /// # Errors
    /// When it cannot be done here, or a site has other bytes than it should. What was written was taken back
    /// then; where even that failed, it is said, and those sites work as if they were off.
    pub fn apply(&mut self, changes: &[Change]) -> Result<Method, String> {
        let mut steps = Vec::with_capacity(changes.len());
        for change in changes {
            let (old, new) = (change.bytes(!change.on)?, change.bytes(change.on)?);
            steps.push(Step {
                address: change.address,
                old,
                new,
            });
        }
        steps.sort_unstable_by_key(|step| step.address);
        let addresses: Vec<usize> = steps.iter().map(|step| step.address).collect();
        let (method, text) = self.plan.choose(&addresses)?;
        // Late, as the choice takes some time.
        steps.iter().try_for_each(Step::check)?;
        // What cannot be done shows before anything is written.
        method.sync.all_threads()?;
        let Err(reason) = write(&method, method.sync, &text, &steps) else {
            return Ok(method);
        };
        let back: Vec<Step> = steps.iter().map(Step::reversed).collect();
        match write(&method, Sync::Visit, &text, &back) {
            Ok(()) => Err(reason),
            Err(second) => Err(format!(
                "{reason}; and what was written could not be taken back: {second}"
            )),
        }
    }
}

/// What becomes of one site.
#[derive(Debug, Clone, Copy)]
struct Step {
    address: usize,
    old: [u8; SITE_LENGTH],
    new: [u8; SITE_LENGTH],
}

impl Step {
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
        let found = text::read(self.address);
        if found.starts_with(bytes) {
            return Ok(());
        }
        Err(format!(
            "the code at {:#x} is {found:02x?} where {bytes:02x?} was written: another tool changes it too; \
             try again",
            self.address
        ))
    }

    fn reversed(&self) -> Self {
        Self {
            old: self.new,
            new: self.old,
            ..*self
        }
    }
}

/// The steps from 2 on.
fn write(method: &Method, sync: Sync, text: &Text, steps: &[Step]) -> Result<(), String> {
    match method.protocol {
        Protocol::Stop(stop) => by_stopping(stop, text, steps, sync),
        Protocol::Word => by_word(text, steps, sync),
    }
}

fn by_stopping(stop: Stop, text: &Text, steps: &[Step], sync: Sync) -> Result<(), String> {
    stop::add(steps.iter().map(|step| step.address));
    let byte = stop.byte();
    for step in steps {
        text.write(step.address, &[byte])?;
    }
    sync.all_threads()?;
    for step in steps {
        step.expect(&[byte])?;
        text.write(step.address + 1, &step.new[1..])?;
    }
    sync.all_threads()?;
    for step in steps {
        let [_, a, b, c, d] = step.new;
        step.expect(&[byte, a, b, c, d])?;
        text.write(step.address, &step.new[..1])?;
    }
    sync.all_threads()
}

/// A jump over what is left of a site.
const OVER: [u8; SITE_HEAD] = [0xeb, (SITE_LENGTH - SITE_HEAD) as u8];

fn by_word(text: &Text, steps: &[Step], sync: Sync) -> Result<(), String> {
    for step in steps {
        text.write_head(step.address, OVER)?;
    }
    sync.all_threads()?;
    for step in steps {
        step.expect(&OVER)?;
        text.write(step.address + SITE_HEAD, &step.new[SITE_HEAD..])?;
    }
    sync.all_threads()?;
    for step in steps {
        let ([first, second], [_, _, a, b, c]) = (OVER, step.new);
        step.expect(&[first, second, a, b, c])?;
        text.write_head(step.address, [step.new[0], step.new[1]])?;
    }
    sync.all_threads()
}
