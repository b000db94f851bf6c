//! The revisions of a branch.

use std::collections::HashMap;

use super::error::GitError;
use super::program::Repository;
use crate::revision::Revision;

/// What is asked of each commit: hash, parents, time of the commit, first line. Fields end with NUL bytes, which no
/// commit can hold.
const FORMAT: &str = "--format=%H%x00%P%x00%ct%x00%s";

/// Fields of a commit.
const FIELDS: usize = 4;

impl Repository {
    /// The revisions of a branch, the oldest first. With `first_parent` only those that its own commits made: a
    /// merged branch is one revision.
    ///
    /// # Errors
    /// If the name stands for no commit, or git fails.
    pub fn history(&self, branch: &str, first_parent: bool) -> Result<Vec<Revision>, GitError> {
        let tip = self.commit(branch)?;
        let mut arguments = vec!["log", "-z", "--topo-order", "--reverse", FORMAT];
        if first_parent {
            arguments.push("--first-parent");
        }
        arguments.extend([tip.as_str(), "--"]);
        let bytes = self.bytes(&arguments)?;
        let mut revisions = read_log(&bytes)?;
        let mut tags = self.tags()?;
        for revision in &mut revisions {
            revision.tags = tags.remove(&revision.id).unwrap_or_default();
        }
        Ok(revisions)
    }

    /// The commits that are in the history of one and not in that of another, the oldest first. With `first_parent` as
    /// [`Self::history`] has them.
    ///
    /// # Errors
    /// If git fails.
    pub fn between(
        &self,
        from: &str,
        to: &str,
        first_parent: bool,
    ) -> Result<Vec<Revision>, GitError> {
        let without = format!("^{from}");
        let mut arguments = vec!["log", "-z", "--topo-order", "--reverse", FORMAT];
        if first_parent {
            arguments.push("--first-parent");
        }
        arguments.extend([without.as_str(), to, "--"]);
        read_log(&self.bytes(&arguments)?)
    }

    /// The last commit that is in the history of both; nothing where they share none.
    ///
    /// # Errors
    /// If git fails.
    pub fn base(&self, one: &str, other: &str) -> Result<Option<String>, GitError> {
        // Without a base git prints nothing and ends with 1.
        match self.text(&["merge-base", one, other]) {
            Ok(text) => Ok(Some(text)),
            Err(GitError::Failed { said, .. }) if said == "exit status: 1" => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// One commit.
    ///
    /// # Errors
    /// If git fails.
    pub fn revision(&self, commit: &str) -> Result<Revision, GitError> {
        let bytes = self.bytes(&["log", "-z", "-1", FORMAT, commit, "--"])?;
        let found = read_log(&bytes)?.into_iter().next();
        found.ok_or_else(|| GitError::Unexpected {
            command: "log".to_owned(),
            what: format!("nothing about {commit}"),
        })
    }

    /// The names of the tags of each commit that has any.
    ///
    /// # Errors
    /// If git fails.
    pub fn tags(&self) -> Result<HashMap<String, Vec<String>>, GitError> {
        let format = "--format=%(objectname) %(*objectname) %(refname:strip=2)";
        let text = self.text(&["for-each-ref", format, "refs/tags"])?;
        let mut tags: HashMap<String, Vec<String>> = HashMap::new();
        for line in text.lines() {
            // A tag with a message is an object of its own, which names the commit.
            let mut words = line.splitn(3, ' ');
            let (object, target) = (words.next(), words.next());
            let (Some(object), Some(target), Some(name)) = (object, target, words.next()) else {
                continue;
            };
            let commit = if target.is_empty() { object } else { target };
            tags.entry(commit.to_owned())
                .or_default()
                .push(name.to_owned());
        }
        Ok(tags)
    }
}

/// Reads what `git log` printed.
///
/// # Errors
/// If it is not what was asked for.
pub fn read_log(bytes: &[u8]) -> Result<Vec<Revision>, GitError> {
    let unexpected = |what: String| GitError::Unexpected {
        command: "log".to_owned(),
        what,
    };
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_suffix('\0').unwrap_or(&text);
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let fields: Vec<&str> = text.split('\0').collect();
    let commits = fields.chunks(FIELDS).map(|commit| {
        let [hash, parents, time, subject] = commit else {
            return Err(unexpected(format!("a commit with {} fields", commit.len())));
        };
        Ok(Revision {
            id: (*hash).to_owned(),
            time: time
                .parse()
                .map_err(|_| unexpected(format!("the time `{time}`")))?,
            subject: (*subject).to_owned(),
            parents: parents.split_whitespace().map(str::to_owned).collect(),
            tags: Vec::new(),
        })
    });
    commits.collect()
}
