//! Why an output could not be read, or an argument not be used.

use std::fmt;

use thiserror::Error;

/// One of the two streams that a process writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

impl fmt::Display for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
        })
    }
}

/// Where in a run's output a reader stumbled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// What the kernel counted for the process.
    Usage,
    /// A stream as a whole.
    Whole(Stream),
    /// A line of a stream, counted from 1.
    Line(Stream, usize),
    /// A line of the file with counters, counted from 1.
    Counters(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage => f.write_str("resource usage"),
            Self::Whole(stream) => write!(f, "{stream}"),
            Self::Line(stream, line) => write!(f, "{stream}, line {line}"),
            Self::Counters(line) => write!(f, "counters, line {line}"),
        }
    }
}

/// An output that is not what the tool writes after a good run.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "{place}: expected {expected}, found {found}{}",
    .advice.as_ref().map(|advice| format!("; {advice}")).unwrap_or_default()
)]
pub struct ReadError {
    /// Where.
    pub place: Place,
    /// What should have stood there.
    pub expected: String,
    /// What stood there.
    pub found: String,
    /// What to do about it, where more can be said than "look at the output".
    pub advice: Option<String>,
}

impl ReadError {
    pub(crate) fn new(place: Place, expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self {
            place,
            expected: expected.into(),
            found: found.into(),
            advice: None,
        }
    }

    /// Refuses an error message of the tool, if there is one: its line, counted from 0, and its text.
    pub(crate) fn refuse_complaint(
        stream: Stream,
        complaint: Option<(usize, &str)>,
    ) -> Result<(), Self> {
        let Some((index, line)) = complaint else {
            return Ok(());
        };
        let place = Place::Line(stream, index + 1);
        Err(Self::new(place, "no error message", excerpt(line)))
    }

    /// About standard output as a whole.
    pub(crate) fn stdout(expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self::new(Place::Whole(Stream::Stdout), expected, found)
    }

    /// About a line of standard output, counted from 1.
    pub(crate) fn line(number: usize, expected: impl Into<String>, found: &str) -> Self {
        Self::new(
            Place::Line(Stream::Stdout, number),
            expected,
            excerpt(found),
        )
    }

    pub(crate) fn advise(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }
}

/// An argument that a driver cannot work with.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{driver}: argument `{argument}` cannot be used: {reason}; {advice}")]
pub struct ArgumentError {
    /// The driver's name.
    pub driver: &'static str,
    /// The argument as given.
    pub argument: String,
    /// Why it cannot be used.
    pub reason: String,
    /// What to do instead.
    pub advice: String,
}

impl ArgumentError {
    pub(crate) fn new(
        driver: &'static str,
        argument: impl Into<String>,
        reason: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self {
            driver,
            argument: argument.into(),
            reason: reason.into(),
            advice: advice.into(),
        }
    }
}

/// Text of unknown origin and length, fit to stand in a message of one line.
pub(crate) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 120;
    let mut shown = String::new();
    for character in text.chars().take(LONGEST) {
        match character {
            '"' | '\'' | '\\' => shown.push(character),
            _ => shown.extend(character.escape_debug()),
        }
    }
    if text.chars().nth(LONGEST).is_some() {
        shown.push_str("...");
    }
    format!("`{shown}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_says_where_what_and_what_to_do() {
        let error =
            ReadError::new(Place::Line(Stream::Stdout, 3), "8 columns", "5").advise("read the log");
        assert_eq!(
            error.to_string(),
            "stdout, line 3: expected 8 columns, found 5; read the log"
        );
    }

    #[test]
    fn an_excerpt_is_one_short_line() {
        assert_eq!(excerpt("a\nb\0"), "`a\\nb\\0`");
        let long = excerpt(&"é".repeat(500));
        assert!(
            long.ends_with("...`") && long.chars().count() < 130,
            "{long}"
        );
    }
}
