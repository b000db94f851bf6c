//! What a recording came to, for people.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use perflab_experiment::counted;
use perflab_recorder::{Lack, ProbeProgress, ProcessDir, Progress, Recording};

use super::about::{them, were};
use super::places::Lines;
use crate::terminal;

/// Probes that are named.
const PROBES: usize = 20;

/// Children that are named: as many as a process knows of.
const CHILDREN: usize = 16;

/// What a recording came to.
#[derive(Debug)]
pub struct Summary {
    /// Totals.
    pub progress: Progress,
    /// Bytes of the file.
    pub bytes: u64,
    /// Processes that were recorded.
    pub processes: usize,
    /// Processes that could not be recorded, which have been named.
    pub refused: usize,
    /// How many of these had no agent.
    pub agentless: usize,
    /// Processes that may have probes, which nobody can see.
    pub hidden: usize,
    /// Processes that went on when their events could no longer be read, which have been named.
    pub removed: usize,
    probes: Vec<ProbeProgress>,
    /// Child processes that could not be recorded, the first ones of each process.
    unreached: Vec<u32>,
    /// A process that may have lacked something else than memory for its events.
    lack: Option<(u32, Lack)>,
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

fn lack(processes: &[ProcessDir]) -> Option<(u32, Lack)> {
    let lacks = processes
        .iter()
        .filter_map(|process| Some((process.process().pid, process.lack()?)));
    lacks.min_by_key(|(_, lack)| *lack != Lack::Rights)
}

impl Summary {
    /// Of a recording that took so long.
    pub fn of<W: Write>(recording: &Recording<W>, took: Duration) -> Self {
        Self {
            progress: recording.progress(),
            bytes: 0,
            processes: recording.processes().len(),
            refused: 0,
            agentless: 0,
            hidden: 0,
            removed: 0,
            probes: recording.probes().collect(),
            unreached: unreached(recording.processes()),
            lack: lack(recording.processes()),
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
            refused: 0,
            agentless: 0,
            hidden: 0,
            removed: 0,
            probes: Vec::new(),
            unreached,
            lack: None,
            took: None,
        }
    }

    /// As it is printed.
    pub fn text(self, file: &Path) -> String {
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
        text += &losses(progress, self.lack);
        if progress.unreached > 0 {
            let _ = writeln!(
                text,
                "lost: {} of child processes that could not be recorded{}",
                counted(progress.unreached, "event"),
                first_children(&self.unreached)
            );
        }
        if self.refused > 0 {
            let _ = writeln!(
                text,
                "not recorded: {}, whose events nobody counted",
                counted(self.refused, "process")
            );
        }
        if self.hidden > 0 {
            let _ = writeln!(
                text,
                "perhaps not recorded: {} with more rights than perflab, so that nobody can see whether there are probes",
                counted(self.hidden, "process")
            );
        }
        if self.removed > 0 {
            let _ = writeln!(
                text,
                "not recorded to the end: {}, whose later events nobody counted",
                counted(self.removed, "process")
            );
        }
        if progress.short > 0 {
            let _ = writeln!(
                text,
                "shorter: the memory of {} may not reach back as far as --last asks (--ring gives more)",
                counted(progress.short, "thread")
            );
        }
        // Nobody has counted what no process has recorded.
        let is_whole = self.processes > 0
            && self.refused + self.hidden + self.removed == 0
            && progress.short == 0;
        if is_whole && lost(progress) == 0 {
            text.push_str("none lost\n");
        }
        if progress.broken > 0 {
            let _ = writeln!(
                text,
                "cut short: {}",
                counted(progress.broken, "event file")
            );
        }
        text + &by_probe(&self.probes, self.processes > 1)
    }
}

/// A line for each cause.
fn losses(progress: &Progress, lack: Option<(u32, Lack)>) -> String {
    let memory = "of threads for which there was no memory";
    let no_ring = match lack {
        None => format!("{memory} (--memory gives more)"),
        Some((pid, Lack::Rights)) => format!(
            "{memory}: process {pid} has given up root's rights, and can make none for more threads (as root, `record \
             --pid` records all of one that was not recorded before)"
        ),
        Some((pid, Lack::Calls)) => format!(
            "{memory} (--memory gives more, unless the filter of system calls of process {pid} refuses what they need)"
        ),
    };
    let (dropped, overwritten) = (progress.dropped, progress.overwritten);
    let (they, were_read) = match dropped {
        1 => ("it", "it was read"),
        _ => ("they", "they were read"),
    };
    let before = if overwritten == 1 {
        "it was"
    } else {
        "they were"
    };
    let lines = [
        (
            dropped,
            format!("found no room, as {they} came faster than {were_read} (--ring gives more)"),
        ),
        (
            overwritten,
            format!("had others written over {} before {before} read", them(overwritten)),
        ),
        (
            progress.no_ring,
            no_ring,
        ),
        (
            progress.late,
            "of threads that came before memory was prepared for them (a smaller --ring is ready sooner)"
                .to_owned(),
        ),
        (
            progress.incomplete,
            format!("{} begun and never completed", were(progress.incomplete)),
        ),
        (progress.invalid, "could not be understood".to_owned()),
    ];
    let lines = lines.into_iter().filter(|(count, _)| *count > 0);
    lines
        .map(|(count, what)| format!("lost: {} {what}\n", counted(count, "event")))
        .collect()
}

/// The numbers of the first children, if any is known: a process forgets them when its recorder goes. It knows of so
/// many of its own: there may be others.
fn first_children(children: &[u32]) -> String {
    let named: Vec<String> = children.iter().take(CHILDREN).map(u32::to_string).collect();
    let more = children.len().saturating_sub(CHILDREN);
    let rest = match (more, children.len() >= CHILDREN) {
        (0, false) => String::new(),
        (0, true) => " and perhaps others".to_owned(),
        _ => format!(" and {more} more at least"),
    };
    if named.is_empty() {
        return String::new();
    }
    format!(": {}{rest}", named.join(", "))
}

/// A line for each of the probes with the most events.
fn by_probe(probes: &[ProbeProgress], are_several: bool) -> String {
    let mut text = String::new();
    let mut lines = Lines::new();
    let mut processes = BTreeMap::new();
    for probe in probes {
        let name = format!("{}:{}", probe.provider, probe.name);
        lines.add((probe.process, name), &probe.object, probe.events, None);
        processes.insert(probe.process, (probe.pid, probe.program.as_str()));
    }
    let lines = lines.by_events();
    for ((process, name), line) in lines.iter().take(PROBES) {
        let mut name = format!("{name}{}", line.places());
        if let Some((pid, program)) = processes.get(process).filter(|_| are_several) {
            let _ = write!(name, " in process {pid} {program}");
        }
        let name = name.trim_end();
        let _ = writeln!(text, "{:>14}  {}", line.events, terminal::escape(name));
    }
    let rest = lines.iter().skip(PROBES);
    let (count, events) = rest.fold((0usize, 0u64), |(count, events), (_, line)| {
        (count + 1, events.saturating_add(line.events))
    });
    if count > 0 {
        let _ = writeln!(
            text,
            "{events:>14}  in {}, which `perflab trace view --summary` lists",
            counted(count, "more probe")
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_whose_numbers_are_known() {
        let line = |children: &[u32]| {
            let progress = Progress {
                unreached: 9,
                ..Progress::default()
            };
            let summary = Summary::of_pass(progress, 0, 1, children.to_vec());
            let text = summary.text(Path::new("trace"));
            text.lines().nth(1).unwrap().to_owned()
        };
        let lost = "lost: 9 events of child processes that could not be recorded";
        assert_eq!(line(&[]), lost);
        assert_eq!(line(&[11, 12]), format!("{lost}: 11, 12"));
        let all: Vec<u32> = (0..16).collect();
        assert!(line(&all).ends_with(", 15 and perhaps others"));
        assert!(line(&[all, vec![16]].concat()).ends_with(", 15 and 1 more at least"));
    }
}
