//! Probes that are recorded while a run is observed.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use perflab_control::RecordWish;
use perflab_experiment::{Better, Metric, Observe, Sample, Status};
use perflab_recorder::{LiveRecording, PAUSE, StartOptions, Summary, children};
use perflab_runner::{Fault, HITS, Observation, ObservedRun, Observer};
use perflab_store::EVENTS_LOST;
use perflab_trace_file::{EventSelection, Trace};
use rustix::time::{ClockId, clock_gettime};

use crate::failure::Failure;
use crate::trace;

/// What the trace of a run is called in its directory.
const TRACE: &str = "probes.trace";

/// Records probes of all processes of a run, and counts the hits while its load is measured.
#[derive(Debug)]
pub(super) struct Probes {
    /// As `redis:*,libc:malloc`.
    probes: String,
    /// KiB of the events of a thread until they are read.
    ring: u32,
    /// The shared object of the agent.
    agent: PathBuf,
    recording: Option<Recording>,
}

/// What a recording comes to, with what went wrong with single processes; or why it could not be made.
type Ended = Result<(Summary, Vec<String>), String>;

/// A recording under way. Dropping it ends it.
#[derive(Debug)]
struct Recording {
    variables: Vec<(OsString, OsString)>,
    trace: PathBuf,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<Ended>>,
    /// When the load that is measured began and ended, in nanoseconds of `CLOCK_MONOTONIC`.
    measured: (u64, u64),
}

impl Probes {
    /// Of all probes that one of these names fits.
    ///
    /// # Errors
    /// When a text names no probes, or the agent is not installed.
    pub(super) fn new(observe: &Observe) -> Result<Self, Failure> {
        for text in &observe.probes {
            trace::probes(text)
                .map_err(|error| Failure::usage(format!("`probes` in [observe]: {error}")))?;
        }
        Ok(Self {
            probes: observe.probes.join(","),
            ring: observe.ring,
            agent: trace::agent()?,
            recording: None,
        })
    }
}

impl Observer for Probes {
    fn name(&self) -> &str {
        "probes"
    }

    fn begin(&mut self, run: &ObservedRun<'_>) -> Result<(), Fault> {
        // That of a run that failed has to end first.
        self.recording = None;
        let path = run.directory.join(TRACE);
        let trace = trace::create(&path).map_err(fault)?;
        let mut recording = LiveRecording::of_started(
            trace,
            StartOptions {
                probes: self.probes.clone(),
                memory: RecordWish {
                    keep: true,
                    ring: self.ring,
                    all: 0,
                },
                when: None,
                preload: self.agent.clone().into(),
            },
        );
        let variables = recording.environment();
        let is_over = Arc::new(AtomicBool::new(false));
        let is_seen_over = Arc::clone(&is_over);
        let thread = thread::spawn(move || {
            let mut problems = Vec::new();
            let mut tell = |problem| problems.push(trace::problem_in_words(&problem));
            let failed = |error: perflab_recorder::RecordError| error.to_string();
            let own = std::process::id();
            let roots = || children(own).into_iter().collect::<Vec<u32>>();
            let mut searched: Option<Instant> = None;
            let mut events = 0;
            while !is_seen_over.load(Ordering::Relaxed) {
                if searched.is_none_or(|searched| searched.elapsed() >= trace::SEARCH) {
                    recording.search(&roots(), &mut tell).map_err(failed)?;
                    searched = Some(Instant::now());
                }
                let read = recording.round().map_err(failed)?.events;
                if read - events < trace::FEW {
                    thread::sleep(PAUSE);
                }
                events = read;
            }
            let summary = recording.finish(&roots(), &mut tell).map_err(failed)?;
            Ok((summary, problems))
        });
        self.recording = Some(Recording {
            variables,
            trace: path,
            is_over,
            thread: Some(thread),
            measured: (0, u64::MAX),
        });
        Ok(())
    }

    fn variables(&self) -> Vec<(OsString, OsString)> {
        let recording = self.recording.as_ref();
        recording.map_or_else(Vec::new, |recording| recording.variables.clone())
    }

    fn start(&mut self, _is_measured: bool) -> Result<(), Fault> {
        // That of the last execution stays, which is the one that is measured.
        if let Some(recording) = &mut self.recording {
            recording.measured = (now(), u64::MAX);
        }
        Ok(())
    }

    fn stop(&mut self) {
        if let Some(recording) = &mut self.recording {
            recording.measured.1 = now();
        }
    }

    fn end(&mut self, _: &ObservedRun<'_>) -> Result<Observation, Fault> {
        let Some(mut recording) = self.recording.take() else {
            return Err(fault("no recording was begun"));
        };
        let (summary, problems) = recording.end().map_err(fault)?;
        if let Some(problem) = problems.first() {
            return Err(fault(problem));
        }
        let probes = summary.events_by_probe();
        if probes.is_empty() {
            return Err(fault(format!(
                "no process of the run has a probe `{}`; is the program built with its probes, and linked dynamically?",
                self.probes
            )));
        }
        let lost = summary.progress.lost();
        let evidence = [
            ("probe_events", probes.values().sum::<u64>()),
            (EVENTS_LOST, lost),
            ("probe_processes", summary.processes as u64),
        ];
        let evidence = evidence.map(|(name, count)| (name.to_owned(), count as f64));
        // A count without what was lost would be a wrong one.
        let samples = match lost {
            0 => hits(&recording.trace, recording.measured, probes).map_err(fault)?,
            _ => Vec::new(),
        };
        Ok(Observation {
            samples,
            evidence: evidence.into_iter().collect(),
        })
    }
}

impl Recording {
    /// Ends it; what it comes to.
    fn end(&mut self) -> Ended {
        self.is_over.store(true, Ordering::Relaxed);
        let ended = self.thread.take().map(JoinHandle::join);
        let Some(Ok(ended)) = ended else {
            return Err("the recorder has ended before".to_owned());
        };
        ended
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

/// Events of each probe while the load was measured.
fn hits(
    path: &Path,
    measured: (u64, u64),
    probes: BTreeMap<String, u64>,
) -> Result<Vec<Sample>, String> {
    let trace = Trace::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut counts: BTreeMap<String, u64> = probes.into_keys().map(|probe| (probe, 0)).collect();
    let selection = EventSelection {
        from: measured.0,
        to: measured.1,
        ..EventSelection::default()
    };
    for event in trace.events(&selection) {
        let name = format!("{}:{}", event.probe.provider, event.probe.name);
        *counts.entry(name).or_default() += 1;
    }
    let metric = Arc::new(Metric::new(HITS, "", Better::Neither));
    let sample = |(probe, count): (String, u64)| Sample {
        metric: Arc::clone(&metric),
        benchmark: Some(probe),
        value: count as f64,
        step: None,
    };
    Ok(counts.into_iter().map(sample).collect())
}

fn fault(what: impl Display) -> Fault {
    Fault {
        status: Status::Fail,
        detail: format!("probes: {what}"),
    }
}

fn now() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    // The clock runs since the machine was started.
    now.tv_sec.cast_unsigned() * 1_000_000_000 + now.tv_nsec.cast_unsigned()
}
