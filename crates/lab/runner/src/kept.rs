//! What is kept of the output of a run: all of it, or its beginning and its end; and whether the run left it there.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FallocateFlags, fallocate};

/// Bytes that are kept of the beginning of a long output, and as many of its end.
const KEPT_BYTES: u64 = 1 << 22;

/// Bytes that are moved at a time.
const PIECE_BYTES: usize = 1 << 16;

/// The files in a run's directory that perflab sends output to. Whatever else a workload writes
/// there is its own.
const OUTPUTS: [&str; 8] = [
    "align.log",
    "build.log",
    "cleanup.log",
    "gap.log",
    "link.log",
    "prepare.log",
    "stderr",
    "stdout",
];

/// The directory of a run, as it was made for it.
#[derive(Debug)]
pub(crate) struct RunDirectory {
    path: PathBuf,
    /// Open, so that no other directory gets its number.
    opened: File,
    permissions: Permissions,
}

impl RunDirectory {
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let opened = File::open(path)?;
        Ok(Self {
            path: path.to_owned(),
            permissions: opened.metadata()?.permissions(),
            opened,
        })
    }

    /// Whether the directory is where it was. A run may have removed it, moved it away or put something in its place.
    /// One that the run has forbidden to everybody can be looked into again.
    pub(crate) fn is_left(&self) -> bool {
        let is_same = |found: &fs::Metadata, made: &fs::Metadata| {
            found.is_dir() && (found.dev(), found.ino()) == (made.dev(), made.ino())
        };
        let found = self.path.symlink_metadata();
        let Some(made) = found.ok().and_then(|found| {
            let made = self.opened.metadata().ok()?;
            is_same(&found, &made).then_some(made)
        }) else {
            return false;
        };
        if made.permissions() != self.permissions {
            let _stays = self.opened.set_permissions(self.permissions.clone());
        }
        true
    }
}

/// Whether perflab sends output to a file of this name: a step's, or that of a system, `system.log` or
/// `system.NAME.log`, or of what asks whether it is ready, or tells it to stop.
fn is_output(name: &str) -> bool {
    OUTPUTS.contains(&name) || (name.starts_with("system.") && name.ends_with(".log"))
}

/// Cuts the outputs in a run's directory that are too long to be kept.
pub(crate) fn cut_outputs(directory: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(directory) {
        // One that the run has forbidden to everybody.
        Err(error) if error.kind() == ErrorKind::PermissionDenied => return Ok(()),
        entries => entries?,
    };
    let names = entries.flatten().map(|entry| entry.file_name());
    for name in names.filter(|name| is_output(&name.to_string_lossy())) {
        match cut(&directory.join(name)) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            // One that the run has forbidden to everybody stays as long as it is.
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {}
            cut => cut?,
        }
    }
    Ok(())
}

/// Takes the middle out of a long file, where it lies: a disk that is almost full has no room for a
/// second one.
fn cut(path: &Path) -> io::Result<()> {
    let metadata = fs::symlink_metadata(path)?;
    if !metadata.is_file() || metadata.len() <= 2 * KEPT_BYTES {
        return Ok(());
    }
    let file = OpenOptions::new().read(true).write(true).open(path)?;
    let length = metadata.len();
    let left_out = length - 2 * KEPT_BYTES;
    let line = format!("\n[perflab left out {left_out} bytes here]\n");
    if left_out <= line.len() as u64 {
        return Ok(());
    }
    file.write_all_at(line.as_bytes(), KEPT_BYTES)?;
    let mut to = KEPT_BYTES + line.len() as u64;
    let mut piece = vec![0; PIECE_BYTES];
    let mut from = length - KEPT_BYTES;
    while from < length {
        let most = usize::try_from(length - from).map_or(PIECE_BYTES, |left| left.min(PIECE_BYTES));
        file.read_exact_at(&mut piece[..most], from)?;
        file.write_all_at(&piece[..most], to)?;
        from += most as u64;
        to += most as u64;
    }
    file.set_len(to)
}

/// Frees the room of the middle of a long file that a process writes on to. Its length stays: moving
/// the end would lose what is written meanwhile. On a file system that cannot, the file grows on.
pub(crate) fn hollow(path: &Path) {
    let Ok(file) = OpenOptions::new().write(true).open(path) else {
        return;
    };
    let length = file.metadata().map_or(0, |metadata| metadata.len());
    if let Some(middle) = length
        .checked_sub(2 * KEPT_BYTES)
        .filter(|middle| *middle > 0)
    {
        let hole = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        let _unsupported = fallocate(&file, hole, KEPT_BYTES, middle);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(length: u64) -> Vec<u8> {
        let scratch = tempfile::tempdir().unwrap();
        let content: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
        fs::write(scratch.path().join("stdout"), &content).unwrap();
        cut_outputs(scratch.path()).unwrap();
        fs::read(scratch.path().join("stdout")).unwrap()
    }

    #[test]
    fn the_middle_of_a_long_output_is_left_out() {
        let whole = 2 * KEPT_BYTES;
        for length in [0, 1, whole, whole + 1, whole + 20] {
            assert_eq!(kept(length).len() as u64, length);
        }
        for left_out in [100, 1 << 20] {
            let length = whole + left_out;
            let kept = kept(length);
            let line = format!("\n[perflab left out {left_out} bytes here]\n");
            let (head, rest) = kept.split_at(KEPT_BYTES as usize);
            let tail = rest.strip_prefix(line.as_bytes()).unwrap();
            assert_eq!(tail.len() as u64, KEPT_BYTES);
            let byte = |at: u64| (at % 251) as u8;
            assert!((0..).zip(head).all(|(at, found)| *found == byte(at)));
            let from = length - KEPT_BYTES;
            assert!((from..).zip(tail).all(|(at, found)| *found == byte(at)));
        }
    }
}
