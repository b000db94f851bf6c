//! Versions that do not come from git: a list of names, each with a date.

use crate::date::last_second;
use crate::parse::version_name;
use crate::revision::Revision;

/// Why a list of versions cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ListError {
    /// A line is not a name and a date.
    #[error(
        "line {line} of the list of versions is \"{found}\"; expected `NAME DATE`, as `1.2 2026-11-21`"
    )]
    Line {
        /// The line's number, from 1.
        line: usize,
        /// What it says.
        found: String,
    },
    /// A name cannot be used.
    #[error("line {line} of the list of versions: {why}")]
    Name {
        /// The line's number, from 1.
        line: usize,
        /// Why.
        why: String,
    },
    /// A name is there twice.
    #[error("the list of versions has `{0}` twice")]
    Twice(String),
}

/// The versions in the lines `NAME DATE` that a command prints, the oldest first. Empty lines and those that begin with
/// `#` are skipped.
///
/// # Errors
/// If a line is anything else.
pub fn versions(text: &str) -> Result<Vec<Revision>, ListError> {
    let mut found = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let wrong = || ListError::Line {
            line,
            found: text.chars().take(80).collect(),
        };
        let (name, date) = text.split_once(char::is_whitespace).ok_or_else(wrong)?;
        version_name(name).map_err(|why| ListError::Name { line, why })?;
        let time = last_second(date.trim()).ok_or_else(wrong)?;
        found.push((name.to_owned(), time));
    }
    in_order(found)
}

/// Versions as revisions, the oldest first; those of one time in the order given.
///
/// # Errors
/// If a name is there twice.
pub fn in_order(
    versions: impl IntoIterator<Item = (String, i64)>,
) -> Result<Vec<Revision>, ListError> {
    let mut revisions: Vec<Revision> = Vec::new();
    let mut names = std::collections::HashSet::new();
    for (name, time) in versions {
        if !names.insert(name.clone()) {
            return Err(ListError::Twice(name));
        }
        revisions.push(Revision {
            id: name,
            time,
            subject: String::new(),
            parents: Vec::new(),
            tags: Vec::new(),
        });
    }
    revisions.sort_by_key(|revision| revision.time);
    Ok(revisions)
}
