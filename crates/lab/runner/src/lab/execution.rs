//! One execution of a load: started, waited for, read.

use std::time::Instant;

use perflab_store::{SliceRecord, StepKind};

use super::Lab;
use super::instance::check_alive;
use super::member::Member;
use super::output::{read, well_ended};
use super::system_times::used;
use crate::aside::launch_trouble;
use crate::fault::{Fault, Trouble};
use crate::host::{Ended, Exit, Launch, Redirect, Stopped};
use crate::observer::ObservedRun;

/// Which part of a load.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    slice: usize,
    part: usize,
    is_measured: bool,
}

impl Part {
    /// Of the first slice, to warm up.
    pub(super) fn warm_up(part: usize) -> Self {
        Self {
            slice: 0,
            part,
            is_measured: false,
        }
    }

    /// Of a slice that is measured.
    pub(super) fn measured(slice: usize, part: usize) -> Self {
        Self {
            slice,
            part,
            is_measured: true,
        }
    }
}

impl Lab<'_> {
    /// Executes a part of a run's load, if the load has it. `first_turn`: when the turns of the set began.
    pub(super) fn turn(
        &self,
        member: &mut Member<'_, '_>,
        part: Part,
        first_turn: Instant,
    ) -> Result<(), Trouble> {
        let Some(up) = &mut member.up else {
            return Ok(());
        };
        let systems = &up.instance.systems;
        let Some(load) = &up.load else { return Ok(()) };
        let slice = load.slices.get(part.slice);
        let Some(execution) = slice.and_then(|slice| slice.get(part.part)) else {
            return Ok(());
        };
        let run = &mut member.run;
        let (stdout, stderr) = (run.logs.join("stdout"), run.logs.join("stderr"));
        // What slices write stands behind each other, so that the run's output is all of it.
        let is_behind = part.is_measured && (part.slice, part.part) != (0, 0);
        let (to_stdout, to_stderr, places) = match is_behind {
            false => (Redirect::File(&stdout), Redirect::File(&stderr), [0, 0]),
            true => {
                let length = |file| self.host.length(file).unwrap_or(0);
                let places = [length(&stdout), length(&stderr)];
                (Redirect::Append(&stdout), Redirect::Append(&stderr), places)
            }
        };
        let launch = Launch {
            argv: &execution.argv,
            environment: &load.environment,
            directory: Some(&load.directory),
            stdin: None,
            stdout: to_stdout,
            stderr: to_stderr,
            cpus: self.load_cpus.as_ref(),
        };
        let observed = ObservedRun {
            host: self.host,
            directory: &run.logs,
        };
        for observer in &mut run.observers {
            observer.start(part.is_measured)?;
        }
        // The limit is the run's: earlier slices have used some of it.
        let spent = run.outcome.ended.filter(|_| is_behind);
        let spent = spent.map(|ended| ended.wall).unwrap_or_default();
        let limit = load.limit.saturating_sub(spent);
        let before = used(systems);
        let begun = self.host.now();
        let machine = self.host.load();
        let process = self.host.start(&launch);
        let mut ended = process
            .map_err(|error| launch_trouble(error, Fault::no_run))?
            .wait(Some(limit))
            .map_err(Trouble::Fatal)?;
        let took = self.host.now() - begun;
        let after = used(systems);
        run.outcome.note_again(
            match part.is_measured {
                true => StepKind::Run,
                false => StepKind::WarmUp,
            },
            took,
            is_behind,
        );
        let first = run.outcome.load.take().filter(|_| is_behind);
        let first = first.map_or(machine, |(first, _)| first);
        run.outcome.load = Some((first, self.host.load()));
        for observer in &mut run.observers {
            observer.stop();
        }
        if ended.stopped == Some(Stopped::Interrupted) {
            return Err(Trouble::Interrupted);
        }
        let mut exit: Result<Exit, Fault> = Ok(ended.exit);
        for observer in &run.observers {
            exit = exit.and_then(|exit| observer.exit(&observed, &Ended { exit, ..ended }));
        }
        ended.exit = exit.as_ref().map_or(ended.exit, |exit| *exit);
        let former = run.outcome.ended.filter(|_| is_behind);
        run.outcome.ended = Some(former.map_or(ended, |former| former.then(&ended)));
        let fine = exit.and_then(|_| {
            well_ended(
                self.host,
                &ended,
                run.workload,
                load.limit,
                [&stdout, &stderr],
                places,
            )
        });
        // A system that died explains the load's failure.
        check_alive(systems)?;
        let of_slice = |trouble| of_slice(trouble, part, load.slices.len());
        fine.map_err(|fault| of_slice(fault.into()))?;
        if !part.is_measured {
            return Ok(());
        }
        let samples = read(
            self.host,
            load.driver.as_ref(),
            &execution.arguments,
            &ended,
            [&stdout, &stderr],
            places,
        )
        .map_err(of_slice)?;
        let operations = load.driver.operations(&execution.arguments, &samples);
        member.times.add(
            systems,
            before.as_deref(),
            after.as_deref(),
            operations.as_ref(),
        );
        member.executed.push(SliceRecord {
            slice: part.slice as u32 + 1,
            execution: part.part as u32 + 1,
            at_s: (begun - first_turn).as_secs_f64(),
            wall_s: ended.wall.as_secs_f64(),
            samples,
        });
        Ok(())
    }
}

/// Names the slice that had a fault.
fn of_slice(trouble: Trouble, part: Part, count: usize) -> Trouble {
    match trouble {
        Trouble::Fault(fault) if count > 1 && part.is_measured => Trouble::Fault(Fault::new(
            fault.status,
            format!("slice {} of {count}: {}", part.slice + 1, fault.detail),
        )),
        trouble => trouble,
    }
}
