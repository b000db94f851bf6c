//! Pages as a browser understands them, and what must hold for all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::fd::AsRawFd;
use std::path::Path;

use perflab_pages::{Content, Kind, Site};
use scraper::{ElementRef, Html, Node, Selector};
use serde_json::Value;

/// Nobody waits for more.
const LARGEST: usize = 2_000_000;

/// The elements that pages are made of. Whatever else there is came in by a name.
const ELEMENTS: [&str; 62] = [
    "a",
    "body",
    "button",
    "caption",
    "circle",
    "code",
    "dd",
    "desc",
    "details",
    "div",
    "dl",
    "dt",
    "figcaption",
    "figure",
    "footer",
    "form",
    "g",
    "h1",
    "h2",
    "head",
    "header",
    "html",
    "input",
    "label",
    "li",
    "line",
    "link",
    "main",
    "meta",
    "nav",
    "ol",
    "p",
    "path",
    "polygon",
    "polyline",
    "pre",
    "progress",
    "rect",
    "script",
    "section",
    "span",
    "strong",
    "summary",
    "svg",
    "table",
    "tbody",
    "td",
    "text",
    "th",
    "thead",
    "title",
    "tr",
    "tspan",
    "ul",
    "h3",
    "em",
    "small",
    "ellipse",
    "defs",
    "clipPath",
    "use",
    "b",
];

/// Attributes in which a browser looks for an address.
const ADDRESSES: [&str; 12] = [
    "href",
    "src",
    "action",
    "formaction",
    "srcset",
    "poster",
    "data",
    "background",
    "cite",
    "ping",
    "manifest",
    "xlink:href",
];

/// All that the pages of a site lead to, from the first one on, each checked.
#[derive(Debug, Default)]
pub struct Crawled {
    /// HTML by address.
    pub pages: BTreeMap<String, String>,
    /// Other files that were made.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Addresses of files of runs.
    pub raw: BTreeSet<String>,
    /// Where points of plots lead.
    pub linked_by_points: BTreeSet<String>,
}

impl Crawled {
    /// A page as its reader sees it.
    #[track_caller]
    pub fn page(&self, address: &str) -> Html {
        let known = || self.pages.keys().cloned().collect::<Vec<_>>().join(" ");
        let text = self
            .pages
            .get(address)
            .unwrap_or_else(|| panic!("no {address} among {}", known()));
        Html::parse_document(text)
    }

    /// What can be read on a page.
    #[track_caller]
    pub fn text(&self, address: &str) -> String {
        text(self.page(address).root_element())
    }

    /// What can be read on any page.
    pub fn all_text(&self) -> String {
        self.pages
            .keys()
            .map(|address| self.text(address))
            .collect()
    }
}

/// Follows every link of every page, and checks what is found. `below` is where files of runs may lie.
#[track_caller]
pub fn crawl(site: &Site, below: &Path) -> Crawled {
    let below = below.canonicalize().unwrap();
    let mut found = Crawled::default();
    let mut seen = BTreeSet::from(["index.html".to_owned()]);
    let mut next = vec!["index.html".to_owned()];
    while let Some(address) = next.pop() {
        let content = site.content(&address);
        let links = match content
            .unwrap_or_else(|| panic!("a link leads to {address}, where nothing is"))
        {
            Content::Made { kind, bytes } => {
                assert!(
                    kind != Kind::Html || bytes.len() <= LARGEST,
                    "{address}: {} bytes",
                    bytes.len()
                );
                let text = String::from_utf8(bytes).unwrap();
                let links = match kind {
                    Kind::Html => {
                        let (mut links, by_points) = page(&address, &text);
                        links.extend(by_points.iter().cloned());
                        found.linked_by_points.extend(by_points);
                        links
                    }
                    Kind::Json => {
                        serde_json::from_str::<Value>(&text).unwrap();
                        BTreeSet::new()
                    }
                    Kind::JavaScript | Kind::Css | Kind::Csv | Kind::Atom | Kind::Svg => {
                        BTreeSet::new()
                    }
                };
                match kind {
                    Kind::Html => drop(found.pages.insert(address, text)),
                    _ => drop(found.files.insert(address, text.into_bytes())),
                }
                links
            }
            Content::Raw(file) => {
                let real = fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).unwrap();
                assert!(
                    real.starts_with(&below),
                    "{address} leads to {}",
                    real.display()
                );
                assert!(file.metadata().unwrap().is_file(), "{address}");
                found.raw.insert(address);
                BTreeSet::new()
            }
        };
        next.extend(links.into_iter().filter(|link| seen.insert(link.clone())));
    }
    found
}

/// Checks a page; returns where it leads, and where points of its plots lead.
#[track_caller]
fn page(address: &str, text: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let parsed = Html::parse_document(text);
    assert!(parsed.errors.is_empty(), "{address}: {:?}", parsed.errors);
    let (mut links, mut by_points) = (BTreeSet::new(), BTreeSet::new());
    for node in parsed.tree.nodes() {
        match node.value() {
            Node::Element(element) => {
                let name = element.name();
                assert!(
                    ELEMENTS.contains(&name),
                    "{address} has an element `{name}`"
                );
                for (attribute, value) in element.attrs() {
                    // What a form sends back has to be the name itself.
                    let is_sent = attribute == "value" && element.attr("type") == Some("radio");
                    if !is_sent {
                        harmless(address, value, false);
                    }
                    let is_handler = attribute
                        .get(..2)
                        .is_some_and(|start| start.eq_ignore_ascii_case("on"));
                    assert!(!is_handler, "{address}: {name} {attribute}={value}");
                    if ["data-link", "data-links"].contains(&attribute) {
                        by_points.extend(value.split_whitespace().map(str::to_owned));
                    }
                    let is_address = ADDRESSES.contains(&attribute);
                    let is_own = |scheme: &str| name == "link" && value == scheme;
                    if is_address && !is_own("data:,") && !value.starts_with('#') {
                        let is_relative =
                            !value.starts_with('/') && !value.contains([':', '\\', '%', '?']);
                        assert!(is_relative, "{address}: {name} {attribute}={value}");
                        links.insert(value.to_owned());
                    }
                }
                if name == "script" {
                    let source = element.attr("src").unwrap_or_default();
                    assert_eq!(source, "script.js", "{address}");
                    assert!(!node.has_children(), "{address} has a script within");
                }
            }
            Node::Text(text) => {
                let parent = node.parent().and_then(|parent| {
                    let element = parent.value().as_element();
                    element.map(scraper::node::Element::name)
                });
                // The documents on the methods are our own.
                let has_lines = matches!(parent, Some("pre" | "span" | "title"))
                    || address.starts_with("method-");
                harmless(address, text, has_lines);
            }
            Node::Comment(comment) => panic!("{address} has a comment: {comment:?}"),
            Node::Document | Node::Doctype(_) | Node::Fragment | Node::ProcessingInstruction(_) => {
            }
        }
    }
    for drawing in text.split("<svg").skip(1) {
        let (drawing, _) = drawing.split_once("</svg>").unwrap();
        let drawing = format!("<svg{drawing}</svg>");
        if let Err(error) = roxmltree::Document::parse(&drawing) {
            panic!("{address}: {error}: {drawing}");
        }
    }
    (links, by_points)
}

/// Nothing that steers is in a text, but for lines where the text has lines.
#[track_caller]
fn harmless(address: &str, text: &str, has_lines: bool) {
    let steers = |character: &char| {
        let breaks = has_lines && matches!(character, '\n' | '\t');
        !breaks
            && (character.is_control()
                || BIDIRECTIONAL.contains(character)
                || SEPARATORS.contains(character))
    };
    let found = text.chars().find(steers);
    assert!(
        found.is_none(),
        "{address}: {found:?} in {:.300}",
        text.escape_debug().to_string()
    );
}

/// What changes the order of what is seen (Unicode, UAX 9).
const BIDIRECTIONAL: [char; 12] = [
    '\u{61c}', '\u{200e}', '\u{200f}', '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}',
    '\u{2066}', '\u{2067}', '\u{2068}', '\u{2069}',
];

/// What ends lines in scripts.
const SEPARATORS: [char; 2] = ['\u{2028}', '\u{2029}'];

/// The elements that a selector finds below another one.
pub fn all<'a>(within: ElementRef<'a>, selector: &str) -> Vec<ElementRef<'a>> {
    within.select(&Selector::parse(selector).unwrap()).collect()
}

/// What can be read of an element.
pub fn text(element: ElementRef<'_>) -> String {
    element.text().collect()
}

/// Checks a page that is no result's; its links lead from the root.
#[track_caller]
pub fn alone(text: &str) {
    let text = text
        .replace("href=\"/\"", "href=\"#\"")
        .replace("action=\"/\"", "action=\"#\"")
        .replace("action=\"/pair\"", "action=\"#\"");
    let (links, by_points) = page("a page of no result", &text);
    assert_eq!(by_points, BTreeSet::new());
    for link in links {
        assert!(
            ["style.css", "script.js", "results/x/index.html"].contains(&link.as_str()),
            "{link}"
        );
    }
}
