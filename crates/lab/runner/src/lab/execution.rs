//! One execution of a load: started, waited for, read.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use perflab_machine as machine;
use perflab_store::{SliceRecord, StepKind};

use super::Lab;
use super::instance::check_alive;
use super::load::{Execution, Load};
use super::member::Member;
use super::output::{STREAMS, lost, read, read_evidence, slice_file, well_ended};
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

/// An execution that is about to be started.
#[derive(Debug)]
pub(super) struct Begun {
    pub(super) part: Part,
    streams: [PathBuf; 2],
    /// Whether it goes on with what the run has executed before.
    is_behind: bool,
    /// The time that is left to it.
    pub(super) limit: Duration,
    /// CPU time that the systems have used before.
    used: Option<Vec<Duration>>,
    machine: machine::Load,
    at: Instant,
}

impl Begun {
    /// What is to be started.
    pub(super) fn launch<'l>(
        &'l self,
        lab: &'l Lab<'_>,
        member: &'l Member<'_, '_>,
    ) -> Option<Launch<'l>> {
        let load = member.load()?;
        let execution = load.execution(self.part)?;
        let [stdout, stderr] = &self.streams;
        Some(Launch {
            argv: &execution.argv,
            environment: &load.environment,
            directory: Some(&load.directory),
            stdin: None,
            stdout: Redirect::File(stdout),
            stderr: Redirect::File(stderr),
            cpus: lab.load_cpus(&member.run),
        })
    }
}

impl Load {
    fn execution(&self, part: Part) -> Option<&Execution> {
        self.slices.get(part.slice)?.get(part.part)
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
        let Some(begun) = self.begin(member, part)? else {
            return Ok(());
        };
        let Some(launch) = begun.launch(self, member) else {
            return Ok(());
        };
        let process = self.host.start(&launch);
        let ended = process
            .map_err(|error| launch_trouble(error, Fault::no_run))?
            .wait(Some(begun.limit))
            .map_err(Trouble::Fatal)?;
        let took = self.host.now() - begun.at;
        let after = member.up.as_ref().and_then(|up| used(&up.instance.systems));
        self.end(member, &begun, ended, (took, after), first_turn)
    }

    /// Makes a part of a run's load ready to be started, if the load has it.
    pub(super) fn begin(
        &self,
        member: &mut Member<'_, '_>,
        part: Part,
    ) -> Result<Option<Begun>, Trouble> {
        let Some(up) = &member.up else {
            return Ok(None);
        };
        let Some(load) = &up.load else {
            return Ok(None);
        };
        if load.execution(part).is_none() {
            return Ok(None);
        }
        let run = &mut member.run;
        let is_behind = part.is_measured && (part.slice, part.part) != (0, 0);
        // A tool may open its standard output again, and empty it: what other slices wrote must not be there.
        let streams = STREAMS.map(|stream| match is_behind {
            false => run.logs.join(stream),
            true => slice_file(&run.logs, stream),
        });
        for observer in &mut run.observers {
            observer.start(part.is_measured)?;
        }
        // The limit is the run's: earlier slices have used some of it.
        let spent = run.outcome.ended.filter(|_| is_behind);
        let spent = spent.map(|ended| ended.wall).unwrap_or_default();
        Ok(Some(Begun {
            part,
            streams,
            is_behind,
            limit: load.limit.saturating_sub(spent),
            used: used(&up.instance.systems),
            at: self.host.now(),
            machine: self.host.load(),
        }))
    }

    /// Reads what an execution measured. It took so long, and its systems had used so much CPU time then.
    pub(super) fn end(
        &self,
        member: &mut Member<'_, '_>,
        begun: &Begun,
        mut ended: Ended,
        (took, after): (Duration, Option<Vec<Duration>>),
        first_turn: Instant,
    ) -> Result<(), Trouble> {
        let Some(up) = &mut member.up else {
            return Ok(());
        };
        let systems = &up.instance.systems;
        let Some(load) = &up.load else { return Ok(()) };
        let part = begun.part;
        let Some(execution) = load.execution(part) else {
            return Ok(());
        };
        let is_behind = begun.is_behind;
        let run = &mut member.run;
        let observed = ObservedRun {
            host: self.host,
            directory: &run.logs,
        };
        let [stdout, stderr] = begun.streams.each_ref().map(PathBuf::as_path);
        run.outcome.note_again(
            match part.is_measured {
                true => StepKind::Run,
                false => StepKind::WarmUp,
            },
            took,
            is_behind,
        );
        let first = run.outcome.load.take().filter(|_| is_behind);
        let first = first.map_or(begun.machine, |(first, _)| first);
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
                [stdout, stderr],
            )
        });
        let of_slice = |trouble| of_slice(trouble, part, load.slices.len());
        // The output of a run is that of its slices, one after the other.
        let streams = STREAMS.iter().zip(&begun.streams);
        let kept = streams.filter(|_| is_behind).try_for_each(|(stream, own)| {
            let kept = self.host.append(own, &run.logs.join(stream));
            kept.map_err(|error| lost(own, error))
        });
        // A system that died explains the load's failure.
        check_alive(systems)?;
        kept.map_err(of_slice)?;
        fine.map_err(|fault| of_slice(fault.into()))?;
        if !part.is_measured {
            return Ok(());
        }
        let samples = read(
            self.host,
            load.driver.as_ref(),
            &execution.arguments,
            &ended,
            [stdout, stderr],
        )
        .map_err(of_slice)?;
        let evidence = read_evidence(self.host, &load.evidence, &ended, [stdout, stderr]);
        run.outcome.add_evidence(&evidence.map_err(of_slice)?);
        let operations = load.driver.operations(&execution.arguments, &samples);
        member.times.add(
            systems,
            begun.used.as_deref(),
            after.as_deref(),
            operations.as_ref(),
        );
        member.executed.push(SliceRecord {
            slice: part.slice as u32 + 1,
            execution: part.part as u32 + 1,
            place: (!self.places.is_empty()).then_some(run.place as u32 + 1),
            at_s: (begun.at - first_turn).as_secs_f64(),
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
