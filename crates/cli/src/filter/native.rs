//! The native code of a filter, as an agent would make it for sites of this layout.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Arc;

use perflab_bpf::{Emitted, Outside, Target, emit, lower_with_origins, verify};
use perflab_filter::{FilterProgram, Layout, NativeLine};
use rustix::fs::{MemfdFlags, memfd_create};

/// Addresses that the code jumps to, and what stands for them. In a process they are the agent's.
const NAMES: [(usize, &str); 4] = [
    (0x7065_7266_6c61_6201, "reject"),
    (0x7065_7266_6c61_6202, "accept"),
    (0x7065_7266_6c61_6203, "accept and trigger"),
    (0x7065_7266_6c61_6204, "recorder"),
];

/// Native code as lines.
pub struct Native {
    /// Bytes that the agent maps, without the padding to a page.
    pub bytes: usize,
    /// The lines.
    pub lines: Vec<NativeLine>,
}

/// Makes the code. Instructions are shown by `objdump`, or as bytes if that is not installed.
///
/// # Errors
/// Why there is none, so that the program would be interpreted.
pub fn native(program: &FilterProgram, layout: &Layout) -> Result<Native, String> {
    let imports = program.borrowed();
    let verified = verify(&program.program(&imports)).map_err(|refused| refused.to_string())?;
    let (lowered, origins) = lower_with_origins(&verified);
    let [reject, accept, trigger, next] = NAMES.map(|(address, _)| address);
    let target = Target {
        reject,
        accept,
        trigger,
        next,
        by_record: layout.by_record,
        // Nobody executes it.
        outside: Outside {
            read: |_, _| 0,
            fill: |_, _| {},
        },
    };
    let emitted = emit(&Arc::new(lowered), &layout.places, &target);
    let emitted = emitted.map_err(|cannot| cannot.to_string())?;
    // If several operations begin at one place, the last one has the instructions.
    let starts = emitted.starts().iter().map(|start| usize::from(*start));
    let origins: BTreeMap<usize, usize> = starts.zip(origins).collect();
    let parts = disassembled(&emitted).unwrap_or_else(|| in_bytes(&emitted, &origins));
    let width = parts.iter().map(|part| part.bytes.len()).max();
    let width = width.unwrap_or(0);
    let lines = parts.iter().map(|Part { at, bytes, text }| NativeLine {
        instruction: origins.get(at).copied(),
        text: format!("{at:>4x}: {bytes:<width$}  {text}"),
    });
    Ok(Native {
        bytes: emitted.bytes().len(),
        lines: lines.collect(),
    })
}

/// A line of the code.
struct Part {
    /// Its place.
    at: usize,
    /// Its bytes, as text.
    bytes: String,
    /// What they mean.
    text: String,
}

/// The instructions as `objdump` shows them; nothing if it cannot be asked.
fn disassembled(emitted: &Emitted) -> Option<Vec<Part>> {
    let mut file = File::from(memfd_create("filter", MemfdFlags::CLOEXEC).ok()?);
    file.write_all(emitted.instructions()).ok()?;
    // It opens its input a second time, from the beginning.
    let output = Command::new("objdump")
        .args(["-D", "-b", "binary", "-m", "i386:x86-64", "-M", "intel"])
        .args(["--insn-width=16", "/dev/stdin"])
        .stdin(Stdio::from(file))
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let lines = text.lines().filter_map(|line| {
        let (at, rest) = line.split_once(":\t")?;
        let at = usize::from_str_radix(at.trim(), 16).ok()?;
        let (bytes, text) = rest.split_once('\t').unwrap_or((rest, ""));
        Some(Part {
            at,
            bytes: bytes.trim().to_owned(),
            text: named(text.trim(), emitted.bytes()),
        })
    });
    let lines: Vec<Part> = lines.collect();
    (output.status.success() && !lines.is_empty()).then_some(lines)
}

/// An instruction that takes an address from the constants behind the code, with what that stands for.
fn named(text: &str, bytes: &[u8]) -> String {
    let name = text.rsplit_once("# 0x").and_then(|(before, place)| {
        let place = usize::from_str_radix(place, 16).ok()?;
        let constant = bytes.get(place..)?.first_chunk()?;
        let address = usize::from_le_bytes(*constant);
        let (_, name) = NAMES.iter().find(|(own, _)| *own == address)?;
        Some(format!("{}  # {name}", before.trim_end()))
    });
    name.unwrap_or_else(|| text.to_owned())
}

/// The bytes of each operation, if nobody can say what they mean.
fn in_bytes(emitted: &Emitted, origins: &BTreeMap<usize, usize>) -> Vec<Part> {
    let all = emitted.instructions();
    let ends = origins.keys().copied().skip(1).chain([all.len()]);
    let parts = origins.keys().copied().zip(ends);
    let lines = parts.flat_map(|(start, end)| {
        let part = all.get(start..end).unwrap_or_default();
        part.chunks(16).enumerate().map(move |(line, bytes)| {
            let bytes = bytes.iter().map(|byte| format!("{byte:02x}"));
            let bytes: Vec<String> = bytes.collect();
            Part {
                at: start + 16 * line,
                bytes: bytes.join(" "),
                text: String::new(),
            }
        })
    });
    lines.collect()
}
