//! Compilers and linkers. All of them are needed: a fault that only one of them shows would otherwise go unseen.

use std::path::{Path, PathBuf};
use std::process::Command;

use perflab_testing::needs;

use super::made::made;
use super::{HEADER, programs};

/// Where the header of the agent is.
const AGENT_HEADER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../agent-static/include");

/// Compilers of C.
pub const FOR_C: [&str; 2] = ["gcc", "clang"];

/// Compilers of C++.
pub const FOR_CPP: [&str; 2] = ["g++", "clang++"];

/// Flags of every compilation.
const FLAGS: &[&str] = &["-Wall", "-Wextra", "-Werror", "-g"];

/// Debian's package of a compiler or linker.
fn package(command: &str) -> &str {
    match command {
        "clang++" => "clang",
        "ld.bfd" | "ld.gold" => "binutils",
        "ld.lld" => "lld",
        other => other,
    }
}

/// Compiles programs of these tests, once for all that ask for the same.
pub fn compile(compiler: &str, flags: &[&str], sources: &[&str], output: &Path) {
    let linkers = flags
        .iter()
        .filter_map(|flag| flag.strip_prefix("-fuse-ld="))
        .map(|linker| format!("ld.{linker}"));
    for command in linkers.chain([compiler.to_owned()]) {
        needs(&command, package(&command));
    }
    // A flag that names a directory of one test is asked for by that test alone.
    if flags.iter().any(|flag| flag.contains("/.tmp")) {
        return compile_to(compiler, flags, sources, output);
    }
    copy(&compiled(compiler, flags, sources), output);
}

/// Copies a program. One that this process has written itself cannot be executed while another thread forks with it
/// open.
pub fn copy(program: &Path, output: &Path) {
    let copied = Command::new("cp").args([program, output]).status();
    assert!(copied.unwrap().success());
}

/// Compiles as [`compile`] does. Returns the file in the place where it is kept, which no test may change.
pub fn compiled(compiler: &str, flags: &[&str], sources: &[&str]) -> PathBuf {
    let version = version(compiler);
    let words = [&[compiler, &version], FLAGS, flags, sources].concat();
    let inputs = [&*programs(), Path::new(HEADER), Path::new(AGENT_HEADER)];
    made(&words, &inputs, |path| {
        compile_to(compiler, flags, sources, path);
    })
}

/// The version that a compiler prints. A program is compiled again after an upgrade.
pub fn version(compiler: &str) -> String {
    let output = Command::new(compiler).arg("--version").output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn compile_to(compiler: &str, flags: &[&str], sources: &[&str], output: &Path) {
    let result = Command::new(compiler)
        .args(FLAGS)
        .args(["-I", HEADER])
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
