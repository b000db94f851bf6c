//! Strings with placeholders: `{port}`, `{port:NAME}`; `{{` and `}}` stand for the braces themselves.

use std::fmt;

/// Why a string is no template, or cannot be filled. A template never guesses what a brace means.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// A `{` without its `}`.
    #[error("`{{` is never closed")]
    Unclosed {
        /// The rest of the string from the brace on.
        text: String,
    },
    /// A `}` without its `{`.
    #[error("`}}` closes nothing")]
    Unopened {
        /// The brace.
        text: String,
    },
    /// Braces around something that is no name.
    #[error(
        "`{text}` is no placeholder: a name, and what follows it after `:`, is letters, digits, `_` and `-`"
    )]
    NotAName {
        /// The braces and what is between them.
        text: String,
    },
    /// A placeholder whose value is not known.
    #[error("unknown placeholder `{0}`")]
    Unknown(Placeholder),
}

impl TemplateError {
    /// The part of the string that is wrong, as it is written there.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Unclosed { text } | Self::Unopened { text } | Self::NotAName { text } => {
                text.clone()
            }
            Self::Unknown(placeholder) => placeholder.to_string(),
        }
    }
}

/// The place of a value in a template, `{name}` or `{name:argument}`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Placeholder {
    /// Which value.
    pub name: String,
    /// Which one of several, as in `{port:metrics}`.
    pub argument: Option<String>,
}

impl Placeholder {
    /// Reads what stands between the braces.
    fn parse(inside: &str) -> Option<Self> {
        let (name, argument) = match inside.split_once(':') {
            Some((name, argument)) => (name, Some(argument)),
            None => (inside, None),
        };
        let fine = is_name(name) && argument.is_none_or(is_word);
        fine.then(|| Self {
            name: name.to_owned(),
            argument: argument.map(str::to_owned),
        })
    }
}

impl fmt::Display for Placeholder {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.argument {
            Some(argument) => write!(to, "{{{}:{argument}}}", self.name),
            None => write!(to, "{{{}}}", self.name),
        }
    }
}

/// Whether a text can be the name of a placeholder: letters, digits, `_` and `-`, not beginning with a digit or `-`.
pub(crate) fn is_name(text: &str) -> bool {
    is_word(text) && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

pub(crate) fn is_word(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Placeholder(Placeholder),
}

/// A string with placeholders, taken apart. Its `Display` is the string again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Template {
    pieces: Vec<Piece>,
}

impl Template {
    /// Takes a string apart.
    ///
    /// # Errors
    /// If a brace has no partner, or something else than a name stands between two.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        let mut template = Self::default();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            let (before, from_brace) = rest.split_at(at);
            template.push_text(before);
            if let Some(behind) = from_brace.strip_prefix("{{") {
                template.push_text("{");
                rest = behind;
            } else if let Some(behind) = from_brace.strip_prefix("}}") {
                template.push_text("}");
                rest = behind;
            } else if let Some(behind) = from_brace.strip_prefix('{') {
                let Some((inside, behind)) = behind.split_once('}') else {
                    return Err(TemplateError::Unclosed {
                        text: from_brace.to_owned(),
                    });
                };
                let placeholder =
                    Placeholder::parse(inside).ok_or_else(|| TemplateError::NotAName {
                        text: format!("{{{inside}}}"),
                    })?;
                template.pieces.push(Piece::Placeholder(placeholder));
                rest = behind;
            } else {
                return Err(TemplateError::Unopened {
                    text: "}".to_owned(),
                });
            }
        }
        template.push_text(rest);
        Ok(template)
    }

    /// A template that is this text and nothing else, whatever braces are in it.
    pub fn literal(text: &str) -> Self {
        let mut template = Self::default();
        template.push_text(text);
        template
    }

    /// The placeholders, in their order.
    pub fn placeholders(&self) -> impl Iterator<Item = &Placeholder> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Placeholder(placeholder) => Some(placeholder),
            Piece::Text(_) => None,
        })
    }

    /// Puts templates in the place of placeholders; those without one stay as they are.
    pub fn substitute(&self, mut value: impl FnMut(&Placeholder) -> Option<Self>) -> Self {
        let mut result = Self::default();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => result.push_text(text),
                Piece::Placeholder(placeholder) => match value(placeholder) {
                    Some(inner) => inner
                        .pieces
                        .into_iter()
                        .for_each(|piece| result.push(piece)),
                    None => result.pieces.push(Piece::Placeholder(placeholder.clone())),
                },
            }
        }
        result
    }

    /// Fills all placeholders and gives the final string.
    ///
    /// # Errors
    /// [`TemplateError::Unknown`] for the first placeholder that `value` does not know.
    pub fn render(
        &self,
        mut value: impl FnMut(&Placeholder) -> Option<String>,
    ) -> Result<String, TemplateError> {
        let mut result = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => result.push_str(text),
                Piece::Placeholder(placeholder) => result.push_str(
                    &value(placeholder)
                        .ok_or_else(|| TemplateError::Unknown(placeholder.clone()))?,
                ),
            }
        }
        Ok(result)
    }

    fn push(&mut self, piece: Piece) {
        match piece {
            Piece::Text(text) => self.push_text(&text),
            placeholder @ Piece::Placeholder(_) => self.pieces.push(placeholder),
        }
    }

    // Neighbouring texts are joined, so that equal templates have equal pieces.
    fn push_text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if let Some(Piece::Text(last)) = self.pieces.last_mut() {
            last.push_str(text);
        } else {
            self.pieces.push(Piece::Text(text.to_owned()));
        }
    }
}

impl fmt::Display for Template {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => to.write_str(&text.replace('{', "{{").replace('}', "}}"))?,
                Piece::Placeholder(placeholder) => placeholder.fmt(to)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn render(text: &str) -> Result<String, TemplateError> {
        Template::parse(text)?.render(|placeholder| {
            match (placeholder.name.as_str(), &placeholder.argument) {
                ("port", None) => Some("6379".to_owned()),
                ("port", Some(argument)) => Some(format!("6379/{argument}")),
                ("braces", None) => Some("{port}".to_owned()),
                _ => None,
            }
        })
    }

    #[test]
    fn placeholders_are_filled_and_doubled_braces_are_braces() {
        assert_eq!(render("").unwrap(), "");
        assert_eq!(render("127.0.0.1:{port}").unwrap(), "127.0.0.1:6379");
        assert_eq!(render("{port}{port:m-1}").unwrap(), "63796379/m-1");
        assert_eq!(render("awk '{{print $1}}'").unwrap(), "awk '{print $1}'");
        assert_eq!(render("{{{port}}}").unwrap(), "{6379}");
        assert_eq!(
            render("{braces}").unwrap(),
            "{port}",
            "a value is not filled again"
        );
    }

    #[test]
    fn what_is_no_template_is_refused() {
        let error = |text: &str| render(text).unwrap_err();
        assert_eq!(
            error("a {port"),
            TemplateError::Unclosed {
                text: "{port".to_owned()
            }
        );
        assert_eq!(
            error("a } b"),
            TemplateError::Unopened {
                text: "}".to_owned()
            }
        );
        for inside in ["", "print $1", "1", "-a", "port:", "port:a:b", "é"] {
            let text = format!("{{{inside}}}");
            assert_eq!(error(&text), TemplateError::NotAName { text: text.clone() });
        }
        assert_eq!(error("{prot}").to_string(), "unknown placeholder `{prot}`");
        assert_eq!(error("{a:b}").to_string(), "unknown placeholder `{a:b}`");
        assert_eq!(error("{").to_string(), "`{` is never closed");
    }

    #[test]
    fn substitution_leaves_the_unknown_and_keeps_braces_apart() {
        let template = Template::parse("{a} {port} {{b}}").unwrap();
        let filled = template.substitute(|p| (p.name == "a").then(|| Template::literal("{x}")));
        assert_eq!(filled.to_string(), "{{x}} {port} {{b}}");
        assert_eq!(filled, Template::parse("{{x}} {port} {{b}}").unwrap());
    }

    proptest! {
        #[test]
        fn a_literal_survives(text in "\\PC*") {
            let literal = Template::literal(&text);
            prop_assert_eq!(literal.render(|_| None), Ok(text));
            prop_assert_eq!(Template::parse(&literal.to_string()), Ok(literal));
        }

        #[test]
        fn no_text_panics_and_display_is_the_inverse_of_parse(text in "[{}a:é-]{0,12}") {
            if let Ok(template) = Template::parse(&text) {
                prop_assert_eq!(template.to_string(), text);
            }
        }
    }
}
