//! The outline of a history's timeline, noted by who measures: who reads need not have the repository.

use std::collections::HashMap;
use std::fs;
use std::io;

use perflab_store::write_file;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::directory::{DirectoryError, FILE, Held, HistoryDir, OUTLINE};
use crate::file::HistoryFile;
use crate::timeline::Timeline;

/// The outline of a timeline.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outline {
    /// The name of the history.
    #[serde(default)]
    pub name: String,
    /// The revisions of the branch, the oldest first: the times of commits may be out of order.
    #[serde(default)]
    pub order: Vec<String>,
    /// The tags of those that have any, by their [`Revision::id`](crate::Revision::id): they may be set long after a
    /// revision was measured. Absent where nobody noted them.
    #[serde(default)]
    pub tags: Option<HashMap<String, Vec<String>>>,
    /// What else changed.
    #[serde(default)]
    pub quirks: Vec<OutlineQuirk>,
}

/// A quirk of an outline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlineQuirk {
    /// By which plots and tables name it.
    pub letter: String,
    /// The place in the order of the first revision that has it.
    pub place: usize,
    /// What changed.
    pub what: String,
}

/// A quirk as a view has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SeenQuirk {
    /// By which plots and tables name it.
    pub letter: String,
    /// The place of the first measured revision that has it.
    pub place: usize,
    /// What changed.
    pub what: String,
}

impl Outline {
    /// Of the timeline of a history of this name.
    pub fn of(name: &str, timeline: &Timeline) -> Self {
        let quirks = timeline.quirks.iter().map(|dated| OutlineQuirk {
            letter: dated.letter.clone(),
            place: dated.place,
            what: dated.quirk.what.clone(),
        });
        let revisions = timeline.revisions.iter();
        let tagged = revisions
            .clone()
            .filter(|revision| !revision.tags.is_empty());
        let tags = tagged.map(|revision| (revision.id.clone(), revision.tags.clone()));
        Self {
            name: name.to_owned(),
            order: revisions.map(|revision| revision.id.clone()).collect(),
            tags: Some(tags.collect()),
            quirks: quirks.collect(),
        }
    }
}

impl HistoryDir {
    /// The name of the history: as it was noted, else as the copy of the history file says.
    ///
    /// # Errors
    /// If neither can be read.
    pub fn name(&self) -> Result<String, DirectoryError> {
        match self.outline()?.name {
            noted if !noted.is_empty() => Ok(noted),
            _ => Ok(HistoryFile::parse(&self.file()?, FILE)?.name),
        }
    }

    /// The name that was noted, or that the copy of the history file has; nothing where neither says one.
    pub(crate) fn known_name(&self) -> Option<String> {
        let noted = self.outline().unwrap_or_default().name;
        let of_file = || {
            let file = HistoryFile::parse(&self.file().ok()?, FILE).ok()?;
            // A file without a name would have that of its copy.
            Some(file.name).filter(|name| name != "history")
        };
        Some(noted).filter(|name| !name.is_empty()).or_else(of_file)
    }

    /// Notes the name of the history, unless it is noted.
    pub(crate) fn note_name(&self, held: &Held, name: &str) -> Result<(), DirectoryError> {
        let outline = self.outline().unwrap_or_default();
        if outline.name == name {
            return Ok(());
        }
        let name = name.to_owned();
        self.note_outline(held, &Outline { name, ..outline })
    }

    /// Notes the outline of its timeline.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn note_outline(&self, _held: &Held, outline: &Outline) -> Result<(), DirectoryError> {
        let text = serde_json::to_vec(outline).map_err(|error| DirectoryError::Io {
            what: "write",
            path: self.path().join(OUTLINE),
            source: error.into(),
        })?;
        write_file(self.path(), OUTLINE, &text)?;
        Ok(())
    }

    /// The outline of its timeline at the last run; an empty one where none was noted.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn outline(&self) -> Result<Outline, DirectoryError> {
        let path = self.path().join(OUTLINE);
        let io = |source| DirectoryError::Io {
            what: "read",
            path: path.clone(),
            source,
        };
        match fs::read(&path) {
            Ok(text) => serde_json::from_slice(&text).map_err(|error| io(error.into())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Outline::default()),
            Err(source) => Err(io(source)),
        }
    }
}
