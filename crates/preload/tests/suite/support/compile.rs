//! Compilers, as they are installed.

use std::path::Path;
use std::process::Command;

use super::{HEADER, programs};

/// Where the header of the agent is.
const AGENT_HEADER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../static/include");

/// Those that are there. CI has all; a missing one is said by `make tools`.
pub fn installed(commands: &[&'static str]) -> Vec<&'static str> {
    let answers = |command: &&&str| Command::new(command).arg("--version").output().is_ok();
    let found: Vec<&str> = commands.iter().filter(answers).copied().collect();
    assert!(!found.is_empty(), "none of {commands:?} is installed");
    found
}

/// Compiles programs of these tests.
pub fn compile(compiler: &str, flags: &[&str], sources: &[&str], output: &Path) {
    let result = Command::new(compiler)
        .args(["-Wall", "-Wextra", "-Werror", "-g", "-I", HEADER])
        .args(["-I", AGENT_HEADER])
        .args(sources.iter().map(|source| programs().join(source)))
        .args(flags)
        .arg("-o")
        .arg(output)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&result.stderr);
    assert!(result.status.success(), "{compiler} {flags:?}: {said}");
}

/// Whether a linker is there; says so if not.
pub fn has_linker(linker: &str) -> bool {
    let found = Command::new(format!("ld.{linker}")).arg("-v").output();
    if found.is_err() {
        eprintln!("not tested: {linker} is not installed");
    }
    found.is_ok()
}
