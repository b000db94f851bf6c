//! Reading small files of `/proc` and `/sys` below a root that may be hostile.

use std::fs::{self, OpenOptions};
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use rustix::fs::OFlags;

/// The longest file of interest is `/proc/cpuinfo`, with about 1.6 kB for each of some thousand CPUs.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// Longer than any kernel command line.
const MAX_LINE_CHARS: usize = 16 << 10;

/// More directory entries than any machine has CPUs.
const MAX_ENTRIES: usize = 1 << 16;

/// The directory below which `proc`, `sys` and `etc` lie.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Root<'a>(pub(crate) &'a Path);

impl Root<'_> {
    fn path(self, path: &str) -> PathBuf {
        self.0.join(path)
    }

    /// The file's text up to a generous limit, or `None` if it is no regular file that can be read.
    pub(crate) fn text(self, path: &str) -> Option<String> {
        // A pipe or a device in the place of a file must not make the reader wait.
        let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
        let file = OpenOptions::new()
            .read(true)
            .custom_flags(flags)
            .open(self.path(path))
            .ok()?;
        if !file.metadata().ok()?.is_file() {
            return None;
        }
        let mut bytes = Vec::new();
        file.take(MAX_FILE_BYTES).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The file's first line without blanks around it and without control characters. May be empty.
    pub(crate) fn line(self, path: &str) -> Option<String> {
        let text = self.text(path)?;
        Some(plain(text.lines().next().unwrap_or_default()))
    }

    /// [`Self::line`], if there is anything on it.
    pub(crate) fn word(self, path: &str) -> Option<String> {
        self.line(path).filter(|line| !line.is_empty())
    }

    /// The file's first line as a number.
    pub(crate) fn number<T: FromStr>(self, path: &str) -> Option<T> {
        self.line(path)?.parse().ok()
    }

    /// The numbers `N` of the entries `prefixN` of a directory, in ascending order.
    pub(crate) fn numbered(self, directory: &str, prefix: &str) -> Vec<u32> {
        let Ok(entries) = fs::read_dir(self.path(directory)) else {
            return Vec::new();
        };
        let mut numbers: Vec<u32> = entries
            .take(MAX_ENTRIES)
            .filter_map(|entry| {
                entry
                    .ok()?
                    .file_name()
                    .to_str()?
                    .strip_prefix(prefix)?
                    .parse()
                    .ok()
            })
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// Names of a directory's entries, in ascending order; `None` if there is no such directory.
    pub(crate) fn names(self, directory: &str) -> Option<Vec<String>> {
        let entries = fs::read_dir(self.path(directory)).ok()?;
        let mut names: Vec<String> = entries
            .take(MAX_ENTRIES)
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        names.sort_unstable();
        Some(names)
    }
}

/// Text that is safe to print on one line.
pub(crate) fn plain(text: &str) -> String {
    text.trim()
        .chars()
        .take(MAX_LINE_CHARS)
        .map(|c| {
            if c.is_control() {
                char::REPLACEMENT_CHARACTER
            } else {
                c
            }
        })
        .collect()
}

/// A word of a line as a number that is fit for JSON.
pub(crate) fn finite(line: &str, word: usize) -> Option<f64> {
    line.split_whitespace()
        .nth(word)?
        .parse()
        .ok()
        .filter(|value: &f64| value.is_finite())
}

/// The value behind `key` in lines as `key: value` or `key value`.
pub(crate) fn value_of<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let rest = line.strip_prefix(key)?;
        if !rest.starts_with([':', ' ', '\t']) {
            return None;
        }
        Some(rest.trim_start_matches([':', ' ', '\t']).trim_end())
    })
}

/// The bytes behind `key` in lines as those of `/proc/meminfo`, which count in kB.
pub(crate) fn bytes_of(text: &str, key: &str) -> Option<u64> {
    let kib = value_of(text, key)?.strip_suffix("kB")?.trim_end();
    kib.parse::<u64>().ok()?.checked_mul(1024)
}

/// The word in brackets, as in `always [madvise] never`.
pub(crate) fn bracketed(line: &str) -> Option<String> {
    let (_, rest) = line.split_once('[')?;
    let (chosen, _) = rest.split_once(']')?;
    Some(chosen.to_owned())
}

/// `0` and `1` as they stand for a switch.
pub(crate) fn switch(word: &str) -> Option<bool> {
    match word {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_a_whole_word() {
        let text = "MemTotal:       24684092 kB\nMem: 1\nctxt 77\n";
        assert_eq!(value_of(text, "MemTotal"), Some("24684092 kB"));
        assert_eq!(value_of(text, "Mem"), Some("1"));
        assert_eq!(value_of(text, "ctxt"), Some("77"));
        assert_eq!(value_of(text, "ctx"), None);
    }

    #[test]
    fn a_pipe_in_the_place_of_a_file_is_not_waited_for() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &path,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        assert_eq!(Root(directory.path()).text("pipe"), None);
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("f"), b" \x1b[2Jperformance \nmore\n").unwrap();
        let line = Root(directory.path()).line("f").unwrap();
        assert_eq!(line, "\u{fffd}[2Jperformance");
    }

    #[test]
    fn numbered_entries_come_in_order_and_others_are_left_out() {
        let directory = tempfile::tempdir().unwrap();
        for name in [
            "cpu10",
            "cpu2",
            "cpufreq",
            "cpuidle",
            "cpu99999999999",
            "node1",
        ] {
            fs::create_dir(directory.path().join(name)).unwrap();
        }
        assert_eq!(Root(directory.path()).numbered(".", "cpu"), [2, 10]);
    }
}
