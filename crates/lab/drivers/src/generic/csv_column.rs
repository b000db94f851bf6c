//! Values by column of comma-separated values (RFC 4180).

use csv::{ReaderBuilder, StringRecord};

use super::found::{Found, text};
use super::rule::RuleError;
use crate::error::{Place, ReadError, Stream, excerpt};
use crate::number;

/// A column, as a rule names it.
#[derive(Debug)]
pub(super) enum Column {
    Named(String),
    /// Counted from 0.
    Numbered(usize),
}

impl Column {
    /// All digits is a number, anything else a name.
    pub(super) fn new(name: &str, column: &str) -> Result<Self, RuleError> {
        let refused = || RuleError::Column {
            name: name.to_owned(),
            column: column.to_owned(),
        };
        if column.is_empty() {
            return Err(refused());
        }
        if !column.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(Self::Named(column.to_owned()));
        }
        match column.parse::<usize>() {
            Ok(number) if number >= 1 => Ok(Self::Numbered(number - 1)),
            _ => Err(refused()),
        }
    }

    pub(super) fn read(&self, bytes: &[u8], stream: Stream) -> Result<Vec<Found>, ReadError> {
        let text = text(bytes);
        let mut reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .from_reader(text.as_bytes());
        let mut index = match self {
            Self::Named(_) => None,
            Self::Numbered(index) => Some(*index),
        };
        let mut found = Vec::new();
        for (position, record) in reader.records().enumerate() {
            let record = record.map_err(|error| {
                ReadError::new(
                    Place::Whole(stream),
                    "comma-separated values",
                    error.to_string(),
                )
            })?;
            let line = record
                .position()
                .map_or(1, |position| position.line() as usize);
            let place = Place::Line(stream, line);
            let Some(index) = index else {
                index = Some(self.position_in(&record, place)?);
                continue;
            };
            let field = record.get(index).ok_or_else(|| {
                ReadError::new(
                    place,
                    format!("at least {} columns", index + 1),
                    record.len().to_string(),
                )
            })?;
            match number::finite(field) {
                Ok(value) => found.push(Found { line, value }),
                Err(_) if position == 0 && field.trim().parse::<f64>().is_err() => {}
                Err(text) => {
                    let expected = format!("a number in column {}", index + 1);
                    return Err(ReadError::new(place, expected, text));
                }
            }
        }
        Ok(found)
    }

    /// Where the header has the column.
    fn position_in(&self, header: &StringRecord, place: Place) -> Result<usize, ReadError> {
        let wanted = match self {
            Self::Named(name) => name,
            Self::Numbered(index) => return Ok(*index),
        };
        let mut positions = header
            .iter()
            .enumerate()
            .filter(|(_, field)| field.trim() == wanted)
            .map(|(position, _)| position);
        let columns = || excerpt(&header.iter().collect::<Vec<_>>().join(", "));
        match (positions.next(), positions.next()) {
            (Some(position), None) => Ok(position),
            (None, _) => Err(ReadError::new(
                place,
                format!("a column `{wanted}` in the header"),
                columns(),
            )),
            (Some(_), Some(_)) => Err(ReadError::new(
                place,
                format!("one column `{wanted}` in the header"),
                format!("several in {}", columns()),
            )
            .advise("name it by its number")),
        }
    }
}
