//! Words as the kernel takes them: the arguments of a program, or its variables.

use std::ffi::{OsStr, OsString, c_char};
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::ptr;

/// Words in one piece of memory, each ended by a zero byte.
#[derive(Debug)]
pub(crate) struct Words {
    bytes: Vec<u8>,
    /// Where each word begins.
    starts: Vec<usize>,
}

impl Words {
    /// None, with room for so many words, and for their bytes with one more for each.
    pub(crate) fn with_capacity(words: usize, bytes: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(bytes),
            starts: Vec::with_capacity(words),
        }
    }

    /// These.
    ///
    /// # Errors
    /// When one of them has a zero byte.
    pub(crate) fn of(all: &[OsString]) -> io::Result<Self> {
        let bytes = all.iter().map(|word| word.len() + 1).sum();
        let mut words = Self::with_capacity(all.len(), bytes);
        for word in all {
            words.push([word])?;
        }
        Ok(words)
    }

    /// Adds a word that consists of these parts.
    ///
    /// # Errors
    /// When it has a zero byte, which would end it.
    pub(crate) fn push<const PARTS: usize>(&mut self, parts: [&OsStr; PARTS]) -> io::Result<()> {
        let start = self.bytes.len();
        for part in parts {
            self.bytes.extend_from_slice(part.as_bytes());
        }
        if self.bytes[start..].contains(&0) {
            self.bytes.truncate(start);
            let what = "an argument, a variable or a path has a zero byte";
            return Err(io::Error::new(ErrorKind::InvalidInput, what));
        }
        self.bytes.push(0);
        self.starts.push(start);
        Ok(())
    }

    /// Where the words are, ended by a null pointer. Good until a word is added.
    pub(crate) fn pointers(&self) -> Vec<*mut c_char> {
        let words = self
            .starts
            .iter()
            .map(|&start| &raw const self.bytes[start]);
        let words = words.map(|word| word.cast_mut().cast());
        words.chain([ptr::null_mut()]).collect()
    }

    /// The words, without their zero bytes.
    #[cfg(test)]
    pub(crate) fn all(&self) -> Vec<&str> {
        let all = std::str::from_utf8(&self.bytes).unwrap();
        all.split_terminator('\0').collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_with_a_zero_byte_is_refused() {
        let mut words = Words::with_capacity(0, 0);
        words.push(["a", "=", "b"].map(OsStr::new)).unwrap();
        words.push([OsStr::new("c\0d")]).unwrap_err();
        words.push([OsStr::new("")]).unwrap();
        assert_eq!(words.all(), ["a=b", ""]);
        assert_eq!(words.pointers().len(), 3);
    }
}
