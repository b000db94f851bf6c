//! Names of probes as a person writes them: `redis:command`, `redis:*`, `*`.

use core::fmt;

/// Why a text names no probes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternError<'a> {
    /// This part of it is no provider and name.
    Part(&'a str),
    /// It has no part.
    Empty,
}

impl fmt::Display for PatternError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Part(part) => write!(
                f,
                "{part:?} is no probe: expected provider:name, of letters, digits, _ and *"
            ),
            Self::Empty => {
                f.write_str("no probe is named: expected provider:name, for example *:*")
            }
        }
    }
}

impl core::error::Error for PatternError<'_> {}

/// The providers and names in a text, where commas separate them. Without a colon it is the
/// provider's name, and the probe's is `*`.
///
/// # Errors
/// When a part is not as it should be, or there is none.
pub fn patterns(text: &str) -> Result<impl Iterator<Item = (&str, &str)>, PatternError<'_>> {
    let mut error = Some(PatternError::Empty);
    for part in parts(text) {
        pair(part).ok_or(PatternError::Part(part))?;
        error = None;
    }
    match error {
        Some(error) => Err(error),
        None => Ok(parts(text).filter_map(pair)),
    }
}

/// Whether provider and name of a pattern, with `*` for anything, mean a probe.
pub fn matches(pattern: (&str, &str), provider: &str, name: &str) -> bool {
    glob(pattern.0.as_bytes(), provider.as_bytes()) && glob(pattern.1.as_bytes(), name.as_bytes())
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

fn parts(text: &str) -> impl Iterator<Item = &str> {
    let each = text.split(',').map(str::trim);
    each.filter(|part| !part.is_empty())
}

fn pair(part: &str) -> Option<(&str, &str)> {
    let (provider, name) = part.split_once(':').unwrap_or((part, "*"));
    (is_glob(provider) && is_glob(name)).then_some((provider, name))
}

fn is_glob(half: &str) -> bool {
    let mut bytes = half.bytes();
    !half.is_empty() && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"_*".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn providers_and_names() {
        let found = patterns(" redis:com*, ,x,*").unwrap();
        assert!(found.eq([("redis", "com*"), ("x", "*"), ("*", "*")]));
    }

    #[test]
    fn no_patterns() {
        for part in [":", "a:", ":b", "a b", "a:b:c", "ä", "a-b"] {
            assert_eq!(patterns(part).err(), Some(PatternError::Part(part)));
        }
        assert_eq!(patterns("a, b-c").err(), Some(PatternError::Part("b-c")));
        for text in ["", " , "] {
            assert_eq!(patterns(text).err(), Some(PatternError::Empty), "{text:?}");
        }
    }
}
