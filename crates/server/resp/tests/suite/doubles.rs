//! Floating-point numbers: their texts, and which texts are numbers.

use perflab_resp::double::{parse, text};
use rand::Rng;

use crate::random;

/// Texts that Redis takes for the number beside them, or refuses.
pub const TEXTS: &[(&str, Option<f64>)] = &[
    ("0", Some(0.0)),
    ("-0", Some(-0.0)),
    ("+1", Some(1.0)),
    ("1.", Some(1.0)),
    (".5", Some(0.5)),
    ("-.5e+1", Some(-5.0)),
    ("1E5", Some(1e5)),
    ("00012.50", Some(12.5)),
    ("0.1", Some(0.1)),
    ("1e308", Some(1e308)),
    ("1.7976931348623157e308", Some(f64::MAX)),
    ("1.7976931348623159e308", None),
    ("1e400", None),
    ("-1e400", None),
    ("2.2250738585072014e-308", Some(f64::MIN_POSITIVE)),
    ("5e-324", Some(5e-324)),
    ("3e-324", Some(5e-324)),
    ("2e-324", None),
    ("-1e-400", None),
    ("0e-400", Some(0.0)),
    ("0e400", Some(0.0)),
    ("9007199254740993", Some(9_007_199_254_740_992.0)),
    ("inf", Some(f64::INFINITY)),
    ("+Inf", Some(f64::INFINITY)),
    ("-INFINITY", Some(f64::NEG_INFINITY)),
    ("infinit", None),
    ("infinityx", None),
    ("nan", None),
    ("-nan", None),
    ("nan(1)", None),
    ("", None),
    ("+", None),
    ("-", None),
    (".", None),
    ("-.", None),
    ("e5", None),
    (".e5", None),
    ("1e", None),
    ("1e+", None),
    ("1e5.5", None),
    ("1.2.3", None),
    ("--1", None),
    ("+-1", None),
    (" 1", None),
    ("\t1", None),
    ("1 ", None),
    ("1\n", None),
    ("1,5", None),
    ("1_000", None),
    ("1f", None),
    ("0x10", Some(16.0)),
    ("0X1.8P1", Some(3.0)),
    ("-0x.8", Some(-0.5)),
    ("0x1.", Some(1.0)),
    ("0xffffffffffffffff", Some(18_446_744_073_709_551_616.0)),
    ("0x1p-1074", Some(5e-324)),
    ("0x1p-1075", None),
    ("0x1.0000000000000000001p-1075", Some(5e-324)),
    ("0x3p-1075", Some(1e-323)),
    ("0x1p1024", None),
    ("0x1.fffffffffffff8p1023", None),
    ("0x1.fffffffffffff7fffp1023", Some(f64::MAX)),
    ("0x0p99999999999", Some(0.0)),
    ("0x1p99999999999999999999", None),
    ("0x1p-99999999999999999999", None),
    ("0x00000000000000000000001p4", Some(16.0)),
    ("0x", None),
    ("0x.", None),
    ("0x.p1", None),
    ("0x1p", None),
    ("0x1p+", None),
    ("0x1g", None),
    ("0x-1", None),
    ("0x1.8.8", None),
    ("0xinf", None),
];

#[test]
fn texts_are_taken_or_refused() {
    for (text, number) in TEXTS {
        let parsed = parse(text.as_bytes());
        assert_eq!(
            parsed.map(f64::to_bits),
            number.map(f64::to_bits),
            "{text:?}: {parsed:?}"
        );
    }
    assert_eq!(parse(b"1\0"), None);
    assert_eq!(parse(b"\xff"), None);
    assert_eq!(parse(b"1\xff"), None);
}

#[test]
fn numbers_have_the_texts_of_c() {
    for (number, expected) in [
        (0.0, "0"),
        (-0.0, "-0"),
        (1.0, "1"),
        (-1.0, "-1"),
        (100.0, "100"),
        (0.5, "0.5"),
        (-0.25, "-0.25"),
        (0.1, "0.10000000000000001"),
        (0.2, "0.20000000000000001"),
        (1.0 / 3.0, "0.33333333333333331"),
        (std::f64::consts::PI, "3.1415926535897931"),
        (1234.5, "1234.5"),
        (0.001, "0.001"),
        (0.0001, "0.0001"),
        (0.00001, "1.0000000000000001e-05"),
        (0.000_012_5, "1.2500000000000001e-05"),
        (1e15, "1000000000000000"),
        (1e16, "10000000000000000"),
        (123_456_789_012_345_680.0, "1.2345678901234568e+17"),
        (1e17, "1e+17"),
        (1e20, "1e+20"),
        (1e21, "1e+21"),
        (1e23, "9.9999999999999992e+22"),
        (1e100, "1e+100"),
        (1e300, "1.0000000000000001e+300"),
        (f64::MAX, "1.7976931348623157e+308"),
        (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
        (5e-324, "4.9406564584124654e-324"),
        (9_007_199_254_740_992.0, "9007199254740992"),
        (12_345_678_901_234_568.0, "12345678901234568"),
        // Its 18 digits end with a 5, which rounds to even.
        (2.0_f64.powi(50) + 0.25, "1125899906842624.2"),
        (2.0_f64.powi(50) + 0.75, "1125899906842624.8"),
        (f64::INFINITY, "inf"),
        (f64::NEG_INFINITY, "-inf"),
        (f64::NAN, "nan"),
    ] {
        let text = text(number);
        assert_eq!(String::from_utf8_lossy(text.as_bytes()), expected);
    }
}

#[test]
fn random_numbers_come_back() {
    let mut rng = random::generator(3);
    for _ in 0..100_000 {
        let number = f64::from_bits(rng.random());
        let text = text(number);
        if !number.is_nan() {
            let back = parse(text.as_bytes());
            assert_eq!(back.map(f64::to_bits), Some(number.to_bits()), "{number:e}");
        }
    }
}

/// The nearest number is known where a number was written with all its bits, and something less than half of the last
/// one was added.
#[test]
fn random_hexadecimal_numbers_are_rounded() {
    let mut rng = random::generator(4);
    for _ in 0..100_000 {
        let bits = rng.random::<u64>() >> 12;
        let exponent = rng.random_range(-1022..=1023);
        let number = f64::from_bits(bits | (((exponent + 1023) as u64) << 52));
        let exact = format!("0x1.{bits:013x}p{exponent}");
        assert_eq!(parse(exact.as_bytes()), Some(number), "{exact}");
        let below_half = format!("0x1.{bits:013x}7fffp{exponent}");
        assert_eq!(parse(below_half.as_bytes()), Some(number), "{below_half}");
        let half = format!("0x1.{bits:013x}8p{exponent}");
        let above_half = format!("0x1.{bits:013x}80000000001p{exponent}");
        let next = Some(number.next_up()).filter(|number| number.is_finite());
        assert_eq!(parse(above_half.as_bytes()), next, "{above_half}");
        let even = if bits % 2 == 0 { Some(number) } else { next };
        assert_eq!(parse(half.as_bytes()), even, "{half}");
    }
}
