//! Probes that count what a filter accepts, or by the values of an argument, for as long as somebody watches them.

use std::collections::BTreeSet;

use perflab_control::{Agent, FilterMode, Traced};
use perflab_runner::Interrupt;

use super::interrupt::interrupt;
use super::judged::{exceptions, named};
use super::list::probe;
use super::outcome::Outcome;
use super::when::{Purpose, When};
use crate::failure::Failure;
use crate::terminal;

/// Probes that are on. Dropping it switches them off.
pub struct Watched {
    processes: Vec<Traced>,
    probes: String,
    interrupt: Interrupt,
}

impl Watched {
    /// Switches probes of these processes on, if a filter is asked for, or the values of an argument. Processes in
    /// which that fails are dropped.
    ///
    /// # Errors
    /// When the filter is wrong, or some of the probes are on already: to watch them would take away what they do.
    pub fn begin(
        when: &When,
        by: Option<&str>,
        processes: &mut Vec<Traced>,
        probes: &str,
        outcome: &mut Outcome,
    ) -> Result<Option<Self>, Failure> {
        let purpose = Purpose {
            probes,
            is_needed: by.is_some(),
            ..Purpose::default()
        };
        let Some(filter) = when.for_processes(processes, purpose)? else {
            return Ok(None);
        };
        for process in processes.iter() {
            let listed = Agent::at(&process.socket).list(probes);
            let sites = listed.map_or_else(|_| Vec::new(), |(sites, _)| sites);
            let on = sites.iter().filter(|site| site.on);
            let on: BTreeSet<String> = on.map(probe).collect();
            if !on.is_empty() {
                let on = named(on.iter().map(String::as_str));
                return Err(Failure::environment(format!(
                    "{on} of process {} cannot be watched so, as somebody has switched them on: name \
                     others, or switch them off first (perflab trace off)",
                    process.pid
                )));
            }
        }
        let watched = Self {
            processes: processes.clone(),
            probes: probes.to_owned(),
            interrupt: interrupt()?,
        };
        processes.retain(|process| {
            let agent = Agent::at(&process.socket);
            let answer = match by {
                Some(argument) => agent.count_by(probes, argument, &filter),
                None => agent.on_when(probes, &filter),
            };
            let Some(mut switched) = outcome.take(process, answer) else {
                return false;
            };
            if by.is_some() {
                // Native code never counts so.
                let filtered = &mut switched.filtered;
                filtered.retain(|of| of.mode != FilterMode::Interpreted);
            }
            for exception in exceptions(&switched.filtered) {
                terminal::say(&format!("process {}: {exception}", process.pid));
            }
            true
        });
        Ok(Some(watched))
    }

    /// Whether the user has asked to stop.
    pub fn is_over(&self) -> bool {
        self.interrupt.asked()
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        for process in &self.processes {
            // One that has gone has no probe any more.
            let _ = Agent::at(&process.socket).switch(&self.probes, false);
        }
    }
}
