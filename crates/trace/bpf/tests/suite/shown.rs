//! Instructions as text, as `llvm-objdump` writes them.

use perflab_bpf::opcode::*;
use perflab_bpf::{Instruction, Shown};

use crate::assembler::*;

#[test]
fn as_text() {
    let cases = [
        (copy(6, 1), "r6 = r1"),
        (set(2, -8), "r2 = -8"),
        (i(ALU | MOV, 2, 0, 0, 1), "w2 = 1"),
        (i(ALU | ADD | X, 2, 3, 0, 0), "w2 += w3"),
        (i(ALU64 | ARSH, 2, 0, 0, 3), "r2 s>>= 3"),
        (i(ALU64 | DIV, 2, 0, 1, 3), "r2 s/= 3"),
        (i(ALU64 | MOD | X, 2, 3, 1, 0), "r2 s%= r3"),
        (i(ALU64 | NEG, 2, 0, 0, 0), "r2 = -r2"),
        (i(ALU64 | MOV | X, 2, 3, 8, 0), "r2 = (s8)r3"),
        (i(ALU | END, 2, 0, 0, 16), "r2 = le16 r2"),
        (i(ALU | END | X, 2, 0, 0, 32), "r2 = be32 r2"),
        (i(ALU64 | END, 2, 0, 0, 64), "r2 = bswap64 r2"),
        (load(2, 1, 8), "r2 = *(u64 *)(r1 + 8)"),
        (i(LDX | MEMSX | H, 2, 10, -2, 0), "r2 = *(s16 *)(r10 - 2)"),
        (i(ST | MEM | B, 10, 0, -1, 7), "*(u8 *)(r10 - 1) = 7"),
        (store(10, -8, 1), "*(u64 *)(r10 - 8) = r1"),
        (jump(JSLE, 0, 0, 7), "if r0 s<= 0 goto +7"),
        (i(JMP32 | JSET | X, 1, 2, -1, 0), "if w1 & w2 goto -1"),
        (i(JMP | JA, 0, 0, 7, 0), "goto +7"),
        (i(JMP32 | JA, 0, 0, 0, 7), "gotol +7"),
        (call(1), "call 1"),
        (exit(), "exit"),
        (i(0xe4, 0, 0, 0, 0), "<unknown>"),
        (i(0, 0, 0, 0, 0), "<unknown>"),
    ];
    for (instruction, text) in cases {
        assert_eq!(Shown(instruction, None).to_string(), text);
        assert_eq!(Instruction::decode(instruction.encode()), instruction);
    }
    let [first, second] = wide(3, 0, -1, 1);
    let shown = Shown(first, Some(second)).to_string();
    assert_eq!(shown, "r3 = 8589934591 ll");
}

#[test]
fn bytes_and_fields() {
    // From RFC 9669, 3.1.
    let bytes = [0x07, 0x01, 0, 0, 0x44, 0x33, 0x22, 0x11];
    assert_eq!(Instruction::decode(bytes), add(1, 0x1122_3344));
    let bytes = [0x7b, 0x1a, 0xf8, 0xff, 0, 0, 0, 0];
    assert_eq!(store(10, -8, 1).encode(), bytes);
}
