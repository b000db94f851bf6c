//! Gates: what a site calls whose events are judged. A gate marks its thread, and goes on with what judges now.
//!
//! All code that sets a mark or clears it is here, and stays as long as the process. A filter that cleared the mark by
//! itself could be gone before its last instruction.
#![expect(
    unsafe_code,
    reason = "code that no compiler makes, with words that it loads"
)]

use std::sync::atomic::{AtomicPtr, Ordering};

use super::judge::{Bound, interpret};
use super::marks::enter;

/// How many there are: points whose events are judged at some time. One that had a filter once keeps its gate.
pub const GATES: usize = 2048;

/// Bytes of the code of one.
const GATE: usize = 32;

/// What a gate leads to. The first two words are read by the code below.
#[repr(C, align(32))]
#[derive(Debug)]
pub struct Cell {
    /// Code that gets registers and stack as the site has called, and the address of this in r11.
    to: AtomicPtr<()>,
    /// The handler behind the gate, where nothing judges.
    next: AtomicPtr<()>,
    /// What the interpreter judges by.
    bound: AtomicPtr<Bound>,
}

impl Cell {
    /// What the interpreter judges by.
    ///
    /// # Safety
    /// The gate of the cell has led the calling thread to the interpreter, and the thread has not come out yet.
    pub unsafe fn bound(&self) -> Option<&Bound> {
        // SAFETY: it was there when the gate led here, see `Gate::lead`.
        unsafe { self.bound.load(Ordering::Acquire).as_ref() }
    }
}

const _: () = assert!(size_of::<Cell>() == 32 && std::mem::offset_of!(Cell, next) == 8);

// Steps 1 and 2 of the module's documentation: the mark is set before the cell is loaded.
std::arch::global_asm!(
    ".pushsection .bss.perflab_filter,\"aw\",@nobits",
    ".globl perflab_filter_cells",
    ".hidden perflab_filter_cells",
    ".balign 64",
    "perflab_filter_cells: .zero {cell} * {gates}",
    ".popsection",
    ".pushsection .text.perflab_filter_gates,\"ax\",@progbits",
    ".globl perflab_filter_gates",
    ".hidden perflab_filter_gates",
    ".balign 64",
    "perflab_filter_gates:",
    ".cfi_startproc",
    ".set perflab_filter_gate, 0",
    ".rept {gates}",
    ".balign {gate}",
    "leaq perflab_filter_cells + {cell} * perflab_filter_gate(%rip), %r11",
    "movq perflab_mark@GOTTPOFF(%rip), %rax",
    "cmpq $1, %fs:(%rax)",
    "jne perflab_filter_cold",
    "movq %rsp, %fs:(%rax)",
    "jmpq *(%r11)",
    ".set perflab_filter_gate, perflab_filter_gate + 1",
    ".endr",
    ".cfi_endproc",
    ".popsection",
    cell = const size_of::<Cell>(),
    gates = const GATES,
    gate = const GATE,
    options(att_syntax),
);

/// Saves all registers that have arguments, and the address of the cell; `interpret` reads them. The stack is aligned
/// then as a call asks for.
macro_rules! save {
    () => {
        save!("r9" "r8" "rcx" "rdx" "rsi" "rdi" "r11")
    };
    ($($register:literal)*) => {
        concat!($("push ", $register, "\n.cfi_adjust_cfa_offset 8\n",)*)
    };
}

/// Restores what [`save!`] has saved.
macro_rules! restore {
    () => {
        restore!("r11" "rdi" "rsi" "rdx" "rcx" "r8" "r9")
    };
    ($($register:literal)*) => {
        concat!($("pop ", $register, "\n.cfi_adjust_cfa_offset -8\n",)*)
    };
}

pub(super) use {restore, save};

// The ways out: the mark is cleared by the event that has set it, in whose frame it is. What comes behind an event that
// is accepted gets all as the site has called it.
std::arch::global_asm!(
    ".pushsection .text.perflab_filter,\"ax\",@progbits",
    ".globl perflab_filter_accept",
    ".hidden perflab_filter_accept",
    ".globl perflab_filter_reject",
    ".hidden perflab_filter_reject",
    ".globl perflab_filter_plain",
    ".hidden perflab_filter_plain",
    ".globl perflab_filter_interpreted",
    ".hidden perflab_filter_interpreted",
    ".globl perflab_filter_cold",
    ".hidden perflab_filter_cold",
    ".balign 16",
    "perflab_filter_plain:",
    ".cfi_startproc",
    "mov rax, qword ptr [r11 + 8]",
    "perflab_filter_accept:",
    "mov r10, qword ptr [rip + perflab_mark@GOTTPOFF]",
    "cmp qword ptr fs:[r10], rsp",
    "jne 2f",
    "mov qword ptr fs:[r10], 1",
    "2: jmp rax",
    ".balign 16",
    "perflab_filter_reject:",
    "mov r10, qword ptr [rip + perflab_mark@GOTTPOFF]",
    "cmp qword ptr fs:[r10], rsp",
    "jne 3f",
    "mov qword ptr fs:[r10], 1",
    "3: ret",
    ".cfi_endproc",
    // The interpreter gets what it needs as `judge::Call`, and returns the handler behind an event that is accepted.
    ".balign 16",
    "perflab_filter_interpreted:",
    ".cfi_startproc",
    save!(),
    "mov rdi, rsp",
    "call {interpret}",
    restore!(),
    "test rax, rax",
    "jne perflab_filter_accept",
    "jmp perflab_filter_reject",
    ".cfi_endproc",
    // A thread that is not idle: it is unknown, or within an event that this one interrupts, or has left one by a jump.
    ".balign 16",
    "perflab_filter_cold:",
    ".cfi_startproc",
    save!(),
    "lea rdi, [rsp + 56]",
    "call {enter}",
    restore!(),
    "test al, al",
    "je 2f",
    "jmp qword ptr [r11]",
    "2: ret",
    ".cfi_endproc",
    ".popsection",
    interpret = sym interpret,
    enter = sym enter,
);

unsafe extern "C" {
    static perflab_filter_gates: u8;
    static perflab_filter_cells: u8;
    fn perflab_filter_accept();
    fn perflab_filter_reject();
    fn perflab_filter_plain();
    fn perflab_filter_interpreted();
}

/// Where an event that is accepted goes, with the address of its handler in rax.
pub fn accept() -> usize {
    perflab_filter_accept as *const () as usize
}

/// Where an event that is rejected goes.
pub fn reject() -> usize {
    perflab_filter_reject as *const () as usize
}

/// What a gate leads to.
#[derive(Debug, Clone, Copy)]
pub enum Lead<'l> {
    /// All events are rejected.
    Nowhere,
    /// All events go to this handler.
    Plain(*mut ()),
    /// Code judges, which begins here.
    Native(*const ()),
    /// The interpreter judges.
    Interpreted(&'l Bound),
}

/// A gate, with its cell.
#[derive(Debug)]
pub struct Gate(usize);

impl Gate {
    /// What a point's handler is that has this gate.
    pub fn handler(&self) -> *mut () {
        let gates = &raw const perflab_filter_gates;
        gates.wrapping_add(GATE * self.0).cast_mut().cast()
    }

    fn cell(&self) -> &'static Cell {
        let cells = &raw const perflab_filter_cells;
        // SAFETY: there are so many cells, all zeros at first, which is a value; atomics only, which stay.
        unsafe { &*cells.cast::<Cell>().add(self.0) }
    }

    /// From now on it leads there. An event that has loaded the cell before goes where that led.
    ///
    /// # Safety
    /// What it leads to stays as long as it does so, and then as long as a thread is inside.
    pub unsafe fn lead(&self, to: Lead<'_>) {
        let cell = self.cell();
        let code: *const () = match to {
            Lead::Nowhere => perflab_filter_reject as *const (),
            Lead::Plain(next) => {
                cell.next.store(next, Ordering::Relaxed);
                perflab_filter_plain as *const ()
            }
            Lead::Native(code) => code,
            Lead::Interpreted(bound) => {
                let bound = std::ptr::from_ref(bound).cast_mut();
                cell.bound.store(bound, Ordering::Relaxed);
                perflab_filter_interpreted as *const ()
            }
        };
        // An event that comes to the plain way, or to the interpreter, finds what that needs: this, or what was put
        // there later.
        cell.to.store(code.cast_mut(), Ordering::Release);
    }
}

/// Those that no point has.
#[derive(Debug)]
pub struct Gates {
    free: Vec<Gate>,
    /// So many were given away at some time.
    given: usize,
}

impl Gates {
    /// All of them.
    pub fn new() -> Self {
        Self {
            free: Vec::new(),
            given: 0,
        }
    }

    /// One for a point, which leads nowhere.
    ///
    /// # Errors
    /// When there is none left.
    pub fn take(&mut self) -> Result<Gate, String> {
        if let Some(gate) = self.free.pop() {
            return Ok(gate);
        }
        if self.given == GATES {
            return Err(format!(
                "{GATES} places of the program have or had a filter, and no more can: name fewer probes, as each place \
                 needs one with --when, --every, --at-most, --start-when, and --until with a condition"
            ));
        }
        let gate = Gate(self.given);
        self.given += 1;
        // SAFETY: that stays.
        unsafe { gate.lead(Lead::Nowhere) };
        Ok(gate)
    }

    /// Of a point that has gone.
    pub fn give_back(&mut self, gates: impl IntoIterator<Item = Gate>) {
        self.free.extend(gates);
    }
}

#[cfg(test)]
mod tests;
