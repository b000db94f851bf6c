//! `perflab trace record` on processes that cannot be recorded, or not all of them: it says so, and why.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Output, Stdio};

use perflab_testing::{not_checked, test_name};
use rustix::process::geteuid;

use crate::family::{children, user};
use crate::life::{Place, printed, text};
use crate::support::wait_until;

/// Numbers of system calls, as they are for the processors that have probes.
const GETPID: u32 = 39;
const GETTID: u32 = 186;
const MEMBARRIER: u32 = 324;

/// A program that refuses a system call to all its threads.
struct Filtered {
    place: Place,
    child: std::process::Child,
    /// Open, as the program writes to it.
    _output: std::process::ChildStdout,
}

impl Filtered {
    fn new(words: &[&str], call: u32) -> Self {
        use std::io::Read;
        let place = Place::new();
        let program = place.compile("filtered");
        let mut command = place.perflab();
        command.arg("trace").args(words).args(["--", &program]);
        command.arg(call.to_string());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut output = child.stdout.take().unwrap();
        let mut ready = [0; 6];
        output.read_exact(&mut ready).unwrap();
        assert_eq!(ready, *b"ready\n");
        Self {
            place,
            child,
            _output: output,
        }
    }

    fn asked(&self, words: &[&str]) -> Output {
        let pid = self.child.id().to_string();
        self.place.trace(&[words, &["--pid", &pid]].concat())
    }
}

impl Drop for Filtered {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The kernel's error was taken for a number.
#[test]
fn a_process_that_may_not_ask_for_its_numbers_is_refused() {
    for (call, name) in [(GETPID, "getpid"), (GETTID, "gettid")] {
        let program = Filtered::new(&["on", "none"], call);
        let trace = program.place.file("trace");
        let record: [&str; 5] = ["record", "--seconds", "0.2", "-o", &trace];
        for words in [&record[..], &["on", "filtered", "--record"]] {
            let output = program.asked(words);
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(5), "{name}: {said}");
            let reason = format!("a filter of system calls (seccomp) refuses {name}");
            assert!(said.contains(&reason), "{said}");
            assert_eq!(text(&output.stdout), "", "{name}");
        }
    }
}

/// Their recorder was there before the filter.
#[test]
fn events_of_threads_that_may_not_ask_for_their_numbers_are_counted() {
    for call in [GETPID, GETTID] {
        let place = Place::new();
        let (program, trace) = (place.compile("filtered"), place.file("trace"));
        let mut record = place.perflab();
        record.args(["trace", "record", "-o", &trace, "--", &program]);
        record.arg(call.to_string()).stdin(Stdio::null());
        let output = record.output().unwrap();
        let said = printed(&output);
        assert!(said.contains("0 events of 1 process "), "{said}");
        assert!(said.contains("lost: 20 events of threads "), "{said}");
        assert!(
            said.contains("the filter of system calls of process"),
            "{said}"
        );
    }
}

/// Else sites that are on would be so for ever.
#[test]
fn sites_are_switched_where_membarrier_is_refused_later() {
    let program = Filtered::new(&["on", "filtered"], MEMBARRIER);
    let said = printed(&program.asked(&["off", "filtered"]));
    assert!(said.contains("with a visit to each processor"), "{said}");
    let list = printed(&program.asked(&["list"]));
    assert!(list.contains("filtered:work      1   0 "), "{list}");
}

/// The path of its socket would be too long.
#[test]
fn a_program_whose_agent_cannot_begin_is_named() {
    let place = Place::new();
    let (program, trace) = (place.compile("family"), place.file("trace"));
    let long = place.path(&"l".repeat(120));
    fs::create_dir(&long).unwrap();
    fs::set_permissions(&long, fs::Permissions::from_mode(0o700)).unwrap();
    for (words, processes) in [
        (&["burst", "9"][..], "1 process,"),
        (&["forks", "1", "1", "400"], "2 processes,"),
    ] {
        let mut record = place.perflab();
        record.args(["trace", "record", "-o", &trace, "--", &program]);
        record.args(words).env("XDG_RUNTIME_DIR", &long);
        let output = record.output().unwrap();
        let (said, printed) = (text(&output.stderr), text(&output.stdout));
        assert_eq!(output.status.code(), Some(5), "{said}");
        assert!(said.contains("(family) could not be recorded: "), "{said}");
        assert!(said.contains("path must be shorter"), "{said}");
        let counted = format!("not recorded: {processes} whose events nobody counted");
        assert!(printed.contains(&counted), "{printed}");
        assert!(!printed.contains("none lost"), "{printed}");
        fs::remove_file(&trace).unwrap();
    }
}

/// Its events were not counted, and none was said to be lost as long as another process was recorded.
#[test]
fn a_process_without_an_agent_is_named() {
    let place = Place::new();
    let (program, trace) = (place.compile("family"), place.file("trace"));
    let linked = place.compile_with("family", "static", &["-static"]);
    let record = |script: &str| {
        let output = place.trace(&["record", "-o", &trace, "--", "sh", "-c", script]);
        fs::remove_file(&trace).unwrap();
        let (said, printed) = (text(&output.stderr), text(&output.stdout));
        (output.status.code(), said.to_owned(), printed.to_owned())
    };
    // The second becomes the program, where the shell that had an agent has been.
    for (name, script) in [
        (
            "family",
            format!("{program} burst 9; env -i {program} forks 1 1 400"),
        ),
        (
            "family",
            format!("{program} burst 9; exec env -i {program} forks 1 1 400"),
        ),
        (
            "static",
            format!("{program} burst 9; {linked} forks 1 1 400"),
        ),
    ] {
        let (code, said, printed) = record(&script);
        assert_eq!(code, Some(4), "{script}: {said}");
        let named = format!("({name}) could not be recorded: it has probes and no agent");
        assert!(said.contains(&named), "{script}: {said}");
        assert!(printed.starts_with("10 events of "), "{printed}");
        let counted = "not recorded: 2 processes, whose events nobody counted";
        assert!(printed.contains(counted), "{printed}");
        assert!(!printed.contains("none lost"), "{printed}");
    }
    // What has no probes is not asked for any.
    let (code, said, printed) = record(&format!("{program} burst 9; env -i sleep 0.2"));
    assert_eq!(code, Some(0), "{said}");
    assert!(printed.contains("none lost"), "{printed}");
}

/// Its events are in another file system of the same name.
#[test]
fn a_process_with_files_in_memory_of_its_own_is_named() {
    if !geteuid().is_root() {
        not_checked(&test_name(), "only root can give it others");
        return;
    }
    let place = Place::new();
    let (program, trace) = (place.compile("family"), place.file("trace"));
    for script in ["exec $0 burst 9", "$0 forks 1 1 400; true"] {
        let script = format!("mount -t tmpfs none /dev/shm; {script}");
        let mut record = place.perflab();
        record.args(["trace", "record", "-o", &trace, "--"]);
        record.args(["unshare", "-m", "sh", "-c", &script, &program]);
        let output = record.env_remove("XDG_RUNTIME_DIR").output().unwrap();
        let (said, printed) = (text(&output.stderr), text(&output.stdout));
        assert_eq!(output.status.code(), Some(5), "{script}: {said}");
        let named = "(family) could not be recorded: its events are in /dev/shm/perflab-0/";
        assert!(said.contains(named), "{script}: {said}");
        assert!(printed.contains("not recorded: "), "{script}: {printed}");
        assert!(!printed.contains("none lost"), "{script}: {printed}");
        fs::remove_file(&trace).unwrap();
    }
}

/// A child of root's makes no more files where its own are, once it is another user's.
#[test]
fn threads_of_a_process_that_gave_up_its_rights() {
    if !geteuid().is_root() {
        not_checked(&test_name(), "only root can become another user");
        return;
    }
    let place = Place::new();
    let (program, trace) = (place.compile("family"), place.file("trace"));
    let output = place.trace(&["record", "-o", &trace, "--", &program, "nobody", "6"]);
    let said = printed(&output);
    let number = |line: &str| -> u64 { line.split(' ').next().unwrap().parse().unwrap() };
    let lost = said.lines().find_map(|line| line.strip_prefix("lost: "));
    let lost = lost.unwrap_or_else(|| panic!("{said}"));
    assert_eq!(number(&said) + number(lost), 60, "{said}");
    assert!(lost.contains("has given up root's rights"), "{said}");
    assert!(!said.contains("--memory gives more"), "{said}");
    // As the line says.
    let mut on = place.perflab();
    on.args(["trace", "on", "none", "--", &program, "nobody", "6"]);
    let mut started = on.stdin(Stdio::null()).spawn().unwrap();
    let child = || children(started.id()).first().copied();
    wait_until("a child of another user", || {
        child().is_some_and(|child| user(child) == "65534")
    });
    let (child, trace) = (child().unwrap(), place.file("of the child"));
    let said = printed(&place.trace(&["record", "--pid", &child.to_string(), "-o", &trace]));
    assert!(started.wait().unwrap().success());
    assert!(
        said.starts_with("60 events of 1 process ") && said.contains("none lost"),
        "{said}"
    );
}
