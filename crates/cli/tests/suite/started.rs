//! `perflab trace` on commands that cannot be given an agent, or that have no such probe.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use perflab_testing::{not_checked, test_name};
use rustix::process::geteuid;

use crate::life::{Place, printed, text};

/// Compiles the program that can do nothing but make events, with more options.
fn compile(place: &Place, name: &str, options: &[&str]) -> Option<String> {
    let wing = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../trace"));
    let program = place.directory.path().join(name);
    let built = Command::new("gcc")
        .args(["-O2", "-pthread", "-I"])
        .arg(wing.join("probe/include"))
        .arg(wing.join("agent-preload/tests/programs/family.c"))
        .args(options)
        .arg("-o")
        .arg(&program)
        .stderr(Stdio::null())
        .status();
    built
        .unwrap()
        .success()
        .then(|| program.to_str().unwrap().to_owned())
}

fn record(place: &Place, probes: &str, command: &[&str]) -> Output {
    let trace = place.directory.path().join("trace");
    let _ = fs::remove_file(&trace);
    let words = ["record", probes, "-o", trace.to_str().unwrap(), "--"];
    place.trace(&[&words, command].concat())
}

#[test]
fn a_program_with_address_sanitizer_is_recorded() {
    let place = Place::new();
    let Some(program) = compile(&place, "sanitized", &["-fsanitize=address"]) else {
        not_checked(&test_name(), "gcc has no AddressSanitizer here");
        return;
    };
    let said = printed(&record(&place, "*", &[&program, "burst", "9"]));
    assert!(said.starts_with("10 events of 1 process"), "{said}");
}

#[test]
fn a_program_that_cannot_be_given_the_agent_is_not_started() {
    let place = Place::new();
    let path = place.directory.path();
    // Only what the program asks its linker for counts.
    let linker = path.join("ld-musl-x86_64.so.1");
    let option = format!("-Wl,--dynamic-linker={}", linker.display());
    let other = compile(&place, "other", &[&option]).unwrap();
    let setuid = path.join("setuid");
    fs::copy("/bin/true", &setuid).unwrap();
    let mut programs = vec![(other, "its C library is musl")];
    if std::os::unix::fs::chown(&setuid, Some(65534), None).is_ok() {
        fs::set_permissions(&setuid, fs::Permissions::from_mode(0o4755)).unwrap();
        let setuid = setuid.to_str().unwrap().to_owned();
        programs.push((setuid, "it has more rights than its user"));
    }
    for (program, reason) in programs {
        for output in [
            record(&place, "*", &[&program]),
            place.trace(&["on", "*", "--", &program]),
        ] {
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(5), "{said}");
            assert!(said.contains(&program) && said.contains(reason), "{said}");
        }
        assert!(!path.join("trace").exists());
    }
}

/// The linker ignores the agent of a program that the kernel gives more than its user has, which is never root.
#[test]
fn a_program_with_capabilities_is_started_for_root_only() {
    let place = Place::new();
    let path = place.directory.path();
    let program = path.join("capable");
    fs::copy("/bin/echo", &program).unwrap();
    // Version 2, effective: CAP_NET_RAW is permitted.
    let raw = [0x0200_0001, 1 << 13, 0, 0, 0]
        .map(u32::to_le_bytes)
        .concat();
    let flags = rustix::fs::XattrFlags::empty();
    if rustix::fs::setxattr(&program, "security.capability", &raw, flags).is_err() {
        not_checked(&test_name(), "only root can give a program capabilities");
        return;
    }
    let words = [
        "trace",
        "on",
        "*",
        "--",
        program.to_str().unwrap(),
        "started",
    ];
    let output = place.perflab().args(words).output().unwrap();
    assert_eq!(printed(&output), "started\n");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new("setpriv");
    command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]);
    command.arg(path.join("bin/perflab")).args(words);
    let output = command.output().unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{said}");
    assert!(said.contains("capabilities of its own (setcap)"), "{said}");
}

#[test]
fn a_command_without_an_agent_is_no_recording() {
    let place = Place::new();
    let reason = "is linked statically, so no agent can be loaded into it";
    for option in ["-static", "-static-pie"] {
        let program = compile(&place, "static", &["-fPIE", option]).unwrap();
        let output = record(&place, "*", &[&program, "burst", "9"]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{said}");
        assert!(
            said.contains("no process of the command had an agent"),
            "{said}"
        );
        assert!(said.contains(&format!("{program} {reason}")), "{said}");
        let output = place.trace(&["on", "*", "--", &program, "burst", "9"]);
        assert!(output.status.success());
        let said = text(&output.stderr);
        assert!(said.contains(&format!("{program} {reason}")), "{said}");
        assert!(!said.contains("knows filters"), "{said}");
        // It may have an earlier one, which ignores them.
        let words = ["on", "*", "--when", "1", "--", &program, "burst", "9"];
        let output = place.trace(&words);
        assert!(output.status.success());
        let said = text(&output.stderr);
        let ignored = format!("{program} has no agent that knows filters");
        assert!(said.contains(&ignored), "{said}");
    }
    // The linker loads the agent into the program that it is given.
    let program = compile(&place, "dynamic", &[]).unwrap();
    let output = place.trace(&[
        "on",
        "*",
        "--",
        "/lib64/ld-linux-x86-64.so.2",
        &program,
        "burst",
        "9",
    ]);
    assert!(output.status.success());
    assert_eq!(text(&output.stderr), "");
}

#[test]
fn probes_that_there_are_not_are_said() {
    let place = Place::new();
    let program = place.compile("family");
    let output = record(&place, "other:*", &[&program, "burst", "9"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("no probe is called \"other:*\""), "{said}");
    let on = |words: &[&str]| {
        let output = place.trace(&[&["on", "other:*"], words].concat());
        // The command's own.
        assert!(output.status.success());
        text(&output.stderr)
    };
    let said = on(&["--", &program, "burst", "9"]);
    assert!(
        said.contains("no probe is called \"other:*\" now"),
        "{said}"
    );
    // What becomes another program says nothing for that, and nothing of what it starts.
    let said = on(&["--", "env", &program, "burst", "9"]);
    assert_eq!(said.matches("no probe").count(), 1, "{said}");
    let said = on(&["--", "true"]);
    assert!(said.contains(" had no probes"), "{said}");
    let output = place.trace(&["on", "family", "--", &program, "burst", "9"]);
    assert_eq!(text(&output.stderr), "");
}

/// As a shell does, and `on`.
#[test]
fn a_script_without_a_line_for_its_interpreter() {
    let place = Place::new();
    let program = place.compile("family");
    let script = place.path("script");
    fs::write(&script, format!("exec {program} \"$@\"\n")).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let said = printed(&record(
        &place,
        "family:*",
        &[script.to_str().unwrap(), "burst", "9"],
    ));
    assert!(said.starts_with("10 events of "), "{said}");
    // One that is found in `PATH`.
    let path = std::env::join_paths(
        [place.directory.path().to_owned()]
            .into_iter()
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let trace = place.file("by its name");
    let mut command = place.perflab();
    command.args([
        "trace", "record", "-o", &trace, "--", "script", "burst", "9",
    ]);
    let said = printed(&command.env("PATH", path.unwrap()).output().unwrap());
    assert!(said.starts_with("10 events of "), "{said}");
}

/// It says whom events are kept for, which only a recorder knows.
#[test]
fn a_recorder_that_is_none_is_refused() {
    let place = Place::new();
    let mut command = place.perflab();
    command.args(["trace", "on", "*", "--", "echo", "started"]);
    let output = command.env("PERFLAB_RECORD_FOR", "zz").output().unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("PERFLAB_RECORD_FOR: \"zz\" is no recorder's PID-NUMBER"),
        "{said}"
    );
    assert_eq!(text(&output.stdout), "");
}

/// The pipe of the recorder is there as long as it records.
#[test]
fn what_starts_after_the_recording_is_not_recorded() {
    let place = Place::new();
    let (trace, program) = (place.file("trace"), place.compile("family"));
    let memory = tempfile::tempdir_in("/dev/shm").unwrap();
    let script = format!(
        "{program} burst 9; while [ -e \"${{PERFLAB_RECORD_REFUSED%% *}}\" ]; do :; done; {program} burst 9; {program} burst 9; :"
    );
    let mut command = place.perflab();
    command.args(["trace", "record", "-o", &trace, "--until", "family:work"]);
    let command = command.args(["--", "sh", "-c", &script]);
    let said = printed(
        &command
            .env("XDG_RUNTIME_DIR", memory.path())
            .output()
            .unwrap(),
    );
    assert!(said.contains("  family:work in process "), "{said}");
    let left = fs::read_dir(memory.path().join("perflab")).unwrap();
    let names = left.map(|file| file.unwrap().file_name().into_string().unwrap());
    let rings: Vec<String> = names.filter(|name| name.ends_with(".rings")).collect();
    // The shell was recorded, and may end without a look at its files.
    assert!(rings.len() <= 1, "{rings:?}");
}

/// The agent of a command would ignore it.
#[test]
fn a_variable_that_is_not_understood_is_refused() {
    let place = Place::new();
    let trace = place.directory.path().join("trace");
    let record = ["record", "-o", trace.to_str().unwrap()];
    let cases = [
        ("PERFLAB_RECORD_TOTAL", "64M", "no number of KiB"),
        ("PERFLAB_RECORD_RING", "-1", "no number of KiB"),
        (
            "PERFLAB_RECORD_RING",
            "0",
            "no number of KiB from 8 to 262144",
        ),
        (
            "PERFLAB_RECORD_RING",
            "2000000",
            "no number of KiB from 8 to 262144",
        ),
        ("PERFLAB_RECORD_MEMORY", "1", "no number of KiB from 24 to"),
        (
            "PERFLAB_AGENT_CLOCK",
            "order",
            "none of ordered, unordered, monotonic",
        ),
        ("PERFLAB_AGENT_SYNC", "no", "none of membarrier, visit"),
    ];
    for (variable, value, reason) in cases {
        for words in [&["on", "*"][..], &record] {
            let mut command = place.perflab();
            command
                .arg("trace")
                .args(words)
                .args(["--", "echo", "started"]);
            let output = command.env(variable, value).output().unwrap();
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{said}");
            assert!(
                said.contains(&format!("{variable}: {value:?} is {reason}")),
                "{said}"
            );
            assert_eq!(text(&output.stdout), "");
        }
    }
    assert!(!trace.exists());
    // What perflab sets itself does not matter, nor what is only for others.
    let mut command = place.perflab();
    command.args(["trace", "on", "*", "--ring", "64", "--", "echo", "started"]);
    let output = command
        .env("PERFLAB_PROBES", "a-b")
        .env("PERFLAB_RECORD_RING", "no")
        .output();
    assert_eq!(text(&output.unwrap().stdout), "started\n");
}

#[test]
fn what_others_left_is_not_removed_unasked() {
    let place = Place::new();
    let output = place.trace(&["recover", "--remove"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("--all"), "{said}");
}

/// Somebody else may make the directory first, where everybody may.
#[test]
fn a_directory_of_another_users_is_named() {
    if !geteuid().is_root() {
        not_checked(&test_name(), "only root can make another user's directory");
        return;
    }
    let place = Place::new();
    let program = place.compile("family");
    let user = 54321.to_string();
    let memory = Path::new("/dev/shm").join(format!("perflab-{user}"));
    let _ = fs::remove_dir_all(&memory);
    fs::create_dir(&memory).unwrap();
    std::os::unix::fs::chown(&memory, Some(1), None).unwrap();
    fs::set_permissions(place.directory.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let script = format!(
        "sleep 2 | LD_PRELOAD={} {program} waits & sleep 0.5; {} trace on family --record --all",
        place
            .directory
            .path()
            .join("lib/perflab/libperflab_preload.so")
            .display(),
        place.directory.path().join("bin/perflab").display()
    );
    let output = Command::new("setpriv")
        .args(["--reuid", &user, "--regid", &user, "--clear-groups"])
        .args(["sh", "-c", &script])
        .env_remove("XDG_RUNTIME_DIR")
        .output()
        .unwrap();
    let said = text(&output.stdout);
    fs::remove_dir(&memory).unwrap();
    let _ = fs::remove_dir_all(Path::new("/tmp").join(format!("perflab-{user}")));
    assert!(
        said.contains("events are kept in /tmp/perflab-54321"),
        "{said} {}",
        text(&output.stderr)
    );
    assert!(said.contains("one of user 1 with mode"), "{said}");
}
