//! Which registers of a program are read later, and where jumps lead.

use alloc::vec::Vec;

use crate::lowered::{Op, RegisterSet, bit};

/// Registers and jumps of all operations.
#[derive(Debug)]
pub struct Live {
    each: Vec<Each>,
}

/// An operation, see [`Op::live`].
#[derive(Debug, Clone, Copy, Default)]
struct Each {
    read: RegisterSet,
    behind: RegisterSet,
    is_target: bool,
}

impl Live {
    /// Looks at all operations from the last to the first, as jumps only lead forward.
    pub fn of(ops: &[Op]) -> Self {
        let mut each = alloc::vec![Each::default(); ops.len()];
        // Those that are read from each operation on before they are written.
        let mut live: Vec<RegisterSet> = alloc::vec![0; ops.len() + 1];
        for (at, op) in ops.iter().enumerate().rev() {
            let mut op = *op;
            for target in op.targets().into_iter().flatten() {
                each[usize::from(*target)].is_target = true;
            }
            let (read, behind) = op.live(at, &live);
            live[at] = read | behind;
            (each[at].read, each[at].behind) = (read, behind);
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
