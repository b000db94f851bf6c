//! The instructions of native code, as a disassembler reads them.

use std::fs;
use std::process::Command;
use std::sync::Arc;

use perflab_bpf::opcode::*;
use perflab_bpf::oracle::Made;
use perflab_bpf::{CannotEmit, Class, Place, emit, lower, verify};
use perflab_testing::needs;

use crate::assembler::*;

/// What `objdump` makes of code, one line for each instruction.
fn disassembled(code: &[u8]) -> Vec<String> {
    needs("objdump", "binutils");
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("code");
    fs::write(&path, code).unwrap();
    let output = Command::new("objdump")
        .args([
            "-D",
            "-b",
            "binary",
            "-m",
            "i386:x86-64",
            "-M",
            "intel",
            "--no-show-raw-insn",
        ])
        .arg(&path)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    // An address, a tab, and the instruction; other lines have no tab.
    let lines = text.lines().filter_map(|line| line.split_once('\t'));
    lines.map(|(_, line)| shortened(line)).collect()
}

/// An instruction without the addresses that it leads to, and without the comment on them.
fn shortened(line: &str) -> String {
    let line = line.split('#').next().unwrap();
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    match (line.split_once(" 0x"), line.split_once("[rip+")) {
        (_, Some((before, _))) => format!("{before}[rip]"),
        (Some((jump, _)), _) if jump.starts_with('j') || jump == "call" => jump.to_owned(),
        _ => line,
    }
}

#[test]
fn words_by_record() {
    let lowered = Arc::new(lowered(&IMPORTS, &conjunction(), LITERALS));
    let places = [Place::Number(0), Place::Number(1), Place::Terminated(2)];
    let emitted = emit(&lowered, &places, &target(true)).unwrap();
    let expected = [
        "mov r10,QWORD PTR [rsi+0x10]",
        "lea eax,[r10+0x3]",
        "test eax,0xffc",
        "je",
        "cmp DWORD PTR [r10],0x544547",
        "jne",
        "cmp QWORD PTR [rsi],0x200",
        "jle",
        "mov rax,QWORD PTR [rip]",
        "jmp QWORD PTR [rip]",
        "jmp QWORD PTR [rip]",
        // The text is null, or at the end of a page.
        "xor eax,eax",
        "jmp",
        "call",
        "jmp rax",
        "push QWORD PTR [rip]",
        "jmp QWORD PTR [rip]",
    ];
    assert_eq!(disassembled(emitted.instructions()), expected);
    // The text, the number, and both verdicts.
    assert_eq!(emitted.starts(), [0, 24, 33, 46]);
    let constants = &emitted.bytes()[emitted.bytes().len() - 40..];
    let (constants, _) = constants.as_chunks::<8>();
    let constants: Vec<u64> = constants
        .iter()
        .map(|word| u64::from_le_bytes(*word))
        .collect();
    // The last two are the address of the table, and of what is called with it.
    assert_eq!(constants[..3], [0x4444, 0x2222, 0x1111]);
}

#[test]
fn words_in_registers() {
    // `(a & 7) == 3 && t == "abcdefghij"`.
    let imports = [import(Class::Integer, "a"), import(Class::Text, "t")];
    let mut code = vec![
        copy(6, 1),
        load(2, 6, 0),
        i(ALU64 | AND, 2, 0, 0, 7),
        jump(JNE, 2, 3, 9),
    ];
    code.extend(test_text(1, 8, 0, 10));
    code.extend([jump(JSLE, 0, 0, 2), set(0, 1), exit(), set(0, 0), exit()]);
    let lowered = Arc::new(lowered(&imports, &code, b"abcdefghij"));
    let places = [Place::Number(0), Place::Counted(4)];
    let emitted = emit(&lowered, &places, &target(false)).unwrap();
    let expected = [
        "mov rax,rsi",
        "and rax,0x7",
        "cmp rax,0x3",
        "jne",
        "test r9,r9",
        "je",
        "cmp QWORD PTR [rsp+0x8],0xa",
        "jne",
        "mov rax,QWORD PTR [r9]",
        "cmp rax,QWORD PTR [rip]",
        "jne",
        "mov rax,QWORD PTR [r9+0x2]",
        "cmp rax,QWORD PTR [rip]",
        "jne",
        "mov rax,QWORD PTR [rip]",
        "jmp QWORD PTR [rip]",
        "jmp QWORD PTR [rip]",
        // The text has not ten bytes.
        "jb",
        "cmp BYTE PTR [r9+0xa],0x0",
        "je",
        "jmp",
        // Its address is null.
        "xor eax,eax",
        "jmp",
        "call",
        "jmp rax",
        "push QWORD PTR [rip]",
        "jmp QWORD PTR [rip]",
    ];
    assert_eq!(disassembled(emitted.instructions()), expected);
}

/// As the interpreter's bar and the memory of filters are stated for: fifty texts, of fifteen characters each.
#[test]
fn fifty_texts_in_a_page() {
    let names: Vec<String> = (0..50).map(|text| format!("text_{text}")).collect();
    let imports: Vec<_> = names.iter().map(|name| import(Class::Text, name)).collect();
    let literals: String = (0..50)
        .map(|text| format!("argument-num-{text:02}"))
        .collect();
    let mut code = vec![copy(6, 1)];
    for text in 0..50 {
        code.extend(test_text(1, 8 * text, 15 * text, 15));
        let left = 49 - text as i16;
        code.push(jump(JSLE, 0, 0, 7 * left + 2));
    }
    code.extend([set(0, 1), exit(), set(0, 0), exit()]);
    let lowered = Arc::new(lowered(&imports, &code, literals.as_bytes()));
    let places: Vec<_> = (0..50).map(Place::Terminated).collect();
    let emitted = emit(&lowered, &places, &target(true)).unwrap();
    assert!(emitted.bytes().len() <= 4096, "{}", emitted.bytes().len());
    let lines = disassembled(emitted.instructions());
    let expected = [
        "mov r10,QWORD PTR [rsi+0x8]",
        "lea eax,[r10+0xf]",
        "test eax,0xff0",
        "je",
        "movdqu xmm0,XMMWORD PTR [r10]",
        "pcmpeqb xmm0,XMMWORD PTR [rip]",
        "pmovmskb eax,xmm0",
        "cmp eax,0xffff",
        "jne",
    ];
    assert_eq!(lines[9..18], expected);
}

#[test]
fn values() {
    // Of `a` in a word that is far away, and `b`.
    let imports = [import(Class::Integer, "a"), import(Class::Integer, "b")];
    let code = [
        load(2, 1, 0),
        load(3, 1, 8),
        i(ALU64 | MUL | X, 2, 3, 0, 0),
        i(ALU | LSH, 2, 0, 0, 3),
        i(ALU64 | NEG, 2, 0, 0, 0),
        i(ALU64 | AND, 2, 0, 0, 0xff00),
        i(ALU64 | END, 2, 0, 0, 32),
        i(ALU64 | MOV | X, 2, 2, 16, 0),
        copy(0, 2),
        exit(),
    ];
    let lowered = Arc::new(lowered(&imports, &code, &[]));
    let places = [Place::Number(16), Place::Number(1)];
    let emitted = emit(&lowered, &places, &target(true)).unwrap();
    let expected = [
        "mov rax,QWORD PTR [rsi+0x80]",
        // The only value that has to wait.
        "mov QWORD PTR [rsp-0x18],rax",
        "mov rax,QWORD PTR [rsi+0x8]",
        "mov r10,rax",
        "mov rax,QWORD PTR [rsp-0x18]",
        "imul rax,r10",
        "shl eax,0x3",
        "mov eax,eax",
        "neg rax",
        "and rax,0xff00",
        "bswap eax",
        "movsx rax,ax",
        "test rax,rax",
        "je",
        "cmp rax,0x2",
        "je",
        "jmp",
        "jmp QWORD PTR [rip]",
        "mov rax,QWORD PTR [rip]",
        "jmp QWORD PTR [rip]",
        "mov rax,QWORD PTR [rip]",
        "jmp QWORD PTR [rip]",
    ];
    assert_eq!(disassembled(emitted.instructions()), expected);
}

/// No instruction of any program is one that a disassembler does not know.
#[test]
fn instructions_of_random_programs() {
    let mut all = Vec::new();
    let mut made = 0_u32;
    let mut state = 1_u64;
    while made < 200 {
        let bytes: Vec<u8> = std::iter::repeat_with(|| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 56) as u8
        })
        .take(300)
        .collect();
        let program = Made::of(&bytes);
        let imports = program.imports();
        let Ok(verified) = verify(&program.program(&imports)) else {
            continue;
        };
        let lowered = Arc::new(lower(&verified));
        let places =
            (0..imports.len() as u8).map(|import| match imports[usize::from(import)].class {
                Class::Text => Place::Counted(2 * import),
                _ => Place::Number(2 * import),
            });
        match emit(
            &lowered,
            &places.collect::<Vec<_>>(),
            &target(made.is_multiple_of(2)),
        ) {
            Ok(emitted) => all.extend_from_slice(emitted.instructions()),
            Err(error) => assert_eq!(error, CannotEmit::Values),
        }
        made += 1;
    }
    let lines = disassembled(&all);
    assert!(lines.len() > 500, "{}", lines.len());
    assert!(
        lines.iter().all(|line| !line.contains("(bad)")),
        "{lines:#?}"
    );
}
