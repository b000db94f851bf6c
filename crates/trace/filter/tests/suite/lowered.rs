//! Checked expressions as blocks: how they are shown, and what they do.

use std::collections::BTreeMap;

use perflab_filter::{
    Compute, End, How, Ir, Operation, Relation, Test, Value, Verdict, check, lower, parse,
};

use crate::fields;

fn lowered(text: &str) -> Ir {
    let tree = parse(text).unwrap_or_else(|problem| panic!("{text:?}: {problem}"));
    let checked = check(&tree, &fields()).unwrap_or_else(|problem| panic!("{text:?}: {problem}"));
    lower(&checked)
}

#[test]
fn blocks() {
    for (text, expected) in [
        (
            "1",
            "\
b0:
  go b1
b1:
  record
b2:
  reject
",
        ),
        (
            "name == \"SET\" && 512 < size",
            "\
b0:
  if name is \"SET\" go b1 else b3
b1:
  t0 = size
  if t0 > 512 go b2 else b3
b2:
  record
b3:
  reject
",
        ),
        (
            "!(name != \"a*\" || key == \"*b\\*\")",
            "\
b0:
  if name begins with \"a\" go b1 else b3
b1:
  if key matches \"\\x00b*\" go b3 else b2
b2:
  record
b3:
  reject
",
        ),
        (
            "(fd && size) > 3",
            "\
b0:
  t0 = fd
  if t0 != 0 go b1 else b2
b1:
  t1 = size
  go b3(t1)
b2:
  go b3(0)
b3(t2):
  if t2 > 3 go b4 else b5
b4:
  record
b5:
  reject
",
        ),
        (
            "1 << fd == data[2]",
            "\
b0:
  t0 = fd
  if t0 below 64 go b1 else b3
b1:
  t1 = 1 << t0
  t2 = data[2]
  if t1 == t2 go b2 else b3
b2:
  record
b3:
  reject
",
        ),
        (
            "mean >= fd || -ratio != 0.0",
            "\
b0:
  t0 = double mean
  t1 = fd
  t2 = double of integer t1
  t3 = compare doubles t0, t2
  if t3 below 2 go b2 else b1
b1:
  t4 = double ratio
  t5 = t4 ^ -9223372036854775808
  t6 = compare doubles t5, 0
  if t6 != 0 go b2 else b3
b2:
  record
b3:
  reject
",
        ),
        // Nothing comes behind a shift that always rejects.
        (
            "fd == 1 && fd >> 64 == 0 && size",
            "\
b0:
  t0 = fd
  if t0 == 1 go b1 else b2
b1:
  t1 = fd
  go b2
b2:
  reject
",
        ),
    ] {
        assert_eq!(lowered(text).to_string(), expected, "{text}");
    }
}

#[test]
fn literals_are_kept_once() {
    let ir = lowered("name == \"ab\" || key == \"ab\" || name == \"\" || key == \"b\"");
    assert_eq!(ir.literals, b"abb");
}

/// A value of an event.
#[derive(Debug, Clone, Copy)]
pub enum Datum {
    Integer(i64),
    Double(f64),
    Text(Option<&'static str>),
}

/// Executes a filter on an event. Checks that it leads forward, and that no value is computed twice.
pub fn verdict(ir: &Ir, event: impl Fn(&str) -> Datum) -> Verdict {
    let datum = |import: u8| event(&ir.imports[usize::from(import)].name);
    let text = |import: u8| match datum(import) {
        Datum::Text(text) => text.map(str::as_bytes),
        other => panic!("{other:?} is no text"),
    };
    let mut values: BTreeMap<u16, i64> = BTreeMap::new();
    let mut at = 0;
    loop {
        let block = &ir.blocks[at];
        for computed in &block.computed {
            let of = |value: Value| match value {
                Value::Constant(value) => value,
                Value::Temporary(number) => values[&number],
            };
            let double = |value: Value| f64::from_bits(of(value).cast_unsigned());
            let bits = |value: f64| value.to_bits().cast_signed();
            let value = match computed.how {
                Compute::Import(import) => match datum(import) {
                    Datum::Integer(value) => value,
                    other => panic!("{other:?} is no integer"),
                },
                Compute::Byte(import, index) => {
                    let byte = text(import).and_then(|text| text.get(index as usize));
                    let Some(byte) = byte else {
                        return Verdict::Reject;
                    };
                    i64::from(*byte)
                }
                Compute::Binary(operation, one, other) => {
                    let (one, other) = (of(one), of(other));
                    match operation {
                        Operation::And => one & other,
                        Operation::Or => one | other,
                        Operation::Xor => one ^ other,
                        Operation::ShiftLeft => one << other,
                        Operation::ShiftRight => (one.cast_unsigned() >> other).cast_signed(),
                    }
                }
                Compute::Negate(value) => of(value).wrapping_neg(),
                Compute::Not(value) => !of(value),
                Compute::DoubleOf(import) => match datum(import) {
                    Datum::Double(value) => bits(value),
                    other => panic!("{other:?} is no double"),
                },
                Compute::DoubleOfInteger(value) => bits(of(value) as f64),
                Compute::IntegerOfDouble(value) => match double(value) {
                    inside if inside.abs() < 9.2e18 => inside as i64,
                    _ => i64::MIN,
                },
                Compute::CompareDoubles(one, other) => {
                    let order = double(one).partial_cmp(&double(other));
                    order.map_or(2, |order| order as i64)
                }
            };
            assert_eq!(values.insert(computed.temporary, value), None);
        }
        let of = |value: Value| match value {
            Value::Constant(value) => value,
            Value::Temporary(number) => values[&number],
        };
        let next = match &block.end {
            End::Return(verdict) => return *verdict,
            End::Jump(to, value) => {
                let parameter = ir.blocks[*to].parameter;
                assert_eq!(parameter.is_some(), value.is_some());
                if let (Some(parameter), Some(value)) = (parameter, value.map(of)) {
                    assert_eq!(values.insert(parameter, value), None);
                }
                *to
            }
            End::Branch { test, yes, no } => {
                let is_true = match test {
                    Test::Compare(relation, one, other) => compare(*relation, of(*one), of(*other)),
                    Test::Text {
                        import,
                        literal,
                        how,
                    } => {
                        let Some(text) = text(*import) else {
                            return Verdict::Reject;
                        };
                        let literal = &ir.literals[literal.clone()];
                        match how {
                            How::Equal => text == literal,
                            How::Begins => text.starts_with(literal),
                            How::Matches => matches(literal, text),
                        }
                    }
                    Test::SameText(one, other) => match (text(*one), text(*other)) {
                        (Some(one), Some(other)) => one == other,
                        _ => return Verdict::Reject,
                    },
                };
                if is_true { *yes } else { *no }
            }
        };
        assert!(next > at, "b{at} leads to b{next}");
        at = next;
    }
}

fn compare(relation: Relation, one: i64, other: i64) -> bool {
    match relation {
        Relation::Equal => one == other,
        Relation::NotEqual => one != other,
        Relation::Less => one < other,
        Relation::LessOrEqual => one <= other,
        Relation::Greater => one > other,
        Relation::GreaterOrEqual => one >= other,
        Relation::Below => one.cast_unsigned() < other.cast_unsigned(),
    }
}

/// A zero is a star.
fn matches(pattern: &[u8], text: &[u8]) -> bool {
    match pattern {
        [] => text.is_empty(),
        [0, rest @ ..] => (0..=text.len()).any(|skipped| matches(rest, &text[skipped..])),
        [first, rest @ ..] => text
            .split_first()
            .is_some_and(|(own, behind)| own == first && matches(rest, behind)),
    }
}

/// An event: texts that begin alike, a null pointer, numbers of both signs, and no number.
pub fn event(name: &str) -> Datum {
    match name {
        "fd" => Datum::Integer(-1),
        "size" => Datum::Integer(70),
        "is_new" => Datum::Integer(1),
        "at" => Datum::Integer(0),
        "kind" => Datum::Integer(2),
        "ratio" => Datum::Double(0.5),
        "mean" => Datum::Double(f64::NAN),
        "name" => Datum::Text(Some("user:1")),
        "key" => Datum::Text(None),
        "data" => Datum::Text(Some("ab")),
        "$ctx.procname" => Datum::Text(Some("redis")),
        "$ctx.vtid" => Datum::Integer(77),
        other => panic!("{other}"),
    }
}

#[test]
fn what_is_recorded() {
    for text in [
        "1",
        "-5",
        "fd",
        "fd == -1 && fd < size",
        "fd == 18446744073709551615",
        "2 & 2 == 2",
        "~0 >> 4 == 0x0fffffffffffffff",
        "-1 == ~0",
        "(0xF00F0F ^ 0xFF0F00) == 0x0F000F",
        "fd >> 63 == 1",
        "1 << kind == 4",
        "-size == -70 && +size == 70 && - -size == 70",
        "!at && !!size",
        "at || kind",
        "(at || kind) == 2 && (kind && size) == 70 && (kind || size) == 1",
        "(at && key == \"a\") == 0",
        "(1 && kind) == 2",
        "(size > 5) == 1 && (size > 500) == 0",
        "~(size > 5) == -2",
        "ratio == 0.5 && ratio < 1 && 1 > ratio && ratio >= 0.5",
        "-ratio == -0.5 && !(ratio && 1)",
        "!ratio == 0 && !-0.0",
        "mean != mean && !(mean == mean) && !(mean < 1) && !(mean >= 1)",
        // What is no number is truncated to the smallest integer, which is true.
        "mean && 1",
        "(size && 2.9) == 2",
        "size == 70.0",
        "name == \"user:*\" && name != \"user\" && name == \"*1\" && name == \"u*:*\"",
        "\"user:1\" == name",
        "name == name && name != data",
        "$ctx.procname == \"redis\" && $ctx.vtid == 77",
        "data[0] == 0x61 && data[1] == 98",
        "data[1] && data[0] & 1",
        "\"abc\" == \"a*\" && \"a\\*\" == \"a\\*\" && \"a\" != \"b*\"",
        "is_new == 1 && size || key == \"a\"",
    ] {
        assert_eq!(verdict(&lowered(text), event), Verdict::Record, "{text}");
    }
}

#[test]
fn what_is_rejected() {
    for text in [
        "0",
        "at",
        "fd > size",
        "0.5 && 1",
        "ratio || at",
        "name == \"user\"",
        "name == \"*x*\"",
        // A null pointer ends it, whatever is around it.
        "key == \"a\"",
        "key != \"a\"",
        "!(key == \"a\")",
        "key == \"a\" || 1",
        "name == key",
        "1 && (key == \"*\" || 1)",
        // So does an index behind the end, and a shift by what is no place.
        "data[2] == 0 || 1",
        "!data[4294967295]",
        "1 << 64 || 1",
        "!(1 << fd)",
        "size >> -1 == 0 || 1",
        "1 >> size == 0",
        "(at || key == \"a\") == 0",
    ] {
        assert_eq!(verdict(&lowered(text), event), Verdict::Reject, "{text}");
    }
}
