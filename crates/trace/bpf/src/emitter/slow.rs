//! What the code of a filter does not do by itself: it calls a function for that, which does what the interpreter does.
#![expect(
    unsafe_code,
    reason = "the code of a filter passes the words of an event, some of which are addresses, by a frame on the stack"
)]

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::arch::global_asm;

use super::Outside;
use crate::arithmetic::compare_doubles;
use crate::interpreter::{byte_of, same, tested};
use crate::lowered::{Lowered, Op};
use crate::place::{Context, Event, Place};

/// Words of arguments in registers; the others are on the stack.
pub const IN_REGISTERS: usize = 5;

/// Most words of a site that passes each by itself.
pub const MOST_WORDS: usize = 2 * perflab_abi::FEW_ARGUMENTS;

/// What a filter's code needs besides itself, for as long as it is there.
#[derive(Debug)]
pub struct Table {
    pub lowered: Arc<Lowered>,
    pub places: Box<[Place]>,
    /// How many words of an event it may read.
    pub words: usize,
    pub by_record: bool,
    pub outside: Outside,
    /// What is called for, by the number that the code passes.
    pub calls: Box<[Call]>,
    /// Where calls that go on elsewhere would return to, from the beginning of the code.
    pub back: u16,
}

/// An operation that the code does not do by itself.
#[derive(Debug, Clone, Copy)]
pub struct Call {
    /// Its number.
    pub op: u16,
    /// For [`Op::IfText`], where the code goes on if it passes, if it does not, and if there is no text: from the
    /// beginning of the code.
    pub ends: [u16; 3],
}

/// The top of the stack when [`help`] is called.
#[repr(C)]
struct Frame {
    point: u64,
    registers: [u64; IN_REGISTERS],
    /// With the values of the filter, which are in the red zone.
    unused: [u64; 15],
    table: *const Table,
    /// Where the filter's code goes on.
    back: u64,
    /// Where the site goes on. The words that are not in registers follow.
    ip: u64,
}

// The code of a filter calls this with the number of a call in eax and up to two numbers in r10 and r11, after the
// address of the table was pushed. The result is in rax. It leaves alone what the site passed, and the red zone that
// the filter has below what it was called with: the return address and the table take the first two words of that.
global_asm!(
    ".pushsection .text.perflab_bpf_help,\"ax\",@progbits",
    ".globl perflab_bpf_help",
    ".hidden perflab_bpf_help",
    ".type perflab_bpf_help,@function",
    ".balign 16",
    "perflab_bpf_help:",
    ".cfi_startproc",
    ".cfi_def_cfa_offset 16",
    "lea rsp, [rsp - 120]",
    ".cfi_adjust_cfa_offset 120",
    "push r9",
    ".cfi_adjust_cfa_offset 8",
    "push r8",
    ".cfi_adjust_cfa_offset 8",
    "push rcx",
    ".cfi_adjust_cfa_offset 8",
    "push rdx",
    ".cfi_adjust_cfa_offset 8",
    "push rsi",
    ".cfi_adjust_cfa_offset 8",
    "push rdi",
    ".cfi_adjust_cfa_offset 8",
    "mov rdi, rsp",
    "mov esi, eax",
    "mov rdx, r10",
    "mov rcx, r11",
    "call {help}",
    "pop rdi",
    ".cfi_adjust_cfa_offset -8",
    "pop rsi",
    ".cfi_adjust_cfa_offset -8",
    "pop rdx",
    ".cfi_adjust_cfa_offset -8",
    "pop rcx",
    ".cfi_adjust_cfa_offset -8",
    "pop r8",
    ".cfi_adjust_cfa_offset -8",
    "pop r9",
    ".cfi_adjust_cfa_offset -8",
    "lea rsp, [rsp + 128]",
    ".cfi_adjust_cfa_offset -128",
    "ret",
    ".cfi_endproc",
    ".size perflab_bpf_help, . - perflab_bpf_help",
    ".popsection",
    help = sym help,
);

// The filter was called with a stack as the C calling convention has it: 8 bytes less than a multiple of 16. So it has
// again where `help` is called, below the frame.
const _: () = assert!(size_of::<Frame>() == 12 * 16);
const _: () = assert!(core::mem::offset_of!(Frame, table) == 48 + 120);

unsafe extern "C" {
    fn perflab_bpf_help();
}

/// The address of what the code calls.
pub fn address() -> u64 {
    perflab_bpf_help as *const () as u64
}

/// Does an operation. A thread may be cancelled here, as in every handler.
///
/// # Safety
/// The code of a filter calls it with its frame, and its table is there.
unsafe extern "C-unwind" fn help(frame: *const Frame, number: u32, one: u64, other: u64) -> u64 {
    // SAFETY: what the caller promises; the words in registers are there in any case.
    let (table, registers, back) = unsafe { (&*(*frame).table, (*frame).registers, (*frame).back) };
    let Some(call) = table.calls.get(number as usize) else {
        return 0;
    };
    let Some(op) = table.lowered.ops.get(usize::from(call.op)) else {
        return 0;
    };
    let mut few = [0; MOST_WORDS];
    let words: &[u64] = if table.by_record {
        let [record, ..] = registers;
        // SAFETY: the site passes the address of its words, of which the places name no others.
        unsafe { core::slice::from_raw_parts(record as *const u64, table.words) }
    } else {
        // SAFETY: behind the frame.
        let stack = unsafe { frame.add(1).cast::<u64>() };
        for (at, word) in few.iter_mut().take(table.words).enumerate() {
            *word = match registers.get(at) {
                Some(word) => *word,
                // SAFETY: the site passes so many words.
                None => unsafe { *stack.add(at - IN_REGISTERS) },
            };
        }
        &few
    };
    let mut context = Context {
        read: table.outside.read,
        ..Context::default()
    };
    for import in imports(op).into_iter().flatten() {
        if let Some(Place::Context(field)) = table.places.get(usize::from(import)) {
            (table.outside.fill)(*field, &mut context);
        }
    }
    let event = Event {
        places: &table.places,
        words,
        context: &context,
    };
    let lowered = &table.lowered;
    // SAFETY: the site passes words that are what the places say.
    unsafe {
        match *op {
            Op::Import { import, .. } | Op::IfImport { import, .. } | Op::Double { import, .. } => {
                event.number(import)
            }
            Op::Text {
                how,
                import,
                literal,
                ..
            } => tested(lowered, event, how, import, literal),
            Op::IfText {
                how,
                import,
                literal,
                ..
            } => {
                let [yes, no, absent] = call.ends;
                let end = match tested(lowered, event, how, import, literal) {
                    1 => yes,
                    0 => no,
                    _ => absent,
                };
                let start = back.wrapping_sub(u64::from(table.back));
                start.wrapping_add(u64::from(end))
            }
            Op::SameText { one, other, .. } => same(event, one, other),
            Op::Byte { import, .. } => byte_of(event, import, one),
            Op::Unary { how, .. } => how.of(one),
            Op::Binary { how, wide, .. } => how.of(wide, one, other),
            Op::BinaryConstant {
                how, wide, value, ..
            } => how.of(wide, one, value),
            Op::CompareDoubles { .. } => compare_doubles(one, other),
            _ => 0,
        }
    }
}

/// The imports that an operation reads.
fn imports(op: &Op) -> [Option<u8>; 2] {
    match *op {
        Op::Import { import, .. }
        | Op::IfImport { import, .. }
        | Op::Double { import, .. }
        | Op::Text { import, .. }
        | Op::IfText { import, .. }
        | Op::Byte { import, .. } => [Some(import), None],
        Op::SameText { one, other, .. } => [Some(one), Some(other)],
        _ => [None, None],
    }
}
