//! The first screen of README.md is what perflab prints from the stored result.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use perflab_testing::needs;

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap()
}

fn check(root: &Path) -> Output {
    Command::new(root.join("scripts/readme"))
        .arg("--check")
        .env("PERFLAB", env!("CARGO_BIN_EXE_perflab"))
        .output()
        .unwrap()
}

#[test]
fn the_first_screen_is_what_was_measured() {
    needs("python3", "python3");
    let output = check(&root());
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn an_edited_first_screen_is_found() {
    needs("python3", "python3");
    let copy = tempfile::tempdir().unwrap();
    let folder = "docs/first-screen";
    fs::create_dir_all(copy.path().join(folder)).unwrap();
    fs::create_dir(copy.path().join("scripts")).unwrap();
    for file in ["scripts/readme", "scripts/stored.py"] {
        fs::copy(root().join(file), copy.path().join(file)).unwrap();
    }
    for file in ["result.tar.xz", "report.png"] {
        let file = format!("{folder}/{file}");
        symlink(root().join(&file), copy.path().join(&file)).unwrap();
    }
    let edited = |file: &str, from: &str, to: &str| {
        let text = fs::read_to_string(root().join(file)).unwrap();
        assert!(text.contains(from), "{file}");
        fs::write(copy.path().join(file), text.replacen(from, to, 1)).unwrap();
    };
    let whole = format!("{folder}/compare.txt");
    edited(&whole, "redis", "redis");
    edited("README.md", "\nSET  ", "\nSET   ");
    let output = check(copy.path());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        !output.status.success() && said.contains(": README.md; run scripts/readme"),
        "{said}"
    );
    edited("README.md", "\nSET  ", "\nSET  ");
    edited(&whole, "redis", "Redis");
    let output = check(copy.path());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains(": docs/first-screen/compare.txt; run"),
        "{said}"
    );
}
