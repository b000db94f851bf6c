//! What is found at an address.

use std::fs::File;

/// What a page or a file is made of.
#[derive(Debug)]
pub enum Content {
    /// Bytes that were made for it.
    Made {
        /// What they are.
        kind: Kind,
        /// They.
        bytes: Vec<u8>,
    },
    /// A file of the result, to be given out as it is, as text.
    Raw(File),
}

/// What bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A page.
    Html,
    /// A style sheet.
    Css,
    /// A script.
    JavaScript,
    /// Data.
    Json,
    /// A table.
    Csv,
    /// A feed.
    Atom,
    /// A picture.
    Svg,
}

impl Kind {
    /// The media type, with the encoding.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Html => "text/html; charset=utf-8",
            Self::Css => "text/css; charset=utf-8",
            Self::JavaScript => "text/javascript; charset=utf-8",
            Self::Json => "application/json",
            Self::Csv => "text/csv; charset=utf-8",
            Self::Atom => "application/atom+xml; charset=utf-8",
            Self::Svg => "image/svg+xml",
        }
    }
}

impl Content {
    /// A page.
    pub fn page(text: String) -> Self {
        Self::made(Kind::Html, text)
    }

    pub(crate) fn made(kind: Kind, text: String) -> Self {
        Self::Made {
            kind,
            bytes: text.into_bytes(),
        }
    }
}
