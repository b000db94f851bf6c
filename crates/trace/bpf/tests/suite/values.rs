//! Events whose values the caller has, and which instruction became which operation.

use perflab_bpf::opcode::*;
use perflab_bpf::{
    Class, Program, Value, Verdict, judge_values, lower, lower_with_origins, verify,
};

use crate::assembler::*;

#[test]
fn values_of_this_process() {
    let lowered = lowered(&IMPORTS, &conjunction(), LITERALS);
    let verdict = |number: i64, text: Option<&[u8]>| {
        let values = [
            Value::Number(number.cast_unsigned()),
            Value::Number(1.5_f64.to_bits()),
            Value::Text(text),
        ];
        judge_values(&lowered, &values)
    };
    assert_eq!(verdict(513, Some(b"GET")), Verdict::Record);
    for text in [&b"GETS"[..], b"GE", b"", b"GE\0"] {
        assert_eq!(verdict(513, Some(text)), Verdict::Reject, "{text:?}");
    }
    assert_eq!(verdict(-1, Some(b"GET")), Verdict::Reject);
    assert_eq!(verdict(513, None), Verdict::Reject);
    // Values that are missing, or of another class.
    assert_eq!(judge_values(&lowered, &[]), Verdict::Reject);
    let turned = [
        Value::Text(Some(b"GET")),
        Value::Number(0),
        Value::Number(7),
    ];
    assert_eq!(judge_values(&lowered, &turned), Verdict::Reject);
}

/// Absent is -1, and the empty text of a slice is there.
#[test]
fn a_text_that_is_not_there() {
    let imports = [import(Class::Text, "text")];
    let [low, high] = wide(3, 6, 0, 0);
    let code = [
        set(2, 0),
        low,
        high,
        set(4, 0),
        call(2),
        jump(JNE, 0, -1, 1),
        set(0, 2),
        exit(),
    ];
    let lowered = lowered(&imports, &code, LITERALS);
    let verdict = |text| judge_values(&lowered, &[Value::Text(text)]);
    assert_eq!(verdict(None), Verdict::RecordAndTrigger);
    assert_eq!(verdict(Some(b"")), Verdict::Record);
}

#[test]
fn operations_know_their_instructions() {
    let code = bytes(&conjunction());
    let program = Program {
        imports: &IMPORTS,
        code: &code,
        literals: LITERALS,
    };
    let verified = verify(&program).unwrap();
    let (lowered, origins) = lower_with_origins(&verified);
    assert_eq!(lowered, lower(&verified));
    // The call, the second jump, and both ends.
    assert_eq!(origins, [6, 9, 11, 13]);
}
