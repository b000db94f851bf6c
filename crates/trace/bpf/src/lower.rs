//! Fewer operations: those whose result nobody reads go, and a test and the jumps on its result become one.

use alloc::string::String;
use alloc::vec::Vec;

use crate::lowered::{Lowered, MOST_REGISTERS, Op, RegisterSet, bit};
use crate::program::Verdict;
use crate::texts::SLACK;
use crate::verifier::Verified;

/// Makes what [`crate::judge`] executes.
pub fn lower(verified: &Verified<'_>) -> Lowered {
    lower_with_origins(verified).0
}

/// As [`lower`], with the number of the instruction that each operation comes from. Several instructions that became
/// one operation have the number of the call, or of the jump, among them.
pub fn lower_with_origins(verified: &Verified<'_>) -> (Lowered, Vec<usize>) {
    let program = &verified.program;
    let mut ops = verified.ops.clone();
    shorten(&mut ops);
    let (mut ops, origins) = linked(&ops);
    let registers = renumber(&mut ops);
    let mut names = String::new();
    for (index, import) in program.imports.iter().enumerate() {
        if index > 0 {
            names.push('\n');
        }
        names.push_str(import.name);
    }
    let mut literals = Vec::with_capacity(program.literals.len() + SLACK);
    literals.extend_from_slice(program.literals);
    literals.extend_from_slice(&[0; SLACK]);
    let lowered = Lowered {
        ops: ops.into_boxed_slice(),
        literals: literals.into_boxed_slice(),
        classes: program.imports.iter().map(|import| import.class).collect(),
        names: names.into_boxed_str(),
        registers,
    };
    (lowered, origins)
}

/// Removes and joins operations, backwards: what is read behind one is known when it is looked at.
fn shorten(ops: &mut [Option<Op>]) {
    // The registers that are read before they are written, from each operation on.
    let mut live: Vec<RegisterSet> = alloc::vec![0; ops.len() + 1];
    for at in (0..ops.len()).rev() {
        let behind = live[at + 1];
        let Some(mut op) = ops[at] else {
            live[at] = behind;
            continue;
        };
        let written = op.registers().0.map_or(0, |to| bit(*to));
        // Nothing but its result is changed by an operation that writes a register.
        if written != 0 && behind & written == 0 {
            ops[at] = None;
            live[at] = behind;
            continue;
        }
        op = joined(op, at, ops, &live);
        ops[at] = Some(op);
        let (read, behind) = op.live(at, &live);
        live[at] = read | behind;
    }
}

/// The operation together with the jumps behind it that its result decides.
fn joined(op: Op, at: usize, ops: &[Option<Op>], live: &[RegisterSet]) -> Op {
    let end = |to, result| decided(ops, at + 1, to, result);
    let is_read = |to: u8, end: usize| live[end] & bit(to) != 0;
    match op {
        Op::Constant { to, value } => {
            let end = end(to, value);
            match ops.get(end) {
                Some(Some(Op::Return { from })) if *from == to => Op::End(Verdict::of(value)),
                _ if is_read(to, end) => op,
                _ => Op::Jump { then: end as u16 },
            }
        }
        Op::Text {
            how,
            to,
            import,
            literal,
        } => {
            let ends = [1, 0, -1_i64].map(|result| end(to, result as u64));
            if ends.iter().any(|end| is_read(to, *end)) {
                return op;
            }
            let [yes, no, absent] = ends.map(|end| end as u16);
            Op::IfText {
                how,
                import,
                literal,
                yes,
                no,
                absent,
            }
        }
        _ => op,
    }
}

/// Where execution comes to from an operation on, through jumps that a register with this value decides.
fn decided(ops: &[Option<Op>], mut at: usize, register: u8, value: u64) -> usize {
    loop {
        at = match ops.get(at) {
            Some(None) => at + 1,
            Some(Some(Op::Jump { then })) => usize::from(*then),
            Some(Some(Op::IfConstant {
                is,
                wide,
                one,
                value: other,
                then,
                or,
            })) if *one == register => {
                let holds = is.holds(*wide, value, *other);
                usize::from(if holds { *then } else { *or })
            }
            _ => return at,
        }
    }
}

/// The operations that can be reached, one behind the other, with jumps to where these are; and the number of each
/// before.
fn linked(ops: &[Option<Op>]) -> (Vec<Op>, Vec<usize>) {
    // Where a jump to an operation comes to: no register has this number.
    let landing = |at| decided(ops, at, u8::MAX, 0);
    let mut is_reached = alloc::vec![false; ops.len() + 1];
    is_reached[landing(0)] = true;
    let mut reached: Vec<(usize, Op)> = Vec::new();
    for (at, op) in ops.iter().enumerate() {
        let (true, Some(mut op)) = (is_reached[at], *op) else {
            continue;
        };
        reached.push((at, op));
        if op.goes_on() {
            is_reached[landing(at + 1)] = true;
        }
        for target in op.targets().into_iter().flatten() {
            is_reached[landing(usize::from(*target))] = true;
        }
    }
    // If the next that can be reached is not the one that follows, a jump comes between.
    let mut linked = Vec::with_capacity(reached.len());
    let mut origins = Vec::with_capacity(reached.len());
    let mut places = alloc::vec![0; ops.len() + 1];
    for (index, (at, op)) in reached.iter().enumerate() {
        places[*at] = linked.len() as u16;
        linked.push(*op);
        origins.push(*at);
        let next = reached.get(index + 1).map(|(next, _)| *next);
        if op.goes_on() && next != Some(landing(at + 1)) {
            linked.push(Op::Jump {
                then: *at as u16 + 1,
            });
            origins.push(*at);
        }
    }
    for op in &mut linked {
        for target in op.targets().into_iter().flatten() {
            *target = places[landing(usize::from(*target))];
        }
    }
    (linked, origins)
}

/// Numbers registers from 0, in the order in which they come, and returns how many there are.
fn renumber(ops: &mut [Op]) -> u8 {
    let mut numbers: [Option<u8>; MOST_REGISTERS] = [None; MOST_REGISTERS];
    let mut count = 0;
    for op in ops {
        let (written, read) = op.registers();
        for register in read.into_iter().chain([written]).flatten() {
            let number = numbers[usize::from(*register)].unwrap_or(count);
            count = count.max(number + 1);
            numbers[usize::from(*register)] = Some(number);
            *register = number;
        }
    }
    count
}
