//! Variables of the environment that ask an agent for something, and the values that it understands.

use core::fmt;
use core::ops::RangeInclusive;

use crate::filter::LONGEST_FILTER;
use crate::pattern::{PatternError, patterns};

/// Probes that are counted from the start.
pub const PROBES: &str = "PERFLAB_PROBES";

/// Probes that are recorded from the start.
pub const RECORD: &str = "PERFLAB_RECORD";

/// A filter for the probes of [`PROBES`] and [`RECORD`]: the digits of an encoded
/// [`FilterWish`](crate::FilterWish), see [`hexadecimal`]. Empty is none.
pub const WHEN: &str = "PERFLAB_WHEN";

/// The recorder that the recorded events are kept for, as `PID-NUMBER`: the number in hexadecimal digits, of which the
/// last eight are that of the [`NAMESPACE`] that has its PID, and the others are random.
pub const RECORD_FOR: &str = "PERFLAB_RECORD_FOR";

/// The file whose inode is the number of a process's namespace of processes.
pub const NAMESPACE: &str = "/proc/self/ns/pid";

/// The namespace in the number of a recorder, if that is one.
pub fn namespace_of(number: &str) -> Option<u64> {
    let number = u64::from_str_radix(number, 16).ok()?;
    Some(number & u64::from(u32::MAX))
}

/// The number of the process that reports it if it has no probe of the wanted names; those that it starts do not.
pub const SAY: &str = "PERFLAB_AGENT_SAY";

/// Memory for the events of one thread, in KiB.
pub const RECORD_RING: &str = "PERFLAB_RECORD_RING";

/// Memory for the events of one process, in KiB.
pub const RECORD_MEMORY: &str = "PERFLAB_RECORD_MEMORY";

/// Memory for all recordings of a user, in KiB.
pub const RECORD_TOTAL: &str = "PERFLAB_RECORD_TOTAL";

/// The pipe by which a process says to a recorder that expects it why it cannot be recorded, as its path and the number
/// of its inode. Each line has the number of the process, its name and the reason, with tabs between them, and comes at
/// once: it has [`LONGEST_REFUSAL`] bytes at most.
pub const RECORD_REFUSED: &str = "PERFLAB_RECORD_REFUSED";

/// Bytes of a line for [`RECORD_REFUSED`] at most, fewer than a pipe takes at once.
pub const LONGEST_REFUSAL: usize = 1024;

/// KiB that events of one thread may have: from two blocks up to 256 MiB.
pub const RING_KIBIBYTES: RangeInclusive<u32> = 8..=262_144;

/// The fewest KiB that all events of a process may have: two of the smallest rings, with their heads.
pub const LEAST_MEMORY_KIBIBYTES: u32 = 24;

/// The clock of events.
pub const CLOCK: &str = "PERFLAB_AGENT_CLOCK";

/// How the code of sites is changed.
pub const PROTOCOL: &str = "PERFLAB_AGENT_PROTOCOL";

/// How it is written.
pub const WRITING: &str = "PERFLAB_AGENT_WRITING";

/// How other threads come to see it.
pub const SYNC: &str = "PERFLAB_AGENT_SYNC";

/// How events are judged by filters.
pub const FILTERS: &str = "PERFLAB_AGENT_FILTERS";

/// How many bytes the native code of filters is moved by, to measure whether its place matters.
pub const CODE_AT: &str = "PERFLAB_AGENT_CODE_AT";

/// Values of [`CODE_AT`]: the places in a line of the processor's cache.
pub const CODE_PLACES: RangeInclusive<u32> = 0..=63;

/// What is wrong with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValueError<'a> {
    /// It names no probes.
    Probes(PatternError<'a>),
    /// It is no recorder.
    Recorder(&'a str),
    /// It is no number.
    Kibibytes(&'a str, RangeInclusive<u32>),
    /// It is no such number.
    Bytes(&'a str, RangeInclusive<u32>),
    /// It is none of these.
    Word(&'a str, &'static [&'static str]),
    /// It is no digits of a filter.
    Filter,
}

impl fmt::Display for ValueError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Probes(error) => error.fmt(f),
            Self::Recorder(value) => write!(
                f,
                "{value:?} is no recorder's PID-NUMBER, which perflab trace record sets by itself"
            ),
            Self::Kibibytes(value, range) => {
                let (least, most) = (range.start(), range.end());
                write!(f, "{value:?} is no number of KiB from {least} to {most}")
            }
            Self::Bytes(value, range) => {
                let (least, most) = (range.start(), range.end());
                write!(f, "{value:?} is no number of bytes from {least} to {most}")
            }
            Self::Word(value, words) => {
                write!(f, "{value:?} is none of")?;
                let mut mark = "";
                for word in *words {
                    write!(f, "{mark} {word}")?;
                    mark = ",";
                }
                Ok(())
            }
            Self::Filter => f.write_str(
                "the value is no filter in hexadecimal digits, which perflab trace sets by itself: give a filter with \
                 --when",
            ),
        }
    }
}

impl core::error::Error for ValueError<'_> {}

/// The variables whose values [`check_value`] knows.
pub const CHECKED: [&str; 13] = [
    PROBES,
    RECORD,
    WHEN,
    RECORD_FOR,
    RECORD_RING,
    RECORD_MEMORY,
    RECORD_TOTAL,
    CLOCK,
    PROTOCOL,
    WRITING,
    SYNC,
    FILTERS,
    CODE_AT,
];

/// Whether an agent understands the value of a variable. A word that is empty is as good as none.
///
/// # Errors
/// With what is wrong.
pub fn check_value<'a>(variable: &str, value: &'a str) -> Result<(), ValueError<'a>> {
    let words: &[&str] = match variable {
        PROBES | RECORD => return patterns(value).map(drop).map_err(ValueError::Probes),
        WHEN => return hexadecimal(value).map(drop).ok_or(ValueError::Filter),
        RECORD_FOR => return check_recorder(value),
        RECORD_RING => return check_kibibytes(value, RING_KIBIBYTES),
        RECORD_MEMORY => return check_kibibytes(value, LEAST_MEMORY_KIBIBYTES..=u32::MAX),
        RECORD_TOTAL => return check_kibibytes(value, 0..=u32::MAX),
        CODE_AT => return check_number(value, CODE_PLACES, ValueError::Bytes),
        CLOCK => &["ordered", "unordered", "monotonic"],
        PROTOCOL => &["word", "pun", "fault", "trap"],
        WRITING => &["memory", "protection"],
        SYNC => &["membarrier", "visit"],
        FILTERS => &["native", "interpreted"],
        _ => return Ok(()),
    };
    if value.is_empty() || words.contains(&value) {
        Ok(())
    } else {
        Err(ValueError::Word(value, words))
    }
}

fn check_recorder(value: &str) -> Result<(), ValueError<'_>> {
    let is_right = value.split_once('-').is_some_and(|(pid, number)| {
        pid.parse::<u32>().is_ok() && u64::from_str_radix(number, 16).is_ok()
    });
    if is_right || value.is_empty() {
        Ok(())
    } else {
        Err(ValueError::Recorder(value))
    }
}

fn check_kibibytes(value: &str, range: RangeInclusive<u32>) -> Result<(), ValueError<'_>> {
    check_number(value, range, ValueError::Kibibytes)
}

fn check_number<'a>(
    value: &'a str,
    range: RangeInclusive<u32>,
    error: impl FnOnce(&'a str, RangeInclusive<u32>) -> ValueError<'a>,
) -> Result<(), ValueError<'a>> {
    match value.parse::<u32>() {
        Ok(number) if range.contains(&number) => Ok(()),
        _ => Err(error(value, range)),
    }
}

/// The bytes that digits stand for, as of a filter in [`WHEN`]: two hexadecimal digits for each. Nothing if there is
/// something else, or more than the longest filter has.
pub fn hexadecimal(digits: &str) -> Option<impl Iterator<Item = u8>> {
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    let is_right = rest.is_empty()
        && pairs.len() <= LONGEST_FILTER
        && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_right.then(|| {
        pairs
            .iter()
            .map(|[high, low]| 16 * value(*high) + value(*low))
    })
}

/// The value of a hexadecimal digit.
fn value(digit: u8) -> u8 {
    char::from(digit).to_digit(16).unwrap_or(0) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_code() {
        assert_eq!(check_value(CODE_AT, "63"), Ok(()));
        for value in ["", "64", "-1", "x"] {
            let error = ValueError::Bytes(value, CODE_PLACES);
            assert_eq!(check_value(CODE_AT, value), Err(error));
        }
    }

    #[test]
    fn digits_of_a_filter() {
        let bytes = hexadecimal("00fFA9").unwrap();
        assert!(bytes.eq([0x00, 0xff, 0xa9]));
        assert_eq!(check_value(WHEN, ""), Ok(()));
        for digits in ["0", "0g", "+1", "ä"] {
            assert!(hexadecimal(digits).is_none(), "{digits}");
            assert_eq!(check_value(WHEN, digits), Err(ValueError::Filter));
        }
        let most = [b'1'; 2 * LONGEST_FILTER + 2];
        let most = core::str::from_utf8(&most).unwrap();
        assert_eq!(check_value(WHEN, &most[2..]), Ok(()));
        assert_eq!(check_value(WHEN, most), Err(ValueError::Filter));
    }
}
