//! The logs of searches in which a person says what is good: where they can be read, and what is said of wrong ones.

use std::fs;

use super::{Searches, slower_from};

#[test]
fn a_log_names_its_repository_wherever_it_is_read() {
    let searches = Searches::with(&slower_from(4, 3));
    let laboratory = &searches.laboratory;
    let [good, bad] = searches.ends();
    fs::create_dir_all(laboratory.path("a/b")).unwrap();
    let begun = laboratory.call(&["bisect", "start", good, bad, "--repository", "repo"]);
    let begun = begun.code(0);
    let call = |words: &[&str]| laboratory.call_in("a/b", &[&["bisect"], words].concat());
    let log = call(&["log", "--file", "../../perflab-bisect.log"]).code(0);
    let line = format!("in {}\nstart ", laboratory.path("repo").display());
    assert!(log.out.starts_with(&line), "{log:?}");
    laboratory.write("a/said.txt", &log.out);
    let again = call(&["replay", "../said.txt"]).code(0);
    assert_eq!(again.out, begun.out);
    // A relative path is relative to the file, in which somebody may have written it.
    let (_, rest) = log.out.split_once('\n').unwrap();
    laboratory.write("a/moved.txt", format!("in ../repo\n{rest}"));
    let again = call(&["replay", "../moved.txt", "--file", "other.log"]).code(0);
    assert_eq!(again.out, begun.out);
    assert_eq!(
        call(&["good", "--file", "other.log"]).code(0).out,
        laboratory
            .call(&["bisect", "good", "--file", "a/moved.txt"])
            .code(0)
            .out
    );
}

/// It may come from anybody.
#[test]
fn a_wrong_log_does_not_steer_the_terminal() {
    let searches = Searches::with(&slower_from(2, 2));
    let laboratory = &searches.laboratory;
    laboratory.write("said.txt", "st\u{1b}[31mart\u{7} now\n");
    let refused = searches.bisect(&["replay", "../said.txt"]).code(2);
    let refused = refused.says(&["found `st\\u{1b}[31mart\\u{7} now`"]);
    assert!(!refused.err.contains(['\u{1b}', '\u{7}']), "{refused:?}");
    // Lines stay lines, and tabs stay before what is marked.
    laboratory.write("wrong.toml", "[design]\n\truns = \"\u{1b}[31m\"\n");
    let refused = laboratory.call(&["run", "wrong.toml", "--dry-run"]).code(2);
    let refused = refused.says(&["\n2 | \truns = "]);
    assert!(!refused.err.contains('\u{1b}'), "{refused:?}");
}
