//! Quirks: what else changed with time, each with a letter.

use perflab_experiment::Command;

use crate::file::Quirk;
use crate::revision::Revision;
use crate::selection::{Place, SelectionError, place_of, times};

/// A quirk at its place in a history.
#[derive(Debug, Clone, PartialEq)]
pub struct DatedQuirk {
    /// By which plots and tables name it: A to Z, then a to z, then A1 and so on.
    pub letter: String,
    /// The first revision that has it; the number of all revisions where none has it yet.
    pub place: usize,
    /// What the file says of it.
    pub quirk: Quirk,
}

/// The quirks of a history in the order of their places. `places`: what their keys `at` name.
///
/// # Errors
/// If one names a revision that is not in the history.
pub(crate) fn dated(
    quirks: &[Quirk],
    places: &[Place],
    history: &[Revision],
) -> Result<Vec<DatedQuirk>, SelectionError> {
    let times = times(history);
    let mut found = Vec::with_capacity(quirks.len());
    for (quirk, at) in quirks.iter().zip(places) {
        let place = match at {
            // What changed on a day is there for the first revision after it began.
            Place::Second(second) => times.partition_point(|time| time < second),
            Place::Revision(_) => place_of(history, &times, at)?,
        };
        found.push((place, quirk));
    }
    found.sort_by_key(|(place, _)| *place);
    let lettered = (0..).zip(found).map(|(number, (place, quirk))| DatedQuirk {
        letter: letter(number),
        place,
        quirk: quirk.clone(),
    });
    Ok(lettered.collect())
}

/// The commands that come before the build of the revision at a place.
pub fn commands_at(quirks: &[DatedQuirk], place: usize) -> Vec<&Command> {
    let commands = quirks.iter().map(|dated| match dated.place <= place {
        true => &dated.quirk.commands,
        false => &dated.quirk.before,
    });
    commands.flatten().collect()
}

/// The letter of a quirk, given its number from 0.
fn letter(number: usize) -> String {
    const LETTERS: usize = 26;
    let within = (number % (2 * LETTERS)) as u8;
    let letter = match within {
        upper @ 0..26 => char::from(b'A' + upper),
        lower => char::from(b'a' + lower - 26),
    };
    match number / (2 * LETTERS) {
        0 => letter.to_string(),
        again => format!("{letter}{again}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_never_repeat() {
        let first: Vec<String> = [0, 25, 26, 51, 52, 104].map(letter).to_vec();
        assert_eq!(first, ["A", "Z", "a", "z", "A1", "A2"]);
        let all: std::collections::HashSet<String> = (0..1000).map(letter).collect();
        assert_eq!(all.len(), 1000);
    }
}
