//! What programs do with their process, and what becomes of their probes.

mod objects;
mod process;
mod refused;
mod surroundings;

use std::path::{Path, PathBuf};
use std::process::Command;

use perflab_control::{Agent, Site};

use crate::support::Program;
use crate::support::compile::compile;

fn built(directory: &Path, source: &str, flags: &[&str]) -> PathBuf {
    let output = directory.join(source.replace(".c", ""));
    compile("gcc", &[&["-O2"], flags].concat(), &[source], &output);
    output
}

fn life(directory: &Path) -> Program {
    Program::start(&mut Command::new(built(directory, "life.c", &[])))
}

/// The program, whose sites are switched in a certain way.
fn life_by(directory: &Path, protocol: &str) -> Program {
    let path = built(directory, "life.c", &[]);
    Program::start(Command::new(path).env("PERFLAB_AGENT_PROTOCOL", protocol))
}

fn does(program: &mut Program, what: &str) -> String {
    program.tell(&format!("{what}\n"));
    program.line().trim().to_owned()
}

fn sites(agent: &Agent) -> Vec<Site> {
    agent.list("*").unwrap().0
}

fn hits(agent: &Agent, name: &str) -> u64 {
    sites(agent)
        .iter()
        .find(|site| site.name == name)
        .unwrap()
        .hits
}
