//! What a recording came to, for people.

use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use perflab_experiment::counted;
use perflab_recorder::{ProbeProgress, ProcessDir, Progress, Recording};

use crate::terminal;

/// Probes that are named.
const PROBES: usize = 20;

/// What a recording came to.
#[derive(Debug)]
pub struct Summary {
    /// Totals.
    pub progress: Progress,
    /// Bytes of the file.
    pub bytes: u64,
    /// Processes that were recorded.
    pub processes: usize,
    probes: Vec<ProbeProgress>,
    /// Child processes that could not be recorded, the first ones of each process.
    unreached: Vec<u32>,
    took: Option<Duration>,
}

/// Events that are not in the trace.
pub fn lost(progress: &Progress) -> u64 {
    [
        progress.dropped,
        progress.overwritten,
        progress.no_ring,
        progress.late,
        progress.unreached,
        progress.incomplete,
        progress.invalid,
    ]
    .iter()
    .fold(0, |sum, count| sum.saturating_add(*count))
}

fn unreached(processes: &[ProcessDir]) -> Vec<u32> {
    let children = processes.iter().flat_map(ProcessDir::unreached);
    children.copied().collect()
}

impl Summary {
    /// Of a recording that took so long.
    pub fn of<W: Write>(recording: &Recording<W>, took: Duration) -> Self {
        Self {
            progress: recording.progress(),
            bytes: 0,
            processes: recording.processes().len(),
            probes: recording.probes().collect(),
            unreached: unreached(recording.processes()),
            took: Some(took),
        }
    }

    /// Whether any probe was recorded, hit or not.
    pub fn has_probes(&self) -> bool {
        !self.probes.is_empty()
    }

    /// Of what was there already.
    pub fn of_pass(progress: Progress, bytes: u64, processes: usize, unreached: Vec<u32>) -> Self {
        Self {
            progress,
            bytes,
            processes,
            probes: Vec::new(),
            unreached,
            took: None,
        }
    }

    /// As it is printed.
    pub fn text(mut self, file: &Path) -> String {
        let progress = &self.progress;
        let mut text = format!(
            "{} of {}",
            counted(progress.events, "event"),
            counted(self.processes, "process"),
        );
        if let Some(took) = self.took {
            let _ = write!(text, " in {:.1} s", took.as_secs_f64());
        }
        let each = self.bytes as f64 / progress.events.max(1) as f64;
        let _ = write!(
            text,
            " into {}: {:.1} MB",
            terminal::escape(&file.to_string_lossy()),
            self.bytes as f64 / 1e6
        );
        if progress.events > 0 {
            let _ = write!(text, ", {each:.1} bytes each");
        }
        text.push('\n');
        for (count, what) in [
            (
                progress.dropped,
                "found no room, as they came faster than they were read (--ring gives more)",
            ),
            (
                progress.overwritten,
                "had others written over them before they were read",
            ),
            (
                progress.no_ring,
                "of threads for which there was no memory (--memory gives more)",
            ),
            (
                progress.late,
                "of threads that came faster than memory was prepared for them (a smaller --ring is ready sooner)",
            ),
            (progress.incomplete, "were begun and never completed"),
            (progress.invalid, "could not be understood"),
        ] {
            if count > 0 {
                let _ = writeln!(text, "lost: {} {what}", counted(count, "event"));
            }
        }
        if progress.unreached > 0 {
            let children: Vec<String> = self.unreached.iter().map(u32::to_string).collect();
            let _ = writeln!(
                text,
                "lost: {} of child processes that could not be recorded: {}",
                counted(progress.unreached, "event"),
                children.join(", ")
            );
        }
        if lost(progress) == 0 {
            text.push_str("none lost\n");
        }
        if progress.broken > 0 {
            let _ = writeln!(
                text,
                "cut short: {}",
                counted(progress.broken, "event file")
            );
        }
        self.probes
            .sort_by_key(|probe| std::cmp::Reverse(probe.events));
        for probe in self
            .probes
            .iter()
            .filter(|probe| probe.events > 0)
            .take(PROBES)
        {
            let mut name = format!("{}:{}", probe.provider, probe.name);
            if !probe.object.is_empty() {
                let _ = write!(name, " of {}", probe.object);
            }
            if self.processes > 1 {
                let _ = write!(name, " in process {} {}", probe.pid, probe.program);
            }
            let name = name.trim_end();
            let _ = writeln!(text, "{:>14}  {}", probe.events, terminal::escape(name));
        }
        text
    }
}
