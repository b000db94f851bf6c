//! What the commands of `trace` are given: probes, processes, times.

use std::path::Path;
use std::time::Duration;

use clap::Args;
use perflab_control::{Traced, traced};

use super::outcome::{Outcome, ignored};
use crate::failure::Failure;

/// What is said where no process has an agent.
pub const NONE: &str = "no running process of this user has an agent";

/// PROBES as they were given, if an agent can understand them.
pub fn probes(text: &str) -> Result<String, String> {
    match perflab_control::patterns(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// A number of seconds.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text
        .parse()
        .map_err(|_| "expected a number of seconds".to_owned())?;
    if !(0.01..=3600.0).contains(&number) {
        return Err("expected 0.01 to 3600 seconds".to_owned());
    }
    Ok(Duration::from_secs_f64(number))
}

// Which processes.
#[derive(Debug, Args)]
pub struct Processes {
    /// Number of a process (may be given again).
    #[arg(short, long, value_name = "PID")]
    pub pid: Vec<u32>,
}

impl Processes {
    /// Those that are asked for; all, if none is. What is wrong with others is said.
    pub fn find(&self) -> Result<(Vec<Traced>, Outcome), Failure> {
        let found = traced().map_err(|error| {
            Failure::environment(format!(
                "the sockets of agents cannot be looked at: {error}"
            ))
        })?;
        for place in &found.ignored {
            ignored(&place.path, &place.reason);
        }
        let mut outcome = Outcome::new(!self.pid.is_empty());
        if self.pid.is_empty() {
            return Ok((found.processes, outcome));
        }
        let mut chosen = Vec::new();
        for pid in &self.pid {
            match found.processes.iter().find(|traced| traced.pid == *pid) {
                Some(process) => chosen.push(process.clone()),
                None => outcome.fail(&no_agent(*pid)),
            }
        }
        Ok((chosen, outcome))
    }
}

fn no_agent(pid: u32) -> Failure {
    if !Path::new(&format!("/proc/{pid}")).exists() {
        return Failure::no_data(format!("there is no process {pid}"));
    }
    Failure::environment(format!(
        "process {pid} has no agent that this user may ask: start it by \
         `perflab trace on PROBES -- COMMAND`, see docs/probes.md"
    ))
}
