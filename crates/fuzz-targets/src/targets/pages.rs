//! Any bytes as one of the files of a result whose other files are sound, with checksums and hashes that
//! fit. The first byte says which: `r`ecords, or `R` for that file as it is, `e`xperiment, `p`lan,
//! `f`ingerprint, `m`eta, `s`topped, or what a run said, `l`. Every page that a link leads to is made, and
//! nothing of the input is markup in it.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use perflab_pages::{Content, Kind, Site, list, pair};

use crate::result::Files;
use crate::shared::{directory, sealed_lines};

const RECORDS: &str = include_str!("../../seeds/records.jsonl");

/// Pages that are looked at of one input, so that it does not take long.
const MOST: usize = 40;

/// The result, in which run 1 has left a file.
static RESULT: LazyLock<PathBuf> = LazyLock::new(|| {
    let path = directory();
    fs::create_dir_all(path.join("runs/000001")).expect("a directory can be made");
    path
});

/// Whether the input is worth keeping in a corpus.
pub fn run(input: &[u8]) -> bool {
    let Some((&which, content)) = input.split_first() else {
        return false;
    };
    let mut records = sealed_lines(RECORDS.as_bytes());
    let mut said = b"".as_slice();
    match which {
        b'r' => records = sealed_lines(content),
        b'R' => records = content.to_vec(),
        b'l' => said = content,
        b'e' | b'p' | b'f' | b'm' | b's' => {}
        _ => return false,
    }
    Files::with(which, content).write(&RESULT);
    for (name, content) in [("runs.jsonl", &*records), ("runs/000001/stdout", said)] {
        fs::write(RESULT.join(name), content).expect("a file can be written");
    }

    let site = Site::read(&RESULT);
    pages(&site);
    harmless(&list(&[], &[site.entry("a")], site.name(), &|_| {
        "x".to_owned()
    }));
    harmless(&pair(("a", &site), ("b", &site), &|_| "x".to_owned()));
    true
}

/// Follows the links, from the first page on.
fn pages(site: &Site) {
    let mut next = vec!["index.html".to_owned()];
    let mut seen: HashSet<String> = next.iter().cloned().collect();
    let mut made = 0;
    while let Some(address) = next.pop() {
        let content = site
            .content(&address)
            .unwrap_or_else(|| panic!("nothing at {address}"));
        let Content::Made { kind, bytes } = content else {
            continue;
        };
        if kind != Kind::Html {
            continue;
        }
        let text = String::from_utf8(bytes).expect("pages are text");
        harmless(&text);
        made += 1;
        if made == MOST {
            return;
        }
        for start in ["href=\"", "src=\""] {
            let links = text
                .split(start)
                .skip(1)
                .filter_map(|rest| rest.split('"').next());
            let own = links.filter(|link| !link.starts_with('#') && *link != "data:,");
            next.extend(
                own.filter(|link| seen.insert((*link).to_owned()))
                    .map(str::to_owned),
            );
        }
    }
}

/// The scripts of a page are its own, and nothing in it steers what shows it.
fn harmless(text: &str) {
    for script in text.to_ascii_lowercase().split("<script").skip(1) {
        let is_own = script.starts_with(" src=\"script.js\" defer></script>");
        assert!(is_own, "{script:.200}");
    }
    for tag in [
        "<img",
        "<iframe",
        "<object",
        "<embed",
        "<base",
        "<style",
        "href=\"javascript",
    ] {
        assert!(!text.contains(tag), "{tag}");
    }
    let steers = |character: char| {
        !matches!(character, '\n' | '\t')
            && (character.is_control()
                || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
    };
    assert!(!text.contains(steers));
}
