//! Processes of a command that have probes and no agent: a program that is linked statically, or started with another
//! environment. Nobody counts what they hit, so they are looked for.
//!
//! A static program may start an agent of its own at any time, so only the end tells: a process that has left nothing by
//! then had none. The child of a program with an agent shares that, has one of its own, or is counted there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

use object::Endianness;
use object::elf::FileHeader64;
use object::read::ReadCache;
use object::read::elf::FileHeader;
use perflab_control::{Process, State};

/// The shared object that starts an agent.
pub const AGENT: &str = "libperflab_preload.so";

/// The section that objects with probes have.
const PROBES: &[u8] = b".note.perflab";

/// Looks that a process must pass without an agent if one of its programs had one: `exec` loads it anew.
const LOOKS: u32 = 2;

/// Pause after a look, as a multiple of the processor time that it took: most of it belongs to the recording.
const PAUSE: u32 = 4;

/// Looks after which a process that still runs is not waited for at the end: its agent would have begun by then.
const ENOUGH_LOOKS: u32 = 5;

/// Those that were seen so far.
#[derive(Debug, Default)]
pub struct Agentless {
    /// Whether files have probes, by device and inode as the kernel writes them.
    files: BTreeMap<(String, u64), bool>,
    /// Those without an agent when they were last looked at.
    seen: BTreeMap<(Process, Image), Seen>,
    /// Images whose agent has answered.
    answered: BTreeSet<Image>,
    /// When to look again.
    next: Option<Instant>,
}

/// Tells a program from the one that its process was before `exec`, and is the same in children that have not called
/// that: a hash of the values that the kernel gives it at its start, with random addresses. Nothing if they are hidden.
type Image = Option<u64>;

#[derive(Debug)]
struct Seen {
    kind: Kind,
    name: String,
    /// The file name of its program.
    program: String,
    /// Programs of the process that had kept events when it was first seen.
    kept: usize,
    /// How often, before an agent of its image had answered.
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
    /// Looks at these processes and all that they have started. `has_answered` says whose agent has, `kept` which
    /// programs of a process have kept events.
    pub fn look<'k>(
        &mut self,
        processes: Vec<u32>,
        has_answered: impl Fn(u32) -> bool,
        kept: impl Fn(Process) -> Vec<&'k str>,
    ) {
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
            let has_answered = has_answered(pid);
            let kind = match has_answered {
                true => Kind::Agent,
                false => self.kind(pid),
            };
            match kind {
                Kind::Agent => {
                    let image = image(pid);
                    if has_answered && image.is_some() {
                        self.answered.insert(image);
                    }
                    self.seen.remove(&(process, image));
                }
                Kind::Neither => {}
                Kind::Probes | Kind::Hidden => {
                    let image = image(pid);
                    if self.answered.contains(&image) {
                        continue;
                    }
                    let seen = self.seen.entry((process, image));
                    let seen = seen.or_insert_with(|| Seen {
                        kind,
                        name: process.name(),
                        program: program(pid),
                        kept: kept(process).len(),
                        looks: 0,
                    });
                    seen.looks += 1;
                }
            }
        }
        let took = processor_time().saturating_sub(begun);
        self.next = Some(Instant::now() + took * PAUSE);
    }

    /// The next look is taken, however soon it comes.
    pub fn look_at_once(&mut self) {
        self.next = None;
    }

    /// Whether processes that still run have hardly been looked at.
    pub fn are_some_new(&self) -> bool {
        let mut seen = self.seen.iter();
        seen.any(|((process, image), seen)| {
            seen.kind == Kind::Probes
                && seen.looks < ENOUGH_LOOKS
                && !self.answered.contains(image)
                && process.state() != State::Ended
        })
    }

    /// Those that had no agent. `kept` says which programs of a process have kept events, in their order. Those that
    /// are `counted` are counted as lost by another process.
    pub fn found<'k>(
        &self,
        kept: impl Fn(Process) -> Vec<&'k str>,
        counted: &BTreeSet<u32>,
    ) -> Found {
        let mut found = Found::default();
        for ((process, image), seen) in &self.seen {
            let kept = kept(*process);
            let mut since = kept.iter().skip(seen.kept);
            // Else it was forked before the agent began.
            let is_of_answered = self.answered.contains(image) && seen.looks < LOOKS;
            let has_agent = is_of_answered
                || counted.contains(&process.pid)
                || since.any(|program| *program == seen.program);
            match seen.kind {
                Kind::Probes if !has_agent && (seen.looks >= LOOKS || kept.is_empty()) => {
                    found.processes.push((process.pid, seen.name.clone()));
                }
                Kind::Hidden if kept.is_empty() => found.hidden += 1,
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

fn image(pid: u32) -> Image {
    let given = fs::read(format!("/proc/{pid}/auxv")).ok()?;
    let mut hasher = DefaultHasher::new();
    given.hash(&mut hasher);
    (!given.is_empty()).then(|| hasher.finish())
}

/// The file name of the program that a process is; empty if nobody may see it.
fn program(pid: u32) -> String {
    let path = fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
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
    use std::process::Command;

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

    const PROCESS: Process = Process { pid: 1, start: 7 };

    fn seen(image: u64, looks: u32, kind: Kind) -> ((Process, Image), Seen) {
        let (name, program) = ("one".to_owned(), "a".to_owned());
        let seen = Seen {
            kind,
            name,
            program,
            kept: 1,
            looks,
        };
        ((PROCESS, Some(image)), seen)
    }

    /// Numbers of the processes without an agent, and how many are hidden.
    fn found(agentless: &Agentless, kept: &[&'static str], counted: &[u32]) -> (Vec<u32>, usize) {
        let found = agentless.found(|_| kept.to_vec(), &counted.iter().copied().collect());
        let numbers = found.processes.iter().map(|(pid, _)| *pid);
        (numbers.collect(), found.hidden)
    }

    #[test]
    fn a_process_of_few_looks_counts_where_no_program_of_it_kept_events() {
        let mut agentless = Agentless::default();
        agentless.seen.extend([seen(5, 1, Kind::Probes)]);
        assert_eq!(found(&agentless, &[], &[]), (vec![1], 0));
        assert_eq!(found(&agentless, &["sh"], &[]), (vec![], 0));
        agentless.seen.extend([seen(5, 2, Kind::Probes)]);
        assert_eq!(found(&agentless, &["sh"], &[]), (vec![1], 0));
        agentless.seen = [seen(5, 9, Kind::Hidden)].into();
        assert_eq!(found(&agentless, &[], &[]), (vec![], 1));
        assert_eq!(found(&agentless, &["sh"], &[]), (vec![], 0));
    }

    /// A static program starts its agent some time after it has begun.
    #[test]
    fn a_process_that_has_left_something_had_an_agent() {
        let mut agentless = Agentless::default();
        agentless.seen.extend([seen(5, 9, Kind::Probes)]);
        let unnamed = (vec![], 0);
        assert_eq!(found(&agentless, &["sh", "a"], &[]), unnamed);
        assert_eq!(found(&agentless, &["sh"], &[1]), unnamed);
        // What it was before, and another program that it has become.
        for kept in [&["a"][..], &["a", "sh"]] {
            assert_eq!(found(&agentless, kept, &[]), (vec![1], 0));
        }
        // The parent's agent has answered, since the child was forked or before.
        agentless.answered.insert(Some(5));
        assert_eq!(found(&agentless, &[], &[]), (vec![1], 0));
        agentless.seen = [seen(5, 1, Kind::Probes)].into();
        assert_eq!(found(&agentless, &[], &[]), unnamed);
    }

    #[test]
    fn children_have_the_image_of_their_parent_until_they_call_exec() {
        let own = std::process::id();
        assert!(image(own).is_some());
        assert_eq!(image(own), image(own));
        let mut other = Command::new("sleep").arg("9").spawn().unwrap();
        assert_ne!(image(other.id()), image(own));
        other.kill().unwrap();
        other.wait().unwrap();
        assert_eq!(image(u32::MAX), None);
        assert!(program(own).starts_with("perflab_recorder"));
    }

    #[test]
    fn a_program_without_probes_is_none_of_them() {
        let mut agentless = Agentless::default();
        agentless.look(vec![std::process::id()], |_| false, |_| Vec::new());
        assert!(agentless.seen.is_empty(), "{agentless:?}");
        assert!(!agentless.files.is_empty());
    }
}
