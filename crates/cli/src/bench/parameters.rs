//! The parameters of `perflab bench`, and their values.

use super::arguments::BenchArguments;
use crate::failure::Failure;

/// Every combination of parameter values; one empty combination where there are no parameters.
pub fn parameters(arguments: &BenchArguments) -> Result<Vec<Vec<(String, String)>>, Failure> {
    if let Some(scan) = &arguments.parameter_scan {
        let [name, low, high] = scan.as_slice() else {
            return Err(Failure::usage(
                "--parameter-scan takes VAR, MIN and MAX".to_owned(),
            ));
        };
        let step = arguments.parameter_step_size.as_deref();
        if step.is_none() && [low, high].iter().any(|end| end.contains('.')) {
            return Err(Failure::usage(format!(
                "--parameter-scan from {low} to {high} needs --parameter-step-size, as they are not whole numbers"
            )));
        }
        let values = scan_values(low, high, step.unwrap_or("1"))?;
        return Ok(values
            .into_iter()
            .map(|value| vec![(name.clone(), value)])
            .collect());
    }
    let mut combinations = vec![Vec::new()];
    for pair in arguments.parameter_list.chunks(2) {
        let [name, values] = pair else { continue };
        if combinations
            .iter()
            .flatten()
            .any(|(known, _)| known == name)
        {
            return Err(Failure::usage(format!(
                "--parameter-list names `{name}` twice"
            )));
        }
        let values = split_list(values);
        // The first variable changes fastest.
        combinations = values
            .iter()
            .flat_map(|value| {
                combinations.iter().map(move |combination: &Vec<_>| {
                    let mut combination = combination.clone();
                    combination.push((name.clone(), value.clone()));
                    combination
                })
            })
            .collect();
    }
    Ok(combinations)
}

/// Splits at commas; `\,` is a comma.
fn split_list(text: &str) -> Vec<String> {
    let mut values = vec![String::new()];
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' if characters.peek() == Some(&',') => {
                characters.next();
                if let Some(value) = values.last_mut() {
                    value.push(',');
                }
            }
            ',' => values.push(String::new()),
            other => {
                if let Some(value) = values.last_mut() {
                    value.push(other);
                }
            }
        }
    }
    values
}

/// Most values of a scan: each is a command of its own.
const MOST_SCANNED: i128 = 10_000;

/// The numbers from `low` to `high`, in decimal, so that 0.1 steps do not drift.
fn scan_values(low: &str, high: &str, step: &str) -> Result<Vec<String>, Failure> {
    let parsed = [low, high, step].map(Decimal::parse);
    let [Some(low_value), Some(high_value), Some(step_value)] = parsed else {
        return Err(Failure::usage(format!(
            "--parameter-scan needs plain numbers as 1, -2 or 0.25; found {low}, {high} and step {step}"
        )));
    };
    let places = low_value
        .places
        .max(step_value.places)
        .max(high_value.places);
    let (low, high, step) = match (
        low_value.scaled(places),
        high_value.scaled(places),
        step_value.scaled(places),
    ) {
        (Some(low), Some(high), Some(step)) if step > 0 && low <= high => (low, high, step),
        (Some(_), Some(_), Some(step)) if step <= 0 => {
            return Err(Failure::usage(
                "--parameter-step-size must be greater than 0".to_owned(),
            ));
        }
        _ => {
            return Err(Failure::usage(format!(
                "--parameter-scan: the range from {low} to {high} is empty"
            )));
        }
    };
    if (high - low) / step >= MOST_SCANNED {
        return Err(Failure::usage(format!(
            "--parameter-scan makes more than {MOST_SCANNED} commands; take larger steps"
        )));
    }
    let mut values = Vec::new();
    let (mut value, mut shown) = (low, low_value.places);
    while value <= high {
        values.push(Decimal { value, places }.show(shown));
        // As in hyperfine: a sum has the digits of the longer number, but 0 adds none of its own.
        shown = match value {
            0 => step_value.places,
            _ => shown.max(step_value.places),
        };
        value += step;
    }
    Ok(values)
}

/// A number with so many digits behind the point.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Decimal {
    value: i128,
    places: u32,
}

impl Decimal {
    fn parse(text: &str) -> Option<Self> {
        let (sign, digits) = match text.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, text),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let all: String = [whole, fraction].concat();
        let plain = !all.is_empty()
            && all.len() <= 18
            && all.bytes().all(|byte| byte.is_ascii_digit())
            && (whole.len() + fraction.len() + 1 == digits.len() || !digits.contains('.'));
        if !plain {
            return None;
        }
        Some(Self {
            value: sign * all.parse::<i128>().ok()?,
            places: fraction.len() as u32,
        })
    }

    fn scaled(self, places: u32) -> Option<i128> {
        self.value
            .checked_mul(10_i128.checked_pow(places - self.places)?)
    }

    fn show(self, places: u32) -> String {
        let sign = if self.value < 0 { "-" } else { "" };
        let unit = 10_i128.pow(self.places);
        let (whole, fraction) = (self.value.abs() / unit, self.value.abs() % unit);
        let mut digits = format!("{fraction:0width$}", width = self.places as usize);
        digits.truncate(places as usize);
        if digits.is_empty() {
            format!("{sign}{whole}")
        } else {
            format!("{sign}{whole}.{digits}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scans_are_exact_in_decimal() {
        assert_eq!(
            scan_values("0", "0.3", "0.1").unwrap(),
            ["0", "0.1", "0.2", "0.3"]
        );
        assert_eq!(scan_values("-2", "2", "2").unwrap(), ["-2", "0", "2"]);
        assert_eq!(scan_values("1", "3.5", "1").unwrap(), ["1", "2", "3"]);
        for (low, high, step) in [
            ("1", "0", "1"),
            ("1", "2", "0"),
            ("a", "2", "1"),
            ("1e3", "2", "1"),
            ("0", "9e9", "1"),
            ("1", "999999999", "1"),
        ] {
            assert!(scan_values(low, high, step).is_err(), "{low} {high} {step}");
        }
    }
}
