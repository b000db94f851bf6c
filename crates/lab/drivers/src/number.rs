//! Decimal text to a number that a sample may hold.

use crate::error::excerpt;

/// A finite number, with white space around it ignored.
///
/// # Errors
/// What the text is instead, to be put behind "found".
pub(crate) fn finite(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(_) => Err(format!("{}, which is not finite", excerpt(text))),
        Err(_) => Err(format!("{}, which is not a number", excerpt(text))),
    }
}

/// A finite number that is not below zero.
///
/// # Errors
/// What the text is instead, to be put behind "found".
pub(crate) fn not_negative(text: &str) -> Result<f64, String> {
    match finite(text)? {
        value if value < 0.0 => Err(format!("{}, which is negative", excerpt(text))),
        value => Ok(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_finite_decimal_numbers_pass() {
        assert_eq!(finite(" 1.5e3 "), Ok(1500.0));
        assert_eq!(finite("-0.25"), Ok(-0.25));
        for text in ["nan", "-nan", "inf", "-Infinity", "1e999"] {
            assert!(finite(text).unwrap_err().contains("not finite"), "{text}");
        }
        for text in ["", " ", "1,5", "0x10", "1 2", "ms"] {
            assert!(finite(text).unwrap_err().contains("not a number"), "{text}");
        }
        assert_eq!(not_negative("0"), Ok(0.0));
        assert!(not_negative("-0.25").unwrap_err().contains("negative"));
    }
}
