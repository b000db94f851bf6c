//! Number to text as C's `printf` writes `%g`.

/// Doubles have at most this many significant decimal digits; any further digit is a zero.
const MOST_DIGITS: usize = 767;

/// Writes a number as C's `%<width>.<precision>g` does (ISO C17, 7.21.6.1).
///
/// `precision` counts significant digits (0 counts as 1), `width` is the least number of characters,
/// filled with blanks on the left. Rounding is exact, ties to even.
/// What is not a number is written `nan`, or `-nan` where its sign bit is set.
///
/// ```
/// use perflab_ministat::c_format_g;
/// assert_eq!(c_format_g(0.00001, 6, 0), "1e-05");
/// assert_eq!(c_format_g(2.0 / 7.0, 8, 13), "   0.28571429");
/// ```
pub fn c_format_g(value: f64, precision: u16, width: u16) -> String {
    let text = if value.is_finite() {
        finite(value, usize::from(precision.max(1)))
    } else {
        let sign = if value.is_sign_negative() { "-" } else { "" };
        let word = if value.is_nan() { "nan" } else { "inf" };
        format!("{sign}{word}")
    };
    format!("{text:>width$}", width = usize::from(width))
}

fn finite(value: f64, precision: usize) -> String {
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let scientific = format!("{:.*e}", precision.min(MOST_DIGITS) - 1, value.abs());
    let (significand, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let digits: String = significand.chars().filter(char::is_ascii_digit).collect();
    let digits = digits.trim_end_matches('0');
    let point = usize::try_from(exponent + 1).unwrap_or(0);

    if exponent < -4 || exponent >= 0 && exponent as usize >= precision {
        let exponent_sign = if exponent < 0 { '-' } else { '+' };
        let (first, fraction) = digits.split_at(1.min(digits.len()));
        let dot = if fraction.is_empty() { "" } else { "." };
        format!(
            "{sign}{first}{dot}{fraction}e{exponent_sign}{:02}",
            exponent.unsigned_abs()
        )
    } else if exponent < 0 {
        let zeros = "0".repeat(exponent.unsigned_abs() as usize - 1);
        format!("{sign}0.{zeros}{digits}")
    } else if digits.len() <= point {
        format!("{sign}{digits:0<point$}")
    } else {
        let (whole, fraction) = digits.split_at(point);
        format!("{sign}{whole}.{fraction}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_c() {
        // (value, precision, what printf("%.*g") of glibc 2.36 prints)
        let cases = [
            (0.0, 6, "0"),
            (-0.0, 6, "-0"),
            (1.0, 6, "1"),
            (0.0001, 6, "0.0001"),
            (0.00001, 6, "1e-05"),
            (0.000_099_999_94, 6, "9.99999e-05"),
            (0.000_099_999_996, 6, "0.0001"),
            (999_999.0, 6, "999999"),
            (999_999.5, 6, "1e+06"),
            (1e6, 6, "1e+06"),
            (123_456_789.0, 6, "1.23457e+08"),
            (123_456_789.0, 8, "1.2345679e+08"),
            (12_345_678.0, 8, "12345678"),
            (1_234_567.25, 8, "1234567.2"),
            (1_234_567.75, 8, "1234567.8"),
            (0.5, 0, "0.5"),
            (2.5, 1, "2"),
            (3.5, 1, "4"),
            (100.0, 3, "100"),
            (100.0, 2, "1e+02"),
            (-1.5e-10, 6, "-1.5e-10"),
            (5e-324, 8, "4.9406565e-324"),
            (f64::MAX, 8, "1.7976931e+308"),
            (0.1, 20, "0.10000000000000000555"),
            (1e22, 65_535, "10000000000000000000000"),
            (f64::INFINITY, 6, "inf"),
            (f64::NEG_INFINITY, 6, "-inf"),
            (f64::NAN.copysign(1.0), 6, "nan"),
            (f64::NAN.copysign(-1.0), 6, "-nan"),
        ];
        for (value, precision, expected) in cases {
            assert_eq!(
                c_format_g(value, precision, 0),
                expected,
                "{value:e} with {precision} digits"
            );
        }
    }

    #[test]
    fn width_fills_on_the_left_and_never_cuts() {
        assert_eq!(c_format_g(-2.5, 8, 13), "         -2.5");
        assert_eq!(c_format_g(1234.5, 8, 3), "1234.5");
        assert_eq!(c_format_g(f64::INFINITY, 8, 5), "  inf");
    }
}
