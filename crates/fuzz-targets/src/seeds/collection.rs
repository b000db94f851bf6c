//! Where seeds are gathered, and how fixtures are found.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// One input to begin with.
#[derive(Clone, Debug)]
pub struct Seed {
    /// Name of the target.
    pub target: &'static str,
    /// Name of the seed, which no other seed of the target has.
    pub name: String,
    /// What the target is given.
    pub input: Vec<u8>,
}

/// The seeds that were found so far. Paths are relative to the root of the workspace.
pub struct Collection<'r> {
    root: &'r Path,
    seeds: BTreeMap<(&'static str, String), Vec<u8>>,
}

impl<'r> Collection<'r> {
    /// None yet.
    pub fn new(root: &'r Path) -> Self {
        Self {
            root,
            seeds: BTreeMap::new(),
        }
    }

    /// Adds a seed. A name that is taken would silently drop the other seed, so it panics.
    pub fn add(
        &mut self,
        target: &'static str,
        name: impl Into<String>,
        input: impl Into<Vec<u8>>,
    ) {
        let name = name.into();
        let replaced = self.seeds.insert((target, name.clone()), input.into());
        assert!(
            replaced.is_none(),
            "two seeds of the target {target} have the name {name}"
        );
    }

    /// Adds a seed that is a prefix and the content of a file.
    pub fn add_file(
        &mut self,
        target: &'static str,
        name: impl Into<String>,
        prefix: &str,
        path: &str,
    ) {
        let input = [prefix.as_bytes(), &self.read(path)].concat();
        self.add(target, name, input);
    }

    /// The content of a file.
    pub fn read(&self, path: &str) -> Vec<u8> {
        fs::read(self.root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Whether there is such a file.
    pub fn has(&self, path: &str) -> bool {
        self.root.join(path).is_file()
    }

    /// The files of a directory whose names end so. A directory without one panics, as its fixtures have moved.
    pub fn files(&self, directory: &str, end: &str) -> Vec<String> {
        let mut files = self.list(directory, Path::is_file);
        files.retain(|path| path.ends_with(end));
        assert!(!files.is_empty(), "no file {directory}/*{end}");
        files
    }

    /// The same for the files of all directories in a directory.
    pub fn files_of_each(&self, directory: &str, end: &str) -> Vec<String> {
        let mut files: Vec<String> = self
            .directories(directory)
            .iter()
            .flat_map(|directory| self.list(directory, Path::is_file))
            .collect();
        files.retain(|path| path.ends_with(end));
        assert!(!files.is_empty(), "no file {directory}/*/*{end}");
        files
    }

    /// The directories in a directory.
    pub fn directories(&self, directory: &str) -> Vec<String> {
        self.list(directory, Path::is_dir)
    }

    /// What is in a directory and is of this kind.
    fn list(&self, directory: &str, kind: fn(&Path) -> bool) -> Vec<String> {
        let entries = fs::read_dir(self.root.join(directory))
            .unwrap_or_else(|error| panic!("{directory}: {error}"));
        entries
            .map(|entry| entry.expect("the directory can be read"))
            .filter(|entry| kind(&entry.path()))
            .map(|entry| {
                let name = entry.file_name();
                format!("{directory}/{}", name.to_str().expect("names are text"))
            })
            .collect()
    }

    /// All files of a directory and of those below it, sorted by their bytes.
    pub fn tree(&self, directory: &str) -> Vec<String> {
        let mut files = self.list(directory, Path::is_file);
        for directory in self.directories(directory) {
            files.extend(self.tree(&directory));
        }
        files.sort_unstable();
        files
    }

    /// All seeds, by target and name.
    pub fn into_seeds(self) -> Vec<Seed> {
        let seeds = self.seeds.into_iter();
        seeds
            .map(|((target, name), input)| Seed {
                target,
                name,
                input,
            })
            .collect()
    }
}

/// The last part of a path.
pub fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The name of the directory that a file is in, and the name of the file.
pub fn version_and_name(path: &str) -> (&str, &str) {
    let (directory, file) = path.rsplit_once('/').expect("the path has a directory");
    (name(directory), file)
}
