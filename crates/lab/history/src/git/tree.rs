//! What a commit consists of.

use super::error::GitError;
use super::program::Repository;

impl Repository {
    /// The content of a commit, or of some of its paths, as hashes: the same text for the same content.
    ///
    /// # Errors
    /// If git fails.
    pub fn content(&self, commit: &str, paths: &[String]) -> Result<Vec<u8>, GitError> {
        if paths.is_empty() {
            let tree = format!("{commit}^{{tree}}");
            return self.bytes(&["rev-parse", "--verify", "--end-of-options", &tree]);
        }
        let mut arguments = vec!["ls-tree", "-z", "--full-tree", commit, "--"];
        arguments.extend(paths.iter().map(String::as_str));
        self.bytes(&arguments)
    }

    /// Whether one of these commits, or any commit up to them, has a path.
    ///
    /// # Errors
    /// If git fails.
    pub fn ever_had(&self, commits: &[&str], path: &str) -> Result<bool, GitError> {
        // The first commit has nearly all paths, and a walk through a long history takes seconds.
        if let Some(first) = commits.first()
            && !self.content(first, &[path.to_owned()])?.is_empty()
        {
            return Ok(true);
        }
        // Paths are relative to the directory in which git is executed, which may be one of a work tree.
        let root = self.root()?;
        let root = root.to_string_lossy();
        let mut words = vec!["-C", &root, "--literal-pathspecs"];
        // Without --full-history git skips merged branches that left no trace of the path.
        words.extend(["rev-list", "--max-count=1", "--full-history"]);
        words.extend(commits);
        words.extend(["--", path]);
        Ok(!self.bytes(&words)?.is_empty())
    }

    /// The paths that differ between two commits.
    ///
    /// # Errors
    /// If git fails.
    pub fn changed_paths(&self, from: &str, to: &str) -> Result<Vec<String>, GitError> {
        let words = [
            "diff-tree",
            "-r",
            "-z",
            "--name-only",
            "--no-renames",
            from,
            to,
            "--",
        ];
        let bytes = self.bytes(&words)?;
        let text = String::from_utf8_lossy(&bytes);
        Ok(text.split_terminator('\0').map(str::to_owned).collect())
    }

    /// The paths of the files that differ from the first to the second commit of each pair, in one call of git.
    ///
    /// # Errors
    /// If git fails, or does not answer for each pair.
    pub(crate) fn changed_paths_of_all(
        &self,
        pairs: &[(&str, &str)],
    ) -> Result<Vec<Vec<String>>, GitError> {
        let words = [
            "diff-tree",
            "--stdin",
            "--always",
            "-r",
            "-z",
            "--name-only",
            "--no-renames",
        ];
        let asked: String = pairs
            .iter()
            .map(|(from, to)| format!("{to} {from}\n"))
            .collect();
        let bytes = self.answer(&words, asked.as_bytes())?;
        let text = String::from_utf8_lossy(&bytes);
        let mut fields = text.split_terminator('\0').peekable();
        let mut all = Vec::with_capacity(pairs.len());
        // Before the paths of a pair stands the second commit. None can hold a file that is called as a later commit.
        for (index, (_, to)) in pairs.iter().enumerate() {
            if fields.next() != Some(to) {
                return Err(GitError::Unexpected {
                    command: words.join(" "),
                    what: format!("not the files of {to}"),
                });
            }
            let next = pairs.get(index + 1).map(|(_, to)| *to);
            let mut paths = Vec::new();
            while let Some(path) = fields.next_if(|path| Some(*path) != next) {
                paths.push(path.to_owned());
            }
            all.push(paths);
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use perflab_testing::needs;

    use super::*;

    #[test]
    fn paths_of_all_pairs_are_those_of_each() {
        needs("git", "git");
        let directory = tempfile::tempdir().unwrap();
        let git = |words: &[&str]| {
            let mut command = Command::new("git");
            command.args(["-c", "user.name=n", "-c", "user.email=e"]);
            let output = command.args(words).current_dir(&directory).output();
            let output = output.unwrap();
            assert!(output.status.success(), "{output:?}");
            String::from_utf8(output.stdout).unwrap().trim().to_owned()
        };
        git(&["init", "--quiet"]);
        let mut commits = Vec::new();
        for files in [&["a"][..], &["new\nline", "ü/x"], &[], &["a", "b"]] {
            for file in files {
                let path = directory.path().join(file);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, commits.len().to_string()).unwrap();
            }
            // One that is called as an earlier commit is a file as any other.
            if let Some(first) = commits.first() {
                fs::write(directory.path().join(first), files.concat()).unwrap();
            }
            git(&["add", "--all"]);
            git(&["commit", "--quiet", "--allow-empty", "--message", "m"]);
            commits.push(git(&["rev-parse", "HEAD"]));
        }
        let repository = Repository::open(directory.path()).unwrap();
        let pairs = [(0, 1), (1, 2), (2, 3), (0, 3), (3, 3), (2, 3), (3, 1)];
        let pairs =
            pairs.map(|(from, to): (usize, usize)| (commits[from].as_str(), commits[to].as_str()));
        let all = repository.changed_paths_of_all(&pairs).unwrap();
        for ((from, to), paths) in pairs.iter().zip(&all) {
            assert_eq!(repository.changed_paths(from, to).unwrap(), *paths);
        }
        assert!(all[0].contains(&"new\nline".to_owned()) && all[4].is_empty());
        let missing = "0".repeat(40);
        let pair = [(missing.as_str(), pairs[0].1)];
        assert!(repository.changed_paths_of_all(&pair).is_err());
    }
}
