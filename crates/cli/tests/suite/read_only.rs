//! Directories of results that may be read and not written.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;

use rustix::process::geteuid;

use crate::damaged_results::measured;
use crate::support::{Laboratory, Said};

/// A user who owns nothing here.
const NOBODY: u32 = 65534;

/// Executes the binary as somebody who may not write, whoever runs the test.
pub fn call(laboratory: &Laboratory, arguments: &[&str]) -> Said {
    let mut command = laboratory.perflab(arguments);
    if geteuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command.output().unwrap().into()
}

/// A directory `all` with a result, which others may look into.
fn shared() -> Laboratory {
    let laboratory = measured();
    fs::create_dir(laboratory.path("all")).unwrap();
    fs::rename(laboratory.path("result"), laboratory.path("all/one")).unwrap();
    fs::set_permissions(laboratory.path("."), Permissions::from_mode(0o755)).unwrap();
    laboratory
}

fn allow(laboratory: &Laboratory, mode: u32) {
    fs::set_permissions(laboratory.path("all"), Permissions::from_mode(mode)).unwrap();
}

#[test]
fn results_are_listed_where_no_index_can_be_made() {
    let laboratory = shared();
    allow(&laboratory, 0o555);
    let lists = ["all/one  ", "12/12 runs"];
    let said = call(&laboratory, &["show", "all"]).code(0).prints(&lists);
    assert!(said.err.is_empty(), "{}", said.err);
    call(&laboratory, &["index", "all"])
        .code(0)
        .prints(&lists)
        .says(&["note: the index is not kept", "all/index.sqlite"]);
    for arguments in [
        &["show", "all/one"][..],
        &["compare", "all/one", "--gate=none"],
    ] {
        call(&laboratory, arguments).code(0);
    }
    allow(&laboratory, 0o755);
    assert!(!laboratory.path("all/index.sqlite").exists());
}

#[test]
fn an_index_of_somebody_else_is_left_alone() {
    let laboratory = shared();
    laboratory.call(&["index", "all"]).code(0);
    let index = laboratory.path("all/index.sqlite");
    // Another result since, which that index does not have.
    laboratory
        .call(&["run", "exp.toml", "--out", "all/two"])
        .code(0);
    type Damage = fn(&[u8]) -> Vec<u8>;
    let damages: [Damage; 2] = [<[u8]>::to_vec, |index| index[..5000].to_vec()];
    for damaged in damages {
        let kept = damaged(&fs::read(&index).unwrap());
        fs::write(&index, &kept).unwrap();
        for mode in [0o444, 0o000] {
            fs::set_permissions(&index, Permissions::from_mode(mode)).unwrap();
            allow(&laboratory, 0o555);
            for command in ["show", "index"] {
                call(&laboratory, &[command, "all"])
                    .code(0)
                    .prints(&["all/one  ", "all/two  "]);
            }
            allow(&laboratory, 0o755);
            fs::set_permissions(&index, Permissions::from_mode(0o644)).unwrap();
            assert_eq!(fs::read(&index).unwrap(), kept);
        }
    }
}

#[test]
fn files_that_may_not_be_opened_are_no_damage() {
    let laboratory = shared();
    fs::set_permissions(laboratory.path("tmp"), Permissions::from_mode(0o777)).unwrap();
    let resume = ["run", "exp.toml", "--resume", "--out", "all/one"];
    call(&laboratory, &resume)
        .code(2)
        .says(&["all/one/runs.jsonl", "Permission denied"]);
    fs::remove_file(laboratory.path("all/one/lock")).unwrap();
    call(&laboratory, &resume).code(2).says(&["all/one/lock"]);
    for file in ["runs.jsonl", "meta.json", "plan.json"] {
        let path = laboratory.path("all/one").join(file);
        let mode = if geteuid().is_root() { 0o600 } else { 0 };
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        for command in ["compare", "steady", "export"] {
            let mut arguments = vec![command, "all/one"];
            if command == "export" {
                arguments.push("--to=csv");
            }
            call(&laboratory, &arguments)
                .code(2)
                .says(&[file, "Permission denied"]);
        }
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
    }
}

#[test]
fn a_report_where_no_folder_can_be_made() {
    let laboratory = shared();
    allow(&laboratory, 0o555);
    for out in ["all/new", "/proc/new", "all/one/meta.json/new"] {
        call(&laboratory, &["report", "all/one", "-q", "-o", out])
            .code(2)
            .says(&[out, "choose another one"]);
    }
}

/// What may not be looked into is no less there.
#[test]
fn results_that_may_not_be_read_are_listed_as_such() {
    let laboratory = shared();
    for (closed, shown) in [("all/one", "all"), ("all", ".")] {
        let close = |mode| {
            fs::set_permissions(laboratory.path(closed), Permissions::from_mode(mode)).unwrap();
        };
        close(if geteuid().is_root() { 0o700 } else { 0 });
        let said = call(&laboratory, &["show", shown]).code(0);
        let said = said.prints(&[closed, "cannot be read: ", "Permission denied"]);
        assert!(!said.out.contains("no results here"), "{}", said.out);
        close(0o755);
        let said = call(&laboratory, &["show", "all"]).code(0);
        said.prints(&["12/12 runs"]);
    }
}
