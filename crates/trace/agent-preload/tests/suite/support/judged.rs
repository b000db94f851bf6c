//! The program `judged.c`, which is told what to do.

use std::process::Command;

use perflab_control::{Agent, Site, variable};

use super::Program;
use super::compile::{compile, compiled};
use super::filter::hits;

/// Its probes with an argument of each type, passed one by one and by the address of all.
pub const BOTH: &str = "judged:few,judged:many";

/// The program in a process.
pub struct Judged {
    pub program: Program,
    pub agent: Agent,
    /// It is there as long as the program runs.
    pub directory: tempfile::TempDir,
}

impl Judged {
    /// Starts it. Its events are judged in this way.
    pub fn start(way: &str) -> Self {
        Self::start_in(&[], way)
    }

    /// Starts it in surroundings.
    pub fn start_in(surroundings: &[&str], way: &str) -> Self {
        Self::start_with(surroundings, (variable::FILTERS, way), "gcc", &["-O2"])
    }

    /// Starts it, compiled so, in surroundings, with a variable.
    pub fn start_with(
        surroundings: &[&str],
        variable: (&str, &str),
        compiler: &str,
        flags: &[&str],
    ) -> Self {
        let directory = tempfile::tempdir_in("/dev/shm").unwrap();
        // Its name is what the kernel calls its thread.
        let path = directory.path().join("judged");
        let flags = [flags, &["-pthread"]].concat();
        compile(compiler, &flags, &["judged.c"], &path);
        let surround = compiled("gcc", &["-O2"], &["surround.c"]);
        let around = surroundings
            .iter()
            .flat_map(|mode| [surround.as_os_str(), mode.as_ref()]);
        let mut line = around.chain([path.as_os_str()]);
        let mut command = Command::new(line.next().unwrap());
        let mut program = Program::start(command.args(line).envs([variable]));
        assert_eq!(program.line(), "ready\n");
        Self {
            agent: program.ask(),
            program,
            directory,
        }
    }

    /// Tells it what to do, and returns what it says then.
    pub fn answers(&mut self, what: &str) -> String {
        self.program.tell(&format!("{what}\n"));
        self.program.line().trim().to_owned()
    }

    /// Tells it what to do, and sees that it is done.
    pub fn does(&mut self, what: &str) {
        assert_eq!(self.answers(what), "done");
    }

    /// All its sites.
    pub fn sites(&self) -> Vec<Site> {
        self.agent.list("judged:*").unwrap().0
    }

    /// Hits of a probe.
    pub fn hits(&self, probe: &str) -> u64 {
        hits(&self.sites(), |site| site.name == probe)
    }

    /// Accepted events of [`BOTH`] while it does something.
    pub fn accepted(&mut self, what: &str) -> [u64; 2] {
        let before = ["few", "many"].map(|probe| self.hits(probe));
        self.does(what);
        let after = ["few", "many"].map(|probe| self.hits(probe));
        [after[0] - before[0], after[1] - before[1]]
    }

    /// Lets it end.
    pub fn ends(self) {
        self.program.ends();
    }
}
