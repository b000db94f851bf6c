//! Addresses of the pages of a history.

use std::fmt;

use perflab_history::Revision;

/// A page of a history, or a file beside the pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HistoryAddress {
    First,
    /// A series, from 0.
    Metric(usize),
    /// A page of the list of revisions, from 0.
    Revisions(usize),
    /// A revision, by its name as it is in addresses.
    Revision(String),
    Campaigns,
    /// The first page of a campaign's result.
    Campaign(u32),
    Tests,
    /// The changes as an Atom feed.
    Feed,
    /// The newest change in a picture.
    Badge,
    /// All that is known as JSON.
    Json,
    /// The values as CSV.
    Csv,
}

impl fmt::Display for HistoryAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::First => f.write_str("index.html"),
            Self::Metric(series) => write!(f, "metric-{}.html", series + 1),
            Self::Revisions(0) => f.write_str("revisions.html"),
            Self::Revisions(page) => write!(f, "revisions-{}.html", page + 1),
            Self::Revision(name) => write!(f, "revision-{name}.html"),
            Self::Campaigns => f.write_str("campaigns.html"),
            Self::Campaign(number) => write!(f, "campaigns/{number:06}/index.html"),
            Self::Tests => f.write_str("tests.html"),
            Self::Feed => f.write_str("changes.atom"),
            Self::Badge => f.write_str("badge.svg"),
            Self::Json => f.write_str("data/history.json"),
            Self::Csv => f.write_str("data/history.csv"),
        }
    }
}

impl HistoryAddress {
    /// The page of a revision.
    pub(crate) fn of(revision: &Revision) -> Self {
        Self::Revision(encoded(&revision.name()))
    }

    /// The address that a text is, if it is one. That of a campaign's result is none of the history itself.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "index.html" => Self::First,
            "revisions.html" => Self::Revisions(0),
            "campaigns.html" => Self::Campaigns,
            "tests.html" => Self::Tests,
            "changes.atom" => Self::Feed,
            "badge.svg" => Self::Badge,
            "data/history.json" => Self::Json,
            "data/history.csv" => Self::Csv,
            _ => Self::named(text)?,
        })
    }

    fn named(text: &str) -> Option<Self> {
        let between = |before: &str| text.strip_prefix(before)?.strip_suffix(".html");
        let place = |number: &str| {
            let number: usize = number.parse().ok()?;
            number.checked_sub(1)
        };
        let found = if let Some(number) = between("metric-") {
            Self::Metric(place(number)?)
        } else if let Some(number) = between("revisions-") {
            Self::Revisions(place(number).filter(|page| *page > 0)?)
        } else {
            Self::Revision(between("revision-")?.to_owned())
        };
        // There is one address for each page.
        (found.to_string() == text).then_some(found)
    }
}

/// A name as it can be in an address and in the name of a file: other bytes as `_` and two digits.
pub(super) fn encoded(name: &str) -> String {
    let mut text = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' => text.push(char::from(byte)),
            _ => text.push_str(&format!("_{byte:02x}")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_they_are_written() {
        let all = [
            HistoryAddress::First,
            HistoryAddress::Metric(3),
            HistoryAddress::Revisions(0),
            HistoryAddress::Revisions(4),
            HistoryAddress::Revision(encoded("1.0 \"beta\"/../2_é")),
            HistoryAddress::Campaigns,
            HistoryAddress::Tests,
            HistoryAddress::Feed,
            HistoryAddress::Badge,
            HistoryAddress::Json,
            HistoryAddress::Csv,
        ];
        for address in all {
            assert_eq!(HistoryAddress::parse(&address.to_string()), Some(address));
        }
        for text in [
            "",
            "metric-0.html",
            "metric-01.html",
            "revisions-1.html",
            "x/revision-a.html",
            "campaigns/000001/index.html",
        ] {
            assert_eq!(HistoryAddress::parse(text), None, "{text}");
        }
    }

    #[test]
    fn names_of_others_are_names_of_files() {
        assert_eq!(encoded("v1.0-rc"), "v1.0-rc");
        assert_eq!(encoded("a/b c"), "a_2fb_20c");
        assert_ne!(encoded("a_20b"), encoded("a b"));
    }
}
