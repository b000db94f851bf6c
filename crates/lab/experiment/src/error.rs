//! The error of a file that cannot be understood, and what its place in the file is called.

use std::fmt;

/// Why a TOML file was refused: where, what was found, and what to do.
///
/// Its `Display` is several lines: `file:line:column: message`, the line with carets below what is
/// wrong, and, if there is any, help.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) width: usize,
    pub(crate) source_line: String,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

impl ParseError {
    /// The line, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The column in characters, from 1.
    pub fn column(&self) -> usize {
        self.column
    }

    /// What is wrong.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl std::error::Error for ParseError {}

impl fmt::Display for ParseError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        // Tabs before the carets are kept, so that both lines are indented alike.
        let indent: String = self
            .source_line
            .chars()
            .take(self.column - 1)
            .map(|c| if c == '\t' { '\t' } else { ' ' })
            .collect();
        writeln!(
            to,
            "{}:{}:{}: {}",
            self.file, self.line, self.column, self.message
        )?;
        writeln!(to, "{margin} |")?;
        writeln!(
            to,
            "{}",
            format!("{number} | {}", self.source_line).trim_end()
        )?;
        write!(to, "{margin} | {indent}{}", "^".repeat(self.width))?;
        if let Some(help) = &self.help {
            write!(to, "\nhelp: {help}")?;
        }
        Ok(())
    }
}

/// A segment from a table or a list to what is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Segment {
    Key(String),
    Index(usize),
}

/// A place in the file, as the segments that lead there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place(pub(crate) Vec<Segment>);

impl Place {
    /// The place below these keys, each in the table of the one before.
    pub fn of(keys: &[&str]) -> Self {
        Self(
            keys.iter()
                .map(|&key| Segment::Key(key.to_owned()))
                .collect(),
        )
    }

    /// The place of a key in the table that is here.
    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        self.with(Segment::Key(key.to_owned()))
    }

    /// The place of an element in the list that is here, from 0.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.with(Segment::Index(index))
    }

    fn with(&self, segment: Segment) -> Self {
        let mut segments = self.0.clone();
        segments.push(segment);
        Self(segments)
    }
}

/// What of a place is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    Key,
    Value,
    /// This text within the value.
    Text(String),
}

/// A rule that a file breaks, before its place is turned into a line and a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub(crate) place: Place,
    pub(crate) part: Part,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

impl Fault {
    /// A key that is wrong.
    pub fn key(place: Place, message: impl Into<String>) -> Self {
        Self {
            place,
            part: Part::Key,
            message: message.into(),
            help: None,
        }
    }

    /// A value that is wrong.
    pub fn value(place: Place, message: impl Into<String>) -> Self {
        Self {
            place,
            part: Part::Value,
            message: message.into(),
            help: None,
        }
    }

    /// A value of which this text is wrong.
    pub fn text(place: Place, text: String, message: impl Into<String>) -> Self {
        Self {
            place,
            part: Part::Text(text),
            message: message.into(),
            help: None,
        }
    }

    /// The same with a line of help.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn suggest<'a>(
        mut self,
        name: &str,
        candidates: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        self.help = crate::name::suggestion(name, candidates);
        self
    }
}
