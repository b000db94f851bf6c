//! The block of a BSD's time with `-lp`: three lines of seconds, then numbers before their names.

use perflab_experiment::Sample;

use super::lines::{INVOLUNTARY, MAJOR, MAX_RSS, MINOR, SYSTEM, USER, VOLUNTARY, WALL, at};
use crate::error::{ReadError, excerpt};
use crate::metric::{Row, sample};
use crate::number::not_negative;

const SECONDS: [(Row, &str); 3] = [(WALL, "real"), (USER, "user"), (SYSTEM, "sys")];

/// The metrics, what they are called (in OpenBSD now, in FreeBSD and earlier), and how many of
/// their units one printed unit is.
const COUNTS: [(Row, [&str; 2], f64); 5] = [
    (MAX_RSS, ["maximum resident set size"; 2], 1024.0),
    (MAJOR, ["major page faults", "page faults"], 1.0),
    (MINOR, ["minor page faults", "page reclaims"], 1.0),
    (VOLUNTARY, ["voluntary context switches"; 2], 1.0),
    (INVOLUNTARY, ["involuntary context switches"; 2], 1.0),
];

/// What is printed besides. Other lines are another system's, with other units: macOS counts
/// memory in bytes.
const OTHERS: [&str; 9] = [
    "average shared memory size",
    "average unshared data size",
    "average unshared stack size",
    "swaps",
    "block input operations",
    "block output operations",
    "messages sent",
    "messages received",
    "signals received",
];

pub(super) fn begins(line: &str) -> bool {
    line.starts_with("real ")
}

/// The samples of the block that begins at `start` and ends the text.
pub(super) fn read(lines: &[&str], start: usize) -> Result<Vec<Sample>, ReadError> {
    let mut block = lines.iter().zip(1..).skip(start);
    let mut samples = Vec::new();
    for (row, label) in SECONDS {
        let (line, number) = block.next().unwrap_or((&"", lines.len()));
        let fields: Vec<&str> = line.split_whitespace().collect();
        let &[name, text] = &fields[..] else {
            return Err(at(number, &format!("`{label}` and seconds"), excerpt(line)));
        };
        let value = not_negative(text).map_err(|found| at(number, label, found))?;
        if name != label {
            return Err(at(number, &format!("`{label}` and seconds"), excerpt(line)));
        }
        samples.push(sample(row, None, value));
    }
    let mut counts = [None; COUNTS.len()];
    for (line, number) in block {
        let (count, label) = line.trim_start().split_once("  ").unwrap_or_default();
        let Ok(value) = not_negative(count) else {
            return Err(at(number, "a number and its name", excerpt(line)));
        };
        let which = COUNTS
            .iter()
            .position(|(_, labels, _)| labels.contains(&label));
        match which.and_then(|which| counts.get_mut(which)) {
            Some(slot @ None) => *slot = Some(value),
            None if OTHERS.contains(&label) => {}
            _ => return Err(at(number, "a quantity of BSD, once", excerpt(line))),
        }
    }
    for ((row, [label, _], factor), count) in COUNTS.into_iter().zip(counts) {
        let count = count.ok_or_else(|| at(lines.len(), &format!("`{label}`"), "none"))?;
        samples.push(sample(row, None, count * factor));
    }
    Ok(samples)
}
