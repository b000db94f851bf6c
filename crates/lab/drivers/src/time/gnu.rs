//! The block of GNU time: a line `Command being timed: "..."`, then a line for each quantity.

use perflab_experiment::Sample;

use super::lines::{INVOLUNTARY, MAJOR, MAX_RSS, MINOR, SYSTEM, USER, VOLUNTARY, WALL, at};
use crate::error::{ReadError, excerpt};
use crate::metric::{Row, sample};
use crate::number::not_negative;

const ELAPSED: &str = "Elapsed (wall clock) time (h:mm:ss or m:ss)";

/// The metrics, what they are called, and how many of their units one printed unit is.
const LINES: [(Row, &str, f64); 8] = [
    (WALL, ELAPSED, 1.0),
    (USER, "User time (seconds)", 1.0),
    (SYSTEM, "System time (seconds)", 1.0),
    (MAX_RSS, "Maximum resident set size (kbytes)", 1024.0),
    (MAJOR, "Major (requiring I/O) page faults", 1.0),
    (MINOR, "Minor (reclaiming a frame) page faults", 1.0),
    (VOLUNTARY, "Voluntary context switches", 1.0),
    (INVOLUNTARY, "Involuntary context switches", 1.0),
];

pub(super) fn begins(line: &str) -> bool {
    line.starts_with("\tCommand being timed: \"")
}

/// The samples of the block that begins at `start` and ends the text.
pub(super) fn read(lines: &[&str], start: usize) -> Result<Vec<Sample>, ReadError> {
    // Version 1.7 may end with exit code 0 after this.
    if let Some(before) = start.checked_sub(1).and_then(|index| lines.get(index))
        && before.starts_with("Command terminated by signal ")
    {
        return Err(at(start, "a command that ended by itself", excerpt(before)));
    }
    match lines.last() {
        Some(&"\tExit status: 0") => {}
        last => {
            let found = excerpt(last.copied().unwrap_or_default());
            return Err(at(
                lines.len(),
                "the last line to be `Exit status: 0`",
                found,
            ));
        }
    }
    LINES
        .into_iter()
        .map(|(row, label, factor)| {
            let (number, text) = find(lines, start, label)?;
            let value = if label == ELAPSED {
                clock(text)
            } else {
                not_negative(text)
            };
            let value = value.map_err(|found| at(number, label, found))?;
            Ok(sample(row, None, value * factor))
        })
        .collect()
}

/// The only line of this label behind the first one, which may itself span lines.
fn find<'a>(lines: &[&'a str], start: usize, label: &str) -> Result<(usize, &'a str), ReadError> {
    let mut found = lines
        .iter()
        .zip(1..)
        .skip(start)
        .filter_map(|(line, number)| {
            let text = line.strip_prefix('\t')?.strip_prefix(label)?;
            Some((number, text.strip_prefix(": ")?))
        });
    match (found.next(), found.next()) {
        (Some(only), None) => Ok(only),
        (None, _) => Err(at(lines.len(), &format!("a line `{label}`"), "none")),
        (_, Some((number, _))) => Err(at(number, &format!("one line `{label}`"), "another")),
    }
}

/// Seconds of `m:ss.cc` or `h:mm:ss`.
fn clock(text: &str) -> Result<f64, String> {
    let refuse = || format!("{}, which is no time", excerpt(text));
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let fields: Vec<&str> = whole.split(':').collect();
    let digits = |field: &&str| !field.is_empty() && field.bytes().all(|b| b.is_ascii_digit());
    if !(2..=3).contains(&fields.len()) || !fields.iter().chain([&fraction]).all(digits) {
        return Err(refuse());
    }
    let mut seconds: u64 = 0;
    for field in fields {
        let number: u64 = field.parse().map_err(|_| refuse())?;
        let scaled = seconds.checked_mul(60).and_then(|s| s.checked_add(number));
        seconds = scaled.ok_or_else(refuse)?;
    }
    not_negative(&format!("{seconds}.{fraction}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_read_exactly() {
        for (text, seconds) in [
            ("0:00.14", 0.14),
            ("1:00.14", 60.14),
            ("59:59.99", 3599.99),
            ("1:02:03", 3723.0),
            ("100:00:00", 360_000.0),
        ] {
            assert_eq!(clock(text), Ok(seconds));
        }
        for text in [
            "",
            "1",
            "1.5",
            "0m 0.10s",
            ":1",
            "1:-2",
            "1:2:3:4",
            "1:+2",
            "1:2.",
            "99999999999999999999:1",
        ] {
            assert!(clock(text).unwrap_err().contains("no time"), "{text}");
        }
    }
}
