//! Figures for people: few digits, in units that can be read.

/// Written where there is no finite figure.
pub(crate) const NONE: &str = "…";

/// Significant digits of a measured value.
const DIGITS: usize = 4;

/// From here on a figure is written with an exponent.
pub(crate) const LONGEST: f64 = 1e12;

/// From here downwards too.
const SHORTEST: f64 = 1e-6;

/// Decimals of a percentage that is nearly 100 %: more are not in the figure.
const MOST_OF_SHARE: usize = 12;

const SECONDS: [(f64, &str); 4] = [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")];
const BYTES: [(f64, &str); 5] = [
    (1_099_511_627_776.0, "TiB"),
    (1_073_741_824.0, "GiB"),
    (1_048_576.0, "MiB"),
    (1024.0, "KiB"),
    (1.0, "B"),
];

/// A value in the metric's unit, with at least four significant digits.
///
/// Times and bytes are scaled by their magnitude and carry their unit (`12.35 ms`, `1.500 KiB`); other values are
/// plain numbers without separators (`61350`), so that they survive copying. A value that is not finite is `…`.
pub fn value(value: f64, unit: &str) -> String {
    Scale::of(&[value], unit).value(value)
}

/// The same with the unit behind it, also where [`value`] leaves it out: `61350 /s`.
pub fn value_with_unit(value: f64, unit: &str) -> String {
    let scale = Scale::of(&[value], unit);
    with_unit(scale.value(value), scale, unit)
}

/// A size that is known roughly, in two significant digits, with its unit: `4.1`, `12 ms`, `1.5 KiB`, `240 /s`.
pub fn rough(value: f64, unit: &str) -> String {
    let scale = Scale::of(&[value], unit);
    let scaled = value * scale.factor;
    if !scaled.is_finite() {
        return NONE.to_owned();
    }
    let number = trimmed(significant(rounded(scaled, 2), 2));
    with_unit(number + &scale.unit(), scale, unit)
}

/// A figure with the metric's unit behind it, unless it bears the unit of its scale, or is none.
fn with_unit(figure: String, scale: Scale, unit: &str) -> String {
    match unit {
        "" => figure,
        _ if scale.has_unit() || figure == NONE => figure,
        "1/s" => figure + " /s",
        _ => format!("{figure} {unit}"),
    }
}

/// Whether values of that unit carry it.
pub(crate) fn value_has_unit(unit: &str) -> bool {
    Scale::of(&[], unit).has_unit()
}

/// Two values to be seen beside each other, on one scale unless they are a factor of 1000 apart.
pub(crate) fn pair(a: f64, b: f64, unit: &str) -> (String, String) {
    let (small, large) = if a.abs() < b.abs() { (a, b) } else { (b, a) };
    let one_scale = large.is_finite() && (small == 0.0 || small.abs() * 1000.0 > large.abs());
    if one_scale {
        let scale = Scale::of(&[a, b], unit);
        (scale.value(a), scale.value(b))
    } else {
        (value(a, unit), value(b, unit))
    }
}

/// Two values beside each other that lie in steps: with no more decimals than the steps have.
pub(crate) fn pair_in_steps([a, b]: [f64; 2], unit: &str, step: Option<f64>) -> (String, String) {
    let (fine_a, fine_b) = pair(a, b, unit);
    let Some(step) = step else {
        return (fine_a, fine_b);
    };
    let scale = Scale::of(&[a, b], unit);
    let decimals = -(step * scale.factor).log10().floor();
    let coarse = |value: f64, fine: String| {
        let has = fine.split_once('.').map_or(0, |(_, rest)| {
            rest.bytes().take_while(u8::is_ascii_digit).count()
        });
        let scaled = value * scale.factor;
        if !fine.ends_with(&scale.unit()) || (has as f64) <= decimals || fine.contains('e') {
            return fine;
        }
        format!("{scaled:.*}{}", decimals.max(0.0) as usize, scale.unit())
    };
    (coarse(a, fine_a), coarse(b, fine_b))
}

/// A share or a size without sign, with up to three significant digits: 0.95 is `95%`, 0.0123 is `1.23%`. What is
/// nearly all has as many as tell it from all: 0.999999 is `99.9999%`.
pub fn share(fraction: f64) -> String {
    let percent = fraction * 100.0;
    if !percent.is_finite() {
        return NONE.to_owned();
    }
    let short = trimmed(significant(percent, 3));
    if percent < 100.0 && short == "100" {
        let missing = 100.0 - percent;
        let needed = (1..=MOST_OF_SHARE)
            .map(|decimals| trimmed(format!("{percent:.decimals$}")))
            .find(|text| {
                let shown = text.parse().unwrap_or(100.0_f64);
                (shown - percent).abs() < 0.005 * missing
            });
        return needed.unwrap_or(short) + "%";
    }
    short + "%"
}

/// A p-value: two significant digits, and nothing below `< 0.0001`, where the tail's model is all that speaks.
pub fn probability(p: f64) -> String {
    match p {
        _ if !p.is_finite() => format!("p {NONE}"),
        _ if p < 1e-4 => "p < 0.0001".to_owned(),
        _ => format!("p = {}", trimmed(significant(p, 2))),
    }
}

/// A figure whose unit stands elsewhere, with at least so many significant digits.
pub(crate) fn short(value: f64, digits: usize) -> String {
    if value.is_finite() {
        significant(value, digits)
    } else {
        NONE.to_owned()
    }
}

/// How values of one unit are scaled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scale {
    /// From the metric's unit to the one shown.
    pub(crate) factor: f64,
    /// The unit that the scale chose; empty where values stay as they are.
    suffix: &'static str,
    per_second: bool,
    /// Whether a whole number is written without decimals.
    whole: bool,
}

impl Scale {
    /// Of relative differences.
    pub(crate) const PERCENT: Self = Self {
        factor: 100.0,
        suffix: "",
        per_second: false,
        whole: false,
    };

    /// The scale of the largest value.
    pub(crate) fn of(values: &[f64], unit: &str) -> Self {
        let largest = values
            .iter()
            .filter(|value| value.is_finite())
            .fold(0.0_f64, |largest, value| largest.max(value.abs()));
        let seconds = |base: f64| Self::pick(&SECONDS, largest, base, false);
        match unit {
            "s" => seconds(1.0),
            "ms" => seconds(1e-3),
            "us" | "µs" | "μs" => seconds(1e-6),
            "ns" => seconds(1e-9),
            "B" | "bytes" => Self::pick(&BYTES, largest, 1.0, false),
            "B/s" | "bytes/s" => Self::pick(&BYTES, largest, 1.0, true),
            _ => Self {
                factor: 1.0,
                suffix: "",
                per_second: false,
                whole: true,
            },
        }
    }

    /// The largest step that the value reaches once it is rounded, so that 999.99 µs is 1.000 ms.
    fn pick(steps: &[(f64, &'static str)], largest: f64, base: f64, per_second: bool) -> Self {
        let reached = |&&(step, _): &&(f64, &str)| {
            let times = largest * base / step;
            // Only what is nearly there can be rounded to it.
            times >= 1.0 || times > 0.99 && rounded(times, DIGITS) >= 1.0
        };
        let own = steps.iter().find(|&&(step, _)| step == base);
        let step = if largest == 0.0 {
            own
        } else {
            steps.iter().find(reached).or(steps.last())
        };
        let (step, suffix) = step.copied().unwrap_or((base, ""));
        Self {
            factor: base / step,
            suffix,
            per_second,
            whole: suffix == "B",
        }
    }

    fn has_unit(self) -> bool {
        !self.suffix.is_empty()
    }

    /// What stands behind a figure; nothing where the metric's own unit is kept.
    pub(crate) fn unit(self) -> String {
        match (self.suffix, self.per_second) {
            ("", _) => String::new(),
            (suffix, false) => format!(" {suffix}"),
            (suffix, true) => format!(" {suffix}/s"),
        }
    }

    fn value(self, value: f64) -> String {
        let scaled = value * self.factor;
        if !scaled.is_finite() {
            return NONE.to_owned();
        }
        let number = if self.whole && scaled.fract() == 0.0 && scaled.abs() < LONGEST {
            format!("{:.0}", scaled + 0.0)
        } else {
            significant(scaled, DIGITS)
        };
        number + &self.unit()
    }
}

/// A finite number with at least so many significant digits; whole digits are never rounded away.
fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let size = size(value, digits);
    if !(SHORTEST..LONGEST).contains(&size) {
        return format!("{value:.*e}", digits.saturating_sub(1));
    }
    // Within the bounds above the logarithm is small, so that the cast is exact.
    let decimals = digits as i32 - 1 - size.log10().floor() as i32;
    format!("{value:.*}", usize::try_from(decimals).unwrap_or(0))
}

/// The value without its sign, as large as it is once it is rounded: 0.9999 may be as large as 1.
fn size(value: f64, digits: usize) -> f64 {
    let size = value.abs();
    // Far from the next power of ten rounding does not matter, and takes most of the time.
    let mantissa = size / 10_f64.powf(size.log10().floor());
    if (1.01..9.0).contains(&mantissa) {
        size
    } else {
        rounded(size, digits)
    }
}

/// The value to so many significant digits.
fn rounded(value: f64, digits: usize) -> f64 {
    let text = format!("{value:.*e}", digits.saturating_sub(1));
    text.parse().unwrap_or(value)
}

/// Without zeros at the end of a fraction.
fn trimmed(number: String) -> String {
    let (digits, exponent) = number.split_at(number.find('e').unwrap_or(number.len()));
    if digits.contains('.') {
        let digits = digits.trim_end_matches('0').trim_end_matches('.');
        format!("{digits}{exponent}")
    } else {
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: fn(f64, &str) -> String, cases: &[(f64, &str, &str)]) {
        for (number, unit, text) in cases {
            assert_eq!(write(*number, unit), *text, "{number} {unit}");
        }
    }

    #[test]
    fn times_take_the_unit_of_their_magnitude() {
        let cases = [
            (0.012_345_6, "s", "12.35 ms"),
            (3.0, "s", "3.000 s"),
            (7200.0, "s", "7200 s"),
            (0.3, "ms", "300.0 µs"),
            (1801.0, "ns", "1.801 µs"),
            (0.1, "ns", "0.1000 ns"),
            (999.99, "us", "1.000 ms"),
            (0.0, "ms", "0 ms"),
            (-0.002, "s", "-2.000 ms"),
        ];
        written(value, &cases);
    }

    #[test]
    fn bytes_take_binary_units() {
        let cases = [
            (512.0, "bytes", "512 B"),
            (1536.0, "bytes", "1.500 KiB"),
            (1023.9, "B", "1024 B"),
            (1023.99, "B", "1.000 KiB"),
            (1_073_741_824.0, "bytes", "1.000 GiB"),
            (2_097_152.0, "bytes/s", "2.000 MiB/s"),
        ];
        written(value, &cases);
    }

    #[test]
    fn other_values_are_plain_numbers() {
        let cases = [
            (61_350.2, "61350"),
            (9_999.96, "10000"),
            (123.456, "123.5"),
            (9.999_96, "10.00"),
            (42.0, "42"),
            (-0.0, "0"),
            (-0.5, "-0.5000"),
            (0.000_123_456, "0.0001235"),
            (0.000_001_234_56, "0.000001235"),
            (0.000_000_001_001, "1.001e-9"),
            (1e300, "1.000e300"),
            (5e-324, "4.941e-324"),
            (f64::NAN, "…"),
            (f64::NEG_INFINITY, "…"),
        ];
        for (number, text) in cases {
            assert_eq!(value(number, "1/s"), text, "{number}");
        }
        let with_unit = [
            (61_350.2, "1/s", "61350 /s"),
            (3.0, "faults", "3 faults"),
            (3.0, "", "3"),
            (0.003, "s", "3.000 ms"),
            (f64::NAN, "1/s", "…"),
        ];
        written(value_with_unit, &with_unit);
    }

    #[test]
    fn rough_sizes_have_two_digits() {
        let cases = [
            (0.041_1, "", "0.041"),
            (9.99, "", "10"),
            (61_350.0, "1/s", "61000 /s"),
            (0.012_345, "s", "12 ms"),
            (1536.0, "bytes", "1.5 KiB"),
            (3.0, "faults", "3 faults"),
            (0.0, "s", "0 s"),
            (f64::NAN, "s", "…"),
        ];
        written(rough, &cases);
    }

    #[test]
    fn two_values_share_a_scale_unless_far_apart() {
        let both = |a, b| pair(a, b, "s");
        assert_eq!(
            both(0.000_998_7, 0.001_002),
            ("0.9987 ms".into(), "1.002 ms".into())
        );
        assert_eq!(both(0.000_001, 1.0), ("1.000 µs".into(), "1.000 s".into()));
        assert_eq!(both(f64::NAN, 0.001), ("…".into(), "1.000 ms".into()));
    }

    #[test]
    fn shares_and_probabilities_are_short() {
        assert_eq!(share(0.95), "95%");
        assert_eq!(share(1.0 - 0.95), "5%");
        assert_eq!(share(0.995), "99.5%");
        assert_eq!(share(0.012_34), "1.23%");
        assert_eq!(share(1e-12), "1e-10%");
        assert_eq!(share(1.0), "100%");
        assert_eq!(share(0.9999), "99.99%");
        assert_eq!(share(0.999_5), "99.95%");
        assert_eq!(share(0.999_999), "99.9999%");
        assert_eq!(share(0.999_999_999), "99.9999999%");
        assert_eq!(share(f64::NAN), "…");
        assert_eq!(probability(0.012_3), "p = 0.012");
        assert_eq!(probability(1.0), "p = 1");
        assert_eq!(probability(1e-30), "p < 0.0001");
        assert_eq!(probability(f64::NAN), "p …");
    }
}
