//! What a build is made of.

use std::fmt;

use sha2::{Digest, Sha256};

/// Digits of a key: enough that no two builds of a history share one.
const DIGITS: usize = 32;

/// Names a build by all that went into it, so that two revisions with the same content share one.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BuildKey(String);

impl BuildKey {
    /// The key of these ingredients: the content of the revision, the commands, what the compiler says of itself.
    pub fn of<'i>(ingredients: impl IntoIterator<Item = &'i [u8]>) -> Self {
        let mut hash = Sha256::new();
        hash.update(b"perflab build 1\0");
        for ingredient in ingredients {
            // The length keeps neighbours apart: `ab`, `c` is not `a`, `bc`.
            hash.update((ingredient.len() as u64).to_le_bytes());
            hash.update(ingredient);
        }
        let digits: String = hash
            .finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        Self(digits[..DIGITS].to_owned())
    }

    /// One that was written down.
    pub(super) fn known(digits: &str) -> Self {
        Self(digits.to_owned())
    }

    /// Its digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BuildKey {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_kept_apart() {
        let key = |parts: &[&str]| BuildKey::of(parts.iter().map(|part| part.as_bytes()));
        assert_eq!(key(&["a", "b"]), key(&["a", "b"]));
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
        assert_ne!(key(&["a"]), key(&["a", ""]));
        assert_eq!(key(&[]).as_str().len(), DIGITS);
    }
}
