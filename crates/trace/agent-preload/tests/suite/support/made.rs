//! Files that take long to make, made once for all tests, which may be processes side by side.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Where they are kept from one run of the tests to the next.
const KEPT: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/made");

/// Files that were not asked for in so long a time are removed.
const KEPT_FOR: Duration = Duration::from_secs(14 * 24 * 3600);

/// Returns a file that `make` has written. `make` is called only if no file exists yet for these words and the content
/// of these inputs, which are files or directories.
pub fn made(words: &[&str], inputs: &[&Path], make: impl FnOnce(&Path)) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    words.hash(&mut hasher);
    for input in inputs {
        hash_content(input, &mut hasher);
    }
    fs::create_dir_all(KEPT).unwrap();
    let path = Path::new(KEPT).join(format!("{:016x}", hasher.finish()));
    let is_new = !path.exists();
    let lock = File::create(path.with_extension("lock")).unwrap();
    lock.lock().unwrap();
    if !path.exists() {
        let partial = path.with_extension("partial");
        make(&partial);
        fs::rename(partial, &path).unwrap();
    }
    // The time of the lock's file is that of the last use.
    lock.set_modified(SystemTime::now()).unwrap();
    if is_new {
        remove_unused();
    }
    path
}

fn remove_unused() {
    let files = fs::read_dir(KEPT)
        .unwrap()
        .flatten()
        .map(|file| file.path());
    for lock in files.filter(|path| path.extension().is_some_and(|end| end == "lock")) {
        let used = lock.metadata().and_then(|metadata| metadata.modified());
        let age = used.ok().and_then(|used| used.elapsed().ok());
        if age.is_some_and(|age| age > KEPT_FOR) {
            // The lock stays: another process may wait for it.
            let _ = fs::remove_file(lock.with_extension(""));
        }
    }
}

fn hash_content(path: &Path, hasher: &mut DefaultHasher) {
    if path.is_dir() {
        let entries = fs::read_dir(path).unwrap();
        let mut entries: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        for entry in entries {
            hash_content(&entry, hasher);
        }
        return;
    }
    path.hash(hasher);
    fs::read(path).unwrap().hash(hasher);
}
