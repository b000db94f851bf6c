//! What is done about events that a filter accepts, before they are counted or recorded: one of so many is taken, or so
//! many in a second; or a recording begins or ends with them.
//!
//! The filters of a wish share a cell for that. The code that they go on with is here, for each cell, and stays as long
//! as the process. A thread is marked until it has come through, so the cell is given to nobody else meanwhile.
#![expect(
    unsafe_code,
    reason = "code that no compiler makes, with words that it loads"
)]

use std::mem::offset_of;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};

use super::gates::{restore, save};
use crate::record::{self, ThreadWord, ThreadWords};

/// How many there are: twice as many as filters that may wait to be freed.
pub const CELLS: usize = 128;

/// Bytes of the code of one way into a cell.
const WAY: usize = 16;

/// How many ways lead into one.
const WAYS: usize = 4;

/// Nobody waits for such an event.
pub const NONE: u32 = 0;
/// It has not come yet.
pub const WAITS: u32 = 1;
/// It has come.
pub const CAME: u32 = 2;
/// It counts for nothing before another one has come.
pub const EARLY: u32 = 3;

/// What some filters share. Zeros are one that takes all events.
#[repr(C, align(64))]
#[derive(Debug)]
pub struct Cell {
    /// 1 as long as no event is taken, as the recording has not begun.
    pub closed: AtomicU32,
    /// Tells this use of the cell from others, in the words of threads.
    pub number: AtomicU32,
    /// The distance of the word in which each thread counts, from its thread pointer: half of it has `number`, the
    /// other how many events are still passed over. 0 if none are.
    pub sampler: AtomicU64,
    /// One of so many events is taken.
    pub every: AtomicU32,
    /// So many at most in a second; 0 sets no limit.
    pub at_most: AtomicU32,
    /// How many of these are left now.
    pub credit: AtomicI32,
    /// 1 if one was left out since somebody looked.
    pub is_over: AtomicU32,
    /// Whether the event has come with which the recording begins.
    pub start: AtomicU32,
    /// The same for that with which it ends.
    pub stop: AtomicU32,
    /// Which of the words of threads it has, from 1 on; 0 if none.
    pub word: AtomicU32,
    /// What the recorder is told then.
    pub told: AtomicU64,
}

const _: () = assert!(size_of::<Cell>() == 64);

// What leads from the code of a filter into a cell: for an event that it accepts, and for one with which a recording
// begins or ends. rax has the handler that is next; on the last way the address of that, and of the code that judges
// next.
std::arch::global_asm!(
    ".pushsection .bss.perflab_filter_actions,\"aw\",@nobits",
    ".globl perflab_filter_actions",
    ".hidden perflab_filter_actions",
    ".balign 64",
    "perflab_filter_actions: .zero {cell} * {cells}",
    ".popsection",
    ".pushsection .text.perflab_filter_ways,\"ax\",@progbits",
    ".globl perflab_filter_ways",
    ".hidden perflab_filter_ways",
    ".balign 64",
    "perflab_filter_ways:",
    ".cfi_startproc",
    ".set perflab_filter_action, 0",
    ".rept {cells}",
    ".balign {way}",
    "leaq perflab_filter_actions + {cell} * perflab_filter_action(%rip), %r11",
    "jmp perflab_filter_take",
    ".balign {way}",
    "leaq perflab_filter_actions + {cell} * perflab_filter_action(%rip), %r11",
    "jmp perflab_filter_start",
    ".balign {way}",
    "leaq perflab_filter_actions + {cell} * perflab_filter_action(%rip), %r11",
    "jmp perflab_filter_stop",
    ".balign {way}",
    "leaq perflab_filter_actions + {cell} * perflab_filter_action(%rip), %r11",
    "jmp perflab_filter_begun",
    ".set perflab_filter_action, perflab_filter_action + 1",
    ".endr",
    ".cfi_endproc",
    ".popsection",
    cell = const size_of::<Cell>(),
    cells = const CELLS,
    way = const WAY,
    options(att_syntax),
);

/// Asks a function about an event: it gets the cell, and says whether the event is taken.
macro_rules! asks {
    ($function:literal) => {
        concat!(
            save!(),
            "push rax\n",
            ".cfi_adjust_cfa_offset 8\n",
            "lea rsp, [rsp - 8]\n",
            ".cfi_adjust_cfa_offset 8\n",
            "mov rdi, r11\n",
            "call {",
            $function,
            "}\n",
            "test al, al\n",
            "lea rsp, [rsp + 8]\n",
            ".cfi_adjust_cfa_offset -8\n",
            "pop rax\n",
            ".cfi_adjust_cfa_offset -8\n",
            restore!(),
            "jne perflab_filter_accept\n",
            "jmp perflab_filter_reject\n",
        )
    };
}

// What is passed over, or left out, changes no memory that threads share. The red zone is the filter's, as it calls
// nothing here.
std::arch::global_asm!(
    ".pushsection .text.perflab_filter_acting,\"ax\",@progbits",
    ".globl perflab_filter_take",
    ".hidden perflab_filter_take",
    ".globl perflab_filter_start",
    ".hidden perflab_filter_start",
    ".globl perflab_filter_stop",
    ".hidden perflab_filter_stop",
    ".globl perflab_filter_begun",
    ".hidden perflab_filter_begun",
    ".balign 16",
    "perflab_filter_take:",
    ".cfi_startproc",
    "cmp dword ptr [r11 + {closed}], 0",
    "jne perflab_filter_reject",
    "mov r10, qword ptr [r11 + {sampler}]",
    "test r10, r10",
    "je 2f",
    "mov qword ptr [rsp - 8], rax",
    "mov eax, dword ptr [r11 + {number}]",
    "cmp eax, dword ptr fs:[r10 + 4]",
    "mov rax, qword ptr [rsp - 8]",
    "jne 4f",
    // A number with a sign: one that an event left below zero, by a jump, is no long wait for the next.
    "sub dword ptr fs:[r10], 1",
    "jns perflab_filter_reject",
    "jmp 4f",
    "2:",
    "cmp dword ptr [r11 + {at_most}], 0",
    "je perflab_filter_accept",
    "cmp dword ptr [r11 + {credit}], 0",
    "jg 4f",
    "cmp dword ptr [r11 + {is_over}], 0",
    "jne perflab_filter_reject",
    "mov dword ptr [r11 + {is_over}], 1",
    "jmp perflab_filter_reject",
    "4:",
    asks!("taken"),
    ".cfi_endproc",
    ".balign 16",
    "perflab_filter_start:",
    ".cfi_startproc",
    "cmp dword ptr [r11 + {start}], {came}",
    "je perflab_filter_accept",
    asks!("started"),
    ".cfi_endproc",
    ".balign 16",
    "perflab_filter_stop:",
    ".cfi_startproc",
    "cmp dword ptr [r11 + {stop}], {came}",
    "je perflab_filter_accept",
    asks!("stopped"),
    ".cfi_endproc",
    // An event that would end a recording which has not begun may begin it: another filter judges that.
    ".balign 16",
    "perflab_filter_begun:",
    ".cfi_startproc",
    "mov r10, rax",
    "mov rax, qword ptr [r10]",
    "cmp dword ptr [r11 + {stop}], {early}",
    "jne perflab_filter_stop",
    "jmp qword ptr [r10 + 8]",
    ".cfi_endproc",
    ".popsection",
    closed = const offset_of!(Cell, closed),
    number = const offset_of!(Cell, number),
    sampler = const offset_of!(Cell, sampler),
    at_most = const offset_of!(Cell, at_most),
    credit = const offset_of!(Cell, credit),
    is_over = const offset_of!(Cell, is_over),
    start = const offset_of!(Cell, start),
    stop = const offset_of!(Cell, stop),
    came = const CAME,
    early = const EARLY,
    taken = sym taken,
    started = sym started,
    stopped = sym stopped,
);

unsafe extern "C" {
    static perflab_filter_actions: u8;
    static perflab_filter_ways: u8;
}

// A thread may be cancelled in these, as in every handler: they have nothing to drop.

/// The code above has found that no event of this thread is to be passed over any more.
extern "C-unwind" fn taken(cell: &Cell) -> bool {
    cell.count_again();
    cell.has_room()
}

extern "C-unwind" fn started(cell: &Cell) -> bool {
    cell.starts()
}

extern "C-unwind" fn stopped(cell: &Cell) -> bool {
    cell.stops()
}

impl Cell {
    /// One by its index, which is less than [`CELLS`].
    pub fn at(index: usize) -> &'static Self {
        let cells = &raw const perflab_filter_actions;
        // SAFETY: there are so many, all zeros at first, which is a value; atomics only, which stay.
        unsafe { &*cells.cast::<Self>().add(index % CELLS) }
    }

    /// The address of the code that an event comes to which a filter accepts: 0 for one that is taken if others leave
    /// room for it, 1 for one with which a recording begins, 2 for one with which it ends, 3 for that if it has begun.
    pub fn way(index: usize, way: usize) -> usize {
        let ways = (&raw const perflab_filter_ways).addr();
        ways + WAY * (WAYS * (index % CELLS) + way % WAYS)
    }

    /// What the code above does, for the interpreter.
    pub fn takes(&self) -> bool {
        self.closed.load(Ordering::Acquire) == 0 && self.is_due() && self.has_room()
    }

    /// Whether an event of this thread is none of those that are passed over.
    fn is_due(&self) -> bool {
        let Some(word) = self.word() else { return true };
        let [number, left] = halves(word.load());
        if number == self.number.load(Ordering::Relaxed) && left as i32 > 0 {
            word.store(whole(number, left - 1));
            return false;
        }
        self.count_again();
        true
    }

    /// An event of this thread is taken: others are passed over from now on.
    fn count_again(&self) {
        if let Some(word) = self.word() {
            let every = self.every.load(Ordering::Relaxed);
            let number = self.number.load(Ordering::Relaxed);
            word.store(whole(number, every.saturating_sub(1)));
        }
    }

    fn word(&self) -> Option<ThreadWord> {
        let index = self.word.load(Ordering::Relaxed).checked_sub(1)?;
        Some(ThreadWords::new().sampler(index as usize))
    }

    /// Whether another event may be taken in this second.
    fn has_room(&self) -> bool {
        if self.at_most.load(Ordering::Relaxed) == 0 {
            return true;
        }
        let less = |credit: i32| (credit > 0).then(|| credit - 1);
        let relaxed = Ordering::Relaxed;
        let has_room = self.credit.fetch_update(relaxed, relaxed, less).is_ok();
        if !has_room {
            self.is_over.store(1, relaxed);
        }
        has_room
    }

    /// An event came with which the recording begins, or one like it later. Its state changes last: if a handler jumps
    /// out of it before, the next event begins the recording.
    pub fn starts(&self) -> bool {
        if self.start.load(Ordering::Acquire) == WAITS {
            turn(&self.stop, EARLY, WAITS);
            self.closed.store(0, Ordering::Release);
            turn(&self.start, WAITS, CAME);
        }
        true
    }

    /// An event came with which the recording ends, if it has begun. Its state changes last, too.
    pub fn stops(&self) -> bool {
        if self.stop.load(Ordering::Acquire) == WAITS {
            let told = self.told.load(Ordering::Relaxed);
            if told != 0 {
                record::trigger(told);
            }
            turn(&self.stop, WAITS, CAME);
        }
        self.stop.load(Ordering::Acquire) == CAME
    }
}

/// Changes a state, if it is `from`.
pub fn turn(state: &AtomicU32, from: u32, to: u32) {
    let _ = state.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire);
}

fn halves(word: u64) -> [u32; 2] {
    [(word >> 32) as u32, word as u32]
}

fn whole(number: u32, left: u32) -> u64 {
    u64::from(number) << 32 | u64::from(left)
}
