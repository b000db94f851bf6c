//! Filters as eBPF objects: our own and clang's, read, and refused.

mod attacks;
mod clang;
mod damaged;
mod mistakes;
mod shuffled;
mod tools;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use perflab_bpf::{Value, Verdict, judge_values};
use perflab_filter::{FilterObject, FilterProgram, check, ebpf, lower, parse};
use perflab_testing::needs;
use tempfile::TempDir;

use crate::fields;

/// The header's directory.
const INCLUDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/include");

/// What clang optimises for, and which instructions it may use.
const LEVELS: [&str; 3] = ["-O1", "-O2", "-Os"];
const VERSIONS: [&str; 3] = ["-mcpu=v1", "-mcpu=v2", "-mcpu=v3"];

/// A file in a directory that goes with it.
pub struct Kept {
    _directory: TempDir,
    pub path: PathBuf,
}

impl Kept {
    pub fn new(name: &str, content: &[u8]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(name);
        fs::write(&path, content).unwrap();
        Self {
            _directory: directory,
            path,
        }
    }
}

/// What clang makes of C with the header, or what it says.
pub fn compiled(source: &str, words: &[&str]) -> Result<Vec<u8>, String> {
    needs("clang", "clang");
    let source = format!("#include <perflab/filter.h>\n{source}");
    let from = Kept::new("filter.c", source.as_bytes());
    let to = from.path.with_extension("o");
    let mut clang = Command::new("clang");
    clang.args(["-target", "bpf", "-c", "-I", INCLUDE]);
    let output = clang.args(words).arg(&from.path).arg("-o").arg(&to);
    let output = output.output().unwrap();
    if output.status.success() {
        Ok(fs::read(&to).unwrap())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// What `llvm-objdump` says of an object.
pub fn disassembled(path: &Path) -> String {
    needs("llvm-objdump", "llvm");
    let mut objdump = Command::new("llvm-objdump");
    let output = objdump.arg("-d").arg(path).output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// The program of an expression.
pub fn program(expression: &str) -> FilterProgram {
    let checked = check(&parse(expression).unwrap(), &fields()).unwrap();
    ebpf(&lower(&checked)).unwrap()
}

/// The verdict of a filter on these values.
pub fn verdict(object: &FilterObject, values: &[Value<'_>]) -> Verdict {
    judge_values(&object.program.lowered().unwrap(), values)
}

pub fn integer(value: i64) -> Value<'static> {
    Value::Number(value.cast_unsigned())
}

pub fn double(value: f64) -> Value<'static> {
    Value::Number(value.to_bits())
}

pub fn text(value: &str) -> Value<'_> {
    Value::Text(Some(value.as_bytes()))
}

pub const ABSENT: Value<'static> = Value::Text(None);
