//! Random files: numbers in every form that C reads, in lines of every form.

use super::generator::choose;
use rand::Rng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

/// How a case's files are laid out, so that the options can fit them, or nearly.
pub struct Layout {
    pub column: usize,
    pub delimiters: Vec<u8>,
    /// Whether some cells hold no number.
    pub faults: bool,
    /// Whether some are infinite, not a number, or zeros of either sign.
    pub special_values: bool,
}

/// Where a case's values lie: how far from zero, how far apart.
pub struct Scale {
    kind: u32,
    centre: f64,
    spread: f64,
}

impl Scale {
    pub fn random(rng: &mut ChaCha8Rng) -> Self {
        let magnitude = if rng.random_bool(0.85) {
            rng.random_range(-6..10)
        } else {
            rng.random_range(-323..308)
        };
        let centre = rng.random_range(-10.0..10.0) * 10_f64.powi(magnitude);
        let relative = 10_f64.powi(rng.random_range(-17..3));
        Self {
            kind: rng.random_range(0..9),
            centre,
            spread: centre.abs() * relative,
        }
    }

    fn value(&self, rng: &mut ChaCha8Rng, shift: f64) -> f64 {
        let bell = (0..6).map(|_| rng.random_range(-1.0..1.0)).sum::<f64>();
        match self.kind {
            0..=2 => self.centre + self.spread * (bell + shift),
            3 => f64::from(rng.random_range(-5..20)) + shift.round(),
            4 => f64::from(rng.random_range(45_000..48_000)) + (300.0 * shift).round(),
            // A few units in the last place apart.
            5 => f64::from_bits(self.centre.to_bits().wrapping_add(rng.random_range(0..200))),
            6 => self.centre,
            7 => (bell + shift).exp2(),
            _ => *[0.0, -0.0, 1.0, -1.0, 0.1, 1e-300, 5e-324, 1e150]
                .choose(rng)
                .unwrap(),
        }
    }
}

pub fn content(rng: &mut ChaCha8Rng, layout: &Layout, scale: &Scale) -> Vec<u8> {
    let count = match rng.random_range(0..40) {
        0 => rng.random_range(0..3),
        1..=3 => rng.random_range(45..56),
        4..=5 => rng.random_range(90..110),
        6 => rng.random_range(500..3000),
        7..=18 => rng.random_range(3..7),
        _ => rng.random_range(3..40),
    };
    let shift = rng.random_range(-3.0..3.0);
    let line_end: &[u8] = if rng.random_bool(0.15) {
        b"\r\n"
    } else {
        b"\n"
    };
    let mut text = Vec::new();
    for _ in 0..count {
        if rng.random_bool(0.05) && !layout.delimiters.contains(&b'#') {
            text.extend(ignored_line(rng));
            text.extend(line_end);
        }
        let mut cell = cell(scale.value(rng, shift), rng);
        if layout.special_values && rng.random_bool(0.15) {
            cell = choose(
                rng,
                &[
                    b"inf",
                    b"-inf",
                    b"nan",
                    b"-nan",
                    b"NaN(1_a)",
                    b"+Infinity",
                    b"1e999",
                    b"-0",
                    b"0",
                    b"-0x0p9",
                ],
            )
            .to_vec();
        } else if layout.faults && rng.random_bool(0.02) {
            cell = choose(
                rng,
                &[
                    b"x", b"1e", b"0x", b"nan(", b"1..2", b"--1", b"1,5", b"0x1p", b"\xe9", b"#",
                    b"infi", b"+", b" #1",
                ],
            )
            .to_vec();
        }
        text.extend(line(rng, layout, &cell));
        text.extend(line_end);
    }
    if rng.random_bool(0.2) {
        text.truncate(text.len().saturating_sub(line_end.len()));
    }
    text
}

fn ignored_line(rng: &mut ChaCha8Rng) -> Vec<u8> {
    choose(
        rng,
        &[
            b"",
            b" ",
            b"\t \x0b\x0c",
            b"# comment",
            b"#",
            b"\0",
            b"\x005",
            b"#\xff",
        ],
    )
    .to_vec()
}

/// A line with the cell in its column, other cells around it, and sometimes blanks without end.
fn line(rng: &mut ChaCha8Rng, layout: &Layout, cell: &[u8]) -> Vec<u8> {
    let mut line = Vec::new();
    let delimiter = |rng: &mut ChaCha8Rng| {
        let length = if rng.random_bool(0.9) {
            1
        } else {
            rng.random_range(1..4)
        };
        (0..length)
            .map(|_| *layout.delimiters.choose(rng).unwrap())
            .collect::<Vec<u8>>()
    };
    if rng.random_bool(0.05) {
        line.extend(delimiter(rng));
    }
    for _ in 1..layout.column {
        line.extend(choose(
            rng,
            &[b"a", b"12", b"b#", b"3.5", b"\xc3\xa9", b"0"],
        ));
        line.extend(delimiter(rng));
    }
    if layout.column > 1 && rng.random_bool(0.01) {
        line.truncate(1);
    }
    if rng.random_bool(0.01) {
        line.extend(choose(rng, &[b" ", b" ", b"\x0b", b"\t\x0c "]));
    }
    if rng.random_bool(0.002) {
        // Around the 8191 bytes at which lines are cut.
        let blanks = rng.random_range(8160..8200);
        line.extend(vec![
            *choose(rng, &[b" ", b"\t", b"0", b"7"])
                .first()
                .unwrap();
            blanks
        ]);
    }
    line.extend(cell);
    if rng.random_bool(0.2) {
        line.extend(delimiter(rng));
        line.extend(choose(rng, &[b"", b"rest", b"# rest", b"9 9 9", b"\0 x"]));
    }
    if rng.random_bool(0.03) {
        line.extend(choose(rng, &[b" ", b" \t ", b"\x0b", b"\0", b" \r"]));
    }
    if rng.random_bool(0.001) {
        line.extend(vec![b' '; rng.random_range(8100..17_000)]);
    }
    line
}

/// A number as text, in one of the ways that C reads.
fn cell(value: f64, rng: &mut ChaCha8Rng) -> Vec<u8> {
    match rng.random_range(0..40) {
        0 => format!("{value:e}"),
        1 => format!("{value:E}"),
        2 => format!("{value:.0}."),
        3 => format!("{value:.3e}"),
        4 => format!("{value:.40e}"),
        5 => format!("{value:+}"),
        6 => format!("{value:.2}"),
        7..=8 => hexadecimal(value, rng),
        9 => format!("{value:.800e}"),
        10 => format!("{:.1}", value.abs().min(1e6))
            .trim_start_matches('0')
            .to_owned(),
        11 => format!("{:024}", value.abs()),
        _ if value.abs() > 1e30 || value.abs() < 1e-30 => format!("{value:e}"),
        _ => format!("{value}"),
    }
    .into_bytes()
}

fn hexadecimal(value: f64, rng: &mut ChaCha8Rng) -> String {
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let bits = value.abs().to_bits();
    let (fraction, exponent) = (bits & ((1 << 52) - 1), (bits >> 52) as i64 - 1023);
    match rng.random_range(0..5) {
        0 => format!("{sign}0x{:x}", value.abs().min(1e18) as u64),
        1 => format!("{sign}0X{:X}p{}", fraction | 1 << 52, exponent - 52),
        2 => format!("{sign}0x1.{fraction:013x}8p{exponent:+}"),
        3 => format!(
            "{sign}0x.00{:014x}00000000000000000001P{exponent}",
            fraction << 4
        ),
        _ => format!("{sign}0x1.{fraction:013x}p{exponent}"),
    }
}
