//! What git fetches and executes for a history: no more than the user allows, and from where the file says.

use std::fs;

use super::{HISTORY, Histories};
use crate::support::Said;

/// Measures into a directory, with these settings of git and these variables by which the user forbids something.
fn run_with(histories: &Histories, out: &str, settings: &str, forbids: &[(&str, &str)]) -> Said {
    let laboratory = &histories.laboratory;
    let settings = laboratory.write("gitconfig", settings);
    let mut command = laboratory.perflab(&["history", "run", "history.toml", "--out", out]);
    command.env("GIT_CONFIG_GLOBAL", settings);
    command.envs(forbids.iter().copied());
    command.output().unwrap().into()
}

/// An address of this kind is a command, and a user may have allowed such addresses for other repositories.
#[test]
fn the_address_of_a_submodule_is_not_executed() {
    let submodules = HISTORY.replace("git = \"repo\"", "git = \"repo\"\nsubmodules = true");
    let histories = Histories::with(&submodules, &[100]);
    let laboratory = &histories.laboratory;
    let executed = laboratory.path("executed");
    let address = format!("ext::sh -c touch% {}", executed.display());
    let modules = format!("[submodule \"lib\"]\n\tpath = lib\n\turl = {address}\n");
    laboratory.write("repo/.gitmodules", modules);
    fs::create_dir(laboratory.path("repo/lib")).unwrap();
    let day = "2026-01-02";
    let linked = format!("160000,{},lib", histories.git(&["rev-parse", "HEAD"], day));
    histories.git(&["add", "--all"], day);
    histories.git(&["update-index", "--add", "--cacheinfo", &linked], day);
    histories.git(&["commit", "--quiet", "--message", "lib"], day);
    let said = run_with(&histories, "h", "[protocol]\n\tallow = always\n", &[]);
    assert!(!executed.exists(), "{said:?}");
    said.code(0).says(&["cannot be built"]);
    let builds = histories.journal("builds.jsonl");
    assert_eq!(builds.len(), 2, "{builds:#?}");
    let log = laboratory.read("h/builds/000002/1-check-out.log");
    assert!(log.contains("transport 'ext' not allowed"), "{log}");
}

/// As that of Git LFS, a filter fetches what the repository tells it to.
#[test]
fn filters_know_what_the_user_forbids() {
    let histories = Histories::new(HISTORY);
    let laboratory = &histories.laboratory;
    let filter = "test -n \"$GIT_LFS_SKIP_SMUDGE\" || touch \"$0.fetched\"\ncat\n";
    laboratory.program("smudge", filter);
    laboratory.write("repo/.gitattributes", "data filter=large\n");
    laboratory.write("repo/data", "a pointer\n");
    histories.commit("wc -c < data > built", "2026-01-01");
    let smudge = laboratory.path("smudge");
    let settings = format!("[filter \"large\"]\n\tsmudge = {}\n", smudge.display());
    let fetched = laboratory.path("smudge.fetched");
    let forbidden = [("GIT_LFS_SKIP_SMUDGE", "1")];
    run_with(&histories, "h", &settings, &forbidden).code(0);
    assert!(!fetched.exists());
    run_with(&histories, "other", &settings, &[]).code(0);
    assert!(fetched.exists());
}

/// A plan fetches nothing.
#[test]
fn the_plan_of_a_repository_elsewhere_is_made_from_the_copy() {
    let elsewhere = HISTORY.replace("\"repo\"", "\"test://host/repo\"");
    let histories = Histories::with(&elsewhere, &[100, 110]);
    let refused = histories.run(&["--dry-run"]).code(2);
    refused.says(&["test://host/repo must be fetched before its revisions are known"]);
    let path = histories.laboratory.path("repo");
    let settings = format!(
        "[url \"{}\"]\n\tinsteadOf = test://host/repo\n",
        path.display()
    );
    run_with(&histories, "h", &settings, &[]).code(0);
    let planned = histories.run(&["--dry-run"]).code(0);
    planned
        .says(&["the last run found in test://host/repo"])
        .prints(&["0 of 2 revisions to measure; 2 revisions are measured already"]);
}

/// Every call of git has them, whether it reads the user's repository or makes the copy.
#[test]
fn settings_in_the_environment_hold_for_every_call_of_git() {
    let elsewhere = HISTORY.replace("\"repo\"", "\"test://host/repo\"");
    let histories = Histories::with(&elsewhere, &[100, 110]);
    let laboratory = &histories.laboratory;
    let mut command = laboratory.perflab(&["history", "run", "history.toml", "--out", "h"]);
    let key = format!("url.{}.insteadOf", laboratory.path("repo").display());
    command.env("GIT_CONFIG_COUNT", "1");
    command.env("GIT_CONFIG_KEY_0", key);
    command.env("GIT_CONFIG_VALUE_0", "test://host/repo");
    // As inside of a hook of another repository.
    command.env("GIT_DIR", laboratory.path("nowhere"));
    let said: Said = command.output().unwrap().into();
    said.code(0);
    histories.show().code(0).prints(&["+10.0%"]);
}

#[test]
fn a_repository_whose_logs_are_in_another_encoding_can_be_read() {
    let histories = Histories::with(HISTORY, &[100, 110]);
    let encoding = ["config", "i18n.logOutputEncoding", "UTF-16"];
    histories.git(&encoding, "2026-01-02");
    let planned = histories.run(&["--dry-run"]).code(0);
    planned.prints(&["2 of 2 revisions", "echo 110 > built"]);
    let settings = "[i18n]\n\tlogOutputEncoding = UTF-16\n";
    run_with(&histories, "h", settings, &[]).code(0);
    let shown = histories.show().code(0);
    shown.prints(&["+10.0%", "echo 110 > built"]);
}

/// git itself finds its repository from there.
#[test]
fn a_directory_inside_of_a_repository_stands_for_it() {
    let inside = HISTORY.replace("\"repo\"", "\"repo/inside\"");
    let histories = Histories::with(&inside, &[100, 110]);
    fs::create_dir(histories.laboratory.path("repo/inside")).unwrap();
    histories
        .run(&["--dry-run"])
        .code(0)
        .prints(&["2 of 2 revisions"]);
    histories.run(&[]).code(0);
    histories.show().code(0).prints(&["+10.0%"]);
}
