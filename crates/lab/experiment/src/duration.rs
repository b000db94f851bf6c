//! Durations as people write them: `10ms`, `5s`, `1h30m`.

use std::fmt;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Visitor};
use serde::{Deserializer, Serializer};

/// Units from the largest to the smallest, with their length in nanoseconds.
const UNITS: [(&str, u128); 7] = [
    ("d", 86_400_000_000_000),
    ("h", 3_600_000_000_000),
    ("m", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];

/// Why a text is no duration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DurationError {
    /// A number is missing where one has to stand.
    #[error("expected a duration such as \"10s\" or \"1h30m\", found \"{0}\"")]
    NotADuration(String),
    /// A number has no unit behind it.
    #[error(
        "the duration \"{0}\" lacks a unit; write d, h, m (or min), s, ms, us or ns behind each number"
    )]
    NoUnit(String),
    /// A unit is none of those known.
    #[error(
        "unknown unit \"{unit}\" in the duration \"{text}\"; known are d, h, m (or min), s, ms, us and ns"
    )]
    UnknownUnit {
        /// The duration as written.
        text: String,
        /// The unit as written.
        unit: String,
    },
    /// The units do not fall from large to small.
    #[error("the units in the duration \"{0}\" must go from large to small, each at most once")]
    Order(String),
    /// A part is finer than a nanosecond, or the whole is over 2^64 seconds.
    #[error(
        "the duration \"{0}\" is out of range; it must be whole nanoseconds and less than 2^64 s"
    )]
    Range(String),
}

/// Parses a duration: numbers, each with a unit (`d`, `h`, `m` or `min`, `s`, `ms`, `us`, `ns`), from large to small.
///
/// Decimals are exact (`1.5s`). Blanks between the parts, and between a number and its unit, are allowed.
///
/// # Errors
/// When the text is anything else; see [`DurationError`].
pub fn parse(text: &str) -> Result<Duration, DurationError> {
    let mut rest = text.trim();
    let mut total: u128 = 0;
    let mut units = UNITS.iter();
    if rest.is_empty() {
        return Err(DurationError::NotADuration(text.to_owned()));
    }
    while !rest.is_empty() {
        let (number, behind) = split_while(rest, |c| c.is_ascii_digit() || c == '.');
        if number.is_empty() {
            return Err(DurationError::NotADuration(text.to_owned()));
        }
        let (unit, behind) = split_while(behind.trim_start(), char::is_alphabetic);
        // As tools beside this one write it.
        let unit = if unit == "min" { "m" } else { unit };
        if unit.is_empty() {
            return Err(DurationError::NoUnit(text.to_owned()));
        }
        // The iterator is shared by all parts, so a unit that is not found among the rest came too late.
        let Some(&(_, nanoseconds)) = units.find(|(name, _)| *name == unit) else {
            return Err(if UNITS.iter().any(|(name, _)| *name == unit) {
                DurationError::Order(text.to_owned())
            } else {
                DurationError::UnknownUnit {
                    text: text.to_owned(),
                    unit: unit.to_owned(),
                }
            });
        };
        total = scaled(number, nanoseconds)
            .ok_or_else(|| DurationError::NotADuration(text.to_owned()))?
            .and_then(|part| total.checked_add(part))
            .ok_or_else(|| DurationError::Range(text.to_owned()))?;
        rest = behind.trim_start();
    }
    let seconds =
        u64::try_from(total / 1_000_000_000).map_err(|_| DurationError::Range(text.to_owned()))?;
    Ok(Duration::new(seconds, (total % 1_000_000_000) as u32))
}

fn split_while(text: &str, belongs: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|c| !belongs(c)).unwrap_or(text.len()))
}

/// A decimal number times a unit: `None` if it is no number, `Some(None)` if the result is no whole
/// number or too large.
fn scaled(number: &str, unit: u128) -> Option<Option<u128>> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    if whole.is_empty() || fraction.is_empty() || fraction.contains('.') {
        return None;
    }
    let fraction = fraction.trim_end_matches('0');
    Some((|| {
        let whole = whole.parse::<u128>().ok()?.checked_mul(unit)?;
        if fraction.is_empty() {
            return Some(whole);
        }
        let divisor = 10u128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
        let part = fraction.parse::<u128>().ok()?.checked_mul(unit)?;
        part.is_multiple_of(divisor).then_some(())?;
        whole.checked_add(part / divisor)
    })())
}

/// Writes a duration so that [`parse`] reads the same one back: `1h30m`, `500ms`, `0s`.
pub fn format(duration: Duration) -> String {
    let mut rest = duration.as_nanos();
    let mut text = String::new();
    for (unit, nanoseconds) in UNITS {
        let count = rest / nanoseconds;
        rest %= nanoseconds;
        if count > 0 {
            text.push_str(&format!("{count}{unit}"));
        }
    }
    if text.is_empty() {
        "0s".to_owned()
    } else {
        text
    }
}

/// Writes a duration as a text, for `#[serde(with = ...)]`.
///
/// # Errors
/// Those of the serializer.
pub fn serialize<S: Serializer>(duration: &Duration, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&format(*duration))
}

/// Reads a duration from a text.
///
/// # Errors
/// A text that is no duration.
pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    from.deserialize_str(TextVisitor)
}

/// The same for a duration that may be absent.
pub(crate) mod option {
    use serde::Deserialize;

    use super::{Deserializer, Duration, Serializer};

    pub(crate) fn serialize<S: Serializer>(
        duration: &Option<Duration>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        match duration {
            Some(duration) => super::serialize(duration, to),
            None => to.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Duration>, D::Error> {
        Ok(Option::<Present>::deserialize(from)?.map(|present| present.0))
    }

    struct Present(Duration);

    impl<'de> Deserialize<'de> for Present {
        fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
            super::deserialize(from).map(Self)
        }
    }
}

struct TextVisitor;

impl Visitor<'_> for TextVisitor {
    type Value = Duration;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a duration such as \"10s\" or \"1h30m\"")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Duration, E> {
        parse(text).map_err(E::custom)
    }
}

/// Stands in the JSON Schema where a duration stands in the file.
#[derive(Debug)]
pub struct DurationText;

impl JsonSchema for DurationText {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Duration".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "A duration: numbers with a unit (d, h, m or min, s, ms, us, ns), from large to small.",
            "pattern": r"^\s*([0-9]+(\.[0-9]+)?\s*(d|h|ms|min|m|s|us|ns)\s*)+$",
            "examples": ["10ms", "5s", "1h30m"]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_what_people_write() {
        let cases = [
            ("10ms", Duration::from_millis(10)),
            ("5s", Duration::from_secs(5)),
            ("2m", Duration::from_secs(120)),
            ("2min", Duration::from_secs(120)),
            ("1h30min5s", Duration::from_secs(5405)),
            ("1h30m", Duration::from_secs(5400)),
            ("1h 30m", Duration::from_secs(5400)),
            ("1 h 30\tm ", Duration::from_secs(5400)),
            ("1 s", Duration::from_secs(1)),
            ("1.5s", Duration::from_millis(1500)),
            ("0.000000001s", Duration::from_nanos(1)),
            ("0s", Duration::ZERO),
            ("1d", Duration::from_secs(86_400)),
            ("18446744073709551615s", Duration::from_secs(u64::MAX)),
        ];
        for (text, expected) in cases {
            assert_eq!(parse(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn refuses_the_rest_and_says_why() {
        let text = |t: &str| t.to_owned();
        assert_eq!(parse(""), Err(DurationError::NotADuration(text(""))));
        assert_eq!(parse("-1s"), Err(DurationError::NotADuration(text("-1s"))));
        assert_eq!(
            parse("1..5s"),
            Err(DurationError::NotADuration(text("1..5s")))
        );
        assert_eq!(parse(".s"), Err(DurationError::NotADuration(text(".s"))));
        assert_eq!(parse("10"), Err(DurationError::NoUnit(text("10"))));
        assert_eq!(parse("1h30"), Err(DurationError::NoUnit(text("1h30"))));
        assert_eq!(parse("30m1h"), Err(DurationError::Order(text("30m1h"))));
        assert_eq!(parse("1min1m"), Err(DurationError::Order(text("1min1m"))));
        assert_eq!(parse("1s1s"), Err(DurationError::Order(text("1s1s"))));
        assert_eq!(parse("1 30s"), Err(DurationError::NoUnit(text("1 30s"))));
        assert_eq!(
            parse("3sec"),
            Err(DurationError::UnknownUnit {
                text: text("3sec"),
                unit: text("sec")
            })
        );
        assert_eq!(parse("0.5ns"), Err(DurationError::Range(text("0.5ns"))));
        let long = "18446744073709551616s";
        assert_eq!(parse(long), Err(DurationError::Range(text(long))));
        let huge = format!("{}d", "9".repeat(60));
        assert_eq!(parse(&huge), Err(DurationError::Range(huge.clone())));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(seconds: u64, nanoseconds in 0u32..1_000_000_000) {
            let duration = Duration::new(seconds, nanoseconds);
            prop_assert_eq!(parse(&format(duration)), Ok(duration));
        }

        #[test]
        fn no_text_panics(text in "[0-9.dhmsun ]{0,40}|\\PC{0,40}") {
            let _ = parse(&text);
        }
    }
}
