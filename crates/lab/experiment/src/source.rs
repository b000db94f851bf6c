//! The text of a file: from places and spans to lines and columns.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use toml::value::Datetime;

use crate::error::{Fault, ParseError, Part, Place, Segment};
use crate::name;

/// A TOML file's text with the spans of its keys and values.
#[derive(Debug)]
pub struct Source<'a> {
    file: &'a str,
    text: &'a str,
    table: Spanned<DeTable<'a>>,
}

/// Where a key and its value stand; for an element of a list, both are the element.
#[derive(Clone)]
struct Spans {
    key: Range<usize>,
    value: Range<usize>,
}

impl<'a> Source<'a> {
    /// Reads the text of a file, whose name is used in errors.
    ///
    /// # Errors
    /// If it is not TOML.
    pub fn parse(text: &'a str, file: &'a str) -> Result<Self, ParseError> {
        match DeTable::parse(text) {
            Ok(table) => Ok(Self { file, text, table }),
            Err(error) => {
                let at = error.span().unwrap_or(text.len()..text.len());
                Err(located(
                    text,
                    file,
                    &at,
                    format!("not valid TOML: {}", error.message()),
                    None,
                ))
            }
        }
    }

    /// Whether something stands at a place.
    pub fn has(&self, place: &Place) -> bool {
        self.find(place).is_ok()
    }

    /// Turns a broken rule into an error with a line and a column.
    pub fn fault(&self, fault: Fault) -> ParseError {
        let found = self.find(&fault.place);
        // Where nothing stands (a default that does not fit), the innermost table around it is shown.
        let (Ok(Spans { key, value }) | Err(Spans { key, value })) = found.clone();
        let span = match fault.part {
            Part::Key if found.is_ok() => key,
            Part::Key | Part::Value => value,
            // With escapes in it, the text of a value differs from the file's: then the whole value is shown.
            Part::Text(text) => self.text[value.clone()]
                .find(&text)
                .map_or(value.clone(), |at| {
                    let start = value.start + at;
                    start..start + text.len()
                }),
        };
        located(self.text, self.file, &span, fault.message, fault.help)
    }

    /// Turns an error of the deserialiser into ours.
    pub fn deserialisation(&self, error: &toml::de::Error) -> ParseError {
        let span = error.span().unwrap_or(0..0);
        let written = self.text.get(span.clone()).unwrap_or_default();
        let (message, help) = date_without_quotes(error.message(), written)
            .unwrap_or_else(|| explain(error.message(), || self.table_around(&span)));
        located(self.text, self.file, &span, message, help)
    }

    /// The spans of key and value at a place, or of the innermost place on the way that exists.
    fn find(&self, place: &Place) -> Result<Spans, Spans> {
        let mut spans = Spans {
            key: self.table.span(),
            value: self.table.span(),
        };
        let mut value = None;
        for segment in &place.0 {
            let table = match value {
                None => Some(self.table.get_ref()),
                Some(value) => DeValue::as_table(value),
            };
            let next = match segment {
                Segment::Key(key) => table
                    .and_then(|table| {
                        table
                            .iter()
                            .find(|(name, _)| name.get_ref() == key.as_str())
                    })
                    .map(|(key, value)| (key.span(), value)),
                Segment::Index(index) => value
                    .and_then(DeValue::as_array)
                    .and_then(|list| list.get(*index))
                    .map(|element| (element.span(), element)),
            };
            let Some((key, inner)) = next else {
                return Err(spans);
            };
            spans = Spans {
                key,
                value: inner.span(),
            };
            value = Some(inner.get_ref());
        }
        Ok(spans)
    }

    /// The name of the table that has a key at this span, or that is itself at this span.
    fn table_around(&self, span: &Range<usize>) -> Option<String> {
        fn search(value: &DeValue<'_>, span: &Range<usize>, path: &mut Vec<String>) -> bool {
            match value {
                DeValue::Table(table) => search_table(table, span, path),
                DeValue::Array(list) => list.iter().any(|element| {
                    (element.span() == *span && element.get_ref().is_table())
                        || search(element.get_ref(), span, path)
                }),
                _ => false,
            }
        }
        fn search_table(table: &DeTable<'_>, span: &Range<usize>, path: &mut Vec<String>) -> bool {
            table.iter().any(|(key, value)| {
                if key.span() == *span {
                    return true;
                }
                path.push(key.get_ref().to_string());
                let found = (value.span() == *span && value.get_ref().is_table())
                    || search(value.get_ref(), span, path);
                if !found {
                    path.pop();
                }
                found
            })
        }
        let mut path = Vec::new();
        (search_table(self.table.get_ref(), span, &mut path) && !path.is_empty())
            .then(|| format!("[{}]", path.join(".")))
    }
}

/// Makes an error from a span of bytes.
fn located(
    text: &str,
    file: &str,
    span: &Range<usize>,
    message: String,
    help: Option<String>,
) -> ParseError {
    let start = char_boundary(text, span.start);
    let end = char_boundary(text, span.end.max(start));
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
    ParseError {
        file: file.to_owned(),
        line: text[..start].matches('\n').count() + 1,
        column: text[line_start..start].chars().count() + 1,
        width: text[start..end.min(line_end)]
            .trim_end()
            .chars()
            .count()
            .max(1),
        source_line: text[line_start..line_end].trim_end().to_owned(),
        message,
        help,
    }
}

/// The last character boundary up to a position.
fn char_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len()))
        .rev()
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(0)
}

/// Puts a message of serde into the words of the file, with help.
///
/// serde hands over the known names in its message only; a message of another form is passed on as it is.
fn explain(message: &str, table: impl Fn() -> Option<String>) -> (String, Option<String>) {
    let place = || {
        table().map_or_else(
            || " at the top level".to_owned(),
            |table| format!(" in {table}"),
        )
    };
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    match quoted.split_first() {
        Some((key, known)) if message.starts_with("unknown field ") => (
            format!("unknown key `{key}`{}", place()),
            name::suggestion(key, known.iter().copied()),
        ),
        Some((value, known)) if message.starts_with("unknown variant ") => (
            format!("unknown value \"{value}\""),
            name::suggestion(value, known.iter().copied()),
        ),
        Some((key, _)) if message.starts_with("missing field ") => {
            (format!("the key `{key}` is missing{}", place()), None)
        }
        _ => (
            expectation(message).unwrap_or_else(|| message.to_owned()),
            None,
        ),
    }
}

/// A date of TOML's own, which is written without quotes, and which the deserialiser takes for a table.
fn date_without_quotes(message: &str, written: &str) -> Option<(String, Option<String>)> {
    let wanted = message.strip_prefix("invalid type: map, expected ")?;
    written.parse::<Datetime>().ok()?;
    let help = (wanted == "a string").then(|| format!("write the date in quotes: \"{written}\""));
    Some((format!("expected {wanted}, found the date {written}"), help))
}

/// `invalid type: FOUND, expected WANTED`, the other way round and in the words of TOML.
fn expectation(message: &str) -> Option<String> {
    let rest = message
        .strip_prefix("invalid type: ")
        .or_else(|| message.strip_prefix("invalid value: "))
        .or_else(|| message.strip_prefix("invalid length "))?;
    let (found, wanted) = rest.rsplit_once(", expected ")?;
    // Some kinds of integers are named by their type.
    let found = found.strip_suffix(" as i128").unwrap_or(found);
    let found = found.strip_suffix(" as u128").unwrap_or(found);
    let is_too_large = found
        .strip_prefix("integer `")
        .is_some_and(|number| !number.starts_with('-'));
    let wanted = match wanted {
        "u32" if is_too_large => "a whole number, at most 4294967295",
        "u64" | "usize" if is_too_large => "a whole number, at most 18446744073709551615",
        "u8" => "a whole number from 0 to 255",
        "u32" | "u64" | "usize" => "a whole number, not negative",
        "i32" | "i64" => "a whole number",
        "f64" => "a number",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "a table",
        other => other,
    };
    let found = match found {
        "map" => "a table".to_owned(),
        "sequence" => "a list".to_owned(),
        other => ["floating point", "integer", "string", "boolean"]
            .into_iter()
            .zip(["the number", "the number", "the string", "the value"])
            .find_map(|(kind, words)| Some(format!("{words}{}", other.strip_prefix(kind)?)))
            .unwrap_or_else(|| other.to_owned()),
    };
    Some(format!("expected {wanted}, found {found}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str, fault: Fault) -> (usize, usize, usize) {
        let error = Source::parse(text, "f").unwrap().fault(fault);
        (error.line, error.column, error.width)
    }

    #[test]
    fn a_place_is_found_through_tables_and_lists() {
        let text = "a = 1\n[b]\nc = ['x', '{é} {y}']\n[[d]]\n[[d]]\ne = 'f'\n";
        let list = Place::of(&["b", "c"]);
        assert_eq!(fault(text, Fault::key(list.clone(), "")), (3, 1, 1));
        assert_eq!(fault(text, Fault::value(list.index(0), "")), (3, 6, 3));
        assert_eq!(
            fault(text, Fault::text(list.index(1), "{y}".to_owned(), "")),
            (3, 16, 3)
        );
        assert_eq!(
            fault(text, Fault::text(list.index(1), "{z}".to_owned(), "")),
            (3, 11, 9)
        );
        let second = Place::of(&["d"]).index(1);
        assert_eq!(fault(text, Fault::value(second.key("e"), "")), (6, 5, 3));
        assert_eq!(fault(text, Fault::value(second, "")), (5, 1, 5));
    }

    #[test]
    fn a_place_that_is_not_there_is_shown_at_what_is_around_it() {
        let text = "[b]\nc = 1\n";
        assert_eq!(
            fault(text, Fault::key(Place::of(&["b", "x"]), "")),
            (1, 1, 3)
        );
        assert_eq!(
            fault(text, Fault::key(Place::of(&["y", "x"]), "")),
            (1, 1, 1)
        );
        assert_eq!(fault("", Fault::key(Place::of(&["y"]), "")), (1, 1, 1));
    }

    #[test]
    fn words_of_serde_become_words_of_the_file() {
        let plain = |message| explain(message, || None);
        assert_eq!(
            plain("invalid type: integer `3`, expected a string"),
            ("expected a string, found the number `3`".to_owned(), None)
        );
        assert_eq!(plain("anything else"), ("anything else".to_owned(), None));
        assert_eq!(
            plain("unknown field `rnus`, expected `runs` or `block`")
                .1
                .as_deref(),
            Some("did you mean `runs`?")
        );
    }
}
