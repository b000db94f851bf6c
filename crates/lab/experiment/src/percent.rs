//! Fractions as people write them: `1%`, or 0.01.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserializer;
use serde::de::{Error, Visitor};

/// Why a text is no percentage.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a percentage such as \"1%\" or a fraction such as 0.01, found \"{0}\"")]
pub struct PercentError(String);

/// Parses a percentage and gives the fraction: `"1%"` is 0.01. A sign or an exponent is not allowed.
///
/// # Errors
/// When the text is anything but a decimal number and a percent sign.
pub fn parse(text: &str) -> Result<f64, PercentError> {
    let wrong = || PercentError(text.to_owned());
    let number = text.trim().strip_suffix('%').ok_or_else(wrong)?.trim_end();
    let plain = number.starts_with(|c: char| c.is_ascii_digit())
        && number.chars().all(|c| c.is_ascii_digit() || c == '.');
    if !plain {
        return Err(wrong());
    }
    // Shifting the decimal point in the text keeps 99.9 % equal to 0.999; a division by 100 does not.
    format!("{number}e-2")
        .parse::<f64>()
        .ok()
        .filter(|value| value.is_finite())
        .ok_or_else(wrong)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    from.deserialize_any(FractionVisitor)
}

/// The same for a fraction that may be absent.
pub(crate) mod option {
    use serde::{Deserialize, Deserializer};

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
        Ok(Option::<Present>::deserialize(from)?.map(|present| present.0))
    }

    struct Present(f64);

    impl<'de> Deserialize<'de> for Present {
        fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
            super::deserialize(from).map(Self)
        }
    }
}

struct FractionVisitor;

impl Visitor<'_> for FractionVisitor {
    type Value = f64;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a percentage such as \"1%\" or a fraction such as 0.01")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<f64, E> {
        parse(text).map_err(E::custom)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<f64, E> {
        Ok(value)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<f64, E> {
        Ok(value as f64)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<f64, E> {
        Ok(value as f64)
    }
}

/// Stands in the JSON Schema where a fraction stands in the file.
pub(crate) struct FractionText;

impl JsonSchema for FractionText {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Fraction".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A percentage such as \"1%\", or a fraction such as 0.01.",
            "anyOf": [
                { "type": "string", "pattern": r"^\s*[0-9]+(\.[0-9]*)?\s*%\s*$" },
                { "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1 }
            ]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentage_is_the_nearest_fraction() {
        assert_eq!(parse("1%").unwrap(), 0.01);
        assert_eq!(parse("99.9%").unwrap(), 0.999);
        assert_eq!(parse(" 0.5 % ").unwrap(), 0.005);
        assert_eq!(parse("100%").unwrap(), 1.0);
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "", "%", "1", "-1%", "+1%", "1e3%", "inf%", "nan%", "1.2.3%", ".5%", "1%%",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
