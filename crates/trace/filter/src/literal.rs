//! The text of a literal.

/// Stands for any bytes in a [`Literal`]: no text has this byte, as it ends there.
pub const STAR: u8 = 0;

/// How a text is compared with a literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// They are equal, to the end.
    Equal,
    /// The text begins with the literal.
    Begins,
    /// The text matches the literal, in which each [`STAR`] is any bytes or none.
    Matches,
}

/// A text between quotes, without escapes, and never two stars side by side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Literal(Vec<u8>);

impl Literal {
    /// Reads what is between the quotes. As in LTTng `*` is a wildcard, `\*` and `\\` are a star and a backslash, and
    /// line ends do not count.
    ///
    /// # Errors
    /// The place of a backslash in front of anything else, or of a zero, in bytes.
    pub fn parse(text: &str) -> Result<Self, usize> {
        let mut literal = Vec::new();
        let mut bytes = text.bytes().enumerate().filter(|(_, byte)| *byte != b'\n');
        while let Some((at, byte)) = bytes.next() {
            match byte {
                b'*' if literal.last() == Some(&STAR) => {}
                b'*' => literal.push(STAR),
                b'\\' => match bytes.next() {
                    Some((_, escaped @ (b'*' | b'\\'))) => literal.push(escaped),
                    _ => return Err(at),
                },
                0 => return Err(at),
                _ => literal.push(byte),
            }
        }
        Ok(Self(literal))
    }

    /// How a text is compared with it.
    pub fn how(&self) -> How {
        match self.0.iter().position(|byte| *byte == STAR) {
            None => How::Equal,
            Some(first) if first + 1 == self.0.len() => How::Begins,
            Some(_) => How::Matches,
        }
    }

    /// What is compared: without the star of [`How::Begins`].
    pub fn bytes(&self) -> &[u8] {
        match self.how() {
            How::Begins => self.0.strip_suffix(&[STAR]).unwrap_or(&self.0),
            How::Equal | How::Matches => &self.0,
        }
    }

    /// All of it, in bytes.
    pub fn length(&self) -> usize {
        self.0.len()
    }

    /// Whether a text is one of those that the literal stands for.
    pub fn is_matched_by(&self, text: &[u8]) -> bool {
        match self.how() {
            How::Equal => text == self.bytes(),
            How::Begins => text.starts_with(self.bytes()),
            How::Matches => matches(&self.0, text),
        }
    }
}

/// Goes back to the last star only, so the time is at most the product of the lengths.
fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let (mut in_pattern, mut in_text) = (0, 0);
    let mut last_star = None;
    while let Some(byte) = text.get(in_text) {
        match (pattern.get(in_pattern), last_star) {
            (Some(&STAR), _) => {
                in_pattern += 1;
                last_star = Some((in_pattern, in_text));
            }
            (Some(expected), _) if expected == byte => {
                in_pattern += 1;
                in_text += 1;
            }
            (_, Some((after, from))) => {
                last_star = Some((after, from + 1));
                (in_pattern, in_text) = (after, from + 1);
            }
            (_, None) => return false,
        }
    }
    matches!(pattern.get(in_pattern..), Some([] | [STAR]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literal(text: &str) -> Literal {
        Literal::parse(text).unwrap()
    }

    #[test]
    fn escapes_and_stars() {
        for (text, bytes, how) in [
            ("", &b""[..], How::Equal),
            ("abc", b"abc", How::Equal),
            (r"a\*b\\", br"a*b\", How::Equal),
            ("a\nb", b"ab", How::Equal),
            ("größe", "größe".as_bytes(), How::Equal),
            ("*", b"", How::Begins),
            ("abc***", b"abc", How::Begins),
            (r"\**", b"*", How::Begins),
            ("*abc", b"\0abc", How::Matches),
            ("a**b*", b"a\0b\0", How::Matches),
        ] {
            let literal = literal(text);
            assert_eq!((literal.bytes(), literal.how()), (bytes, how), "{text:?}");
        }
        for (text, at) in [
            (r"a\n", 1),
            (r"\", 0),
            (r"ab\\\", 4),
            ("ü\\\"", 2),
            ("a\0", 1),
        ] {
            assert_eq!(Literal::parse(text), Err(at), "{text:?}");
        }
    }

    #[test]
    fn what_matches() {
        for (pattern, text, is_matched) in [
            ("", "", true),
            ("", "a", false),
            ("abc", "abc", true),
            ("abc", "abcd", false),
            ("a*", "a", true),
            ("a*", "ba", false),
            ("*", "", true),
            ("*c", "abc", true),
            ("*c", "abcd", false),
            ("a*c", "ac", true),
            ("a*c", "a", false),
            ("*ab*ab", "abxab", true),
            ("*ab*ab", "abab", true),
            ("*ab*ab", "ab", false),
            ("a*b*c", "axxbyybzzc", true),
            ("*aab", "aaaab", true),
            (r"*\**", "a*b", true),
            (r"*\**", "ab", false),
        ] {
            let found = literal(pattern).is_matched_by(text.as_bytes());
            assert_eq!(found, is_matched, "{pattern:?} {text:?}");
        }
    }
}
