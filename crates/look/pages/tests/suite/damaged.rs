//! A damaged result has pages too: they say what is missing, and show what is left.

use std::fs;
use std::path::Path;

use perflab_pages::Site;

use crate::html::{Crawled, all, crawl};
use crate::made::Made;

const FROZEN: [&str; 4] = [
    "meta.json",
    "experiment.toml",
    "plan.json",
    "fingerprint.json",
];

/// The pages of a result after something was done to it.
fn after(damage: impl FnOnce(&Path)) -> Crawled {
    let directory = tempfile::tempdir().unwrap();
    Made::plain().write(directory.path());
    damage(directory.path());
    crawl(&Site::read(directory.path()), directory.path())
}

fn edit(path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut content = fs::read(path).unwrap();
    change(&mut content);
    fs::write(path, content).unwrap();
}

/// Checks that the damage is said on the first page, that nothing is claimed, and how many runs are there.
#[track_caller]
fn says(found: &Crawled, words: &[&str], runs: usize) {
    let first = found.text("index.html");
    assert!(first.contains("This result is damaged"), "{first}");
    for word in words {
        assert!(first.contains(word), "`{word}` is not in: {first}");
    }
    assert!(first.contains("No verdict: "), "{first}");
    let page = found.page("runs.html");
    assert_eq!(all(page.root_element(), "#runs tbody tr").len(), runs);
    assert_eq!(
        found
            .pages
            .keys()
            .filter(|address| address.starts_with("run-"))
            .count(),
        runs
    );
}

#[test]
fn nothing_is_wrong_with_what_is_not_damaged() {
    let first = after(|_| ()).text("index.html");
    assert!(
        !first.contains("damaged") && !first.contains("No verdict"),
        "{first}"
    );
}

#[test]
fn files_that_never_change() {
    for file in FROZEN {
        for damage in [
            (|path: &Path| fs::remove_file(path).unwrap()) as fn(&Path),
            |path| edit(path, |content| content[10] ^= 1),
            |path| edit(path, |content| content.truncate(content.len() / 2)),
            |path| fs::write(path, "").unwrap(),
            |path| fs::write(path, [0, 255, 254, b'\n'].repeat(1000)).unwrap(),
        ] {
            let found = after(|directory| damage(&directory.join(file)));
            says(&found, &[file], 36);
            // What the other files say is still there.
            let method = found.text("method.html");
            assert!(method.contains("This result is damaged"), "{file}");
            if file != "experiment.toml" && file != "meta.json" {
                assert!(
                    method.contains("word for word") && method.contains("command = [\"true\""),
                    "{file}"
                );
            }
            if file != "fingerprint.json" && file != "meta.json" {
                assert!(method.contains("allowed_cpus"), "{file}");
            }
            if file != "meta.json" {
                assert!(method.contains("perflab run made.toml"), "{file}");
            }
            assert!(found.text("run-1.html").contains("run 1"), "{file}");
            let report: serde_json::Value =
                serde_json::from_slice(&found.files["data/report.json"]).unwrap();
            assert!(report["error"].is_string(), "{file}: {report}");
        }
    }
}

#[test]
fn a_line_in_the_middle() {
    let found = after(|directory| {
        edit(&directory.join("runs.jsonl"), |content| {
            let second = content.iter().position(|byte| *byte == b'\n').unwrap() + 20;
            content[second] ^= 1;
        });
    });
    says(&found, &["runs.jsonl:2: ", "checksum"], 35);
}

#[test]
fn a_run_twice() {
    let found = after(|directory| {
        edit(&directory.join("runs.jsonl"), |content| {
            let end = content.iter().position(|byte| *byte == b'\n').unwrap() + 1;
            content.extend_from_within(..end);
        });
    });
    says(
        &found,
        &["runs.jsonl:37: ", "already recorded in line 1"],
        36,
    );
}

#[test]
fn a_line_that_was_removed() {
    let remove = |directory: &Path, removed: usize| {
        let file = directory.join("runs.jsonl");
        let text = fs::read_to_string(&file).unwrap();
        let lines = (0..).zip(text.split_inclusive('\n'));
        let left: String = lines
            .filter(|(line, _)| *line != removed)
            .map(|(_, text)| text)
            .collect();
        fs::write(file, left).unwrap();
    };
    for (removed, line) in [(10, "runs.jsonl:11: "), (35, "runs.jsonl:36: ")] {
        let found = after(|directory| remove(directory, removed));
        says(&found, &[line, "removed"], 35);
    }
}

#[test]
fn a_last_line_that_was_cut_is_no_damage() {
    let found = after(|directory| {
        edit(&directory.join("runs.jsonl"), |content| {
            content.truncate(content.len() - 9);
        });
        // As a kill leaves it: the output gets its name after the whole line.
        let output = directory.join("runs/000036");
        fs::rename(&output, output.with_extension("partial")).unwrap();
    });
    let first = found.text("index.html");
    assert!(
        !first.contains("damaged") && !first.contains("No verdict"),
        "{first}"
    );
    assert!(first.contains("ends within a line"), "{first}");
    assert!(first.contains("35 of 36 planned runs"), "{first}");
}

#[test]
fn no_records() {
    says(
        &after(|directory| fs::remove_file(directory.join("runs.jsonl")).unwrap()),
        &["runs.jsonl"],
        0,
    );
    let empty = after(|directory| {
        fs::write(directory.join("runs.jsonl"), "").unwrap();
        fs::remove_dir_all(directory.join("runs")).unwrap();
    });
    let first = empty.text("index.html");
    assert!(
        first.contains("No verdict: there are no samples to compare"),
        "{first}"
    );
}

#[test]
fn no_raw_output() {
    let found = after(|directory| fs::remove_dir_all(directory.join("runs")).unwrap());
    assert!(found.raw.is_empty());
    assert!(
        found
            .text("run-3.html")
            .contains("Its raw output is not there.")
    );
    assert!(found.text("index.html").contains("faster"));
}

#[test]
fn a_note_of_the_end_that_was_altered() {
    let found = after(|directory| fs::write(directory.join("stopped.json"), "{}\n").unwrap());
    says(&found, &["stopped.json"], 36);
}

#[test]
fn an_empty_directory_and_none_at_all() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("file"), "x").unwrap();
    for name in ["", "none", "file"] {
        let found = crawl(&Site::read(&root.path().join(name)), root.path());
        says(&found, &["meta.json", "runs.jsonl"], 0);
    }
}

#[test]
fn a_directory_of_a_run_that_leads_elsewhere_is_not_followed() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret"), "do not tell").unwrap();
    fs::create_dir(outside.path().join("000002")).unwrap();
    fs::write(outside.path().join("000002/secret"), "do not tell").unwrap();
    let found = after(|directory| {
        let run = directory.join("runs/000001");
        fs::remove_dir_all(&run).unwrap();
        std::os::unix::fs::symlink(outside.path(), run).unwrap();
    });
    assert!(!found.all_text().contains("do not tell"));
    assert!(
        found
            .raw
            .iter()
            .all(|address| !address.starts_with("raw/1/"))
    );
    let found = after(|directory| {
        fs::remove_dir_all(directory.join("runs")).unwrap();
        std::os::unix::fs::symlink(outside.path(), directory.join("runs")).unwrap();
    });
    assert!(!found.all_text().contains("do not tell"));
    assert!(found.raw.is_empty());
}
