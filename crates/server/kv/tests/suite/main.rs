//! `perflab-kv` from outside: what it prints, and what it ends with.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod barrier;
mod codes;
mod keys;
mod libraries;
mod list;
mod load;
mod output;
mod possible;
mod run;
mod stress;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use perflab_testing::{not_checked, test_name};
use serde_json::Value;

/// The program.
const KV: &str = env!("CARGO_BIN_EXE_perflab-kv");

/// The outcome of a call of the program.
struct Said {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Said {
    fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Checks the exit code.
    #[track_caller]
    fn code(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}{}", self.out, self.err);
        self
    }

    /// The one line of JSON on standard output.
    #[track_caller]
    fn json(&self) -> Value {
        assert!(
            self.out.ends_with('\n') && self.out.lines().count() == 1,
            "{}",
            self.out
        );
        serde_json::from_str(&self.out).unwrap()
    }
}

/// Calls `perflab-kv rcu`.
fn rcu(arguments: &[&str]) -> Said {
    Said::of(
        Command::new(KV)
            .arg("rcu")
            .args(arguments)
            .output()
            .unwrap(),
    )
}

/// A directory without libraries.
fn no_libraries() -> PathBuf {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("no-libraries");
    fs::create_dir_all(&directory).unwrap();
    directory
}

/// Whether a flavour can be used here. One that cannot is written down: `make tools-kv` installs liburcu.
fn is_here(flavour: &str) -> bool {
    let said = rcu(&["possible", flavour]);
    if said.code == Some(0) {
        return true;
    }
    let said = said.code(77);
    let reason = said.out.lines().last().unwrap();
    not_checked(&format!("{}, {flavour}", test_name()), reason);
    false
}
