//! The pages on the methods, from the project's documents, so that a report explains itself without a network.

use maud::{Markup, PreEscaped, html};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, html::push_html};

use crate::address::Address;

macro_rules! documents {
    ($($name:literal)*) => {
        [$(($name, include_str!(concat!("../../../../docs/statistics/", $name, ".md")))),*]
    };
}

/// Names and texts, in the order in which a report raises their questions.
const DOCUMENTS: [(&str, &str); 19] = documents![
    "README" "typical-run" "guard" "mean" "slow-runs" "deciles" "same" "many-claims" "pooled" "detectable"
    "planning" "quantiles" "iterations" "nested" "steady" "stopping-early" "drift" "order" "ministat"
];

/// The name of a document as it is here, if there is such a one.
pub(crate) fn known(name: &str) -> Option<&'static str> {
    DOCUMENTS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(known, _)| *known)
}

/// All names.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    DOCUMENTS.iter().map(|(name, _)| *name)
}

/// What a document is called: its first line.
fn title(text: &str) -> &str {
    text.lines()
        .next()
        .unwrap_or_default()
        .trim_start_matches("# ")
}

/// Links to all documents.
pub(crate) fn list() -> Markup {
    html! {
        ul {
            @for (name, text) in &DOCUMENTS { li { a href=(Address::Document(name)) { (title(text)) } } }
        }
    }
}

/// A document, and what it is called.
pub(crate) fn document(name: &str) -> Option<(&'static str, Markup)> {
    let (_, text) = DOCUMENTS.iter().find(|(known, _)| *known == name)?;
    let mut inside_link = false;
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).filter_map(|event| match event {
        Event::Start(Tag::Link {
            link_type,
            dest_url,
            title,
            id,
        }) => {
            let target = dest_url
                .split('#')
                .next()
                .and_then(|file| known(file.strip_suffix(".md")?))?;
            inside_link = true;
            Some(Event::Start(Tag::Link {
                link_type,
                dest_url: Address::Document(target).to_string().into(),
                title,
                id,
            }))
        }
        // What leads out of the report stays as words.
        Event::End(TagEnd::Link) => {
            std::mem::take(&mut inside_link).then_some(Event::End(TagEnd::Link))
        }
        other => Some(other),
    });
    let mut page = String::new();
    push_html(&mut page, events);
    let page = page
        .replace("<pre>", "<pre tabindex=\"0\">")
        .replace(
            "<table>",
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table\"><table>",
        )
        .replace("</table>", "</table></div>");
    let page = html! {
        p.crumbs { a href=(Address::Method) { "Method" } " › " a href=(Address::Document("README")) { "Statistics" } }
        (PreEscaped(page))
    };
    Some((title(text), page))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_page_on_statistics_is_here() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/statistics");
        let files = std::fs::read_dir(directory).unwrap();
        let files: BTreeSet<String> = files
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        let known: BTreeSet<String> = names().map(|name| format!("{name}.md")).collect();
        assert_eq!(files, known);
    }

    #[test]
    fn links_lead_to_other_documents_or_are_words() {
        for name in names() {
            let (_, page) = document(name).unwrap();
            let page = page.into_string();
            for link in page.split("href=\"").skip(1) {
                let target = link.split('"').next().unwrap();
                assert!(Address::parse(target).is_some(), "{name}: {target}");
            }
            assert_eq!(
                page.matches("<a ").count(),
                page.matches("</a>").count(),
                "{name}"
            );
        }
    }
}
