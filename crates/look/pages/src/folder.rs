//! The pages in a folder.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use crate::address::Address;
use crate::content::Content;
use crate::site::Site;

/// Why the pages could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// Something else is there.
    #[error("expected a new or empty folder for the report, or one with a report of perflab, found something else at {}; choose another one", .0.display())]
    Foreign(PathBuf),
    /// There can be no folder.
    #[error("cannot make the folder {}: {source}; choose another one", path.display())]
    Uncreatable {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The system refused.
    #[error("cannot write {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// What is done before a report is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Metrics are compared.
    Compare,
    /// Pages and files are written.
    Write,
}

/// Hears how far a step is: how many are done, and how many there are.
pub type Progress<'p> = &'p mut dyn FnMut(Step, usize, usize);

/// The file that says that a folder holds a report, so that another may take its place.
const MARK: &str = ".perflab-report";

/// Writes all pages of a result into a folder, instead of a report that is there. Returns the first page.
///
/// # Errors
/// If the folder holds other files, or cannot be written. What was written until then stays.
pub fn write(site: &Site, directory: &Path, progress: Progress<'_>) -> Result<PathBuf, WriteError> {
    begin(directory, &is_own)?;
    // Which pages there are is known once everything is compared, which takes most of the time.
    let metrics: Vec<usize> = site.metrics().collect();
    let mut comparing = |done, all| progress(Step::Compare, done, all);
    each(&metrics, &mut comparing, &|metric| {
        site.compare(*metric);
        Ok(())
    })?;
    let addresses = site.addresses();
    let mut writing = |done, all| progress(Step::Write, done, all);
    each(&addresses, &mut writing, &|address| {
        one(site, directory, address)
    })?;
    Ok(directory.join(Address::First.to_string()))
}

/// Does some work for each of them, on all processors.
fn each<T: Sync>(
    all: &[T],
    progress: &mut dyn FnMut(usize, usize),
    work: &(dyn Fn(&T) -> Result<(), WriteError> + Sync),
) -> Result<(), WriteError> {
    progress(0, all.len());
    let next = AtomicUsize::new(0);
    let (finished, results) = mpsc::channel();
    let workers = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        for _ in 0..workers.min(all.len()) {
            let (next, finished) = (&next, finished.clone());
            scope.spawn(move || {
                while let Some(one) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    // Nobody listens any more after a failure.
                    if finished.send(work(one)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(finished);
        for (done, result) in (1..).zip(results) {
            result?;
            progress(done, all.len());
        }
        Ok(())
    })
}

fn failed(path: &Path) -> impl Fn(io::Error) -> WriteError + '_ {
    |source| WriteError::Io {
        path: path.to_owned(),
        source,
    }
}

fn uncreatable(path: &Path) -> impl Fn(io::Error) -> WriteError + '_ {
    |source| WriteError::Uncreatable {
        path: path.to_owned(),
        source,
    }
}

/// An empty folder with the mark. Of a former report only what perflab writes is removed: files whose addresses are its own.
pub(crate) fn begin(directory: &Path, is_own: &dyn Fn(&str) -> bool) -> Result<(), WriteError> {
    let mark = directory.join(MARK);
    match fs::read_dir(directory) {
        Ok(mut entries) => {
            let is_marked = mark
                .symlink_metadata()
                .is_ok_and(|metadata| metadata.is_file());
            if entries.next().is_some() && !is_marked {
                return Err(WriteError::Foreign(directory.to_owned()));
            }
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            return Err(WriteError::Foreign(directory.to_owned()));
        }
        Err(error) => return Err(uncreatable(directory)(error)),
    }
    fs::create_dir_all(directory).map_err(uncreatable(directory))?;
    match File::create_new(&mark) {
        Ok(mut file) => file
            .write_all(b"made by perflab report\n")
            .map_err(failed(&mark))?,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        Err(error) => return Err(failed(&mark)(error)),
    }
    clear(directory, "", is_own)
}

/// Removes what perflab writes from a folder whose addresses begin so, and folders that are empty then.
fn clear(folder: &Path, prefix: &str, is_own: &dyn Fn(&str) -> bool) -> Result<(), WriteError> {
    for entry in fs::read_dir(folder).map_err(failed(folder))?.flatten() {
        let path = entry.path();
        let address = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let is_own_folder =
            ["data", "figures", "raw"].contains(&address.as_str()) || prefix == "raw/";
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && is_own_folder {
            clear(&path, &format!("{address}/"), is_own)?;
            // It stays if something else is in it.
            let _ = fs::remove_dir(&path);
        } else if !is_folder && (is_own_folder || is_own(&address)) {
            fs::remove_file(&path).map_err(failed(&path))?;
        }
    }
    Ok(())
}

/// Whether perflab writes a file of this name, or did when plots were drawn a second time by a library.
fn is_own(address: &str) -> bool {
    let is_former =
        address == "plotly.js" || address.starts_with("figures/") && address.ends_with(".js");
    is_former || Address::parse(address).is_some()
}

fn one(site: &Site, directory: &Path, address: &Address) -> Result<(), WriteError> {
    let path = directory.join(address.to_string());
    if let Some((page, files)) = site.page(address) {
        put(&path, page.as_bytes())?;
        for (address, content) in files {
            put(&directory.join(address.to_string()), content.as_bytes())?;
        }
        if let Address::Run(run) = address {
            for (address, file) in site.raw(*run) {
                // What is away now, or something else, is left out.
                if let Ok(source) = file.open() {
                    copy(source, &directory.join(address.to_string()))?;
                }
            }
        }
        return Ok(());
    }
    match site.at(address) {
        Some(Content::Made { bytes, .. }) => put(&path, &bytes),
        // What runs left comes with their pages.
        Some(Content::Raw(_)) | None => Ok(()),
    }
}

pub(crate) fn put(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    new(path)?.write_all(bytes).map_err(failed(path))
}

/// A new file. What was there is away, so that no link can lead out of the folder.
fn new(path: &Path) -> Result<File, WriteError> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(failed(parent))?;
    }
    File::create_new(path).map_err(failed(path))
}

/// Copies the content alone, not the rights.
fn copy(mut source: File, path: &Path) -> Result<(), WriteError> {
    io::copy(&mut source, &mut new(path)?).map_err(failed(path))?;
    Ok(())
}
