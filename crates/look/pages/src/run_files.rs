//! What a run left: its files, and their beginnings and ends.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use perflab_plot::clean;
use rustix::fs::{CWD, Mode, OFlags, openat};

/// A file that a run left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RunFile {
    /// Its path below the run's directory, as it may be shown.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
}

/// Files beyond are not listed.
const MOST_FILES: usize = 100;

/// Directories within directories that are looked into.
const DEPTH: usize = 4;

/// Bytes of a file's beginning, and of its end, that are shown.
const SHOWN: u64 = 16 * 1024;

/// The regular files of a run, by name. Links are not followed: they may lead anywhere, also in the place of the
/// run's directory, or of that of all runs.
pub(crate) fn files(directory: &Path) -> Vec<RunFile> {
    let mut found = Vec::new();
    if perflab_store::is_no_link(directory) {
        collect(directory, "", DEPTH, &mut found);
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found.truncate(MOST_FILES);
    found
}

fn collect(directory: &Path, prefix: &str, depth: usize, found: &mut Vec<RunFile>) {
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    for entry in entries.flatten().take(10 * MOST_FILES) {
        let Ok(metadata) = entry.path().symlink_metadata() else {
            continue;
        };
        let name = format!("{prefix}{}", clean(&entry.file_name().to_string_lossy()));
        // The table of all samples has what is in them.
        let has_samples = prefix.is_empty() && perflab_store::is_sample_file(&name);
        if metadata.is_file() && !has_samples {
            found.push(RunFile {
                name,
                path: entry.path(),
                bytes: metadata.len(),
            });
        } else if metadata.is_dir() && depth > 0 {
            collect(&entry.path(), &format!("{name}/"), depth - 1, found);
        }
    }
}

impl RunFile {
    /// Opens it, if it still is a regular file: a pipe in its place would be waited for without end, a link may lead
    /// anywhere.
    ///
    /// # Errors
    /// If it is something else now, or cannot be opened.
    pub(crate) fn open(&self) -> io::Result<File> {
        let flags =
            OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = File::from(openat(CWD, &self.path, flags, Mode::empty())?);
        if file.metadata()?.is_file() {
            Ok(file)
        } else {
            Err(io::Error::other("it is no regular file any more"))
        }
    }

    /// Its name as a part of an address.
    pub(crate) fn plain_name(&self) -> String {
        let plain = |character: char| match character {
            _ if character.is_ascii_alphanumeric() => character,
            '.' | '_' | '-' => character,
            _ => '_',
        };
        self.name.chars().take(60).map(plain).collect()
    }

    /// Its text, or its beginning and its end.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) fn excerpt(&self) -> io::Result<Excerpt> {
        let mut file = self.open()?;
        let mut head = Vec::new();
        if self.bytes <= 2 * SHOWN {
            file.take(2 * SHOWN).read_to_end(&mut head)?;
            return Ok(Excerpt {
                head: text(&head),
                left_out: 0,
                tail: String::new(),
            });
        }
        Read::by_ref(&mut file).take(SHOWN).read_to_end(&mut head)?;
        let mut tail = Vec::new();
        file.seek(SeekFrom::Start(self.bytes - SHOWN))?;
        file.take(SHOWN).read_to_end(&mut tail)?;
        Ok(Excerpt {
            head: text(&head),
            left_out: self.bytes - 2 * SHOWN,
            tail: text(&tail),
        })
    }
}

/// What is shown of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Excerpt {
    pub(crate) head: String,
    /// Bytes between.
    pub(crate) left_out: u64,
    pub(crate) tail: String,
}

/// Lines stay lines; anything else that steers is spelt out.
fn text(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut shown = String::with_capacity(text.len());
    for piece in text.split_inclusive(['\n', '\t']) {
        let (content, end) = match piece.strip_suffix('\n') {
            Some(line) => (line.strip_suffix('\r').unwrap_or(line), "\n"),
            None => match piece.strip_suffix('\t') {
                Some(content) => (content, "\t"),
                None => (piece, ""),
            },
        };
        shown.push_str(&clean(content));
        shown.push_str(end);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stay_and_escape_sequences_show() {
        assert_eq!(
            text(b"a\tb\r\n\x1b[31mred\xff"),
            "a\tb\n\\u{1b}[31mred\u{fffd}"
        );
    }

    #[test]
    fn long_files_are_shown_from_both_ends_and_links_not_followed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log <b>");
        let mut content = vec![b'a'; 100_000];
        content[99_999] = b'z';
        fs::write(&path, &content).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", directory.path().join("link")).unwrap();
        let found = files(directory.path());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].plain_name(), "log__b_");
        let excerpt = found[0].excerpt().unwrap();
        assert_eq!(excerpt.left_out, 100_000 - 2 * SHOWN);
        assert!(excerpt.tail.ends_with('z'));
    }

    /// Between the look into a directory and the reading of a file it may become something else.
    #[test]
    fn what_took_the_place_of_a_file_is_not_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        let file = |kind: &str| {
            let found = files(directory.path()).remove(0);
            fs::remove_file(&path).unwrap();
            match kind {
                "link" => std::os::unix::fs::symlink("/etc/passwd", &path).unwrap(),
                "pipe" => {
                    rustix::fs::mknodat(CWD, &path, rustix::fs::FileType::Fifo, Mode::RUSR, 0)
                        .unwrap();
                }
                "directory" => fs::create_dir(&path).unwrap(),
                _ => {}
            }
            found
        };
        for kind in ["link", "pipe", "nothing", "directory"] {
            fs::write(&path, "x").unwrap();
            let found = file(kind);
            assert!(found.open().is_err() && found.excerpt().is_err(), "{kind}");
            let _not_there = fs::remove_file(&path);
        }
    }
}
