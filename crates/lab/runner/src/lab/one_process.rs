//! The turns of a set, taken by one process of the tool, which holds the targets of all runs at once.
//!
//! 1. What it is to do is written into a file in the directory of each run's output.
//! 2. The process is executed: with the environment, the directory and the words before it of the first run. It may
//!    take as long as all runs together.
//! 3. What it wrote is kept with each run, and its slices are read.
//!
//! What goes wrong with the process is the fate of all runs, but of those whose system died.

use std::path::PathBuf;
use std::time::Duration;

use perflab_drivers::{Numbers, Order, Slice, TakesTurns, Target};
use perflab_store::{SliceRecord, StepKind};

use super::Lab;
use super::member::Member;
use super::output::{STREAMS, contents, read_by, well_ended};
use crate::aside::launch_trouble;
use crate::driver::driver_of;
use crate::fault::{Fault, Trouble};
use crate::host::{Ended, Launch, Redirect, Stopped};

/// The file that tells the process what to do, in the directory of each run's output.
const TURNS_FILE: &str = "perflab-turns.json";

/// What the process of a set comes to.
struct Done {
    ended: Ended,
    argv: Vec<String>,
    /// The slices of each run, and the evidence of all of them.
    slices: Result<Vec<(Vec<Slice>, Numbers)>, Fault>,
}

impl<'a> Lab<'a> {
    /// Has one process execute the slices of all runs of a set that are ready.
    pub(super) fn take_turns_in_one_process(
        &mut self,
        set: &mut [Member<'_, 'a>],
    ) -> Result<(), Trouble> {
        let is_ready = |member: &&mut Member<'_, 'a>| member.load().is_some();
        let mut ready: Vec<_> = set.iter_mut().filter(is_ready).collect();
        let outcome = match ready.as_mut_slice() {
            [] => Ok(()),
            members => self.one_process(members),
        };
        let names: Vec<&str> = ready
            .iter()
            .map(|member| &*member.run.cell.variant)
            .collect();
        let names = names.join(", ");
        for member in &mut *set {
            // A system that died explains the failure of the process.
            self.step(member, |_, member| match &member.up {
                Some(up) => Ok(up.instance.check_alive()?),
                None => Ok(()),
            })?;
            if let Err(Trouble::Fault(fault)) = &outcome {
                let detail = format!("one process took the turns of {names}: {}", fault.detail);
                let fault = Fault::new(fault.status, detail);
                self.step(member, |_, _| Err(fault.into()))?;
            }
        }
        match outcome {
            Err(Trouble::Fault(_)) => Ok(()),
            outcome => outcome,
        }
    }

    /// Executes the process, and gives each run its slices.
    fn one_process(&self, members: &mut [&mut Member<'_, 'a>]) -> Result<(), Trouble> {
        let Some(first) = members.first() else {
            return Ok(());
        };
        let driver = driver_of(first.run.workload)?;
        let Some(tool) = driver.takes_turns() else {
            return Ok(());
        };
        let before = self.host.load();
        let done = self.execute_together(members, tool)?;
        let after = self.host.load();
        let (padding, layout) = (first.run.outcome.padding, first.run.outcome.layout.clone());
        let mut slices = done.slices.as_ref().ok().map(|slices| slices.iter());
        for member in members {
            let outcome = &mut member.run.outcome;
            outcome.ended = Some(done.ended);
            outcome.is_of_set = true;
            outcome.argv.clone_from(&done.argv);
            outcome.load = Some((before, after));
            outcome.padding = padding;
            if !member.run.variant.has_systems() {
                outcome.layout.clone_from(&layout);
            }
            let usage = done.ended.usage;
            for (name, time) in [
                ("process_wall_s", done.ended.wall),
                ("process_user_s", usage.user),
                ("process_system_s", usage.system),
            ] {
                outcome.evidence.insert(name.to_owned(), time.as_secs_f64());
            }
            let own = slices.as_mut().and_then(Iterator::next);
            if let Some((_, evidence)) = own {
                outcome.add_evidence(evidence);
            }
            let own = own.map(|(own, _)| own);
            let wall = own.map(|own| own.iter().map(|slice| slice.wall_s).sum());
            let wall = wall.and_then(|wall| Duration::try_from_secs_f64(wall).ok());
            if let Some(wall) = wall {
                outcome.note(StepKind::Run, wall);
            }
            let records = (1..).zip(own.into_iter().flatten());
            member.executed = records
                .map(|(slice, told)| SliceRecord {
                    place: None,
                    slice,
                    execution: 1,
                    at_s: told.at_s,
                    wall_s: told.wall_s,
                    samples: told.samples.clone(),
                })
                .collect();
        }
        Ok(done.slices.map(|_| ())?)
    }

    /// Executes the process and reads what it wrote.
    fn execute_together(
        &self,
        members: &[&mut Member<'_, 'a>],
        tool: &dyn TakesTurns,
    ) -> Result<Done, Trouble> {
        let mut targets = Vec::with_capacity(members.len());
        let mut logs: Vec<PathBuf> = Vec::with_capacity(members.len());
        let (mut limit, mut warmup) = (Duration::ZERO, 0);
        for member in members {
            let Some(load) = member.load() else { continue };
            let execution = load.slices.first().and_then(|slice| slice.first());
            targets.push(Target {
                variant: member.run.cell.variant.clone(),
                arguments: execution
                    .map(|own| own.arguments.clone())
                    .unwrap_or_default(),
            });
            logs.push(member.run.logs.clone());
            limit = limit.saturating_add(load.limit);
            warmup = warmup.max(load.warmups);
        }
        let first = members
            .first()
            .and_then(|member| Some((&member.run, member.load()?)));
        let (Some((run, load)), Some(home)) = (first, logs.first()) else {
            return Err(Fault::no_run("no run is ready").into());
        };
        let slices = self.experiment.design.slices.unwrap_or(1);
        let order = Order {
            slices,
            warmup,
            // Every reader of JSON takes whole numbers of 53 bits.
            seed: run.planned.seed >> 11,
            targets: &targets,
        };
        let call = tool.call(&order, &home.join(TURNS_FILE).to_string_lossy());
        for directory in &logs {
            let file = directory.join(TURNS_FILE);
            let written = self.host.write(&file, call.file.as_bytes());
            written.map_err(Trouble::Fatal)?;
        }
        let argv = call.argv.into_iter().map(Into::into);
        let argv: Vec<_> = load.within.iter().cloned().chain(argv).collect();
        let [stdout, stderr] = STREAMS.map(|stream| home.join(stream));
        let launch = Launch {
            argv: &argv,
            environment: &load.environment,
            directory: Some(&load.directory),
            stdin: None,
            stdout: Redirect::File(&stdout),
            stderr: Redirect::File(&stderr),
            cpus: self.load_cpus.as_ref(),
        };
        let process = self.host.start(&launch);
        let ended = process
            .map_err(|error| launch_trouble(error, Fault::no_run))?
            .wait(Some(limit))
            .map_err(Trouble::Fatal)?;
        if ended.stopped == Some(Stopped::Interrupted) {
            return Err(Trouble::Interrupted);
        }
        let written =
            contents(self.host, &stdout).and_then(|out| Ok([out, contents(self.host, &stderr)?]));
        let written = match written {
            Ok(written) => Ok(written),
            Err(Trouble::Fault(fault)) => Err(fault),
            Err(trouble) => return Err(trouble),
        };
        for directory in logs.iter().skip(1) {
            for (stream, content) in STREAMS.iter().zip(written.iter().flatten()) {
                let copied = self.host.write(&directory.join(stream), content);
                copied.map_err(Trouble::Fatal)?;
            }
        }
        let streams = [&*stdout, &*stderr];
        let fine = well_ended(self.host, &ended, run.workload, limit, streams);
        let slices = fine.and_then(|()| {
            let [out, err] = written?;
            read_by(&ended, [&out, &err], |output| {
                let own = tool.read_turns(output, &targets, slices)?;
                let evidence = load.evidence.read_turns(output, &targets, slices)?;
                Ok(own.into_iter().zip(evidence).collect())
            })
        });
        let argv = argv.iter().map(|word| word.to_string_lossy().into_owned());
        Ok(Done {
            ended,
            argv: argv.collect(),
            slices,
        })
    }
}
