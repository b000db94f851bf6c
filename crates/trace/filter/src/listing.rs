//! A program as text: the blocks of the expression, the eBPF that they became, and the native code, side by side.

use std::fmt::Write as _;

use perflab_bpf::{Helper, Instruction, Shown, opcode};
use unicode_width::UnicodeWidthStr;

use crate::ir::Ir;
use crate::program::FilterProgram;

/// Most columns of the blocks. A longer line is one of its own.
const WIDEST: usize = 44;

/// Bytes of literals in a line.
const LITERALS: usize = 48;

/// A line of native code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NativeLine {
    /// If what an instruction became begins here: the instruction, of 8 bytes each, from 0.
    pub instruction: Option<usize>,
    /// The line.
    pub text: String,
}

/// The imports of a program with their offsets in the context, its literals, and its instructions as `llvm-objdump`
/// shows them. In front of the instructions are the blocks that they come from, if these are known, with the number of
/// each block's first instruction; behind them is native code, if there is any.
pub fn listing(
    program: &FilterProgram,
    blocks: Option<(&Ir, &[usize])>,
    native: &[NativeLine],
) -> String {
    let rows = rows(program, blocks, native);
    let title = Row {
        block: "blocks".to_owned(),
        instruction: "eBPF".to_owned(),
        native: if native.is_empty() { "" } else { "native" }.to_owned(),
    };
    let rows: Vec<Row> = [title].into_iter().chain(rows).collect();
    let widths = rows.iter().map(|row| row.block.width());
    let first = widths.filter(|width| *width <= WIDEST).max().unwrap_or(0);
    let second = rows.iter().map(|row| row.instruction.width()).max();
    let second = second.unwrap_or(0) + 2;
    let mut text = context(program);
    for row in &rows {
        let mut line = padded(&row.instruction, second) + &row.native;
        if blocks.is_some() {
            let is_alone = row.block.width() > first;
            if is_alone {
                text += &row.block;
                text.push('\n');
            }
            if is_alone && line.trim().is_empty() {
                continue;
            }
            let block = if is_alone { "" } else { row.block.as_str() };
            line = padded(block, first + 2) + &line;
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// A line, in its columns.
struct Row {
    block: String,
    instruction: String,
    native: String,
}

fn padded(text: &str, width: usize) -> String {
    let space = " ".repeat(width.saturating_sub(text.width()));
    format!("{text}{space}")
}

/// The slots of the context, and the literals.
fn context(program: &FilterProgram) -> String {
    let mut text = String::new();
    for (slot, import) in program.imports.iter().enumerate() {
        let class = import.class.to_string();
        let _ = writeln!(text, "context {:>5}: {class:<7} {}", 8 * slot, import.name);
    }
    for (line, bytes) in program.literals.chunks(LITERALS).enumerate() {
        let shown = bytes.escape_ascii();
        let _ = writeln!(text, "literals {:>4}: \"{shown}\"", LITERALS * line);
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

fn rows(
    program: &FilterProgram,
    blocks: Option<(&Ir, &[usize])>,
    native: &[NativeLine],
) -> Vec<Row> {
    let instructions = instructions(program, native);
    let all = instructions.len();
    let Some((ir, starts)) = blocks else {
        return joined(&[], &instructions);
    };
    let mut rows = Vec::new();
    let lines = ir.to_string();
    for (number, block) in by_block(&lines).iter().enumerate() {
        let start = |number: usize| starts.get(number).copied().unwrap_or(all);
        let own = instructions.get(start(number)..start(number + 1));
        rows.extend(joined(block, own.unwrap_or_default()));
    }
    rows
}

/// The lines of each block: only its first one begins at the margin.
fn by_block(lines: &str) -> Vec<Vec<&str>> {
    let mut blocks: Vec<Vec<&str>> = Vec::new();
    for line in lines.lines() {
        match blocks.last_mut() {
            Some(block) if line.starts_with(' ') => block.push(line),
            _ => blocks.push(vec![line]),
        }
    }
    blocks
}

/// An instruction and the native lines that it became.
type Translated<'n> = (String, Vec<&'n str>);

fn instructions<'n>(program: &FilterProgram, native: &'n [NativeLine]) -> Vec<Translated<'n>> {
    let (code, _) = program.code.as_chunks::<{ Instruction::BYTES }>();
    let code: Vec<Instruction> = code.iter().map(|each| Instruction::decode(*each)).collect();
    let mut is_second = false;
    let lines = code.iter().enumerate().map(|(at, instruction)| {
        let bytes = instruction.encode().map(|byte| format!("{byte:02x}"));
        let text = if is_second {
            String::new()
        } else {
            shown(*instruction, code.get(at + 1).copied())
        };
        is_second = !is_second && instruction.opcode == opcode::WIDE;
        let line = format!("{at:>5}: {}  {text}", bytes.join(" "));
        (line.trim_end().to_owned(), Vec::new())
    });
    let mut lines: Vec<Translated<'n>> = lines.collect();
    let mut at = 0;
    for line in native {
        at = line.instruction.unwrap_or(at);
        if let Some((_, native)) = lines.get_mut(at) {
            native.push(&line.text);
        }
    }
    lines
}

/// An instruction as text, with what its number means if that is a helper or a place in the literals.
fn shown(instruction: Instruction, second: Option<Instruction>) -> String {
    use opcode::{CALL, JMP, WIDE};
    let text = Shown(instruction, second);
    match (instruction.opcode, instruction.src, second) {
        (WIDE, 6, Some(second)) => {
            format!("r{} = literals + {} ll", instruction.dst, second.imm)
        }
        (opcode, 0, _) if opcode == JMP | CALL => match Helper::from_number(instruction.imm) {
            Some(helper) => format!("{text}  # {}", called(helper)),
            None => text.to_string(),
        },
        _ => text.to_string(),
    }
}

/// What perflab/filter.h calls a helper.
fn called(helper: Helper) -> &'static str {
    match helper {
        Helper::TextIs => "text_is",
        Helper::TextBegins => "text_begins",
        Helper::TextMatches => "text_matches",
        Helper::TextSame => "text_same",
        Helper::TextByte => "text_byte",
        Helper::DoubleOf => "double",
        Helper::DoubleOfInteger => "double_of_integer",
        Helper::IntegerOfDouble => "integer_of_double",
        Helper::CompareDoubles => "compare_doubles",
    }
}

/// Lines of a block next to its instructions and what these became.
fn joined(block: &[&str], instructions: &[Translated<'_>]) -> Vec<Row> {
    let translated = instructions.iter().flat_map(|(instruction, native)| {
        let lines = native.len().max(1);
        (0..lines).map(move |line| {
            let instruction = if line == 0 { instruction.as_str() } else { "" };
            (instruction, native.get(line).copied().unwrap_or_default())
        })
    });
    let translated: Vec<(&str, &str)> = translated.collect();
    let rows = (0..block.len().max(translated.len())).map(|row| {
        let (instruction, native) = translated.get(row).copied().unwrap_or_default();
        Row {
            block: block.get(row).copied().unwrap_or_default().to_owned(),
            instruction: instruction.to_owned(),
            native: native.to_owned(),
        }
    });
    rows.collect()
}
