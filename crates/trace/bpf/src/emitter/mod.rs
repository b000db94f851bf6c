//! Native code that judges an event, for x86-64.
//!
//! It is jumped to where a site's handler would be called, so it finds what the site passes: the point in rdi, then the
//! words by the C calling convention, or the address of all words in rsi. It reads them there. An integer is compared
//! where it is, a text by a few wide compares. So nearly all programs need no value of their own; what does not fit
//! into rax is kept in the red zone.
//!
//! ```text
//! rax r10 r11 xmm0  the code's own, as the flags
//! [rsp]             return address of the site
//! [rsp-8], -16      for calls of `help`: its return address, and the address of the table
//! [rsp-24] to -128  values
//! ```
//!
//! It changes nothing else; calls of `help` change the other vector registers too. rsp moves for these calls only:
//! elsewhere, whoever unwinds the stack, such as a profiler or the handler of a signal, finds a function that has no
//! frame. The code ends by a jump to one of three addresses, with the address of what is to happen next in rax if the
//! event is accepted.
//!
//! Where it is rarely or not worth its bytes, it calls a function for what the interpreter does: `slow`. All distances
//! are within the code, so that it can be anywhere.

mod compare;
mod encode;
mod link;
mod live;
mod numbers;
mod program;
mod slow;
mod texts;

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use self::numbers::MOST_VALUES;
use self::program::Emitter;
use self::slow::MOST_WORDS;
use crate::lowered::Lowered;
use crate::place::{Context, ContextField, Place};
use crate::program::Class;

pub(crate) use self::link::INT3;
pub(crate) use self::slow::Table;

/// What the code is made for. All addresses are of code that stays.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Where it jumps to if the event is rejected. The stack, and the registers that arguments are passed in and that a
    /// function must preserve, are as the site's call left them. All others are anything.
    pub reject: usize,
    /// Where it jumps to if the event is recorded: as `reject`, with `next` in rax.
    pub accept: usize,
    /// The same for [`crate::Verdict::RecordAndTrigger`].
    pub trigger: usize,
    /// See `accept`.
    pub next: usize,
    /// Whether the site passes the address of its words, or each by itself.
    pub by_record: bool,
    /// What the code asks for.
    pub outside: Outside,
}

/// What the code knows of the process. The functions are called in threads of the program and in its signal handlers,
/// so they must not panic or allocate.
#[derive(Debug, Clone, Copy)]
pub struct Outside {
    /// See [`Context::read`].
    pub read: fn(u64, &mut [u8]) -> usize,
    /// Fills in one field. Never asked for [`ContextField::Ip`] and [`ContextField::PthreadId`], which the code has.
    pub fill: fn(ContextField, &mut Context),
}

/// Why there is no code for a program, which has to be interpreted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CannotEmit {
    /// It keeps more values, in registers and on its stack, than the red zone holds.
    Values,
    /// The code would have more than 64 KiB.
    Size,
    /// The place of this import is not one of its class, or not one that sites pass.
    Place(usize),
}

impl fmt::Display for CannotEmit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Values => write!(f, "it keeps more than {MOST_VALUES} values"),
            Self::Size => f.write_str("its native code would have more than 64 KiB"),
            Self::Place(import) => write!(f, "the place of import {import} does not fit its class"),
        }
    }
}

impl core::error::Error for CannotEmit {}

/// Native code, and what it needs: it must not be executed when this is gone.
#[derive(Debug)]
pub struct Emitted {
    bytes: Vec<u8>,
    instructions: usize,
    distances: Vec<u16>,
    starts: Vec<u16>,
    entry: usize,
    pub(crate) table: Arc<Table>,
}

impl Emitted {
    /// All of it: instructions, then constants. It can be at any address that is a multiple of 16.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The instructions alone.
    pub fn instructions(&self) -> &[u8] {
        self.bytes.get(..self.instructions).unwrap_or_default()
    }

    /// Where the instructions of each operation begin; of one that needs none, those of the next. Instructions that are
    /// reached rarely follow all of them.
    pub fn starts(&self) -> &[u16] {
        &self.starts
    }

    /// Where it begins.
    pub fn entry(&self) -> usize {
        self.entry
    }

    /// The same with so many bytes before its entry, which are not executed: to measure whether that matters.
    #[must_use]
    pub fn with_entry(mut self, bytes: u8) -> Self {
        let before = usize::from(bytes);
        // Constants stay aligned.
        let behind = before.next_multiple_of(16) - before;
        let (instructions, constants) = self.bytes.split_at(self.instructions);
        let mut moved = alloc::vec![INT3; before];
        moved.extend_from_slice(instructions);
        moved.resize(before + instructions.len() + behind, INT3);
        moved.extend_from_slice(constants);
        for at in &mut self.distances {
            *at += u16::from(bytes);
            let rest = moved.get_mut(usize::from(*at)..).unwrap_or_default();
            if let Some(distance) = rest.first_chunk_mut() {
                *distance = (i32::from_le_bytes(*distance) + behind as i32).to_le_bytes();
            }
        }
        for start in &mut self.starts {
            *start += u16::from(bytes);
        }
        self.bytes = moved;
        self.instructions += before;
        self.entry += before;
        self
    }
}

impl Table {
    /// Bytes of memory that it takes, without the program.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(self) + size_of_val(&*self.places) + size_of_val(&*self.calls)
    }
}

/// Makes native code of a program, for events with these places of its imports.
///
/// # Errors
/// See [`CannotEmit`].
pub fn emit(
    lowered: &Arc<Lowered>,
    places: &[Place],
    target: &Target,
) -> Result<Emitted, CannotEmit> {
    let most = if target.by_record {
        2 * perflab_abi::MOST_ARGUMENTS
    } else {
        MOST_WORDS
    };
    let mut table = Arc::new(Table {
        lowered: Arc::clone(lowered),
        places: places.into(),
        words: words(lowered, places, most)?,
        by_record: target.by_record,
        outside: target.outside,
        calls: Box::default(),
        back: 0,
    });
    let emitter = Emitter::new(lowered, places, target);
    let made = emitter.made(Arc::as_ptr(&table) as u64)?;
    // Nobody else has it yet.
    if let Some(table) = Arc::get_mut(&mut table) {
        table.calls = made.calls;
        table.back = made.back;
    }
    Ok(Emitted {
        starts: made.starts,
        distances: made.linked.distances,
        instructions: made.linked.instructions,
        bytes: made.linked.bytes,
        entry: 0,
        table,
    })
}

/// How many words of an event the places name.
fn words(lowered: &Lowered, places: &[Place], most: usize) -> Result<usize, CannotEmit> {
    let mut words = 0;
    for (index, class) in lowered.classes.iter().enumerate() {
        let end = match (class, places.get(index)) {
            (Class::Integer | Class::Double, Some(Place::Number(at)))
            | (Class::Double, Some(Place::Single(at)))
            | (Class::Text, Some(Place::Terminated(at) | Place::TerminatedNofault(at))) => {
                usize::from(*at) + 1
            }
            (Class::Text, Some(Place::Counted(at) | Place::CountedNofault(at))) => {
                usize::from(*at) + 2
            }
            (_, Some(Place::Context(field))) if field.class() == *class => 0,
            _ => return Err(CannotEmit::Place(index)),
        };
        if end > most {
            return Err(CannotEmit::Place(index));
        }
        words = words.max(end);
    }
    Ok(words)
}
