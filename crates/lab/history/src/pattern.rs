//! Patterns of names, in which `*` stands for any text.

/// A pattern of names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern(String);

impl Pattern {
    /// From its text.
    pub fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Whether all of a name fits it.
    pub fn fits(&self, name: &str) -> bool {
        let mut pieces = self.0.split('*');
        let first = pieces.next().unwrap_or_default();
        let Some(mut rest) = name.strip_prefix(first) else {
            return false;
        };
        let Some(last) = pieces.next_back() else {
            return rest.is_empty();
        };
        // What comes first fits best as early as possible: more is left for the others.
        for piece in pieces {
            match rest.split_once(piece) {
                Some((_, after)) => rest = after,
                None => return false,
            }
        }
        rest.ends_with(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_text() {
        for (pattern, name, fits) in [
            ("v1.0", "v1.0", true),
            ("v1.0", "v1.0.1", false),
            ("v*", "v1.0", true),
            ("v*", "release-1", false),
            ("*", "", true),
            ("*-rc*", "v1-rc2", true),
            ("a*b*c", "aXbYbZc", true),
            ("a*a", "a", false),
            ("a**b", "ab", true),
            ("", "", true),
            ("", "a", false),
        ] {
            assert_eq!(Pattern::new(pattern).fits(name), fits, "{pattern} {name}");
        }
    }
}
