//! Revisions: the states of a program, one after the other.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Digits of a commit's hash that name it where people read.
const DIGITS: usize = 12;

/// A state of a program that can be built and measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Revision {
    /// The whole hash of a commit, or the name of a version.
    pub id: String,
    /// When it was committed or released, in seconds since 1970.
    pub time: i64,
    /// What its author says of it, in a line; nothing for a version.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub subject: String,
    /// Hashes of the commits that it was made from; the first is the one that it continues.
    #[serde(default)]
    pub parents: Vec<String>,
    /// The tags that name it.
    #[serde(default)]
    pub tags: Vec<String>,
}

impl Revision {
    /// Stands where a command has no revision.
    pub(crate) fn none() -> Self {
        Self {
            id: String::new(),
            time: 0,
            subject: String::new(),
            parents: Vec::new(),
            tags: Vec::new(),
        }
    }

    /// The same with a patch of this name: `HASH.NAME`.
    #[must_use]
    pub fn patched(&self, name: &str) -> Self {
        Self {
            id: format!("{}.{name}", self.id),
            subject: format!("{name} on {}", self.subject),
            parents: vec![self.id.clone()],
            tags: Vec::new(),
            ..self.clone()
        }
    }

    /// The name that people read: the beginning of a commit's hash, with the name of the patch on it, or the name of a
    /// version.
    pub fn name(&self) -> String {
        let commit = self.commit();
        let patch = &self.id[commit.len()..];
        match is_hash(commit) {
            true => format!("{}{patch}", &commit[..DIGITS]),
            false => self.id.clone(),
        }
    }

    /// Whether it is a commit with a patch.
    pub fn is_patched(&self) -> bool {
        self.commit().len() < self.id.len()
    }

    /// The commit whose files it has; the name of a version.
    pub fn commit(&self) -> &str {
        match self.id.split_once('.') {
            Some((commit, _)) if is_hash(commit) => commit,
            _ => &self.id,
        }
    }

    /// When it was committed or released.
    pub fn timestamp(&self) -> Timestamp {
        Timestamp::from_second(self.time).unwrap_or_default()
    }

    /// The day of it, UTC, as `2026-11-21`.
    pub fn date(&self) -> String {
        self.timestamp().strftime("%F").to_string()
    }
}

/// Whether a text is the whole hash of a git object, SHA-1 or SHA-256.
pub(crate) fn is_hash(text: &str) -> bool {
    matches!(text.len(), 40 | 64)
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'))
}
