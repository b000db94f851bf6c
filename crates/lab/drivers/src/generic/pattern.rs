//! Values by regular expression.

use regex::{Regex, RegexBuilder};

use super::found::{Found, text};
use super::rule::RuleError;
use crate::error::{Place, ReadError, Stream};
use crate::number;

/// A regular expression and the group in it that holds the number.
#[derive(Debug)]
pub(super) struct Pattern {
    regex: Regex,
    group: usize,
}

impl Pattern {
    pub(super) fn new(name: &str, pattern: &str) -> Result<Self, RuleError> {
        let regex = RegexBuilder::new(pattern)
            .multi_line(true)
            .build()
            .map_err(|error| RuleError::Pattern {
                name: name.to_owned(),
                pattern: pattern.to_owned(),
                // The long form draws the position over several lines; its last line says why.
                reason: error
                    .to_string()
                    .lines()
                    .last()
                    .unwrap_or_default()
                    .trim()
                    .to_owned(),
            })?;
        // Group 0 is the whole match.
        let named = regex
            .capture_names()
            .position(|group| group == Some("value"));
        let group = match (named, regex.captures_len() - 1) {
            (Some(group), _) => group,
            (None, 1) => 1,
            (None, groups) => {
                return Err(RuleError::Groups {
                    name: name.to_owned(),
                    pattern: pattern.to_owned(),
                    groups,
                });
            }
        };
        Ok(Self { regex, group })
    }

    pub(super) fn read(&self, bytes: &[u8], stream: Stream) -> Result<Vec<Found>, ReadError> {
        let text = text(bytes);
        let mut lines = LineCounter::new(&text);
        self.regex
            .captures_iter(&text)
            .map(|captures| {
                // A group in an alternative that was not taken matches nothing.
                let (start, found) = match (captures.get(self.group), captures.get(0)) {
                    (Some(group), _) => (group.start(), group.as_str()),
                    (None, whole) => (whole.map_or(0, |whole| whole.start()), ""),
                };
                let line = lines.at(start);
                number::finite(found)
                    .map(|value| Found { line, value })
                    .map_err(|found| {
                        let expected = format!("a number for `{}`", self.regex);
                        ReadError::new(Place::Line(stream, line), expected, found)
                    })
            })
            .collect()
    }
}

/// Line numbers of positions that are asked for in about ascending order, in one pass.
struct LineCounter<'a> {
    text: &'a str,
    position: usize,
    line: usize,
}

impl<'a> LineCounter<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            position: 0,
            line: 1,
        }
    }

    fn at(&mut self, position: usize) -> usize {
        let passed = self
            .text
            .as_bytes()
            .get(self.position..position)
            .unwrap_or_default();
        self.line += passed.iter().filter(|byte| **byte == b'\n').count();
        self.position = self.position.max(position);
        self.line
    }
}
