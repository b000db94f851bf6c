//! Names of probes as a person writes them: `redis:command`, `redis:*`, `*`.

/// Patterns, separated by commas; one that matches suffices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern(Vec<(String, String)>);

impl Pattern {
    /// Reads patterns. Without a colon it is the provider's name, and all its probes.
    ///
    /// # Errors
    /// With what is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let parts = perflab_probe_abi::patterns(text).map_err(|error| error.to_string())?;
        let owned = parts.map(|(provider, name)| (provider.to_owned(), name.to_owned()));
        Ok(Self(owned.collect()))
    }

    /// Whether it means this probe.
    pub fn matches(&self, provider: &str, name: &str) -> bool {
        let mut patterns = self.0.iter();
        patterns.any(|(first, second)| {
            glob(first.as_bytes(), provider.as_bytes()) && glob(second.as_bytes(), name.as_bytes())
        })
    }
}

/// Whether a text matches a pattern with `*`, in time proportional to the product of their lengths.
fn glob(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while t < text.len() {
        if pattern.get(p) == Some(&b'*') {
            retry = Some((p, t));
            p += 1;
        } else if pattern.get(p) == text.get(t) {
            p += 1;
            t += 1;
        } else if let Some((star, from)) = retry {
            retry = Some((star, from + 1));
            p = star + 1;
            t = from + 1;
        } else {
            return false;
        }
    }
    pattern
        .get(p..)
        .unwrap_or_default()
        .iter()
        .all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matching() {
        let cases = [
            ("redis:command", true),
            ("redis", true),
            ("*", true),
            ("*:*", true),
            ("r*s:c*d", true),
            ("r*s:*m*m*", true),
            ("x, redis:*", true),
            ("redis:comman", false),
            ("redis:command_", false),
            ("edis:*", false),
            ("*:c*m", false),
        ];
        for (pattern, expected) in cases {
            let found = Pattern::parse(pattern).unwrap().matches("redis", "command");
            assert_eq!(found, expected, "{pattern}");
        }
    }

    #[test]
    fn no_patterns() {
        for text in ["", " , ", ":", "a:", ":b", "a b", "a:b:c", "ä"] {
            assert!(Pattern::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_hostile_pattern_takes_no_time() {
        let pattern = "*a".repeat(30_000);
        let text = "a".repeat(29_999);
        assert!(!glob(pattern.as_bytes(), text.as_bytes()));
    }
}
