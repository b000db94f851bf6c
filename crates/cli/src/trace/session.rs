//! A recording of processes or of a command, from its begin to its end.

use std::ffi::OsString;
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use clap::Args;
use perflab_control::{Agent, EncodedFilter, Traced};
use perflab_recorder::{LiveRecording, PAUSE, RecordError, StartOptions, Summary, open_more_files};
use perflab_runner::Interrupt;
use perflab_trace_file::TraceWriter;

use super::choice::{Processes, probes, seconds};
use super::command::Started;
use super::file::not_written;
use super::memory::Memory;
use super::outcome::Outcome;
use super::shown::Shown;
use super::start;
use super::when::When;
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
        conflicts_with_all = ["seconds", "until", "command", "when", "when_object"])]
    pub last: Option<Duration>,

    /// Stop when one of these probes was hit; they are recorded too, whatever --when says.
    #[arg(long, value_name = "PROBES", value_parser = probes)]
    pub until: Option<String>,

    #[command(flatten)]
    pub when: When,

    #[command(flatten)]
    pub memory: Memory,

    /// A command to start and record, with all processes that it starts.
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "pid")]
    pub command: Vec<OsString>,
}

impl RecordArguments {
    /// What was asked for: PROBES, and those at which the recording stops.
    pub fn asked(&self) -> impl Iterator<Item = &str> {
        [Some(self.probes.as_str()), self.until.as_deref()]
            .into_iter()
            .flatten()
    }

    /// All probes that are recorded: nobody sees the hits of others, so the recording would never stop.
    fn recorded(&self) -> String {
        self.asked().collect::<Vec<_>>().join(",")
    }

    /// The filter that is asked for, made for the program of a command, or else for processes. It does not judge the
    /// probes at which the recording stops.
    fn filter(
        &self,
        command: Option<&Command>,
        processes: &[Traced],
    ) -> Result<Option<EncodedFilter>, Failure> {
        let (probes, unfiltered) = (&self.probes, self.until.as_deref().unwrap_or_default());
        match command {
            Some(command) => {
                let program = command.get_program();
                self.when.for_program(program, probes, unfiltered)
            }
            None => self.when.for_processes(processes, probes, unfiltered),
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
        let interrupt = Interrupt::install().and_then(|interrupt| {
            interrupt.also_at_hangup()?;
            Ok(interrupt)
        });
        let interrupt = interrupt
            .map_err(|error| Failure::environment(format!("cannot take signals: {error}")))?;
        let command = match arguments.command.is_empty() {
            true => None,
            false => Some(start::command(&arguments.command)?),
        };
        let filter = arguments.filter(command.as_ref(), processes)?;
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
                let is_known = match arguments.until {
                    None => recorded.switched.matched > 0,
                    Some(_) => agent
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
        let Some(until) = &self.arguments.until else {
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
