//! Why a file of the recording cannot be made.

use std::io::{self, ErrorKind};

/// Why a file of the recording cannot be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoFile {
    /// As it is told.
    pub reason: String,
    /// Whether it could be made if others made room.
    pub is_full: bool,
}

impl NoFile {
    /// For a reason that room does not help against.
    pub fn of(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
            is_full: false,
        }
    }

    /// As there is no room.
    pub fn full(reason: String) -> Self {
        Self {
            reason,
            is_full: true,
        }
    }

    /// As the system said.
    pub fn from_system(reason: String, error: &io::Error) -> Self {
        let full = [
            ErrorKind::StorageFull,
            ErrorKind::QuotaExceeded,
            ErrorKind::OutOfMemory,
        ];
        Self {
            reason,
            is_full: full.contains(&error.kind()),
        }
    }
}

impl From<NoFile> for String {
    fn from(no: NoFile) -> Self {
        no.reason
    }
}
