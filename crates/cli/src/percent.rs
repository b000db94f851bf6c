//! Shares as the command line takes them.

use crate::failure::Failure;

/// The largest difference that does not matter, from the value of `--margin`.
pub fn margin(text: &str) -> Result<f64, Failure> {
    match percent(text)? {
        margin if margin > 0.0 && margin < 1.0 => Ok(margin),
        _ => Err(Failure::usage(format!(
            "--margin: expected more than 0% and less than 100%, found {text}"
        ))),
    }
}

/// A share as `1%` or `0.01`, the two forms that the experiment file takes.
pub fn percent(text: &str) -> Result<f64, Failure> {
    perflab_experiment::parse_percent(text).or_else(|error| {
        let unsigned = text.starts_with(|c: char| c.is_ascii_digit());
        text.parse()
            .ok()
            .filter(|share: &f64| unsigned && share.is_finite())
            .ok_or_else(|| Failure::usage(error))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_a_percentage_or_a_fraction() {
        assert_eq!(percent("1%").unwrap(), 0.01);
        assert_eq!(percent("0.01").unwrap(), 0.01);
        for wrong in ["", "%", "-1%", "-0.01", "+0.01", "inf", "nan", "a", "1,5%"] {
            assert!(percent(wrong).is_err(), "{wrong}");
        }
    }
}
