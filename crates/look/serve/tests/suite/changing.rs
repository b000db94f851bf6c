//! Results that change while they are served.

use std::fs;

use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::made::Made;
use crate::support::Served;

#[test]
fn one_that_grows() {
    let root = tempfile::tempdir().unwrap();
    let made = Made::plain();
    let mut part = Made::plain();
    part.records.truncate(10);
    let mut laboratory = part.begin(&root.path().join("first"));
    let served = Served::of(root);
    served.get("/").is(200).says(&["running", "10/36"]);
    served
        .get("/results/first/index.html")
        .is(200)
        .says(&["Being measured", "10 of 36 runs"]);
    served.get("/results/first/run-11.html").is(404);
    for record in &made.records[10..] {
        laboratory.begin_run(record.run).unwrap();
        laboratory.finish_run(record.run).unwrap();
        laboratory.append(record).unwrap();
    }
    served.get("/results/first/run-11.html").is(200);
    served
        .get("/results/first/index.html")
        .is(200)
        .says(&["36 of 36 runs"]);
    drop(laboratory);
    // No file of the result has changed since, but the laboratory is gone.
    let done = served.get("/results/first/index.html").is(200).text();
    assert!(!done.contains("Being measured"), "{done}");
    let list = served.get("/").is(200).says(&["36/36"]).text();
    assert!(!list.contains(">running<"), "{list}");
}

#[test]
fn one_that_is_removed_and_one_that_comes() {
    let served = Served::one();
    served.get("/results/first/run-1.html").is(200);
    fs::remove_dir_all(served.path("first")).unwrap();
    served.get("/results/first/run-1.html").is(404);
    served.get("/results/first/raw/1/1-stdout.txt").is(404);
    served
        .get("/")
        .is(200)
        .says(&["There are no results here yet"]);
    Made::plain().write(&served.path("group/second"));
    served.get("/").is(200).says(&["group/second"]);
    served.get("/results/group/second/run-1.html").is(200);
    served.get("/pair?a=group/second&b=first").is(404);
}

#[test]
fn one_that_gets_damaged_and_is_put_right() {
    let served = Served::one();
    served
        .get("/results/first/index.html")
        .is(200)
        .says(&["faster"]);
    let file = served.path("first/runs.jsonl");
    let sound = fs::read(&file).unwrap();
    let mut altered = sound.clone();
    altered[100] ^= 1;
    fs::write(&file, &altered).unwrap();
    served
        .get("/results/first/index.html")
        .is(200)
        .says(&["This result is damaged", "No verdict"]);
    served.get("/").is(200).says(&["damaged"]);
    fs::write(&file, &sound).unwrap();
    let again = served
        .get("/results/first/index.html")
        .is(200)
        .says(&["faster"])
        .text();
    assert!(!again.contains("damaged"), "{again}");
}

#[test]
fn pipes_and_directories_in_the_place_of_files_are_not_waited_for() {
    let served = Served::one();
    for file in [
        "meta.json",
        "experiment.toml",
        "plan.json",
        "fingerprint.json",
        "runs.jsonl",
        "stopped.json",
        "lock",
        "runs/000001/stdout",
    ] {
        for kind in ["pipe", "directory", "device"] {
            let name = format!("{}-{kind}", file.replace('/', "-"));
            Made::plain().write(&served.path(&name));
            let path = served.path(&name).join(file);
            let _not_there = fs::remove_file(&path);
            match kind {
                "pipe" => mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap(),
                "directory" => fs::create_dir(&path).unwrap(),
                _ => std::os::unix::fs::symlink("/dev/zero", &path).unwrap(),
            }
            served.get(&format!("/results/{name}/index.html")).is(200);
            served.get(&format!("/results/{name}/run-1.html"));
            served.get(&format!("/results/{name}/raw/1/1-stdout.txt"));
        }
    }
    served.get("/").is(200);
}

#[test]
fn a_file_that_grows_while_it_is_given_out() {
    let served = Served::one();
    let file = served.path("first/runs/000001/stdout");
    fs::write(&file, vec![b'x'; 3_000_000]).unwrap();
    let whole = served.get("/results/first/raw/1/1-stdout.txt").is(200);
    assert_eq!(whole.body.len(), 3_000_000);
    fs::remove_file(&file).unwrap();
    served.get("/results/first/raw/1/1-stdout.txt").is(404);
    served.get("/results/first/run-1.html").is(200);
}
