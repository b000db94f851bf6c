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
}
