//! The pages on the methods.

use maud::{Markup, PreEscaped, html};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, html::push_html};

use crate::address::Address;
use crate::documents;

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
            @for (name, text) in documents::all() { li { a href=(Address::Document(name)) { (title(text)) } } }
        }
    }
}

/// A document, and what it is called.
pub(crate) fn document(name: &str) -> Option<(&'static str, Markup)> {
    let (_, text) = documents::all().find(|(known, _)| *known == name)?;
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
                .and_then(|file| documents::known(file.strip_suffix(".md")?))?;
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
    use super::*;

    #[test]
    fn links_lead_to_other_documents_or_are_words() {
        for name in documents::names() {
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
