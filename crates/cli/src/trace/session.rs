//! A recording of processes or of a command, from its begin to its end.

use std::ffi::OsString;
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use clap::Args;
use perflab_control::{Agent, Effect, EncodedFilter, Traced};
use perflab_recorder::{LiveRecording, PAUSE, RecordError, StartOptions, Summary, open_more_files};
use perflab_runner::Interrupt;
use perflab_trace_file::TraceWriter;

use super::choice::{Processes, probes, seconds};
use super::command::Started;
use super::file::not_written;
use super::interrupt::interrupt;
use super::memory::Memory;
use super::outcome::Outcome;
use super::shown::Shown;
use super::start;
use super::trigger::{Event, Pace, Trigger, event, number};
use super::when::{Purpose, When};
use crate::failure::Failure;
use crate::terminal;

/// How often new processes of a command are looked for.
pub const SEARCH: Duration = Duration::from_millis(20);

/// Events of a round after which the next one may wait.
pub const FEW: u64 = 10_000;

/// KiB of a ring while a recorder reads it: it may be held up for some milliseconds.
const READ_RING: u32 = 4096;

// Arguments of `record`.
#[derive(Debug, Args)]
pub struct RecordArguments {
    /// Which probes, as provider:name with *; several with commas.
    #[arg(value_name = "PROBES", default_value = "*", value_parser = probes)]
    pub probes: String,

    #[command(flatten)]
    pub processes: Processes,

    /// All processes that have an agent.
    #[arg(long, conflicts_with_all = ["pid", "command"])]
    pub all: bool,

    /// The trace to write; there must be no such file yet.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,

    /// Stop after so many seconds of recording; else at Ctrl-C, or when all processes have ended.
    #[arg(short, long, value_name = "SECONDS", value_parser = seconds)]
    pub seconds: Option<Duration>,

    /// Take the last so many seconds of processes that record already (perflab trace on --record).
    #[arg(long, value_name = "SECONDS", value_parser = seconds,
        conflicts_with_all = ["seconds", "command", "when", "when_object", "every", "at_most", "start_when"])]
    pub last: Option<Duration>,

    /// Stop at the first event of these probes, or of those that fulfil a condition: PROBES, or 'PROBES when EXPR'. All
    /// such events are recorded, whatever --when says. With --last, take the last seconds then.
    #[arg(long, value_name = "EVENT", value_parser = event)]
    pub until: Option<Event>,

    /// Record nothing in a process before its first event of these probes: PROBES, or 'PROBES when EXPR'. All such
    /// events are recorded, whatever --when says.
    #[arg(long, value_name = "EVENT", value_parser = event)]
    pub start_when: Option<Event>,

    #[command(flatten)]
    pub when: When,

    #[command(flatten)]
    pub pace: Pace,

    #[command(flatten)]
    pub memory: Memory,

    /// A command to start and record, with all processes that it starts.
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "pid")]
    pub command: Vec<OsString>,
}

impl RecordArguments {
    /// What was asked for: PROBES, and those with which the recording begins or stops.
    pub fn asked(&self) -> impl Iterator<Item = &str> {
        let events = self.until.iter().chain(&self.start_when);
        [self.probes.as_str()]
            .into_iter()
            .chain(events.map(|event| event.probes.as_str()))
    }

    /// The probes with which the recording stops, if each of their events counts: then they are recorded as others are.
    /// Else the processes themselves look for the event.
    fn plain_until(&self) -> Option<&str> {
        let until = self.until.as_ref();
        let is_plain = |until: &&Event| until.condition.is_none() && self.start_when.is_none();
        until.filter(is_plain).map(|until| until.probes.as_str())
    }

    /// All probes that are recorded: nobody sees the hits of others, so the recording would never stop.
    fn recorded(&self) -> String {
        let all = [Some(self.probes.as_str()), self.plain_until()];
        let all: Vec<&str> = all.into_iter().flatten().collect();
        all.join(",")
    }

    /// The events that the processes themselves look for. `number` tells that one has come with which the recording
    /// stops.
    fn triggers(&self, number: u64) -> Vec<Trigger<'_>> {
        let start = self.start_when.iter().map(|event| (Effect::Start, event));
        let stop = self.until.iter().filter(|_| self.plain_until().is_none());
        let all = start.chain(stop.map(|event| (Effect::Stop, event)));
        let all = all.map(|(effect, event)| Trigger {
            effect,
            event,
            number,
        });
        all.collect()
    }

    /// The filter that is asked for, made for the program of a command, or else for processes. It does not judge the
    /// probes of which each event stops the recording.
    fn filter(
        &self,
        command: Option<&Command>,
        processes: &[Traced],
        triggers: &[Trigger<'_>],
    ) -> Result<Option<EncodedFilter>, Failure> {
        let purpose = Purpose {
            probes: &self.probes,
            except: self.plain_until().unwrap_or_default(),
            actions: self.pace.actions(),
            triggers,
            is_needed: false,
        };
        match command {
            Some(command) => self.when.for_program(command.get_program(), purpose),
            None => self.when.for_processes(processes, purpose),
        }
    }
}

/// Whether these PROBES mean a probe.
pub fn are_meant(probes: &str, provider: &str, name: &str) -> bool {
    let patterns = perflab_control::patterns(probes).into_iter().flatten();
    let mut patterns = patterns.map(|pattern| perflab_control::matches(pattern, provider, name));
    patterns.any(|is_meant| is_meant)
}

/// A recording that goes on.
pub struct Session<'a> {
    arguments: &'a RecordArguments,
    recording: LiveRecording,
    command: Option<Started>,
    /// What tells that the event has come with which it stops, if processes look for that.
    stop: Option<u64>,
    /// Whether processes were looked for after all of the command had ended.
    is_last_search: bool,
    interrupt: Interrupt,
}

impl<'a> Session<'a> {
    /// Starts the command, or asks processes for all their events.
    pub fn begin(
        arguments: &'a RecordArguments,
        processes: &[Traced],
        trace: TraceWriter<BufWriter<File>>,
        outcome: &mut Outcome,
    ) -> Result<Self, Failure> {
        // Before probes are on: whoever sees that may end the recording.
        let interrupt = interrupt()?;
        let command = match arguments.command.is_empty() {
            true => None,
            false => Some(start::command(&arguments.command)?),
        };
        let number = number();
        let triggers = arguments.triggers(number);
        let filter = arguments.filter(command.as_ref(), processes, &triggers)?;
        let mut stops = triggers.iter().filter(|one| one.effect == Effect::Stop);
        let stop = stops.next().map(|_| number);
        let asked = Instant::now();
        let mut all = Vec::new();
        for process in processes {
            let wish = arguments.memory.wish(true, READ_RING)?;
            let agent = Agent::at(&process.socket);
            let answer = match &filter {
                Some(filter) => agent.record_when(&arguments.recorded(), wish, filter),
                None => agent.record(&arguments.recorded(), wish),
            };
            let Some(recorded) = outcome.take(process, answer) else {
                continue;
            };
            for probes in arguments.asked() {
                let is_known = match arguments.asked().count() {
                    1 => recorded.switched.matched > 0,
                    _ => agent
                        .list(probes)
                        .map_or(true, |(sites, _)| !sites.is_empty()),
                };
                if !is_known {
                    terminal::say(&format!(
                        "process {} has no probe that is called {probes:?} now; those of objects that are loaded \
                         later are recorded",
                        process.pid
                    ));
                }
            }
            all.push(recorded);
        }
        let (mut recording, command) = match command {
            None => (LiveRecording::of_running(trace, asked), None),
            Some(command) => {
                let options = StartOptions {
                    probes: arguments.recorded(),
                    memory: arguments.memory.wish(true, 0)?,
                    when: filter,
                    preload: start::preload(command.get_program())?,
                };
                let recording = LiveRecording::of_started(trace, options);
                let started = Started::start(command, recording.environment())?;
                (recording, Some(started))
            }
        };
        // The command has begun with the limit that there was.
        open_more_files();
        for recorded in all {
            recording.add(recorded, &mut |problem| outcome.tell(problem));
        }
        Ok(Self {
            arguments,
            recording,
            command,
            stop,
            is_last_search: false,
            interrupt,
        })
    }

    /// Records until it is to end; nothing if there was nothing to record.
    pub fn run(mut self, outcome: &mut Outcome) -> Result<Option<Summary>, Failure> {
        if self.command.is_none() && self.recording.processes().is_empty() {
            outcome.nothing("nothing was recorded: no process answered that is still the program that was asked");
            return Ok(None);
        }
        let mut shown = Shown::new();
        let gone_on = self.read_until_over(&mut shown, outcome);
        shown.end();
        let is_interrupted = self.interrupt.asked();
        let roots = self.roots();
        let tell = &mut |problem| outcome.tell(problem);
        let written = match gone_on {
            Ok(()) => self.recording.finish(&roots, tell).map_err(failure),
            Err(failure) => {
                self.recording.give_up(tell);
                Err(failure)
            }
        };
        if let Some(Err(failure)) = self
            .command
            .map(|command| command.end(is_interrupted, outcome))
        {
            outcome.fail(&failure);
        }
        written.map(Some)
    }

    /// Reads what comes until it is to end.
    fn read_until_over(&mut self, shown: &mut Shown, outcome: &mut Outcome) -> Result<(), Failure> {
        let mut searched: Option<Instant> = None;
        let mut events = 0;
        loop {
            if searched.is_none_or(|searched| searched.elapsed() >= SEARCH) {
                self.search(outcome)?;
                searched = Some(Instant::now());
            }
            let progress = self.recording.round().map_err(failure)?;
            shown.show(&progress);
            let limit = self.arguments.seconds;
            let is_over = limit.is_some_and(|limit| self.recording.elapsed() >= limit);
            if is_over || self.interrupt.asked() || self.was_hit() || self.has_ended(outcome)? {
                return Ok(());
            }
            if progress.events - events < FEW {
                self.interrupt.sleep(PAUSE);
            }
            events = progress.events;
        }
    }

    /// Looks for processes of the command that have begun.
    fn search(&mut self, outcome: &mut Outcome) -> Result<(), Failure> {
        let roots = self.roots();
        let tell = &mut |problem| outcome.tell(problem);
        self.recording.search(&roots, tell).map_err(failure)
    }

    fn roots(&self) -> Vec<u32> {
        let command = self.command.iter();
        command.flat_map(Started::children).collect()
    }

    /// Whether all processes, the command's too, have ended and everything of them was read.
    fn has_ended(&mut self, outcome: &mut Outcome) -> Result<bool, Failure> {
        if let Some(command) = &mut self.command {
            if !command.have_all_ended()? {
                return Ok(false);
            }
            // All that they kept has its place by now.
            if !std::mem::replace(&mut self.is_last_search, true) {
                self.search(outcome)?;
                return Ok(false);
            }
        }
        Ok(self.recording.is_finished())
    }

    fn was_hit(&self) -> bool {
        if let Some(number) = self.stop {
            return self.recording.was_triggered(number);
        }
        let Some(until) = self.arguments.plain_until() else {
            return false;
        };
        let mut probes = self.recording.probes();
        probes.any(|probe| probe.events > 0 && are_meant(until, &probe.provider, &probe.name))
    }
}

fn failure(error: RecordError) -> Failure {
    match error {
        RecordError::Agents(error) => Failure::environment(error),
        other => not_written(other),
    }
}
