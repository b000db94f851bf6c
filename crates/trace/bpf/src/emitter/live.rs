//! Which registers of a program are read later, and where jumps lead.

use alloc::vec::Vec;

use crate::lowered::Op;

/// What is known of each operation.
#[derive(Debug)]
pub struct Live {
    each: Vec<Each>,
}

/// Registers are sets, one bit each.
#[derive(Debug, Clone, Copy, Default)]
struct Each {
    /// Those that it reads.
    read: u128,
    /// Those that are read behind it before they are written, but the one that it writes.
    behind: u128,
    is_target: bool,
}

impl Live {
    /// Looks at all operations from the last to the first, as jumps only lead forward.
    pub fn of(ops: &[Op]) -> Self {
        let mut each = alloc::vec![Each::default(); ops.len()];
        // Those that are read from each operation on before they are written.
        let mut live = alloc::vec![0; ops.len() + 1];
        for (at, op) in ops.iter().enumerate().rev() {
            let mut op = *op;
            let mut behind = if op.goes_on() { live[at + 1] } else { 0 };
            for target in op.targets().into_iter().flatten() {
                let target = usize::from(*target);
                behind |= live[target];
                each[target].is_target = true;
            }
            let (written, read) = op.registers();
            behind &= !written.map_or(0, |to| bit(*to));
            let read = read.into_iter().flatten().map(|register| bit(*register));
            let read = read.fold(0, |all, register| all | register);
            live[at] = behind | read;
            each[at].read = read;
            each[at].behind = behind;
        }
        Self { each }
    }

    /// Whether a jump leads to an operation.
    pub fn is_target(&self, at: usize) -> bool {
        self.each.get(at).is_some_and(|each| each.is_target)
    }

    /// Whether only the operation behind this one reads the register that this one writes.
    pub fn is_for_next(&self, at: usize, register: u8) -> bool {
        let next = self.each.get(at + 1);
        next.is_some_and(|next| {
            !next.is_target && next.read & bit(register) != 0 && next.behind & bit(register) == 0
        })
    }
}

fn bit(register: u8) -> u128 {
    1 << register
}
