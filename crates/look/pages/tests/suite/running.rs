//! A result to which a laboratory adds runs now.

use std::fs;
use std::io::Write;

use perflab_pages::Site;

use crate::html::{all, crawl};
use crate::made::Made;

/// The first runs of a result of which a laboratory makes the rest.
fn begun(runs: usize) -> (tempfile::TempDir, perflab_store::ResultDir) {
    let directory = tempfile::tempdir().unwrap();
    let mut made = Made::of_blocks(12);
    made.records.truncate(runs);
    let result = made.begin(directory.path());
    (directory, result)
}

#[test]
fn how_far_it_is_and_how_the_interval_shrinks() {
    let (directory, _laboratory) = begun(60);
    let site = Site::read(directory.path());
    let found = crawl(&site, directory.path());
    let page = found.page("index.html");
    let bar = all(page.root_element(), "section[data-live] progress")[0];
    assert_eq!(
        (bar.attr("value"), bar.attr("max")),
        (Some("60"), Some("72"))
    );
    let text = found.text("index.html");
    assert!(
        text.contains("60 of 72 runs") && text.contains(&format!("process {}", std::process::id())),
        "{text}"
    );
    assert!(text.contains(", about 12 min left"), "{text}");
    assert!(text.contains("the interval as it shrinks"), "{text}");
    assert!(!text.contains("damaged"), "{text}");
    let entry = site.entry("x");
    assert_eq!(
        (entry.done, entry.planned, entry.is_running),
        (60, Some(72), true)
    );
}

/// The night before somebody went on with it is no time that a run takes.
#[test]
fn a_pause_is_not_counted() {
    let mut made = Made::of_blocks(12);
    made.records.truncate(60);
    for record in &mut made.records[30..] {
        record.started = record.started.replacen("-01T", "-02T", 1);
    }
    let directory = tempfile::tempdir().unwrap();
    let _laboratory = made.begin(directory.path());
    let text = crawl(&Site::read(directory.path()), directory.path()).text("index.html");
    assert!(text.contains(", about 12 min left"), "{text}");
}

#[test]
fn one_that_has_just_begun() {
    for runs in 0..4 {
        let (directory, _laboratory) = begun(runs);
        let found = crawl(&Site::read(directory.path()), directory.path());
        let text = found.text("index.html");
        assert!(
            text.contains("Being measured") && text.contains(&format!("{runs} of 72 runs")),
            "{text}"
        );
    }
}

#[test]
fn one_whose_laboratory_has_ended() {
    let (directory, laboratory) = begun(60);
    drop(laboratory);
    let site = Site::read(directory.path());
    let text = crawl(&site, directory.path()).text("index.html");
    assert!(
        !text.contains("Being measured") && text.contains("60 of 72 planned"),
        "{text}"
    );
    assert!(!site.entry("x").is_running);
}

#[test]
fn a_line_that_is_just_being_written_is_not_there_yet() {
    let (directory, _laboratory) = begun(60);
    let file = directory.path().join("runs.jsonl");
    fs::OpenOptions::new()
        .append(true)
        .open(file)
        .unwrap()
        .write_all(b"{\"schema\":1,\"ru")
        .unwrap();
    fs::create_dir(directory.path().join("runs/000061.partial")).unwrap();
    let site = Site::read(directory.path());
    assert_eq!(site.problems(), [""; 0]);
    let text = crawl(&site, directory.path()).text("index.html");
    assert!(text.contains("60 of 72 runs"), "{text}");
}
