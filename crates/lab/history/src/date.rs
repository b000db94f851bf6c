//! Dates as people write them.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan};

/// The last second that a date names, since 1970: `2026-11-21` (the whole day, UTC), `2026-11` (the whole month),
/// `2026` (the whole year), `2026-11-21T10:00` (UTC), or a time with its offset, as `2026-11-21T10:00:00+01:00`.
/// Nothing where the text is none of these.
pub(crate) fn last_second(text: &str) -> Option<i64> {
    match period(text) {
        Some((first, length)) => Some(second(first.checked_add(length).ok()?)? - 1),
        None => moment(text),
    }
}

/// The first second that a date names, in the same forms.
pub(crate) fn first_second(text: &str) -> Option<i64> {
    match period(text) {
        Some((first, _)) => second(first),
        None => moment(text),
    }
}

/// A year, a month or a day: when it begins, and how long it is.
fn period(text: &str) -> Option<(DateTime, Span)> {
    let parts: Vec<&str> = text.split('-').collect();
    let number = |at: usize, digits: usize| -> Option<i16> {
        let part = parts.get(at)?;
        let is_number = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse().ok().filter(|_| is_number)
    };
    let year = number(0, 4)?;
    let date = |month: i16, day: i16| Date::new(year, month as i8, day as i8).ok();
    let (first, length) = match parts.len() {
        1 => (date(1, 1)?, 1.year()),
        2 => (date(number(1, 2)?, 1)?, 1.month()),
        3 => (date(number(1, 2)?, number(2, 2)?)?, 1.day()),
        _ => return None,
    };
    Some((first.to_datetime(Time::midnight()), length))
}

/// A time of a day; without an offset in UTC.
fn moment(text: &str) -> Option<i64> {
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time.as_second());
    }
    let has_time = text.contains(':');
    has_time.then(|| second(text.parse().ok()?)).flatten()
}

fn second(time: DateTime) -> Option<i64> {
    Some(time.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_names_all_of_its_time() {
        // Seconds from Python's calendar.timegm.
        for (text, first, last) in [
            ("2026", 1_767_225_600, 1_798_761_599),
            ("2026-11", 1_793_491_200, 1_796_083_199),
            ("2026-11-21", 1_795_219_200, 1_795_305_599),
            ("2026-11-21T10:00", 1_795_255_200, 1_795_255_200),
            ("2026-11-21T10:00:00+01:00", 1_795_251_600, 1_795_251_600),
            ("2026-11-21 10:00:00Z", 1_795_255_200, 1_795_255_200),
            ("1970-01-01", 0, 86_399),
        ] {
            assert_eq!(first_second(text), Some(first), "{text}");
            assert_eq!(last_second(text), Some(last), "{text}");
        }
    }

    #[test]
    fn other_texts_are_no_dates() {
        let texts = [
            "",
            "v1.0",
            "0123456789ab",
            "20261121",
            "2026-13",
            "2026-02-30",
            "HEAD",
            "12",
            "9999999",
            "-1",
            "2026-1-1",
            "2026-11-21-01",
            "+026",
            "9999-12-31T99:99",
        ];
        for text in texts {
            assert_eq!(last_second(text), None, "{text}");
            assert_eq!(first_second(text), None, "{text}");
        }
    }
}
