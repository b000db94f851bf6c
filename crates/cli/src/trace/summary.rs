//! What a recording came to, for people.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use perflab_experiment::counted;
use perflab_recorder::{Lack, ProbeProgress, Progress, Summary};

use super::about::{them, were};
use super::judged::exceptions;
use super::places::Lines;
use crate::terminal;

/// Probes that are named.
const PROBES: usize = 20;

/// Children that are named: as many as a process knows of.
const CHILDREN: usize = 16;

/// As it is printed.
pub fn text(summary: &Summary, file: &Path) -> String {
    let progress = &summary.progress;
    let mut text = format!(
        "{} of {}",
        counted(progress.events, "event"),
        counted(summary.processes, "process"),
    );
    if let Some(took) = summary.took {
        let _ = write!(text, " in {:.1} s", took.as_secs_f64());
    }
    let file = terminal::escape(&file.to_string_lossy());
    let _ = write!(text, " into {file}: {:.1} MB", summary.bytes as f64 / 1e6);
    if progress.events > 0 {
        let each = summary.bytes as f64 / progress.events as f64;
        let _ = write!(text, ", {each:.1} bytes each");
    }
    text.push('\n');
    text += &losses(progress, summary.lack);
    if progress.unreached > 0 {
        let events = counted(progress.unreached, "event");
        let children = first_children(&summary.unreached);
        text +=
            &format!("lost: {events} of child processes that could not be recorded{children}\n");
    }
    if summary.refused > 0 {
        let refused = counted(summary.refused, "process");
        text += &format!("not recorded: {refused}, whose events nobody counted\n");
    }
    if summary.hidden > 0 {
        let hidden = counted(summary.hidden, "process");
        text += &format!(
            "perhaps not recorded: {hidden} with more rights than perflab, so that nobody can see whether there are \
             probes\n"
        );
    }
    if summary.removed > 0 {
        let removed = counted(summary.removed, "process");
        text += &format!("not recorded to the end: {removed}, whose later events nobody counted\n");
    }
    if progress.short > 0 {
        let threads = counted(progress.short, "thread");
        text += &format!(
            "shorter: the memory of {threads} may not reach back as far as --last asks (--ring gives more)\n"
        );
    }
    // Nobody has counted what no process has recorded.
    let is_whole = summary.processes > 0
        && summary.refused + summary.hidden + summary.removed == 0
        && summary.unjudged == 0
        && progress.short == 0;
    if is_whole && progress.lost() == 0 && progress.broken == 0 {
        text.push_str("none lost\n");
    }
    if progress.broken > 0 {
        let files = counted(progress.broken, "file");
        text += &format!("damaged: {files}, so that events may be missing that nobody counted\n");
    }
    if !summary.limited.is_zero() {
        let limited = summary.limited.as_secs_f64();
        text +=
            &format!("limited: for {limited:.2} s there were more events than --at-most takes\n");
    }
    for exception in exceptions(&summary.filtered) {
        text += &format!("filter: {exception}\n");
    }
    text + &by_probe(&summary.probes, summary.processes > 1)
}

/// A line for each cause.
fn losses(progress: &Progress, lack: Option<(u32, Lack)>) -> String {
    let memory = "of threads for which there was no memory";
    let no_ring = match lack {
        None => format!(
            "{memory} (--memory gives more, but not where the file system is full, after chroot, or in a child by vfork)"
        ),
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
            "of threads that came before memory was prepared for them (a smaller --ring is ready sooner), or \
             beyond the 4096 that the agent knows at a time"
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
        lines.add(
            (probe.process, probe.full_name()),
            &probe.object,
            probe.events,
            None,
        );
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
        let more = counted(count, "more line");
        let _ = writeln!(
            text,
            "{events:>14}  in {more}, which `perflab trace view --summary` lists"
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_memory_does_not_always_help() {
        let progress = Progress {
            no_ring: 3,
            late: 1,
            ..Progress::default()
        };
        let said = losses(&progress, None);
        assert!(
            said.starts_with("lost: 3 events of threads for which"),
            "{said}"
        );
        assert!(
            said.contains("but not where the file system is full"),
            "{said}"
        );
        let end = "is ready sooner), or beyond the 4096 that the agent knows at a time\n";
        assert!(said.ends_with(end), "{said}");
    }

    #[test]
    fn children_whose_numbers_are_known() {
        let line = |children: &[u32]| {
            let mut summary = Summary {
                processes: 1,
                unreached: children.to_vec(),
                ..Summary::default()
            };
            summary.progress.unreached = 9;
            let text = text(&summary, Path::new("trace"));
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
