//! The unit of time of a table.

use super::entry::Entry;

/// The unit in which a table shows times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unit {
    /// s, with three decimals.
    Second,
    /// ms, with one decimal.
    Millisecond,
    /// us, with one decimal; since 1.18.
    Microsecond,
}

impl Unit {
    /// The unit that `hyperfine` chooses if none is asked for: it depends on the first mean alone,
    /// and is the second for an empty table.
    ///
    /// Before 1.18 it chose the millisecond where this is the microsecond, below 1 ms.
    pub fn automatic(entries: &[Entry]) -> Self {
        match entries.first().map(|first| first.mean) {
            Some(mean) if mean < 1e-3 => Self::Microsecond,
            Some(mean) if mean < 1.0 => Self::Millisecond,
            _ => Self::Second,
        }
    }

    pub(super) fn symbol(self) -> &'static str {
        match self {
            Self::Second => "s",
            Self::Millisecond => "ms",
            Self::Microsecond => "µs",
        }
    }

    pub(super) fn show(self, seconds: f64) -> String {
        match self {
            Self::Second => format!("{seconds:.3}"),
            Self::Millisecond => format!("{:.1}", seconds * 1e3),
            Self::Microsecond => format!("{:.1}", seconds * 1e6),
        }
    }
}
