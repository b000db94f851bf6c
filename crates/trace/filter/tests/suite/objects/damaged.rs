//! Our own objects, as they are and with something wrong in them.

use perflab_bpf::opcode::*;
use perflab_bpf::{Class, Instruction};
use perflab_filter::{FilterProgram, Import, ObjectProblem, read_object, write_object};

use super::program;

fn i(opcode: u8, dst: u8, src: u8, offset: i16, imm: i32) -> Instruction {
    Instruction {
        opcode,
        dst,
        src,
        offset,
        imm,
    }
}

/// A program of an integer.
fn with(code: &[Instruction], name: &str, literals: &[u8]) -> FilterProgram {
    FilterProgram {
        imports: vec![Import {
            class: Class::Integer,
            name: name.to_owned(),
        }],
        code: code.iter().flat_map(|each| each.encode()).collect(),
        literals: literals.to_vec(),
    }
}

fn problem(program: &FilterProgram) -> String {
    let problem = read_object(&write_object(program)).unwrap_err();
    problem.to_string()
}

#[test]
fn what_is_written_can_be_read() {
    for expression in [
        "1",
        "name == \"SET\" && size > 512",
        "name == \"GET\" || name == \"S*\" || key != \"*\"",
        "data[3] == 5 && mean < 0.5 && $ctx.procname == \"redis*\" && $ctx.vtid == 7",
    ] {
        let program = program(expression);
        let object = read_object(&write_object(&program)).unwrap();
        assert_eq!(object.name, "filter");
        assert_eq!(object.program, program, "{expression}");
    }
}

#[test]
fn other_files() {
    let own = std::fs::read("/proc/self/exe").unwrap();
    let object = write_object(&program("1"));
    for other in [
        &b""[..],
        b"\x7fELF",
        b"int main;",
        &object[..63],
        own.as_slice(),
    ] {
        assert_eq!(read_object(other), Err(ObjectProblem::NoObject));
    }
}

/// The object with the first of these texts replaced by another of its length.
fn replaced(object: &[u8], text: &[u8], by: &[u8]) -> Vec<u8> {
    let mut windows = object.windows(text.len());
    let at = windows.position(|window| window == text).unwrap();
    [&object[..at], by, &object[at + text.len()..]].concat()
}

#[test]
fn parts_that_are_missing() {
    let object = write_object(&program("name == \"a\""));
    let problem = |text: &[u8], by: &[u8]| read_object(&replaced(&object, text, by)).unwrap_err();
    assert_eq!(
        problem(b"\0perflab/filter\0", b"\0perflab/filtre\0"),
        ObjectProblem::NoFilter
    );
    assert_eq!(
        problem(b"\0perflab_imports\0", b"\0perflab_import_\0"),
        ObjectProblem::NoImports
    );
    for (line, text) in [
        (&b"tixt name\n"[..], "tixt name"),
        (b"textaname\n", "textaname"),
        (b"text\nname\n", "text"),
    ] {
        let expected = ObjectProblem::Import(text.to_owned());
        assert_eq!(problem(b"text name\n", line), expected);
    }
    // Another name is another import, and what is no name is none.
    let renamed = read_object(&replaced(&object, b"text name\n", b"text mane\n")).unwrap();
    assert_eq!(renamed.program.imports[0].name, "mane");
    let refused = problem(b"text name\n", b"text na e\n").to_string();
    assert!(refused.ends_with("(rule V1, size)"), "{refused}");
}

#[test]
fn programs_that_break_a_rule() {
    let exit = i(JMP | EXIT, 0, 0, 0, 0);
    assert_eq!(
        problem(&with(&[exit], "n", b"")),
        "instruction 0 (`exit`): returns no number (rule V16, result)"
    );
    assert_eq!(
        problem(&with(&[], "n", b"")),
        "instruction 0 (`none`): the program is empty or too large, or an import has no name of its own (rule V1, size)"
    );
    let set = i(ALU64 | MOV, 0, 0, 0, 1);
    let large: Vec<Instruction> = std::iter::repeat_n(set, 4096).chain([exit]).collect();
    assert!(problem(&with(&large, "n", b"")).ends_with("(rule V1, size)"));
    let address = |at| [i(WIDE, 2, 6, 0, 0), i(0, 0, 0, 0, at), set, exit];
    assert!(read_object(&write_object(&with(&address(3), "n", b"abc"))).is_ok());
    assert_eq!(
        problem(&with(&address(4), "n", b"abc")),
        "the object is damaged: instruction 0 loads an address outside of its section"
    );
    let many = vec![b'a'; 16 * 1024 + 1];
    assert_eq!(
        problem(&with(&address(3), "n", &many)),
        "instruction 0 (`r2 = 3 ll`): the program is empty or too large, or an import has no name of its \
         own (rule V1, size)"
    );
}

/// Blocks that are led back to come behind, and a refusal names the instruction of the file.
#[test]
fn a_rule_that_is_broken_in_a_block_that_moved() {
    let code = |from| {
        [
            i(LDX | MEM | DW, 2, 1, 0, 0),
            i(JMP | JEQ, 2, 0, 2, 7),
            i(ALU64 | MOV | X, 0, from, 0, 0),
            i(JMP | EXIT, 0, 0, 0, 0),
            i(ALU64 | MOV, 2, 0, 0, 1),
            i(JMP | JA, 0, 0, -4, 0),
        ]
    };
    assert_eq!(
        problem(&with(&code(9), "n", b"")),
        "instruction 2 (`r0 = r9`): reads a register or bytes of the stack that need not have a value (rule V8, unset)"
    );
    let object = read_object(&write_object(&with(&code(2), "n", b""))).unwrap();
    assert_eq!(object.program.code.len(), 6 * 8);
    let mut endless = code(2);
    endless[5].offset = -5;
    let said = problem(&with(&endless, "n", b""));
    assert!(
        said.starts_with("instruction 5 (`goto -5`) closes a loop: "),
        "{said}"
    );
}

/// Whatever is wrong, there is an answer, and what is read is accepted.
#[test]
fn any_damage() {
    let object = write_object(&program("name == \"GET\" || mean < 0.5"));
    for length in 0..object.len() {
        assert!(read_object(&object[..length]).is_err());
    }
    for at in 0..object.len() {
        for change in [0x01, 0x80, 0xff] {
            let mut changed = object.clone();
            changed[at] ^= change;
            if let Ok(read) = read_object(&changed) {
                assert!(read.program.lowered().is_ok());
            }
        }
    }
}
