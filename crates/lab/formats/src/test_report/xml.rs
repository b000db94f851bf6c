//! The events of an XML document, one after another.
//!
//! A tree of a whole report would hold a hundred megabytes of captured output, and hostile documents make trees far
//! larger than their files, by namespaces or attributes. This reads in one pass, keeps nothing but the names of open
//! elements, and knows no document types, so that there are no entities to expand.
//!
//! It is as strict as a report needs: elements are nested rightly, and tags are well formed. Characters that XML forbids
//! are let through, as runners write what a test has printed.

use std::borrow::Cow;

use super::xml_references::unescape;

/// The most elements within each other, and the most attributes of one.
const DEEPEST: usize = 1000;
const MOST_ATTRIBUTES: usize = 100;

/// What comes next in a document.
#[derive(Debug, PartialEq)]
pub(super) enum Event<'t> {
    /// An element begins. One without content ends at once: its [`Event::End`] follows.
    Start {
        /// Its name, without a namespace.
        name: &'t str,
        attributes: Attributes<'t>,
        /// The line of the tag.
        line: usize,
    },
    /// The innermost element ends.
    End { name: &'t str },
    /// Text with references in it.
    Text(&'t str),
    /// Text without.
    Cdata(&'t str),
}

/// Names and raw values, in order.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Attributes<'t>(Vec<(&'t str, &'t str)>);

impl<'t> Attributes<'t> {
    /// The value of a name. White space in it is as in the document.
    pub(super) fn get(&self, name: &str) -> Option<Cow<'t, str>> {
        let (_, raw) = self.0.iter().find(|(own, _)| local(own) == name)?;
        Some(unescape(raw))
    }
}

/// Why a text is no XML.
#[derive(Debug, PartialEq)]
pub(super) struct NoXml {
    /// From 1.
    pub(super) line: usize,
    pub(super) message: String,
}

/// A document that is being read.
pub(super) struct Reader<'t> {
    rest: &'t str,
    line: usize,
    open: Vec<&'t str>,
    /// The name of an element without content, which ends next.
    ends: bool,
    had_root: bool,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            rest: text,
            line: 1,
            open: Vec::new(),
            ends: false,
            had_root: false,
        }
    }

    /// The names of the open elements, the outermost first.
    pub(super) fn open(&self) -> &[&'t str] {
        &self.open
    }

    /// The next event, or `None` at the end of the document.
    pub(super) fn next(&mut self) -> Result<Option<Event<'t>>, NoXml> {
        loop {
            if std::mem::take(&mut self.ends) {
                let name = self.open.pop().unwrap_or_default();
                return Ok(Some(Event::End { name }));
            }
            if self.rest.is_empty() {
                return match self.open.last() {
                    Some(name) => Err(self.fault(format!("expected `</{name}>`, found the end"))),
                    None if !self.had_root => Err(self.fault("expected an element, found none")),
                    None => Ok(None),
                };
            }
            if !self.rest.starts_with('<') {
                let end = self.rest.find('<').unwrap_or(self.rest.len());
                let text = self.take(end);
                if self.open.is_empty() && !text.trim().is_empty() {
                    return Err(self.fault("expected a tag, found text outside of all elements"));
                }
                if !self.open.is_empty() {
                    return Ok(Some(Event::Text(text)));
                }
            } else if self.rest.starts_with("<?") {
                self.take_past("?>")?;
            } else if self.rest.starts_with("<!--") {
                self.take_past("-->")?;
            } else if self.rest.starts_with("<![CDATA[") {
                let part = self.take_past("]]>")?;
                let text = part.strip_prefix("<![CDATA[").unwrap_or_default();
                return Ok(Some(Event::Cdata(text)));
            } else if self.rest.starts_with("<!") {
                return Err(
                    self.fault("expected an element, found a document type, which no report needs")
                );
            } else if self.rest.starts_with("</") {
                let part = self.take_past(">")?;
                let name = local(part.strip_prefix("</").unwrap_or_default().trim_end());
                if self.open.pop() != Some(name) {
                    return Err(self.fault(
                        "expected the end of the element that was opened last, found another",
                    ));
                }
                return Ok(Some(Event::End { name }));
            } else {
                return self.start().map(Some);
            }
        }
    }

    fn start(&mut self) -> Result<Event<'t>, NoXml> {
        let line = self.line;
        self.take(1);
        let name = local(self.word()?);
        let mut attributes = Attributes::default();
        loop {
            self.skip_space();
            if self.rest.starts_with("/>") {
                self.take(2);
                self.ends = true;
                break;
            }
            if self.rest.starts_with('>') {
                self.take(1);
                break;
            }
            if attributes.0.len() >= MOST_ATTRIBUTES {
                return Err(self.fault(format!(
                    "expected at most {MOST_ATTRIBUTES} attributes, found more"
                )));
            }
            let name = self.word()?;
            self.skip_space();
            if !self.rest.starts_with('=') {
                return Err(self.fault("expected `=` behind the name of an attribute"));
            }
            self.take(1);
            self.skip_space();
            let quote = match self.rest.chars().next() {
                Some(quote @ ('"' | '\'')) => quote,
                _ => return Err(self.fault("expected the value of an attribute in quotes")),
            };
            self.take(1);
            let end = self.rest.find(quote);
            let end = end.ok_or_else(|| self.fault("expected the end of a value, found none"))?;
            attributes.0.push((name, self.take(end)));
            self.take(1);
        }
        if self.open.is_empty() && std::mem::replace(&mut self.had_root, true) {
            return Err(self.fault("expected one element around all others, found a second"));
        }
        if self.open.len() >= DEEPEST {
            return Err(self.fault(format!(
                "expected at most {DEEPEST} elements within each other"
            )));
        }
        self.open.push(name);
        Ok(Event::Start {
            name,
            attributes,
            line,
        })
    }

    /// The name at the beginning of what is left.
    fn word(&mut self) -> Result<&'t str, NoXml> {
        let is_end = |c: char| c.is_whitespace() || matches!(c, '=' | '>' | '/' | '<' | '"' | '\'');
        match self.rest.find(is_end).unwrap_or(self.rest.len()) {
            0 => Err(self.fault("expected a name")),
            end => Ok(self.take(end)),
        }
    }

    fn skip_space(&mut self) {
        let left = self.rest.trim_start().len();
        self.take(self.rest.len() - left);
    }

    /// What comes before this mark, which is passed over too.
    fn take_past(&mut self, mark: &str) -> Result<&'t str, NoXml> {
        match self.rest.find(mark) {
            Some(end) => {
                let part = self.take(end);
                self.take(mark.len());
                Ok(part)
            }
            None => Err(self.fault(format!("expected `{mark}`, found the end"))),
        }
    }

    fn take(&mut self, bytes: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        self.line += taken.bytes().filter(|byte| *byte == b'\n').count();
        self.rest = rest;
        taken
    }

    fn fault(&self, message: impl Into<String>) -> NoXml {
        NoXml {
            line: self.line,
            message: message.into(),
        }
    }
}

/// A name without its namespace.
fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All events, each as a line.
    fn events(text: &str) -> Result<Vec<String>, NoXml> {
        let mut reader = Reader::new(text);
        let mut events = Vec::new();
        while let Some(event) = reader.next()? {
            events.push(match event {
                Event::Start {
                    name, attributes, ..
                } => {
                    let own = attributes.0.iter();
                    let own = own.map(|(name, raw)| format!(" {}={}", local(name), unescape(raw)));
                    format!("<{name}{}", own.collect::<String>())
                }
                Event::End { name } => format!("/{name}"),
                Event::Text(raw) => format!("t{}", unescape(raw)),
                Event::Cdata(text) => format!("t{text}"),
            });
        }
        Ok(events)
    }

    #[test]
    fn a_document_is_read_in_order() {
        let text = "<?xml version=\"1.0\"?><!-- <a> --><s:a b='1 &gt; 0' c=\"&#x41;&#66;&no;\">x<b/>&amp;<![CDATA[<&amp;]]></s:a>\n";
        assert_eq!(
            events(text).expect("it is XML"),
            [
                "<a b=1 > 0 c=AB&no;",
                "tx",
                "<b",
                "/b",
                "t&",
                "t<&amp;",
                "/a"
            ]
        );
    }

    #[test]
    fn what_is_no_xml_is_refused_with_its_line() {
        for (text, line, words) in [
            ("", 1, "expected an element"),
            ("<a>\n</b>", 2, "opened last"),
            ("<a>\n<b></a>", 2, "opened last"),
            ("<a>\n\n", 3, "expected `</a>`"),
            ("<a b>", 1, "expected `=`"),
            ("<a b=c>", 1, "in quotes"),
            ("<a b='c>", 1, "the end of a value"),
            ("<a", 1, "a name"),
            ("< a>", 1, "a name"),
            ("<a/>\n<b/>", 2, "a second"),
            ("<a/>b", 1, "outside"),
            ("<!-- ", 1, "expected `-->`"),
            (
                "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>",
                1,
                "document type",
            ),
        ] {
            let fault = events(text).expect_err(text);
            assert_eq!(fault.line, line, "{text}");
            assert!(fault.message.contains(words), "{text}: {}", fault.message);
        }
    }

    #[test]
    fn bombs_are_refused() {
        let deep = "<a>".repeat(100_000);
        assert!(
            events(&deep)
                .expect_err("deep")
                .message
                .contains("within each other")
        );
        let wide = format!("<a {}/>", "b='' ".repeat(100_000));
        assert!(
            events(&wide)
                .expect_err("wide")
                .message
                .contains("attributes")
        );
    }

    /// A tree of another XML reader, as the same lines. Text that it joins is joined here too.
    fn others(node: roxmltree::Node<'_, '_>, lines: &mut Vec<String>) {
        if node.is_text() {
            lines.push(format!("t{}", node.text().unwrap_or_default()));
        }
        if node.is_element() {
            let own = node
                .attributes()
                .map(|own| format!(" {}={}", own.name(), own.value()));
            lines.push(format!(
                "<{}{}",
                node.tag_name().name(),
                own.collect::<String>()
            ));
        }
        for child in node.children() {
            others(child, lines);
        }
        if node.is_element() {
            lines.push(format!("/{}", node.tag_name().name()));
        }
    }

    fn joined(lines: Vec<String>) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        for line in lines {
            match (all.last_mut(), line.strip_prefix('t')) {
                (Some(last), Some(text)) if last.starts_with('t') => last.push_str(text),
                _ => all.push(line),
            }
        }
        all.retain(|line| line != "t");
        all
    }

    /// Pieces of documents, most of which fit.
    fn piece() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "<a>",
            "</a>",
            "<b c='1'>",
            "</b>",
            "<d/>",
            "<e f=\"&lt;&#65;\" g='h'/>",
            "x",
            "&amp;",
            "&#x20;",
            " ",
            "<![CDATA[<y>]]>",
            "<!-- <z> -->",
            "<?p i?>",
            "<",
            ">",
            "&",
            "'",
        ])
    }

    proptest! {
        #[test]
        fn another_reader_finds_the_same(pieces in prop::collection::vec(piece(), 0..12)) {
            let text = format!("<r>{}</r>", pieces.concat());
            let Ok(document) = roxmltree::Document::parse(&text) else {
                let _ = events(&text);
                return Ok(());
            };
            let mut expected = Vec::new();
            others(document.root(), &mut expected);
            let found = events(&text).map_err(|fault| TestCaseError::fail(format!("{text}: {fault:?}")))?;
            prop_assert_eq!(joined(found), joined(expected), "{}", text);
        }

        #[test]
        fn any_text_ends(text in "[<>/ab='\"&;!\\[\\]\\-? \n]{0,60}") {
            let _ = events(&text);
        }
    }
}
