//! The first lines of what a test said, and no more.

/// How many lines are kept, and how many bytes of all together.
const LINES: usize = 8;
const BYTES: usize = 1000;

/// Lines that are kept up to a limit. It never holds more than about a kilobyte, however much is pushed.
#[derive(Debug, Clone, Default)]
pub(super) struct Excerpt {
    text: String,
    lines: usize,
}

impl Excerpt {
    /// The beginning of a text.
    pub(super) fn of(text: &str) -> Self {
        let mut own = Self::default();
        own.push_all(text);
        own
    }

    /// Adds a line, if there is room. Blank lines at the beginning are dropped.
    pub(super) fn push(&mut self, line: &str) {
        let line = line.trim_end();
        if self.is_full() || (self.lines == 0 && line.is_empty()) {
            return;
        }
        if self.lines > 0 {
            self.text.push('\n');
        }
        self.lines += 1;
        for character in line.chars() {
            if self.text.len() + character.len_utf8() > BYTES {
                self.text.push_str("...");
                self.lines = LINES;
                return;
            }
            self.text.push(character);
        }
    }

    /// Adds the lines of a text.
    pub(super) fn push_all(&mut self, text: &str) {
        for line in text.lines() {
            if self.is_full() {
                return;
            }
            self.push(line);
        }
    }

    /// Whether nothing more is kept.
    pub(super) fn is_full(&self) -> bool {
        self.lines >= LINES
    }

    /// The text, if there is any.
    pub(super) fn into_message(self) -> Option<String> {
        let text = self.text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_is_kept_and_no_more() {
        assert_eq!(
            Excerpt::of("\n\n a\n\nb \n").into_message().as_deref(),
            Some("a\n\nb")
        );
        assert_eq!(Excerpt::of(" \n").into_message(), None);
        let many = Excerpt::of(&"line\n".repeat(100)).into_message();
        assert_eq!(many.map(|text| text.lines().count()), Some(LINES));
        let long = Excerpt::of(&"é".repeat(10_000))
            .into_message()
            .expect("some");
        assert!(
            long.ends_with("...") && long.len() <= BYTES + 3,
            "{}",
            long.len()
        );
    }
}
