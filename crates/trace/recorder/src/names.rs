//! Names of what a process keeps for whoever records it, and whose they are.

use std::path::Path;

use perflab_abi::recording::{RING_SUFFIX, RINGS_SUFFIX};
use perflab_control::{Process, State};

/// The process whose directory this is.
pub fn process_of(path: &Path) -> Option<Process> {
    let name = path.file_name()?.to_str()?;
    Process::named(name.strip_suffix(RINGS_SUFFIX)?)
}

/// Whether the process of a directory lives.
pub fn lives(path: &Path) -> bool {
    process_of(path).is_some_and(|process| process.state() != State::Ended)
}

/// The number of `NUMBER.ring`, written as a number is.
pub fn ring_number(name: &str) -> Option<u32> {
    let digits = name.strip_suffix(RING_SUFFIX)?;
    let number: u32 = digits.parse().ok()?;
    (number.to_string() == digits).then_some(number)
}
