//! Files that take long to make, made once for all tests, which may be processes side by side.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// Where they are kept from one run of the tests to the next.
const KEPT: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/made");

/// What `make` writes to the path that it gets. It is called only if nothing has been made yet of the same words and
/// of the same content of these files and directories.
pub fn made(words: &[&str], inputs: &[&Path], make: impl FnOnce(&Path)) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    words.hash(&mut hasher);
    for input in inputs {
        hash_content(input, &mut hasher);
    }
    fs::create_dir_all(KEPT).unwrap();
    let path = Path::new(KEPT).join(format!("{:016x}", hasher.finish()));
    let lock = File::create(path.with_extension("lock")).unwrap();
    lock.lock().unwrap();
    if !path.exists() {
        let partial = path.with_extension("partial");
        make(&partial);
        fs::rename(partial, &path).unwrap();
    }
    path
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
