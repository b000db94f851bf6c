//! Figures for people: as many digits as the evidence carries, in units that can be read.

use crate::model::Answer;

/// Written where there is no finite figure.
pub(crate) const NONE: &str = "…";

/// Significant digits of a measured value.
const DIGITS: usize = 4;

/// From here on a figure is written with an exponent.
const LONGEST: f64 = 1e12;

/// From here downwards too.
const SHORTEST: f64 = 1e-9;

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
    let text = scale.value(value);
    match unit {
        "" => text,
        _ if scale.has_unit() || !value.is_finite() => text,
        "1/s" => text + " /s",
        _ => format!("{text} {unit}"),
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

/// A relative difference on its own: 0.0312 is `+3.1%`. Zero and what rounds to it have no sign.
pub fn percent(difference: f64) -> String {
    let fitted = Differences::percent(fitting_decimals(None, None, difference, 100.0, true));
    fitted.estimate(difference)
}

/// The interval of a relative difference: `[-4.0, -2.2]%`. An end that is absent or infinite is `…`.
pub fn interval(low: Option<f64>, high: Option<f64>) -> String {
    let centre = low.or(high).unwrap_or(0.0);
    let decimals = fitting_decimals(low, high, centre, 100.0, true);
    let (low, high) = Differences::percent(decimals).ends(low, high);
    format!("[{low}, {high}]%")
}

/// A share or a size without sign, with up to three significant digits: 0.95 is `95%`, 0.0123 is `1.23%`.
pub fn share(fraction: f64) -> String {
    let percent = fraction * 100.0;
    if !percent.is_finite() {
        return NONE.to_owned();
    }
    trimmed(significant(percent, 3)) + "%"
}

/// A p-value: two significant digits, and nothing below `< 0.0001`, where the tail's model is all that speaks.
pub fn probability(p: f64) -> String {
    match p {
        _ if !p.is_finite() => format!("p {NONE}"),
        _ if p < 1e-4 => "p < 0.0001".to_owned(),
        _ => format!("p = {}", trimmed(significant(p, 2))),
    }
}

/// How values of one unit are scaled.
#[derive(Debug, Clone, Copy)]
struct Scale {
    factor: f64,
    /// The unit that the scale chose; empty where values stay as they are.
    suffix: &'static str,
    per_second: bool,
    /// Whether a whole number is written without decimals.
    whole: bool,
}

impl Scale {
    /// The scale of the largest value.
    fn of(values: &[f64], unit: &str) -> Self {
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
    fn pick(
        steps: &[(f64, &'static str)],
        largest: f64,
        base: f64,
        per_second: bool,
    ) -> Self {
        let reached = |&&(step, _): &&(f64, &str)| rounded(largest * base / step, DIGITS) >= 1.0;
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

    fn unit(self) -> String {
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

/// How the differences of one column, or of one row, are written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Differences {
    scale: Scale,
    percent: bool,
    decimals: usize,
}

impl Differences {
    fn percent(decimals: usize) -> Self {
        let scale = Scale {
            factor: 100.0,
            suffix: "",
            per_second: false,
            whole: false,
        };
        Self {
            scale,
            percent: true,
            decimals,
        }
    }

    /// A common style for answers in a column: the median of the decimals that their intervals ask for.
    pub(crate) fn of<'a>(
        answers: impl Iterator<Item = &'a Answer> + Clone,
        relative: bool,
        unit: &str,
    ) -> Self {
        let style = if relative {
            Self::percent(0)
        } else {
            let figures: Vec<f64> = answers
                .clone()
                .flat_map(|a| [Some(a.difference), a.low, a.high])
                .flatten()
                .collect();
            Self {
                scale: Scale::of(&figures, unit),
                percent: false,
                decimals: 0,
            }
        };
        let mut decimals: Vec<usize> = answers.map(|answer| style.fitting(answer)).collect();
        decimals.sort_unstable();
        Self {
            decimals: decimals.get(decimals.len() / 2).copied().unwrap_or(1),
            ..style
        }
    }

    fn fitting(self, answer: &Answer) -> usize {
        let Answer {
            difference,
            low,
            high,
            ..
        } = *answer;
        fitting_decimals(low, high, difference, self.scale.factor, self.percent)
    }

    /// The style for one answer: more decimals where an end that is not zero would be rounded to it,
    /// as the reader looks for zero in the interval.
    pub(crate) fn for_answer(self, answer: &Answer) -> Self {
        let nearest = match (answer.low, answer.high) {
            (Some(low), _) if low > 0.0 => low,
            (_, Some(high)) if high < 0.0 => high,
            _ => return self,
        };
        let visible = (self.decimals..=MOST_DECIMALS)
            .find(|&decimals| !is_zero(&fixed(nearest * self.scale.factor, decimals)));
        Self {
            decimals: visible.unwrap_or(self.decimals),
            ..self
        }
    }

    /// The difference with its unit: `-3.1%`, `+1.20 ms`.
    pub(crate) fn estimate(self, difference: f64) -> String {
        let unit = if self.percent {
            "%".to_owned()
        } else {
            self.scale.unit()
        };
        match self.bare(difference) {
            text if text == NONE => text,
            text => text + &unit,
        }
    }

    /// The ends of an interval, without unit.
    pub(crate) fn ends(self, low: Option<f64>, high: Option<f64>) -> (String, String) {
        let end = |end: Option<f64>| end.map_or_else(|| NONE.to_owned(), |end| self.bare(end));
        (end(low), end(high))
    }

    /// The difference and its interval: `-3.1% [-4.0, -2.2]`.
    pub(crate) fn answer(self, answer: &Answer) -> String {
        let style = self.for_answer(answer);
        let (low, high) = style.ends(answer.low, answer.high);
        format!("{} [{low}, {high}]", style.estimate(answer.difference))
    }

    fn bare(self, difference: f64) -> String {
        fixed(difference * self.scale.factor, self.decimals)
    }
}

/// More decimals than this tell nothing about measurements.
const MOST_DECIMALS: usize = 6;

/// Decimals that leave an interval one digit or two that move; without one, the difference two.
fn fitting_decimals(
    low: Option<f64>,
    high: Option<f64>,
    difference: f64,
    factor: f64,
    percent: bool,
) -> usize {
    let half_width = match (low, high) {
        (Some(low), Some(high)) => (high - low) / 2.0,
        _ => difference.abs() / 10.0,
    } * factor.abs();
    if !half_width.is_finite() || half_width <= 0.0 {
        return 1;
    }
    let wanted = 1.0 - (4.0 * half_width).log10().floor();
    // A whole per cent is too coarse for a difference that matters, unless the interval is wide.
    let least = if percent && half_width < 10.0 { 1.0 } else { 0.0 };
    wanted.clamp(least, MOST_DECIMALS as f64) as usize
}

/// A number with sign and decimals; never a negative zero.
fn fixed(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return NONE.to_owned();
    }
    if value.abs() >= LONGEST {
        return format!("{value:+.1e}");
    }
    let text = format!("{value:+.decimals$}");
    if is_zero(&text) {
        text.trim_start_matches(['+', '-']).to_owned()
    } else {
        text
    }
}

fn is_zero(number: &str) -> bool {
    !number.bytes().any(|byte| (b'1'..=b'9').contains(&byte))
}

/// A finite number with at least so many significant digits; whole digits are never rounded away.
fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let size = rounded(value, digits).abs();
    if !(SHORTEST..LONGEST).contains(&size) {
        return format!("{value:.*e}", digits.saturating_sub(1));
    }
    // Within the bounds above the logarithm is small, so that the cast is exact.
    let decimals = digits as i32 - 1 - size.log10().floor() as i32;
    format!("{value:.*}", usize::try_from(decimals).unwrap_or(0))
}

/// The value to so many significant digits.
fn rounded(value: f64, digits: usize) -> f64 {
    let text = format!("{value:.*e}", digits.saturating_sub(1));
    text.parse().unwrap_or(value)
}

/// Without zeros at the end of a fraction.
fn trimmed(number: String) -> String {
    if number.contains('.') && !number.contains('e') {
        let number = number.trim_end_matches('0');
        number.trim_end_matches('.').to_owned()
    } else {
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Verdict;

    fn answer(difference: f64, low: Option<f64>, high: Option<f64>) -> Answer {
        Answer {
            difference,
            low,
            high,
            p: 0.5,
            p_adjusted: None,
            verdict: Verdict::NotProven,
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
        for (number, unit, text) in cases {
            assert_eq!(value(number, unit), text, "{number} {unit}");
        }
    }

    #[test]
    fn bytes_take_binary_units() {
        assert_eq!(value(512.0, "bytes"), "512 B");
        assert_eq!(value(1536.0, "bytes"), "1.500 KiB");
        assert_eq!(value(1023.9, "B"), "1024 B");
        assert_eq!(value(1023.99, "B"), "1.000 KiB");
        assert_eq!(value(1_073_741_824.0, "bytes"), "1.000 GiB");
        assert_eq!(value(2_097_152.0, "bytes/s"), "2.000 MiB/s");
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
            (1e300, "1.000e300"),
            (5e-324, "4.941e-324"),
            (f64::NAN, "…"),
            (f64::NEG_INFINITY, "…"),
        ];
        for (number, text) in cases {
            assert_eq!(value(number, "1/s"), text, "{number}");
        }
        assert_eq!(value_with_unit(61_350.2, "1/s"), "61350 /s");
        assert_eq!(value_with_unit(3.0, "faults"), "3 faults");
        assert_eq!(value_with_unit(3.0, ""), "3");
        assert_eq!(value_with_unit(0.003, "s"), "3.000 ms");
        assert_eq!(value_with_unit(f64::NAN, "1/s"), "…");
    }

    #[test]
    fn two_values_share_a_scale_unless_far_apart() {
        let both = |a, b| pair(a, b, "s");
        assert_eq!(both(0.000_998_7, 0.001_002), ("0.9987 ms".into(), "1.002 ms".into()));
        assert_eq!(both(0.000_001, 1.0), ("1.000 µs".into(), "1.000 s".into()));
        assert_eq!(both(f64::NAN, 0.001), ("…".into(), "1.000 ms".into()));
    }

    #[test]
    fn a_percentage_has_a_sign_unless_it_is_zero() {
        let cases = [
            (-0.0312, "-3.1%"),
            (0.0004, "+0.040%"),
            (-0.000_000_000_1, "0.000000%"),
            (-0.0, "0.0%"),
            (5.0, "+500%"),
            (1e300, "+1.0e302%"),
            (f64::INFINITY, "…"),
        ];
        for (number, text) in cases {
            assert_eq!(percent(number), text, "{number}");
        }
    }

    #[test]
    fn an_interval_shows_what_it_lacks() {
        assert_eq!(interval(Some(-0.04), Some(-0.022)), "[-4.0, -2.2]%");
        assert_eq!(interval(Some(-0.000_4), Some(0.000_3)), "[-0.04, +0.03]%");
        assert_eq!(interval(None, Some(0.1)), "[…, +10.0]%");
        assert_eq!(interval(Some(f64::NEG_INFINITY), None), "[…, …]%");
    }

    #[test]
    fn an_end_that_is_not_zero_never_looks_like_zero() {
        let near = answer(0.01, Some(0.000_2), Some(0.02));
        let style = Differences::of([&near].into_iter(), true, "1/s");
        assert_eq!(style.answer(&near), "+1.00% [+0.02, +2.00]");
        let across = answer(0.01, Some(-0.000_2), Some(0.02));
        assert_eq!(style.answer(&across), "+1.0% [0.0, +2.0]");
    }

    #[test]
    fn absolute_differences_carry_their_unit() {
        let slower = answer(0.0012, Some(0.0009), Some(0.0015));
        let style = Differences::of([&slower].into_iter(), false, "s");
        assert_eq!(style.answer(&slower), "+1.2 ms [+0.9, +1.5]");
        let more = answer(12.0, Some(-3.0), Some(27.0));
        let style = Differences::of([&more].into_iter(), false, "faults");
        assert_eq!(style.answer(&more), "+12 [-3, +27]");
    }

    #[test]
    fn shares_and_probabilities_are_short() {
        assert_eq!(share(0.95), "95%");
        assert_eq!(share(1.0 - 0.95), "5%");
        assert_eq!(share(0.995), "99.5%");
        assert_eq!(share(0.012_34), "1.23%");
        assert_eq!(share(f64::NAN), "…");
        assert_eq!(probability(0.012_3), "p = 0.012");
        assert_eq!(probability(1.0), "p = 1");
        assert_eq!(probability(1e-30), "p < 0.0001");
        assert_eq!(probability(f64::NAN), "p …");
    }
}
