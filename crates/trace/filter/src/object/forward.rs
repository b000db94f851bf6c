//! Compilers put blocks in the order that they like best, so a jump may lead back where there is no loop. Here blocks
//! are put in an order in which all jumps lead forward.

use std::ops::Range;

use perflab_bpf::{Instruction, opcode};

/// Instructions with their numbers in the file; a jump that was inserted has that of the one before it.
pub type Numbered = Vec<(usize, Instruction)>;

/// The instructions, in an order in which all jumps lead forward. If they do already, or if a jump leads nowhere, which
/// the verifier refuses, the order stays. Otherwise, blocks to which nothing leads are left out.
///
/// # Errors
/// The number of an instruction that jumps back into a loop.
pub fn forward(code: &[Instruction]) -> Result<Numbered, usize> {
    let as_it_is = || code.iter().copied().enumerate().collect();
    let Some(blocks) = blocks(code) else {
        return Ok(as_it_is());
    };
    let leads_back = |(number, block): (usize, &Block)| block.jump.is_some_and(|to| to <= number);
    if !blocks.iter().enumerate().any(leads_back) {
        return Ok(as_it_is());
    }
    let order = sorted(&blocks)?;
    Ok(laid_out(code, &blocks, &order))
}

/// Instructions of which all are executed if the first is.
#[derive(Debug)]
struct Block {
    instructions: Range<usize>,
    /// The block that the last instruction may jump to.
    jump: Option<usize>,
    /// The block that follows otherwise.
    next: Option<usize>,
}

/// What comes behind an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flow {
    Next,
    /// The instruction that it always jumps to.
    Jump(usize),
    /// The instruction that it may jump to.
    Branch(usize),
    End,
}

impl Flow {
    /// Nothing if the instruction does not exist, or jumps out of the program.
    fn of(code: &[Instruction], at: usize) -> Option<Self> {
        use opcode::*;
        let Instruction {
            opcode,
            offset,
            imm,
            ..
        } = *code.get(at)?;
        let target = |by: i32| {
            let to = at as i64 + 1 + i64::from(by);
            usize::try_from(to).ok().filter(|to| *to < code.len())
        };
        let by = i32::from(offset);
        Some(match (opcode & CLASS, opcode & OPERATION) {
            (JMP, CALL) => Self::Next,
            (JMP, EXIT) => Self::End,
            (JMP, JA) => Self::Jump(target(by)?),
            (JMP32, JA) => Self::Jump(target(imm)?),
            (JMP | JMP32, JEQ..=JSGE | JLT..=JSLE) => Self::Branch(target(by)?),
            (JMP | JMP32, _) => return None,
            _ => Self::Next,
        })
    }
}

/// The blocks, in the order of their instructions; nothing if a jump leads out of the program or into a wide
/// instruction, or if execution can run off the end.
fn blocks(code: &[Instruction]) -> Option<Vec<Block>> {
    // What comes behind each, but for second halves of wide ones.
    let mut flows = vec![None; code.len()];
    let mut begins = vec![false; code.len() + 1];
    let mut at = 0;
    while at < code.len() {
        let flow = Flow::of(code, at)?;
        let is_wide = code[at].opcode == opcode::WIDE;
        *flows.get_mut(at)? = Some(flow);
        at += if is_wide { 2 } else { 1 };
        if let Flow::Jump(to) | Flow::Branch(to) = flow {
            begins[to] = true;
        }
        if flow != Flow::Next {
            begins[at] = true;
        }
    }
    let begins = begins.get(..code.len())?;
    let starts = begins.iter().enumerate();
    let starts = starts.filter(|(at, begins)| *at == 0 || **begins);
    let starts: Vec<usize> = starts.map(|(at, _)| at).collect();
    let ends = starts.iter().copied().skip(1).chain([code.len()]);
    let number_of = |at: usize| starts.binary_search(&at).ok();
    let blocks = starts.iter().zip(ends).enumerate();
    let blocks = blocks.map(|(number, (start, end))| {
        // A block that begins with a second half is one that a jump leads into.
        flows[*start]?;
        let flow = flows[end - 1].unwrap_or(Flow::Next);
        let jump = match flow {
            Flow::Jump(to) | Flow::Branch(to) => Some(number_of(to)?),
            Flow::Next | Flow::End => None,
        };
        let next = match flow {
            Flow::Next | Flow::Branch(_) => Some(number + 1).filter(|next| *next < starts.len()),
            Flow::Jump(_) | Flow::End => None,
        };
        let runs_off = next.is_none() && matches!(flow, Flow::Next | Flow::Branch(_));
        (!runs_off).then_some(Block {
            instructions: *start..end,
            jump,
            next,
        })
    });
    blocks.collect()
}

/// Whether a block was visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Visit {
    Not,
    /// Those that it leads to are being visited.
    Open,
    Done,
}

/// The numbers of the blocks that the first one leads to, each in front of those that it leads to. Where that allows
/// it, the block that follows stays behind the one that it follows.
///
/// # Errors
/// The number of an instruction that jumps back into a loop.
fn sorted(blocks: &[Block]) -> Result<Vec<usize>, usize> {
    let mut visits = vec![Visit::Not; blocks.len()];
    let mut backwards = Vec::new();
    // The blocks that are open, each with the number of those that were visited from it.
    let mut open = vec![(0, 0)];
    visits[0] = Visit::Open;
    while let Some((number, visited)) = open.last_mut() {
        let number = *number;
        // What is visited last comes first behind it.
        let leads_to = [blocks[number].jump, blocks[number].next];
        let Some(to) = leads_to.get(*visited) else {
            visits[number] = Visit::Done;
            backwards.push(number);
            open.pop();
            continue;
        };
        *visited += 1;
        let Some(to) = *to else { continue };
        match visits[to] {
            Visit::Not => {
                visits[to] = Visit::Open;
                open.push((to, 0));
            }
            Visit::Open => return Err(jump_back(blocks, &open, to)),
            Visit::Done => {}
        }
    }
    backwards.reverse();
    Ok(backwards)
}

/// The instruction that jumps back, in the loop of the blocks that are open from this one on.
fn jump_back(blocks: &[Block], open: &[(usize, usize)], first: usize) -> usize {
    let numbers = open.iter().map(|(number, _)| *number);
    let around: Vec<usize> = numbers.skip_while(|number| *number != first).collect();
    let next = around.iter().skip(1).chain([&first]);
    let mut steps = around.iter().zip(next);
    // Only a jump leads back, and no way around leads forward only.
    let back = steps.find(|(from, to)| to <= from);
    let from = back.map_or(first, |(from, _)| *from);
    blocks[from].instructions.end - 1
}

/// The blocks one behind the other, with jumps between those that no longer follow each other.
fn laid_out(code: &[Instruction], blocks: &[Block], order: &[usize]) -> Numbered {
    let always = Instruction {
        opcode: opcode::JMP | opcode::JA,
        dst: 0,
        src: 0,
        offset: 0,
        imm: 0,
    };
    let mut laid_out = Numbered::new();
    let mut starts = vec![0; blocks.len()];
    let mut jumps = Vec::new();
    for (place, number) in order.iter().enumerate() {
        let block = &blocks[*number];
        starts[*number] = laid_out.len();
        let own = block.instructions.clone();
        laid_out.extend(own.map(|at| (at, code[at])));
        let next = match (block.jump, block.next) {
            // Replaced by the jump below, if one is needed.
            (Some(to), None) => {
                laid_out.pop();
                Some(to)
            }
            (Some(to), next) => {
                jumps.push((laid_out.len() - 1, to));
                next
            }
            (None, next) => next,
        };
        if let Some(next) = next
            && order.get(place + 1) != Some(&next)
        {
            jumps.push((laid_out.len(), next));
            laid_out.push((block.instructions.end - 1, always));
        }
    }
    for (at, to) in jumps {
        // It is behind, and a program has at most twice as many instructions as before.
        laid_out[at].1.offset = (starts[to] - at - 1) as i16;
    }
    laid_out
}

#[cfg(test)]
mod tests {
    use super::*;
    use perflab_bpf::Shown;
    use perflab_bpf::opcode::*;

    fn i(opcode: u8, dst: u8, offset: i16, imm: i32) -> Instruction {
        Instruction {
            opcode,
            dst,
            src: 0,
            offset,
            imm,
        }
    }

    fn set(imm: i32) -> Instruction {
        i(ALU64 | MOV, 0, 0, imm)
    }

    fn exit() -> Instruction {
        i(JMP | EXIT, 0, 0, 0)
    }

    fn go(by: i16) -> Instruction {
        i(JMP | JA, 0, by, 0)
    }

    /// If register 1 is 7.
    fn branch(by: i16) -> Instruction {
        i(JMP | JEQ, 1, by, 7)
    }

    fn shown(code: &[Instruction]) -> Result<Vec<String>, usize> {
        let numbered = forward(code)?;
        let lines = numbered.iter().map(|(number, instruction)| {
            format!("{number}: {}", Shown(*instruction, Some(exit())))
        });
        Ok(lines.collect())
    }

    fn is_unchanged(code: &[Instruction]) -> bool {
        forward(code)
            .is_ok_and(|numbered| numbered.into_iter().eq(code.iter().copied().enumerate()))
    }

    #[test]
    fn what_leads_forward_stays() {
        // Also what nothing leads to.
        assert!(is_unchanged(&[
            branch(2),
            set(1),
            exit(),
            set(0),
            exit(),
            exit()
        ]));
        assert!(is_unchanged(&[set(1), exit()]));
        assert!(is_unchanged(&[]));
    }

    #[test]
    fn blocks_that_are_led_back_to() {
        let code = [
            branch(3),
            // An end that two ways share.
            set(1),
            exit(),
            // Nothing leads here.
            set(9),
            branch(-4),
            set(2),
            go(-6),
        ];
        let expected = [
            "0: if r1 == 7 goto +1",
            "0: goto +2",
            "4: if r1 == 7 goto +1",
            "5: r0 = 2",
            "1: r0 = 1",
            "2: exit",
        ];
        assert_eq!(shown(&code).unwrap(), expected);
        // The same with jumps of 32 bits.
        let mut long = code;
        long[6] = i(JMP32 | JA, 0, 0, -6);
        assert_eq!(shown(&long).unwrap(), expected);
    }

    #[test]
    fn loops() {
        assert_eq!(shown(&[set(1), branch(-2), exit()]), Err(1));
        assert_eq!(shown(&[branch(1), exit(), go(-1)]), Err(2));
        // The block that is jumped back to follows the one that jumps.
        assert_eq!(shown(&[go(1), set(1), branch(-2), exit()]), Err(2));
        // A loop that nothing leads to.
        let code = [branch(1), exit(), set(1), exit(), go(-1)];
        assert!(!is_unchanged(&code));
        assert!(shown(&code).is_ok());
    }

    /// The verifier has the better words.
    #[test]
    fn what_leads_nowhere_stays() {
        let wide = [i(WIDE, 0, 0, 1), i(0, 0, 0, 0)];
        assert!(is_unchanged(&[wide[0], wide[1], branch(-2), exit()]));
        assert!(is_unchanged(&[set(1), branch(-2), wide[0]]));
        assert!(is_unchanged(&[branch(-1)]));
        assert!(is_unchanged(&[go(-5), exit()]));
        assert!(is_unchanged(&[branch(-1), i(JMP | 0xe0, 0, 0, 0), exit()]));
        // A wide one is not cut.
        assert!(!is_unchanged(&[go(1), exit(), wide[0], wide[1], go(-4)]));
    }
}
