//! `perflab trace` on programs that make threads and processes: nothing is missing that is not counted.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use perflab_testing::{not_checked, test_name};
use rustix::process::{Signal, geteuid};

use crate::life::{Place, printed, text};
use crate::support::signal;

/// A program that makes processes, and a place of its own for its recordings.
struct Family {
    place: Place,
    program: String,
    memory: tempfile::TempDir,
}

impl Family {
    fn new() -> Self {
        let place = Place::new();
        Self {
            program: place.compile("family"),
            memory: tempfile::tempdir_in("/dev/shm").unwrap(),
            place,
        }
    }

    fn file(&self, name: &str) -> String {
        let path = self.place.directory.path().join(name);
        path.to_str().unwrap().to_owned()
    }

    /// perflab, where all recordings together take so many KiB.
    fn perflab(&self, total: u32) -> Command {
        let mut command = self.place.perflab();
        command.env("XDG_RUNTIME_DIR", self.memory.path());
        command.env("PERFLAB_RECORD_TOTAL", total.to_string());
        command.arg("trace");
        command
    }

    /// Lets perflab do something with the program. Returns the most KiB that recordings took meanwhile, too.
    fn does(&self, total: u32, words: &[&str], program: &[&str]) -> (Output, u64) {
        let mut command = self.perflab(total);
        command
            .args(words)
            .args(["--", &self.program])
            .args(program);
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let watched = scope.spawn(|| {
                let mut most = 0;
                while !is_over.load(Ordering::Relaxed) {
                    most = most.max(self.kibibytes());
                    std::thread::sleep(Duration::from_millis(5));
                }
                most
            });
            let output = command.output();
            is_over.store(true, Ordering::Relaxed);
            (output.unwrap(), watched.join().unwrap())
        })
    }

    /// Processes and events that went here, as there was no memory for them.
    fn gone(&self) -> [u64; 2] {
        let total = fs::read(self.memory.path().join("perflab/total")).unwrap();
        [2, 3].map(|word| u64::from_le_bytes(total[8 * word..][..8].try_into().unwrap()))
    }

    /// What files of recordings take at one moment at least: those that went while others were looked at do not count.
    fn kibibytes(&self) -> u64 {
        use std::os::unix::fs::MetadataExt;
        let mut directories = self.recordings();
        directories.push(self.memory.path().join("perflab"));
        let files = directories
            .iter()
            .flat_map(fs::read_dir)
            .flatten()
            .flatten();
        let looked_at: Vec<_> = files
            .filter_map(|file| Some((file.path(), file.metadata().ok()?.blocks())))
            .collect();
        let there = looked_at.iter().filter(|(path, _)| path.exists());
        there.map(|(_, blocks)| blocks).sum::<u64>() / 2
    }

    /// The directories of recorded processes.
    fn recordings(&self) -> Vec<PathBuf> {
        let there = fs::read_dir(self.memory.path().join("perflab"));
        let paths = there
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path());
        let is_recording = |path: &PathBuf| path.extension().is_some_and(|end| end == "rings");
        paths.filter(is_recording).collect()
    }
}

/// The number before some words.
fn number(said: &str, words: &str) -> u64 {
    let before = said.split(words).next().unwrap();
    before.split_whitespace().last().unwrap().parse().unwrap()
}

/// Starts what says so when it is ready, and ends with its input; with what it says then.
fn ready(command: &mut Command) -> (Child, BufReader<ChildStdout>) {
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    (child, output)
}

/// A thread takes its ring with its first event, which is before the recorder has connected.
#[test]
fn sizes_reach_threads_that_start_before_the_recorder() {
    let place = Place::new();
    let program = place.compile("family");
    let trace = place.directory.path().join("burst.trace");
    let mut words = ["record", "-o", trace.to_str().unwrap()].to_vec();
    words.extend(["--ring", "16384", "--memory", "524288"]);
    words.extend(["--", &program, "burst", "400000"]);
    let said = printed(&place.trace(&words));
    assert!(
        said.starts_with("400001 events of 1 process") && said.contains("none lost"),
        "{said}"
    );
}

#[test]
fn children_from_their_first_event() {
    let family = Family::new();
    let trace = family.file("trace");
    let words = ["record", "-o", &trace];
    let (output, _) = family.does(1 << 20, &words, &["forks", "20", "20", "300"]);
    let said = printed(&output);
    assert!(
        said.starts_with("400 events of 21 processes") && said.contains("none lost"),
        "{said}"
    );
}

/// A daemon goes on when the command has ended: the recorder may not have seen it by then.
#[test]
fn daemons_are_waited_for() {
    let family = Family::new();
    for run in 0..15 {
        let trace = family.file(&format!("trace of {run}"));
        let generations = (1 + run % 2).to_string();
        let words = ["record", "-o", &trace];
        let (output, _) = family.does(1 << 20, &words, &["leaves", &generations]);
        let said = printed(&output);
        assert!(
            said.starts_with("10 events of ") && said.contains("none lost"),
            "run {run}: {said}"
        );
    }
}

/// The recording ends before the daemon does.
#[test]
fn daemons_that_go_on_are_mentioned() {
    let family = Family::new();
    let trace = family.file("trace");
    let mut command = family.perflab(1 << 20);
    command.args(["record", "--seconds", "0.5", "-o", &trace, "--", "sh", "-c"]);
    let output = command.arg("sleep 3 >/dev/null 2>&1 &").output().unwrap();
    let said = text(&output.stderr);
    assert!(
        said.contains("processes that the command started still run"),
        "{said}"
    );
}

/// What a script started before it became perflab is none of the command's.
#[test]
fn children_of_before_the_command_are_not_waited_for() {
    let family = Family::new();
    let (trace, perflab) = (family.file("trace"), family.perflab(1 << 20));
    let mut script = Command::new("sh");
    // One child goes on, and one ends while the command runs and leaves a process behind.
    let leaves = "{ sleep 60 & echo $! >&2; while [ ! -e $TRACE ]; do sleep 0.05; done; } &";
    let text = format!("sleep 60 & echo $! >&2; {leaves} sleep 0.1; exec \"$@\"");
    script.args(["-c", &text, "sh"]).env("TRACE", &trace);
    script.arg(perflab.get_program()).args(perflab.get_args());
    script.args([
        "record",
        "-o",
        &trace,
        "--",
        "sh",
        "-c",
        "sleep 1; exec \"$0\" leaves 1",
    ]);
    script.arg(&family.program);
    let envs = perflab.get_envs();
    script.envs(envs.filter_map(|(name, value)| Some((name, value?))));
    // Else the sleeping one would keep what is read open.
    let errors = fs::File::create(family.file("errors")).unwrap();
    let output = fs::File::create(family.file("output")).unwrap();
    let begun = Instant::now();
    let status = script.stdout(output).stderr(errors).status().unwrap();
    let took = begun.elapsed();
    let sleeping = fs::read_to_string(family.file("errors")).unwrap();
    let sleeping: Vec<u32> = sleeping
        .lines()
        .filter_map(|line| line.parse().ok())
        .collect();
    assert_eq!(sleeping.len(), 2, "{sleeping:?}");
    for pid in sleeping {
        signal(pid, Signal::KILL);
    }
    let said = fs::read_to_string(family.file("output")).unwrap();
    assert!(
        status.success() && said.starts_with("10 events of "),
        "{said}"
    );
    assert!(took < Duration::from_secs(50), "{took:?}");
}

/// More children than there is memory for, each of which lives shortly.
#[test]
fn children_that_a_recorder_reads_leave_nothing() {
    let family = Family::new();
    let (trace, total) = (family.file("trace"), 64 << 10);
    let words = ["record", "-o", &trace];
    let (output, most) = family.does(total, &words, &["forks", "200", "8", "20"]);
    let said = printed(&output);
    assert!(
        said.starts_with("4000 events of 201 processes") && said.contains("none lost"),
        "{said}"
    );
    assert!(most <= total.into(), "{most} KiB");
    assert_eq!(family.recordings(), Vec::<PathBuf>::new());
}

/// Nobody reads them: the oldest go.
#[test]
fn children_that_record_on_their_own_have_a_limit() {
    let family = Family::new();
    let total = 16 << 10;
    let words = ["on", "family", "--record"];
    let (output, most) = family.does(total, &words, &["forks", "200", "8", "20"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(most <= total.into(), "{most} KiB");
    let trace = family.file("trace");
    // Those of this place only: in another one somebody may have had the same number.
    let names = family.recordings().into_iter();
    let left = names.map(|path| path.file_stem().unwrap().to_owned());
    let mut recover = family.perflab(total);
    recover.args(["recover", "-o", &trace]).args(left);
    let output = recover.output().unwrap();
    let (said, gone) = (printed(&output), text(&output.stderr));
    assert!(gone.contains("that ended earlier, as later"), "{gone}");
    let there = number(&said, " events of");
    let of_processes = number(&said, " processes into");
    // What it says is of all places together.
    let [gone_processes, gone_events] = family.gone();
    assert!(
        number(&gone, " processes that ended") >= gone_processes,
        "{gone}"
    );
    assert_eq!(there + gone_events, 4000, "{said} {gone}");
    assert_eq!(of_processes + gone_processes, 201, "{said} {gone}");
    assert!(said.contains("none lost"), "{said}");
}

/// A later process had the number of an earlier one.
#[test]
fn one_of_two_that_had_the_same_number() {
    let family = Family::new();
    let total = 16 << 10;
    family.does(total, &["on", "family", "--record"], &["burst", "9"]);
    let [path] = family.recordings().try_into().unwrap();
    let one = path.file_stem().unwrap().to_str().unwrap();
    let (pid, _) = one.split_once('-').unwrap();
    let earlier = format!("{pid}-1");
    let earlier_path = path.with_file_name(format!("{earlier}.rings"));
    fs::create_dir(&earlier_path).unwrap();
    let recover = |words: &[&str]| {
        let mut recover = family.perflab(total);
        recover.arg("recover").args(words).output().unwrap()
    };
    // In other places there may be a third one.
    let both = printed(&recover(&[pid]));
    for path in [&path, &earlier_path] {
        assert!(both.lines().any(|line| Path::new(line) == path), "{both}");
    }
    assert_eq!(
        printed(&recover(&[&earlier])).trim_end(),
        earlier_path.to_str().unwrap()
    );
    let said = printed(&recover(&[one, "-o", &family.file("trace")]));
    assert!(said.starts_with("10 events of 1 process "), "{said}");
    let none = recover(&[&format!("{pid}-2")]);
    assert_eq!(none.status.code(), Some(4));
    for bad in ["12-", "-1-2", "1-2-3", "one"] {
        let output = recover(&["--", bad]);
        assert_eq!(output.status.code(), Some(2), "{bad}");
        assert!(
            text(&output.stderr).contains("PID-START"),
            "{}",
            text(&output.stderr)
        );
    }
}

/// Threads that come and go, of which the memory of the process has room for two.
#[test]
fn threads_that_make_room_for_others_are_counted() {
    let family = Family::new();
    let total = 16 << 10;
    let words = ["on", "family", "--record", "--ring", "8", "--memory", "24"];
    let (output, _) = family.does(total, &words, &["passing", "6", "600"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let [path] = family.recordings().try_into().unwrap();
    let one = path.file_stem().unwrap().to_str().unwrap();
    let mut recover = family.perflab(total);
    recover.args(["recover", one, "-o", &family.file("trace")]);
    let said = printed(&recover.output().unwrap());
    let lost = said.lines().filter_map(|line| line.strip_prefix("lost: "));
    let lost: u64 = lost.map(|line| number(line, " event")).sum();
    assert!(lost >= 20, "{said}");
    assert_eq!(number(&said, " event") + lost, 60, "{said}");
}

/// A limit that all rings of a process would reach by themselves.
#[test]
fn small_files_are_within_the_limit() {
    let family = Family::new();
    // Sixteen rings wait for threads, with a head of one page each.
    let total = 16 * (256 + 4) + 4;
    let words = ["on", "family", "--record"];
    let (output, most) = family.does(total, &words, &["burst", "9"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let left = family.kibibytes();
    assert!(most.max(left) <= total.into(), "{most} KiB, {left} KiB");
    assert!(left > u64::from(total) - 2 * 260, "{left} KiB");
}

/// An agent that needs memory in the middle of that finds no ring that nobody reads.
#[test]
fn whom_events_are_kept_for_is_said_as_long_as_there_are_some() {
    use rustix::fs::inotify::{CreateFlags, Reader, WatchFlags, add_watch, init};
    let family = Family::new();
    // No process has such a number.
    let directory = family.memory.path().join("perflab/4194999-1.rings");
    fs::create_dir_all(&directory).unwrap();
    for path in [directory.parent().unwrap(), &directory] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o700)).unwrap();
    }
    for name in ["0.ring", "for", "1.ring"] {
        fs::write(directory.join(name), "1-2").unwrap();
    }
    let watch = init(CreateFlags::NONBLOCK).unwrap();
    add_watch(&watch, &directory, WatchFlags::DELETE).unwrap();
    let mut remove = family.perflab(1 << 20);
    printed(
        &remove
            .args(["recover", "--remove", "4194999"])
            .output()
            .unwrap(),
    );
    let mut buffer = [const { std::mem::MaybeUninit::uninit() }; 4096];
    let mut reader = Reader::new(&watch, &mut buffer);
    let mut gone = Vec::new();
    while let Ok(event) = reader.next() {
        let name = event
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        gone.extend(name);
    }
    assert_eq!(gone.len(), 3, "{gone:?}");
    assert_eq!(gone[2], "for", "{gone:?}");
}

/// Without memory for a child's rings nothing of it is recorded: that is counted, and it is named.
#[test]
fn children_that_cannot_be_recorded_are_named() {
    let family = Family::new();
    let trace = family.file("trace");
    let words = ["record", "-o", &trace];
    // For the first process, and no more.
    let (output, _) = family.does(4400, &words, &["forks", "10", "10", "100"]);
    // Those that live when the recorder calls them refuse.
    let said = text(&output.stdout);
    assert!(said.starts_with("0 events of 1 process"), "{said}");
    let lost = "lost: 200 events of child processes that could not be recorded: ";
    let (_, named) = said.split_once(lost).unwrap_or_else(|| panic!("{said}"));
    assert_eq!(
        named.lines().next().unwrap().split(", ").count(),
        10,
        "{said}"
    );
    assert!(!said.contains("none lost"), "{said}");
}

/// A recorder for whom there is no memory changes nothing in what the process records on its own.
#[test]
fn a_process_records_on_after_a_recorder_without_memory() {
    let family = Family::new();
    // For sixteen small rings, and not for one as a recorder asks for.
    let total = 2048;
    let mut command = family.perflab(total);
    command.args(["on", "family", "--record", "--ring", "8"]);
    let (mut child, output) = ready(command.args(["--", &family.program, "waits"]));
    let pid = child.id().to_string();
    let mut record = family.perflab(total);
    record.args(["record", "--pid", &pid, "--seconds", "0.2"]);
    let refused = record.args(["-o", &family.file("trace")]).output().unwrap();
    let said = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(5), "{said}");
    assert!(said.contains("PERFLAB_RECORD_TOTAL"), "{said}");
    // That is enough for one ring, with what there is.
    let (_, needed) = said.split_once("set PERFLAB_RECORD_TOTAL to ").unwrap();
    let needed = number(needed, " or more");
    assert!((4100..4100 + 2048).contains(&needed), "{said}");
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
    drop(output);
    let [path] = family.recordings().try_into().unwrap();
    let one = path.file_stem().unwrap().to_str().unwrap();
    let mut recover = family.perflab(total);
    recover.args(["recover", one, "-o", &family.file("left")]);
    let said = printed(&recover.output().unwrap());
    assert!(
        said.starts_with("20 events ") && said.contains("none lost"),
        "{said}"
    );
}

/// A recorder for whom there is memory for fewer rings than there are threads does not end what the process records on
/// its own.
#[test]
fn a_process_records_on_after_a_recorder_with_little_memory() {
    let family = Family::new();
    let total = 1 << 20;
    let mut command = family.perflab(total);
    command.args(["on", "family", "--record", "--", &family.program]);
    let (mut child, output) = ready(command.args(["crowd", "4"]));
    let pid = child.id().to_string();
    let mut record = family.perflab(total);
    record.args([
        "record",
        "--pid",
        &pid,
        "--seconds",
        "0.2",
        "-o",
        &family.file("trace"),
    ]);
    let said = printed(
        &record
            .args(["--ring", "8", "--memory", "24"])
            .output()
            .unwrap(),
    );
    assert!(said.starts_with("0 events of 1 process "), "{said}");
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
    drop(output);
    let [path] = family.recordings().try_into().unwrap();
    let one = path.file_stem().unwrap().to_str().unwrap();
    let mut recover = family.perflab(total);
    let said = printed(
        &recover
            .args(["recover", one, "-o", &family.file("left")])
            .output()
            .unwrap(),
    );
    assert!(
        said.starts_with("50 events ") && said.contains("none lost"),
        "{said}"
    );
}

/// A server whose master is root's, and whose workers are not.
#[test]
fn workers_that_give_up_their_rights() {
    if !geteuid().is_root() {
        not_checked(&test_name(), "only root can become another user");
        return;
    }
    let place = Place::new();
    let program = place.compile("family");
    let trace = place.directory.path().join("trace");
    let mut command = place.perflab();
    command.args(["trace", "record", "-o"]).arg(&trace);
    let (mut recorder, output) = ready(command.args(["--", &program, "workers", "2"]));
    let [master] = children(recorder.id())[..] else {
        panic!("the program is the recorder's child");
    };
    let workers = children(master);
    assert_eq!(workers.len(), 2);
    for worker in workers {
        assert_eq!(user(worker), "65534");
        let list = printed(&place.trace(&["list", "--pid", &worker.to_string()]));
        assert!(
            list.contains("family:work") && list.contains("recorded"),
            "{list}"
        );
        // Memory of the master's goes with the master.
        let maps = fs::read_to_string(format!("/proc/{worker}/maps")).unwrap();
        let rings_of = |process: u32| {
            let place = format!("/{process}-");
            let is_ring = |line: &&str| {
                line.contains(&place) && line.trim_end_matches(" (deleted)").ends_with(".ring")
            };
            maps.lines().filter(is_ring).count()
        };
        assert!(rings_of(worker) > 0, "{maps}");
        assert_eq!(rings_of(master), 0, "{maps}");
    }
    drop(recorder.stdin.take());
    let said: Vec<String> = output.lines().map(Result::unwrap).collect();
    assert!(recorder.wait().unwrap().success());
    let said = said.join("\n");
    assert!(
        said.starts_with("60 events of 3 processes") && said.contains("none lost"),
        "{said}"
    );
}

/// A worker's sites can be switched, by root only.
#[test]
fn workers_of_a_server_that_is_not_recorded() {
    if !geteuid().is_root() {
        not_checked(&test_name(), "only root can become another user");
        return;
    }
    let place = Place::new();
    let program = place.compile("family");
    let mut command = place.perflab();
    command.args(["trace", "on", "family", "--", &program, "workers", "1"]);
    let (mut master, _output) = ready(&mut command);
    let [worker] = children(master.id())[..] else {
        panic!("one worker");
    };
    let worker = worker.to_string();
    let list = printed(&place.trace(&["list", "--pid", &worker]));
    assert!(list.contains("    20  i: i64"), "{list}");
    let off = printed(&place.trace(&["off", "*", "--pid", &worker]));
    assert!(off.contains(" sites switched off in "), "{off}");
    // Its socket lies where only root may look.
    let sockets = Path::new("/tmp/perflab-0");
    let name = format!("{worker}-");
    let is_workers = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with(&name);
    if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        use std::os::unix::fs::MetadataExt;
        assert!(
            fs::read_dir(sockets)
                .unwrap()
                .flatten()
                .any(|entry| is_workers(&entry))
        );
        let about = fs::metadata(sockets).unwrap();
        assert_eq!((about.uid(), about.mode() & 0o777), (0, 0o700));
    }
    drop(master.stdin.take());
    assert!(master.wait().unwrap().success());
}

/// What was asked for by one name is over by another that means it too: nothing is kept for it.
#[test]
fn what_is_off_keeps_no_memory() {
    let family = Family::new();
    let mut command = family.perflab(1 << 20);
    command.args(["on", "family:work", "--record", "--", &family.program]);
    let (mut program, _output) = ready(command.arg("waits"));
    let memory = || {
        let rings = family.recordings();
        assert_eq!(rings.len(), 1, "{rings:?}");
        fs::read_dir(&rings[0])
            .unwrap()
            .flatten()
            .filter(is_ring)
            .count()
    };
    assert!(memory() > 1, "rings wait for threads");
    let pid = program.id().to_string();
    let mut off = family.perflab(1 << 20);
    let off = off.args(["off", "*", "--pid", &pid]).output().unwrap();
    printed(&off);
    assert_eq!(memory(), 1, "the ring of the thread that has one");
    drop(program.stdin.take());
    assert!(program.wait().unwrap().success());
    assert_eq!(family.recordings(), Vec::<PathBuf>::new());
}

fn is_ring(entry: &fs::DirEntry) -> bool {
    entry.path().extension().is_some_and(|end| end == "ring")
}

/// A shell has no sites, and forks for each of its commands: none of these waits for an agent of its own.
#[test]
fn children_without_sites_are_not_waited_for() {
    let family = Family::new();
    let trace = family.file("trace");
    let script = format!("(:); (:); (:); {} burst 9; :", family.program);
    let mut command = family.perflab(1 << 20);
    command.args(["record", "-o", &trace, "--", "sh", "-c", &script]);
    let said = printed(&command.output().unwrap());
    // The shell, and the program.
    assert!(said.starts_with("10 events of 2 processes"), "{said}");
}

pub fn children(process: u32) -> Vec<u32> {
    let path = format!("/proc/{process}/task/{process}/children");
    let children = fs::read_to_string(path).unwrap();
    children
        .split_whitespace()
        .map(|child| child.parse().unwrap())
        .collect()
}

/// Whose rights a process has.
pub fn user(process: u32) -> String {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let users = status
        .lines()
        .find_map(|line| line.strip_prefix("Uid:"))
        .unwrap();
    users.split_whitespace().nth(1).unwrap().to_owned()
}

/// Children that began and ended since the recorder last looked, when it is told to end.
#[test]
fn what_children_kept_is_read_when_a_signal_ends_the_recording() {
    let family = Family::new();
    let (trace, mut perflab) = (family.file("trace"), family.perflab(1 << 20));
    let script = "sleep 0.5; \"$0\" forks 200 200 0; kill -INT $PPID; sleep 2";
    perflab.args([
        "record",
        "-o",
        &trace,
        "--",
        "sh",
        "-c",
        script,
        &family.program,
    ]);
    let output = perflab.output().unwrap();
    let said = printed(&output);
    assert!(
        said.starts_with("4000 events of ") && said.contains("none lost"),
        "{said}"
    );
}
