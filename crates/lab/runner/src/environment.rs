//! The variables that a measured process gets: few, the same for all, and of random total size.
//!
//! The size of the environment moves the stack, and with it the time that some programs take by
//! more than most changes under test do (Mytkowicz, Diwan, Hauswirth and Sweeney: Producing wrong
//! data without doing anything obviously wrong, ASPLOS 2009). So each run gets another size.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use crate::words::Words;

/// Names inherited from the laboratory's own environment: what programs need to be found and to
/// find their files. Everything else could differ between two users and is left out.
const INHERITED: [&str; 6] = ["HOME", "LOGNAME", "PATH", "SHELL", "TMPDIR", "USER"];

/// Variables of fixed value, so that tools print numbers and dates in one form.
const FIXED: [(&str, &str); 2] = [("LC_ALL", "C.UTF-8"), ("TZ", "UTC")];

/// Names the libraries that the loader maps first.
pub(crate) const PRELOAD: &str = "LD_PRELOAD";

/// Holds the padding.
const PADDING: &str = "PERFLAB_PADDING";

/// Marks every process of a laboratory, so that what it left behind can be found.
pub(crate) const MARK: &str = "PERFLAB_MARK";

/// Largest padding in bytes: one page.
pub const MAX_PADDING_BYTES: u32 = 4096;

/// What paddings are cut from.
static FULL_PADDING: [u8; MAX_PADDING_BYTES as usize] = [b'x'; MAX_PADDING_BYTES as usize];

/// All variables of a process.
#[derive(Debug, Clone)]
pub struct Environment {
    /// The laboratory's own: shared by the copies of this, as each run has one.
    inherited: Arc<[(OsString, OsString)]>,
    /// What is set besides, or instead.
    variables: Vec<(OsString, OsString)>,
    padding_bytes: Option<u32>,
}

impl Environment {
    /// A clean one: the fixed set and those named in `inherit`.
    pub(crate) fn clean(inherit: &[String], mark: &str) -> Self {
        let mut variables: Vec<(OsString, OsString)> = Vec::new();
        for name in INHERITED
            .iter()
            .copied()
            .chain(inherit.iter().map(String::as_str))
        {
            if let Some(value) = std::env::var_os(name) {
                variables.push((name.into(), value));
            }
        }
        for (name, value) in FIXED {
            variables.push((name.into(), value.into()));
        }
        variables.push((MARK.into(), mark.into()));
        Self {
            inherited: Arc::default(),
            variables,
            padding_bytes: None,
        }
    }

    /// The laboratory's own, as people expect of a command line that they typed.
    pub(crate) fn inherited(mark: &str) -> Self {
        let mut inherited: Vec<(OsString, OsString)> = std::env::vars_os().collect();
        // Ordered once, as each run puts all variables in order.
        inherited.sort_by(|(one, _), (other, _)| one.cmp(other));
        Self {
            inherited: inherited.into(),
            variables: vec![(MARK.into(), mark.into())],
            padding_bytes: None,
        }
    }

    /// Where programs are looked for.
    pub fn path(&self) -> OsString {
        let own = || value_in(&self.inherited, "PATH");
        let path = self.get("PATH").or_else(own);
        path.unwrap_or(OsStr::new("/usr/bin:/bin")).to_owned()
    }

    /// Sets a variable, replacing what it was.
    pub fn set(&mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) {
        let (name, value) = (name.as_ref(), value.as_ref());
        match self.variables.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => value.clone_into(old),
            None => self.variables.push((name.to_owned(), value.to_owned())),
        }
    }

    /// Sets variables. A list of libraries to load first is put in front of the one that is there.
    pub fn extend(&mut self, variables: impl IntoIterator<Item = (OsString, OsString)>) {
        for (name, mut value) in variables {
            let former = self.get(PRELOAD).filter(|_| name == PRELOAD);
            if let Some(former) = former {
                value.push(":");
                value.push(former);
            }
            self.set(name, value);
        }
    }

    /// Makes the whole environment larger by so many bytes.
    pub fn pad(&mut self, bytes: u32) {
        self.padding_bytes = Some(bytes.min(MAX_PADDING_BYTES));
    }

    /// All variables with one more, as a program gets them: ordered by their names.
    ///
    /// # Errors
    /// When one of them has a zero byte.
    pub(crate) fn words(&self, more: Option<(&str, &str)>) -> io::Result<Words> {
        let set = self.inherited.iter().chain(&self.variables);
        let set = set.map(|(name, value)| (name.as_os_str(), value.as_os_str()));
        let padding = self.padding_bytes.map(|bytes| {
            let value = OsStr::from_bytes(&FULL_PADDING[..bytes as usize]);
            (OsStr::new(PADDING), value)
        });
        let more = more.map(|(name, value)| (OsStr::new(name), OsStr::new(value)));
        let mut all: Vec<(&OsStr, &OsStr)> = set.chain(padding).chain(more).collect();
        all.sort_by_key(|(name, _)| *name);
        // The last value of a name counts.
        all.dedup_by(|later, kept| {
            let is_same = later.0 == kept.0;
            if is_same {
                *kept = *later;
            }
            is_same
        });
        let bytes = all.iter().map(|(name, value)| name.len() + value.len() + 2);
        let mut words = Words::with_capacity(all.len(), bytes.sum());
        for (name, value) in all {
            words.push([name, OsStr::new("="), value])?;
        }
        Ok(words)
    }

    /// The value of a variable that was set here.
    pub(crate) fn get(&self, name: &str) -> Option<&OsStr> {
        value_in(&self.variables, name)
    }
}

fn value_in<'a>(variables: &'a [(OsString, OsString)], name: &str) -> Option<&'a OsStr> {
    let mut variables = variables.iter();
    let found = variables.find(|(known, _)| known == name);
    found.map(|(_, value)| value.as_os_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clean_environment_has_nothing_else() {
        let mut environment = Environment::clean(&[], "m");
        environment.set("A", "1");
        environment.set("A", "2");
        environment.pad(10);
        let words = environment.words(Some(("B", "3"))).unwrap();
        let words = words.all();
        for word in &words {
            let name = word.split('=').next().unwrap();
            let known = ["LC_ALL", "TZ", MARK, PADDING, "A", "B"];
            assert!(INHERITED.contains(&name) || known.contains(&name), "{word}");
        }
        assert_eq!(words[..2], ["A=2", "B=3"]);
        assert!(words.contains(&"PERFLAB_PADDING=xxxxxxxxxx"));
        assert!(words.is_sorted());
    }

    #[test]
    fn what_is_set_replaces_what_was_inherited() {
        let mut environment = Environment::inherited("m");
        environment.inherited = [("PATH", "/a"), ("A", "1"), (PADDING, "1"), ("PATH", "/b")]
            .map(|(name, value)| (name.into(), value.into()))
            .into();
        environment.set("A", "2");
        environment.pad(2);
        let words = environment.words(Some((MARK, "n"))).unwrap();
        let expected = ["A=2", "PATH=/b", "PERFLAB_MARK=n", "PERFLAB_PADDING=xx"];
        assert_eq!(words.all(), expected);
    }

    #[test]
    fn padding_is_bounded() {
        let mut environment = Environment::clean(&[], "m");
        environment.pad(u32::MAX);
        assert_eq!(environment.padding_bytes, Some(MAX_PADDING_BYTES));
    }
}
