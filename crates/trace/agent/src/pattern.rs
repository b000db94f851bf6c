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
        let parts = perflab_abi::patterns(text).map_err(|error| error.to_string())?;
        let owned = parts.map(|(provider, name)| (provider.to_owned(), name.to_owned()));
        Ok(Self(owned.collect()))
    }

    /// Whether it means this probe.
    pub fn matches(&self, provider: &str, name: &str) -> bool {
        let mut patterns = self.0.iter();
        patterns.any(|(first, second)| perflab_abi::matches((first, second), provider, name))
    }

    /// Whether it means every probe that another one means. Where several of its parts do so together only, it is not
    /// seen.
    pub fn covers(&self, other: &Self) -> bool {
        // A * there is a letter like others here, which no letter but a * matches.
        let mut others = other.0.iter();
        others.all(|(provider, name)| self.matches(provider, name))
    }
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
    fn covering() {
        let covers = |one: &str, other: &str| {
            let [one, other] = [one, other].map(|text| Pattern::parse(text).unwrap());
            one.covers(&other)
        };
        for (one, other) in [
            ("*", "redis:*"),
            ("*", "*"),
            ("redis", "redis:call*,redis:get"),
            ("r*", "red*s:a*b"),
            ("a, b", "b, a"),
        ] {
            assert!(covers(one, other), "{one} covers {other}");
        }
        for (one, other) in [
            ("redis", "*"),
            ("r*s", "r*"),
            ("a:b*", "a:*b"),
            ("a", "a, b"),
        ] {
            assert!(!covers(one, other), "{one} does not cover {other}");
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
        assert!(!perflab_abi::matches((&pattern, "*"), &text, ""));
    }
}
