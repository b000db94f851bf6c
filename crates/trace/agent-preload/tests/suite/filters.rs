//! Filters in programs: each event is judged by exactly one, whatever the program does.

mod arguments;
mod places;
mod replaced;
mod started;
mod threads;

use std::path::Path;
use std::process::Command;

use perflab_control::FilterMode;

use crate::support::Program;
use crate::support::compile::compile;

/// The ways to judge, and what sites say of each.
const WAYS: [(&str, FilterMode); 2] = [
    ("native", FilterMode::Native),
    ("interpreted", FilterMode::Interpreted),
];

/// Starts the program that hits until told, with so many threads.
fn recorded(directory: &Path, options: &[&str]) -> Program {
    let path = directory.join("recorded");
    compile("gcc", &["-O2", "-pthread"], &["recorded.c"], &path);
    let mut command = Command::new(path);
    Program::start(command.arg(directory.join("counters")).args(options))
}

/// Mappings of filters in a process.
fn mappings(program: &Program) -> usize {
    let maps = std::fs::read_to_string(format!("/proc/{}/maps", program.pid())).unwrap();
    maps.matches("perflab-filter").count()
}
