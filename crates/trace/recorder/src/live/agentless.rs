//! Processes of a command that have probes and no agent: a program that is linked statically, or started with another
//! environment. Nobody counts what they hit, so they are looked for.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

use object::Endianness;
use object::elf::FileHeader64;
use object::read::ReadCache;
use object::read::elf::FileHeader;
use perflab_control::Process;

/// The shared object that starts an agent.
pub const AGENT: &str = "libperflab_preload.so";

/// The section that objects with probes have.
const PROBES: &[u8] = b".note.perflab";

/// Looks that a process must pass without an agent if one of its programs had one: `exec` loads it anew.
const LOOKS: u32 = 2;

/// Pause after a look, as a multiple of the processor time that it took: most of it belongs to the recording.
const PAUSE: u32 = 4;

/// Those that were seen so far.
#[derive(Debug, Default)]
pub struct Agentless {
    /// Whether files have probes, by device and inode as the kernel writes them.
    files: BTreeMap<(String, u64), bool>,
    /// Those without an agent when they were last looked at.
    seen: BTreeMap<Process, Seen>,
    /// When to look again.
    next: Option<Instant>,
}

#[derive(Debug)]
struct Seen {
    kind: Kind,
    name: String,
    /// How often in a row.
    looks: u32,
}

/// What is mapped into a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The agent.
    Agent,
    /// Probes, and no agent.
    Probes,
    /// Neither.
    Neither,
    /// That cannot be seen: the process has more rights than this one.
    Hidden,
}

/// What there was.
#[derive(Debug, Default)]
pub struct Found {
    /// Numbers and names of processes that have probes and no agent.
    pub processes: Vec<(u32, String)>,
    /// How many processes may have probes, as far as can be seen.
    pub hidden: usize,
}

impl Agentless {
    /// Looks at these processes and all that they have started. `has_answered` says whose agent has.
    pub fn look(&mut self, processes: Vec<u32>, has_answered: impl Fn(u32) -> bool) {
        if self.next.is_some_and(|next| Instant::now() < next) {
            return;
        }
        let begun = processor_time();
        let mut left = processes;
        while let Some(pid) = left.pop() {
            left.extend(children(pid));
            let Some(process) = Process::of(pid) else {
                continue;
            };
            let kind = match has_answered(pid) {
                true => Kind::Agent,
                false => self.kind(pid),
            };
            match kind {
                Kind::Agent => {
                    self.seen.remove(&process);
                }
                Kind::Neither => {}
                Kind::Probes | Kind::Hidden => {
                    let seen = self.seen.entry(process).or_insert_with(|| Seen {
                        kind,
                        name: process.name(),
                        looks: 0,
                    });
                    seen.looks += 1;
                }
            }
        }
        let took = processor_time().saturating_sub(begun);
        self.next = Some(Instant::now() + took * PAUSE);
    }

    /// Those that had no agent. `has_kept` says whether any program of a process has kept events.
    pub fn found(&self, has_kept: impl Fn(Process) -> bool) -> Found {
        let mut found = Found::default();
        for (process, seen) in &self.seen {
            match seen.kind {
                Kind::Probes if seen.looks >= LOOKS || !has_kept(*process) => {
                    found.processes.push((process.pid, seen.name.clone()));
                }
                Kind::Hidden if !has_kept(*process) => found.hidden += 1,
                _ => {}
            }
        }
        found
    }

    fn kind(&mut self, pid: u32) -> Kind {
        let maps = match fs::read(format!("/proc/{pid}/maps")) {
            Ok(maps) => maps,
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Kind::Hidden,
            Err(_) => return Kind::Neither,
        };
        let maps = String::from_utf8_lossy(&maps);
        let mut kind = Kind::Neither;
        for mapped in maps.lines().filter_map(Mapped::parse) {
            if mapped.path.ends_with(AGENT) {
                return Kind::Agent;
            }
            let key = (mapped.device.to_owned(), mapped.inode);
            let known = self.files.get(&key).copied();
            // By now the process may be another program, or none.
            let found = known.or_else(|| mapped.has_probes(pid));
            if let Some(has_probes) = found {
                self.files.insert(key, has_probes);
            }
            if found == Some(true) {
                kind = Kind::Probes;
            }
        }
        kind
    }
}

/// The children of a process, as far as the kernel says.
pub fn children(pid: u32) -> BTreeSet<u32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task"));
    let threads = threads.into_iter().flatten();
    let lists = threads
        .flatten()
        .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let mut all = BTreeSet::new();
    for list in lists {
        all.extend(
            list.split_whitespace()
                .filter_map(|pid| pid.parse::<u32>().ok()),
        );
    }
    all
}

/// What this thread has had of it.
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// A line of `/proc/PID/maps`, of a file with code.
#[derive(Debug, PartialEq, Eq)]
struct Mapped<'a> {
    device: &'a str,
    inode: u64,
    path: &'a str,
}

impl<'a> Mapped<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let mut words = line.splitn(6, ' ');
        let rights = words.nth(1)?;
        let device = words.nth(1)?;
        let inode = words.next()?.parse().ok()?;
        let path = words.next()?.trim_start();
        (rights.contains('x') && inode != 0).then_some(Self {
            device,
            inode,
            path,
        })
    }

    /// Whether the file has probes, if it can be found: by its path, or as the program of the process.
    fn has_probes(&self, pid: u32) -> Option<bool> {
        let paths = [
            format!("/proc/{pid}/root{}", self.path),
            format!("/proc/{pid}/exe"),
        ];
        let is_it = |file: &File| file.metadata().is_ok_and(|it| it.ino() == self.inode);
        let mut files = paths.iter().filter_map(|path| open(Path::new(path)).ok());
        files.find(is_it).map(has_probes)
    }
}

/// Opens a file without waiting for anybody, as what stands at a path by now may be a pipe.
fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

fn has_probes(file: File) -> bool {
    let data = ReadCache::new(file);
    let Ok(header) = FileHeader64::<Endianness>::parse(&data) else {
        return false;
    };
    let sections = header
        .endian()
        .and_then(|endian| Ok((endian, header.sections(endian, &data)?)));
    sections.is_ok_and(|(endian, sections)| sections.section_by_name(endian, PROBES).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_kernel() {
        let line = "00400000-0041f000 r-xp 0000a000 fe:01 77                                 /a b/c (deleted)";
        let expected = Mapped {
            device: "fe:01",
            inode: 77,
            path: "/a b/c (deleted)",
        };
        assert_eq!(Mapped::parse(line), Some(expected));
        for other in [
            &line.replace("r-xp", "r--p"),
            "00400000-0041f000 r-xp 00000000 00:00 0                                  [vdso]",
            "00400000-0041f000 r-xp 00000000 00:00 0 ",
            "00400000-0041f000",
            "",
        ] {
            assert_eq!(Mapped::parse(other), None, "{other}");
        }
    }

    #[test]
    fn a_process_of_few_looks_counts_where_no_program_of_it_kept_events() {
        let process = |pid| Process { pid, start: 7 };
        let mut agentless = Agentless::default();
        for (pid, looks, kind) in [
            (1, 1, Kind::Probes),
            (2, 2, Kind::Probes),
            (3, 9, Kind::Hidden),
        ] {
            let name = String::new();
            agentless
                .seen
                .insert(process(pid), Seen { kind, name, looks });
        }
        let numbers =
            |found: &Found| -> Vec<u32> { found.processes.iter().map(|(pid, _)| *pid).collect() };
        let found = agentless.found(|_| false);
        assert_eq!((numbers(&found), found.hidden), (vec![1, 2], 1));
        let found = agentless.found(|_| true);
        assert_eq!((numbers(&found), found.hidden), (vec![2], 0));
    }

    #[test]
    fn a_program_without_probes_is_none_of_them() {
        let mut agentless = Agentless::default();
        agentless.look(vec![std::process::id()], |_| false);
        assert!(agentless.seen.is_empty(), "{agentless:?}");
        assert!(!agentless.files.is_empty());
    }
}
