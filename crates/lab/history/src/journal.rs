//! Files of facts to which lines are added and that are never changed.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use perflab_store::{LineProblem, seal, unseal};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// It cannot be read or written.
    #[error("cannot {what} {}: {source}", path.display())]
    Io {
        /// What was tried.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A line of it cannot be trusted.
    #[error("{}:{line}: {}", path.display(), told(problem))]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: LineProblem,
    },
    /// A fact cannot be written as JSON.
    #[error("cannot write a fact into {}: {source}", path.display())]
    Fact {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
}

/// What is wrong with a line, with one piece of advice: what the problem says of itself is for the runs of a result.
fn told(problem: &LineProblem) -> String {
    match problem {
        LineProblem::Altered => {
            "the line is not as it was written: its checksum does not fit; restore the file from a \
             copy, or remove the history and begin it again"
                .to_owned()
        }
        other => other.to_string(),
    }
}

/// A file of facts, one in each line, with a checksum.
#[derive(Debug)]
pub struct Journal<T> {
    path: PathBuf,
    facts: PhantomData<fn() -> T>,
}

impl<T: Serialize + DeserializeOwned> Journal<T> {
    /// The file of this name.
    pub fn new(path: PathBuf) -> Self {
        Self {
            path,
            facts: PhantomData,
        }
    }

    /// All facts, in the order in which they were added; none where there is no file. A last line that was cut off, as
    /// by a laboratory that was killed, is no fact.
    ///
    /// # Errors
    /// If the file cannot be read, or a line was altered.
    pub fn read(&self) -> Result<Vec<T>, JournalError> {
        let content = match fs::read(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            content => content.map_err(|source| self.io("read", source))?,
        };
        let complete = &content[..complete(&content)];
        let lines = lines(complete);
        let fact = |(line, text): (usize, &[u8])| {
            unseal(text).map_err(|problem| JournalError::Line {
                path: self.path.clone(),
                line,
                problem,
            })
        };
        (1..).zip(lines).map(fact).collect()
    }

    /// Adds a fact: it is on the disk then. Only one laboratory may add to a file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn append(&self, fact: &T) -> Result<(), JournalError> {
        let line = seal(fact).map_err(|source| JournalError::Fact {
            path: self.path.clone(),
            source,
        })?;
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(&self.path)
            .map_err(|source| self.io("open", source))?;
        self.take_back(&file)?;
        let length = file
            .metadata()
            .map_err(|source| self.io("read", source))?
            .len();
        let written = file.write_all(&line).and_then(|()| file.sync_data());
        if let Err(source) = written {
            let _ = file.set_len(length);
            return Err(self.io("write", source));
        }
        if length == 0 {
            sync_directory(&self.path).map_err(|source| self.io("sync", source))?;
        }
        Ok(())
    }

    /// Removes a last line that was cut off.
    fn take_back(&self, file: &fs::File) -> Result<(), JournalError> {
        let content = fs::read(&self.path).map_err(|source| self.io("read", source))?;
        let complete = complete(&content);
        if complete < content.len() {
            file.set_len(complete as u64)
                .map_err(|source| self.io("shorten", source))?;
        }
        Ok(())
    }

    fn io(&self, what: &'static str, source: io::Error) -> JournalError {
        JournalError::Io {
            what,
            path: self.path.clone(),
            source,
        }
    }
}

/// Length of the complete lines.
fn complete(content: &[u8]) -> usize {
    content
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |at| at + 1)
}

/// The lines of a text, without their line feeds.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|byte| *byte == b'\n')
        .map(|line| line.strip_suffix(b"\n").unwrap_or(line))
}

/// Makes the name of a new file outlast a power failure.
fn sync_directory(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(directory) => fs::File::open(directory)?.sync_all(),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
    struct Fact {
        name: String,
    }

    fn fact(name: &str) -> Fact {
        Fact {
            name: name.to_owned(),
        }
    }

    #[test]
    fn what_was_cut_off_is_no_fact_and_is_taken_back() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("facts.jsonl");
        let journal = Journal::new(path.clone());
        for name in ["a", "b\n", "c"] {
            journal.append(&fact(name)).unwrap();
        }
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole[..whole.len() - 3]).unwrap();
        assert_eq!(journal.read().unwrap(), [fact("a"), fact("b\n")]);
        journal.append(&fact("d")).unwrap();
        assert_eq!(journal.read().unwrap(), [fact("a"), fact("b\n"), fact("d")]);
        let mut altered = fs::read(&path).unwrap();
        altered[3] ^= 1;
        fs::write(&path, altered).unwrap();
        let error = journal.read().unwrap_err();
        assert!(
            matches!(error, JournalError::Line { line: 1, .. }),
            "{error}"
        );
        let text = error.to_string();
        assert_eq!(text.matches("from a copy").count(), 1, "{text}");
    }
}
