//! Other people's tools understand our objects.

use std::path::Path;
use std::process::Command;

use perflab_bpf::{Instruction, Shown, opcode};
use perflab_filter::write_object;
use perflab_testing::{needs, needs_found};

use super::{Kept, disassembled, program};

/// With literals, a double, a byte and jumps.
const EXPRESSION: &str = "name == \"GET\" || name == \"S*\" || mean < 0.5 && data[2] == 7";

fn printed(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn instructions() {
    let program = program(EXPRESSION);
    let object = Kept::new("filter.o", &write_object(&program));
    let shown = disassembled(&object.path);
    assert!(shown.contains("<filter>:"), "{shown}");
    // "       3:\t18 03 00 ... \tr3 = 0 ll"; a jump has the name of its target behind it.
    let lines = shown.lines().filter_map(|line| {
        let (number, rest) = line.split_once(":\t")?;
        let number: usize = number.trim().parse().ok()?;
        let (_, text) = rest.split_once('\t')?;
        let text = text.trim();
        let without = text
            .strip_suffix('>')
            .and_then(|text| text.rsplit_once(" <"));
        let text = without.map_or(text, |(text, _)| text);
        Some((number, text.to_owned()))
    });
    let lines: Vec<(usize, String)> = lines.collect();
    let code = program.code.chunks_exact(8);
    let code: Vec<Instruction> = code
        .map(|bytes| Instruction::decode(bytes.try_into().unwrap()))
        .collect();
    let mut expected = Vec::new();
    let mut at = 0;
    while let Some(instruction) = code.get(at) {
        let second = code.get(at + 1).copied();
        if instruction.opcode == opcode::WIDE {
            // In the object a literal's place is in the lower half.
            let place = second.unwrap().imm;
            let text = if instruction.src == 6 {
                format!("r{} = {place} ll", instruction.dst)
            } else {
                Shown(*instruction, second).to_string()
            };
            expected.push((at, text));
            at += 2;
        } else {
            expected.push((at, Shown(*instruction, None).to_string()));
            at += 1;
        }
    }
    assert_eq!(lines, expected, "{shown}");
}

#[test]
fn relocations_and_symbols() {
    needs("readelf", "binutils");
    let object = Kept::new("filter.o", &write_object(&program(EXPRESSION)));
    let shown = printed(Command::new("readelf").arg("-Wrs").arg(&object.path));
    let relocations = shown.lines().filter(|line| line.contains("R_BPF_"));
    assert_eq!(relocations.count(), 2, "{shown}");
    let symbol = shown.lines().find(|line| line.ends_with(" filter"));
    let symbol = symbol.unwrap_or_else(|| panic!("{shown}"));
    assert!(
        symbol.contains("FUNC") && symbol.contains("GLOBAL"),
        "{shown}"
    );
}

/// Opens an object, and prints its programs with their instructions.
const OPEN: &str = r#"
import ctypes, sys
bpf = ctypes.CDLL("libbpf.so.1")
open_object, next_program = bpf.bpf_object__open, bpf.bpf_object__next_program
open_object.argtypes, open_object.restype = [ctypes.c_char_p], ctypes.c_void_p
next_program.argtypes, next_program.restype = [ctypes.c_void_p, ctypes.c_void_p], ctypes.c_void_p
for name, kind in (("name", ctypes.c_char_p), ("section_name", ctypes.c_char_p), ("insn_cnt", ctypes.c_size_t)):
    function = getattr(bpf, "bpf_program__" + name)
    function.argtypes, function.restype = [ctypes.c_void_p], kind
opened = open_object(sys.argv[1].encode())
assert opened, "not opened"
program = next_program(opened, None)
while program:
    name, section = bpf.bpf_program__name(program), bpf.bpf_program__section_name(program)
    print(name.decode(), section.decode(), bpf.bpf_program__insn_cnt(program))
    program = next_program(opened, program)
"#;

#[test]
fn opened_by_libbpf() {
    needs("python3", "python3");
    let library = Path::new("/usr/lib/x86_64-linux-gnu/libbpf.so.1");
    needs_found("libbpf", library.exists().then_some(()), "libbpf1");
    let program = program(EXPRESSION);
    let object = Kept::new("filter.o", &write_object(&program));
    let shown = printed(Command::new("python3").args(["-c", OPEN]).arg(&object.path));
    let expected = format!("filter perflab/filter {}\n", program.code.len() / 8);
    assert_eq!(shown, expected);
}
