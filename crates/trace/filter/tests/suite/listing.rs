//! Programs as text.

use perflab_filter::{NativeLine, check, ebpf_with_blocks, listing, lower, parse};

use crate::fields;

fn shown(expression: &str, native: &[(Option<usize>, &str)]) -> String {
    let checked = check(&parse(expression).unwrap(), &fields()).unwrap();
    let ir = lower(&checked);
    let (program, starts) = ebpf_with_blocks(&ir).unwrap();
    let native = native.iter().map(|(instruction, text)| NativeLine {
        instruction: *instruction,
        text: (*text).to_owned(),
    });
    let native: Vec<NativeLine> = native.collect();
    listing(&program, Some((&ir, &starts)), &native)
}

#[test]
fn blocks_and_instructions() {
    let expected = "\
context     0: text    name
context     8: integer size
literals    0: \"SET\"

blocks                            eBPF
b0:                                   0: bf 16 00 00 00 00 00 00  r6 = r1
  if name is \"SET\" go b1 else b3      1: bf 61 00 00 00 00 00 00  r1 = r6
                                      2: b7 02 00 00 00 00 00 00  r2 = 0
                                      3: 18 63 00 00 00 00 00 00  r3 = literals + 0 ll
                                      4: 00 00 00 00 00 00 00 00
                                      5: b7 04 00 00 03 00 00 00  r4 = 3
                                      6: 85 00 00 00 01 00 00 00  call 1  # text_is
                                      7: d5 00 04 00 00 00 00 00  if r0 s<= 0 goto +4
b1:                                   8: 79 60 08 00 00 00 00 00  r0 = *(u64 *)(r6 + 8)
  t0 = size                           9: d5 00 02 00 00 02 00 00  if r0 s<= 512 goto +2
  if t0 > 512 go b2 else b3
b2:                                  10: b7 00 00 00 01 00 00 00  r0 = 1
  record                             11: 95 00 00 00 00 00 00 00  exit
b3:                                  12: b7 00 00 00 00 00 00 00  r0 = 0
  reject                             13: 95 00 00 00 00 00 00 00  exit
";
    assert_eq!(shown("name == \"SET\" && 512 < size", &[]), expected);
}

#[test]
fn native_code_next_to_its_instruction() {
    let native = [
        (None, "nop"),
        (Some(1), "mov eax, 1"),
        (None, "jmp accept"),
        (None, "int3"),
        (Some(99), "nobody's"),
    ];
    let expected = "\
blocks    eBPF                                     native
b0:           0: bf 16 00 00 00 00 00 00  r6 = r1  nop
  go b1
b1:           1: b7 00 00 00 01 00 00 00  r0 = 1   mov eax, 1
  record                                           jmp accept
                                                   int3
              2: 95 00 00 00 00 00 00 00  exit
b2:
  reject
";
    assert_eq!(shown("1", &native), expected);
}

/// A line that is wider than the column, with a text that is.
#[test]
fn long_lines() {
    let long = "a".repeat(60);
    let shown = shown(&format!("name == \"{long}\""), &[]);
    let expected = format!(
        "literals    0: \"{}\"\nliterals   48: \"{}\"\n",
        "a".repeat(48),
        "a".repeat(12)
    );
    assert!(shown.contains(&expected), "{shown}");
    let line = format!("\n  if name is \"{long}\" go b1 else b2\n              1: bf 61");
    assert!(shown.contains(&line), "{shown}");
}

/// Without an expression there are no blocks.
#[test]
fn a_program_by_itself() {
    let checked = check(&parse("size").unwrap(), &fields()).unwrap();
    let (program, _) = ebpf_with_blocks(&lower(&checked)).unwrap();
    let shown = listing(&program, None, &[]);
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[0], "context     0: integer size");
    assert_eq!(lines[2], "eBPF");
    assert_eq!(lines[3], "    0: bf 16 00 00 00 00 00 00  r6 = r1");
}
