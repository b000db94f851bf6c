//! What programs do with their process, and what becomes of their probes.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::support::compile::compile;
use crate::support::{HEADER, Program, agent_of, preload, programs};
use perflab_control::{Agent, Site, traced, variable};
use perflab_testing::{not_checked, test_name};

fn built(directory: &Path, source: &str, flags: &[&str]) -> PathBuf {
    let output = directory.join(source.replace(".c", ""));
    compile("gcc", &[&["-O2"], flags].concat(), &[source], &output);
    output
}

fn life_with(header: &Path) -> PathBuf {
    let output = header.join("life");
    perflab_testing::needs("gcc", "gcc");
    let built = Command::new("gcc")
        .args(["-O2", "-g", "-Wall", "-Wextra", "-Werror", "-I"])
        .args([header, &programs().join("life.c")])
        .arg("-o")
        .arg(&output)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{said}");
    output
}

fn life(directory: &Path) -> Program {
    Program::start(&mut Command::new(built(directory, "life.c", &[])))
}

/// The program, whose sites are switched in a certain way.
fn life_by(directory: &Path, protocol: &str) -> Program {
    let path = built(directory, "life.c", &[]);
    Program::start(Command::new(path).env("PERFLAB_AGENT_PROTOCOL", protocol))
}

fn does(program: &mut Program, what: &str) -> String {
    program.tell(&format!("{what}\n"));
    program.line().trim().to_owned()
}

fn sites(agent: &Agent) -> Vec<Site> {
    agent.list("*").unwrap().0
}

fn hits(agent: &Agent, name: &str) -> u64 {
    sites(agent)
        .iter()
        .find(|site| site.name == name)
        .unwrap()
        .hits
}

/// Waits for what the agent does by itself.
fn soon(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn objects_that_come_and_go() {
    for protocol in ["word", "pun"] {
        let directory = tempfile::tempdir().unwrap();
        let library = built(directory.path(), "elsewhere.c", &["-shared", "-fPIC"]);
        let mut program = life_by(directory.path(), protocol);
        let agent = program.ask();
        let how = agent.switch("*", true).unwrap().how;
        assert!(how.starts_with(&format!("by {protocol}")), "{how}");
        for _ in 0..3 {
            assert_eq!(
                does(&mut program, &format!("open {}", library.display())),
                "opened done"
            );
            let is_on = |site: &Site| site.name == "elsewhere" && site.on;
            soon("the new site is on", || sites(&agent).iter().any(is_on));
            does(&mut program, "call elsewhere");
            assert_eq!(hits(&agent, "elsewhere"), 1);
            does(&mut program, "close");
            assert_eq!(sites(&agent).len(), 1);
        }
        program.ends();
    }
}

/// Loads an object, whose site goes on by itself.
fn finds_another(program: &mut Program, agent: &Agent, library: &str) {
    assert_eq!(does(program, &format!("open {library}")), "opened done");
    let is_on = |site: &Site| site.name == "elsewhere" && site.on;
    soon("the new site is on", || sites(agent).iter().any(is_on));
    does(program, "call elsewhere");
    assert_eq!(hits(agent, "elsewhere"), 1);
}

/// The kernel lists it among what is mapped.
#[test]
fn a_program_whose_path_is_no_text() {
    use std::os::unix::ffi::OsStrExt;
    for protocol in ["word", "pun"] {
        let directory = tempfile::tempdir().unwrap();
        let library = built(directory.path(), "elsewhere.c", &["-shared", "-fPIC"]);
        let name = std::ffi::OsStr::from_bytes(b"li\xffe");
        let path = directory.path().join(name);
        std::fs::copy(built(directory.path(), "life.c", &[]), &path).unwrap();
        let mut command = Command::new(path);
        let mut program = Program::start(command.env("PERFLAB_AGENT_PROTOCOL", protocol));
        let agent = program.ask();
        agent.switch("*", true).unwrap();
        finds_another(&mut program, &agent, library.to_str().unwrap());
        program.ends();
    }
}

/// There is no `/proc` in the new root.
#[test]
fn objects_that_come_after_a_change_of_the_root() {
    if !rustix::process::geteuid().is_root() {
        not_checked(&test_name(), "only root can change it");
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    built(directory.path(), "elsewhere.c", &["-shared", "-fPIC"]);
    let mut program = life_by(directory.path(), "word");
    let agent = program.ask();
    agent.switch("*", true).unwrap();
    let root = directory.path().display();
    assert_eq!(does(&mut program, &format!("chroot {root}")), "done");
    finds_another(&mut program, &agent, "/elsewhere");
    agent.switch("*", false).unwrap();
    assert!(sites(&agent).iter().all(|site| !site.on));
    program.ends();
}

#[test]
fn an_object_that_fails_to_load() {
    let directory = tempfile::tempdir().unwrap();
    let library = built(directory.path(), "broken.c", &["-shared", "-fPIC"]);
    let mut program = life(directory.path());
    let agent = program.ask();
    for on in [true, false, true, false] {
        let opened = does(&mut program, &format!("open {}", library.display()));
        assert_eq!(opened, "not opened done");
        agent.switch("*", on).unwrap();
        assert_eq!(sites(&agent).len(), 1);
    }
    program.ends();
}

#[test]
fn children() {
    for protocol in ["word", "pun"] {
        let directory = tempfile::tempdir().unwrap();
        let mut program = life_by(directory.path(), protocol);
        let agent = program.ask();
        agent.switch("*", true).unwrap();
        does(&mut program, "work 5");
        let line = does(&mut program, "fork");
        let child: u32 = line.strip_prefix("child ").unwrap().parse().unwrap();
        let found = || {
            traced()
                .unwrap()
                .into_iter()
                .find(|traced| traced.pid == child)
        };
        soon("the child has an agent", || found().is_some());
        let own = agent_of(child);
        program.tell(" ");
        soon("the child's site was hit", || hits(&own, "work") == 1);
        own.switch("*", false).unwrap();
        assert!(sites(&agent)[0].on, "the parent's is as it was");
        program.tell(" ");
        assert_eq!(program.line(), "status 0 done\n");
        assert_eq!(hits(&agent, "work"), 5, "the child counts for itself");
        assert_eq!(does(&mut program, "vfork"), "status 0 done");
        assert_eq!(hits(&agent, "work"), 6, "one memory");
        assert!(found().is_none());
        program.ends();
    }
}

/// The linker's lock, if a thread of the parent holds it as the process forks, stays closed in the child.
#[test]
fn children_of_a_process_that_is_searched() {
    let directory = tempfile::tempdir().unwrap();
    let path = built(directory.path(), "forks.c", &["-rdynamic", "-pthread"]);
    let mut program = Program::start(Command::new(path).env("PERFLAB_PROBES", "forks:*"));
    let children: Vec<u32> = (0..20)
        .map(|_| {
            let line = program.line();
            line.trim().strip_prefix("child ").unwrap().parse().unwrap()
        })
        .collect();
    for child in children {
        assert_eq!(hits(&agent_of(child), "child"), 1, "{child}");
    }
    program.ends();
}

#[test]
fn another_program_in_the_same_process() {
    let directory = tempfile::tempdir().unwrap();
    let mut program = life(directory.path());
    program.ask().switch("*", true).unwrap();
    program.tell("exec\n");
    let agent = program.ask();
    let is_new = || {
        agent
            .list("*")
            .is_ok_and(|(sites, _)| sites.len() == 1 && !sites[0].on)
    };
    soon(
        "the new program has an agent, which was asked for nothing",
        is_new,
    );
    agent.switch("*", true).unwrap();
    does(&mut program, "work 5");
    assert_eq!(hits(&agent, "work"), 5);
    program.ends();
}

#[test]
fn a_daemon_closes_all_files() {
    let directory = tempfile::tempdir().unwrap();
    let mut program = life(directory.path());
    let agent = program.ask();
    does(&mut program, "closefrom");
    agent.switch("*", true).unwrap();
    does(&mut program, "work 5");
    assert_eq!(hits(&agent, "work"), 5);
    program.ends();
}

#[test]
fn a_server_that_gives_up_its_rights() {
    let directory = tempfile::tempdir().unwrap();
    let is_root = Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
    if !is_root {
        not_checked(&test_name(), "only root can become another user");
        return;
    }
    let mut program = life(directory.path());
    let agent = program.ask();
    does(&mut program, "user");
    // Its agent thread has the new user too. /proc/self/mem belongs to root now.
    let on = agent.switch("*", true).unwrap();
    assert_eq!(on.changed, 1, "{on:?}");
    does(&mut program, "work 5");
    assert_eq!(hits(&agent, "work"), 5);
    program.ends();
}

/// How the first switch was made in surroundings, and hits of three executions after it.
fn switched_in(
    directory: &Path,
    surroundings: &[&str],
    program: &Path,
    protocol: Option<&str>,
) -> Result<(String, u64), String> {
    let surround = built(directory, "surround.c", &[]);
    let mut words = surroundings
        .iter()
        .flat_map(|mode| [surround.as_os_str(), mode.as_ref()]);
    let mut command = Command::new(words.next().unwrap());
    command.args(words).arg(program);
    command.envs(protocol.map(|protocol| ("PERFLAB_AGENT_PROTOCOL", protocol)));
    let mut program = Program::start(&mut command);
    does(&mut program, "work 1");
    let agent = program.ask();
    let result = agent.switch("*", true);
    does(&mut program, "work 3");
    let hits = hits(&agent, "work");
    program.ends();
    result
        .map(|on| (on.how, hits))
        .map_err(|error| error.to_string())
}

#[test]
fn where_pages_cannot_be_made_writable() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    for flags in [&[][..], &["-no-pie"]] {
        let life = built(directory, "life.c", flags);
        let (how, hits) = switched_in(directory, &["mdwe"], &life, None).unwrap();
        let expected =
            "by pun, through /proc/self/mem, with membarrier; code cannot be made writable";
        assert!(how.starts_with(expected), "{flags:?}: {how}");
        assert_eq!(hits, 3);
    }
    let life = built(directory, "life.c", &[]);
    let refused = switched_in(directory, &["mdwe"], &life, Some("word")).unwrap_err();
    assert!(refused.contains("cannot be made writable"), "{refused}");
    // As services are kept from it.
    let (how, hits) = switched_in(directory, &["no-change"], &life, None).unwrap();
    assert!(how.starts_with("by pun, through /proc/self/mem"), "{how}");
    assert_eq!(hits, 3);
    // Nor executable memory be had.
    for (code, reason) in [
        ("no-code", "Permission denied"),
        (
            "kill-code",
            "a filter of system calls ends a process for that",
        ),
    ] {
        let refused = switched_in(directory, &["mdwe", code], &life, None).unwrap_err();
        assert!(
            refused.contains(&format!("executable memory cannot be had: {reason}"))
                && refused.contains("PERFLAB_AGENT_PROTOCOL=fault"),
            "{code}: {refused}"
        );
        let (how, hits) = switched_in(directory, &["mdwe", code], &life, Some("fault")).unwrap();
        assert_eq!(how, "by fault, through /proc/self/mem, with membarrier");
        assert_eq!(hits, 3);
    }
}

/// What was switched on by a jump of five bytes cannot go off by a pun, and stays as it is.
#[test]
fn where_pages_cannot_be_made_writable_any_more() {
    let directory = tempfile::tempdir().unwrap();
    let mut program = life(directory.path());
    let agent = program.ask();
    let on = agent.switch("*", true).unwrap();
    assert!(on.how.starts_with("by word"), "{on:?}");
    does(&mut program, "no writable code");
    let refused = agent.switch("*", false).unwrap_err().to_string();
    assert!(refused.contains("cannot go off any more"), "{refused}");
    does(&mut program, "work 3");
    assert_eq!(hits(&agent, "work"), 3);
    program.ends();
}

#[test]
fn where_membarrier_cannot_be_used() {
    let directory = tempfile::tempdir().unwrap();
    let life = built(directory.path(), "life.c", &[]);
    for mode in ["refuse", "kill"] {
        let (how, hits) = switched_in(directory.path(), &[mode], &life, None).unwrap();
        assert!(
            how.contains("with a visit to each processor"),
            "{mode}: {how}"
        );
        assert_eq!(hits, 3);
    }
}

#[test]
fn what_cannot_be_done_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let life = built(directory.path(), "life.c", &[]);
    let surround = built(directory.path(), "surround.c", &[]);
    for protocol in ["word", "pun", "fault", "trap"] {
        let mut program = Program::start(
            Command::new(&surround)
                .arg("refuse")
                .arg(&life)
                .env("PERFLAB_AGENT_PROTOCOL", protocol)
                .env("PERFLAB_AGENT_SYNC", "membarrier"),
        );
        does(&mut program, "work 1");
        let agent = program.ask();
        for _ in 0..2 {
            let refused = agent.switch("*", true).unwrap_err().to_string();
            assert!(refused.contains("membarrier failed"), "{refused}");
        }
        does(&mut program, "work 3");
        assert_eq!(hits(&agent, "work"), 0);
        program.ends();
    }
}

#[test]
fn a_program_whose_name_is_no_text() {
    let directory = tempfile::tempdir().unwrap();
    let life = built(directory.path(), "life.c", &[]);
    // The kernel keeps fifteen bytes of it, the last one half a letter.
    let named = directory.path().join("programm-abcdeü");
    std::fs::rename(life, &named).unwrap();
    let mut program = Program::start(&mut Command::new(named));
    let agent = program.ask();
    agent.switch("*", true).unwrap();
    does(&mut program, "work 2");
    assert_eq!(hits(&agent, "work"), 2);
    program.ends();
}

#[test]
fn without_close_range() {
    let directory = tempfile::tempdir().unwrap();
    let life = built(directory.path(), "life.c", &[]);
    let surround = built(directory.path(), "surround.c", &[]);
    let mut program = Program::start(Command::new(&surround).arg("files").arg(&life));
    does(&mut program, "closefrom");
    let agent = program.ask();
    agent.switch("*", true).unwrap();
    does(&mut program, "closefrom");
    does(&mut program, "work 5");
    assert_eq!(hits(&agent, "work"), 5);
    program.ends();
}

#[test]
fn variables_that_are_not_understood() {
    let directory = tempfile::tempdir().unwrap();
    let life = built(directory.path(), "life.c", &[]);
    let reason = |variable: &str| match variable {
        "PERFLAB_PROBES" | "PERFLAB_RECORD" => "\"li-fe\" is no probe",
        "PERFLAB_WHEN" => "the value is no filter in hexadecimal digits",
        "PERFLAB_RECORD_FOR" => "\"li-fe\" is no recorder's PID-NUMBER",
        "PERFLAB_AGENT_CLOCK" => "\"li-fe\" is none of ordered, unordered, monotonic",
        "PERFLAB_AGENT_PROTOCOL" => "\"li-fe\" is none of word, pun, fault, trap",
        "PERFLAB_AGENT_WRITING" => "\"li-fe\" is none of memory, protection",
        "PERFLAB_AGENT_SYNC" => "\"li-fe\" is none of membarrier, visit",
        "PERFLAB_AGENT_FILTERS" => "\"li-fe\" is none of native, interpreted",
        "PERFLAB_AGENT_CODE_AT" => "\"li-fe\" is no number of bytes from 0 to 63",
        "PERFLAB_RECORD_RING" => "\"li-fe\" is no number of KiB from 8 to 262144",
        "PERFLAB_RECORD_MEMORY" => "\"li-fe\" is no number of KiB from 24 to 4294967295",
        _ => "\"li-fe\" is no number of KiB from 0 to 4294967295",
    };
    let mut command = Command::new(&life);
    command.envs(variable::CHECKED.map(|variable| (variable, "li-fe")));
    let program = Program::start(&mut command);
    let (sites, state) = program.ask().list("*").unwrap();
    assert!(!sites[0].on);
    for variable in variable::CHECKED {
        let said = format!("{variable:?}: {}", reason(variable));
        assert!(state.how.contains(&said), "{said}: {state:?}");
    }
    program.ends();
    // Words that are empty, and a number.
    let words = [variable::CLOCK, variable::PROTOCOL, variable::WRITING];
    command = Command::new(&life);
    command.envs(words.map(|variable| (variable, "")));
    let program = Program::start(command.env(variable::RECORD_TOTAL, "65536"));
    assert_eq!(program.ask().list("*").unwrap().1.how, "");
    program.ends();
}

#[test]
fn sections_of_another_version() {
    let directory = tempfile::tempdir().unwrap();
    let header = std::fs::read_to_string(Path::new(HEADER).join("perflab/probe.h")).unwrap();
    let cases = [
        (".short 1, 48,", ".short 2, 48,", "its site is of version 2"),
        (
            ".short 1, 48,",
            ".short 1, 16,",
            "its site is of version 1 with 16 bytes",
        ),
        (
            "perflab_note_1: .short 1, 32",
            "perflab_note_1: .short 9, 32",
            "its note is of version 9",
        ),
        (".quad 991b - .", ".quad 0", "a site cannot be read"),
        (
            "\"990b - .\"",
            "\"990b - . + 0x10000000\"",
            "leads out of it",
        ),
        (
            "\\\\n\" name \"",
            "\\\\n-\" name \"",
            "a site cannot be read",
        ),
    ];
    for (index, (old, new, expected)) in cases.into_iter().enumerate() {
        let place = directory.path().join(index.to_string());
        std::fs::create_dir_all(place.join("perflab")).unwrap();
        assert!(header.contains(old), "{old}");
        std::fs::write(place.join("perflab/probe.h"), header.replace(old, new)).unwrap();
        let life = life_with(&place);
        let mut program = Program::start(&mut Command::new(life));
        does(&mut program, "work 3");
        let (sites, state) = program.ask().list("*").unwrap();
        assert!(
            sites.is_empty() && state.how.contains(expected),
            "{old}: {state:?} {sites:?}"
        );
        program.ends();
    }
}

#[test]
fn hostile_messages() {
    let directory = tempfile::tempdir().unwrap();
    let mut program = life(directory.path());
    let agent = program.ask();
    let socket = traced()
        .unwrap()
        .into_iter()
        .find(|traced| traced.pid == program.pid())
        .unwrap()
        .socket;
    let header = |magic: &[u8; 4], protocol: u16, kind: u16, length: u32| {
        let mut bytes = magic.to_vec();
        bytes.extend(protocol.to_le_bytes());
        bytes.extend(kind.to_le_bytes());
        bytes.extend(length.to_le_bytes());
        bytes
    };
    let with = |mut header: Vec<u8>, content: &[u8]| {
        header.extend(content);
        header
    };
    let cases: [(Vec<u8>, &str); 9] = [
        (b"GET / HTTP/1.1\r\n\r\n".to_vec(), "no message of perflab"),
        (header(b"PFLB", 2, 1, 0), "of protocol 2"),
        (header(b"PFLB", 1, 77, 0), "kind 77"),
        (header(b"PFLB", 1, 1, u32::MAX), "at most"),
        (header(b"PFLB", 1, 1, 0), "ends within a field"),
        (
            with(header(b"PFLB", 1, 1, 3), &[9, 0, b'*']),
            "ends within a field",
        ),
        (with(header(b"PFLB", 1, 1, 3), &[1, 0, 0xff]), "not UTF-8"),
        (with(header(b"PFLB", 1, 2, 3), &[1, 0, b'!']), "no probe"),
        (
            with(header(b"PFLB", 1, 128, 3), &[1, 0, b'*']),
            "it is an answer",
        ),
    ];
    for (message, expected) in cases {
        let mut stream = UnixStream::connect(&socket).unwrap();
        stream.write_all(&message).unwrap();
        let mut answer = Vec::new();
        // What the agent did not read makes the end a reset, behind the answer.
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer);
        assert!(answer.contains(expected), "{message:?}: {answer:?}");
    }
    // Some say nothing, some stop in the middle, some do not listen; others are still served.
    let silent: Vec<UnixStream> = (0..3)
        .map(|_| UnixStream::connect(&socket).unwrap())
        .collect();
    let mut half = UnixStream::connect(&socket).unwrap();
    half.write_all(b"PFLB\x01").unwrap();
    agent.switch("*", true).unwrap();
    does(&mut program, "work 3");
    assert_eq!(hits(&agent, "work"), 3);
    drop(silent);
    // Noise, from a fixed seed.
    let mut state = 88_172_645_463_325_252u64;
    for _ in 0..300 {
        let mut noise = header(b"PFLB", 1, 1 + (state % 3) as u16, (state >> 8) as u32 % 64);
        for _ in 0..state % 80 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            noise.push(state as u8);
        }
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let mut stream = UnixStream::connect(&socket).unwrap();
        // The agent may have refused and gone before all was sent.
        let _ = stream.write_all(&noise);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let _ = stream.read_to_end(&mut Vec::new());
    }
    agent.switch("*", false).unwrap();
    does(&mut program, "work 3");
    program.ends();
}

/// It ends with its last thread, and says what it would have said: the agent's thread is none of its own.
#[test]
fn a_first_thread_that_ends_before_the_others() {
    let directory = tempfile::tempdir().unwrap();
    let program = built(directory.path(), "first.c", &["-pthread"]);
    for how in ["exit", "value", "fork", "atexit"] {
        let outcome = |variables: &[(&str, &str)]| {
            let mut command = Command::new("timeout");
            command.args(["-s", "KILL", "20", program.to_str().unwrap(), how]);
            let done = command.envs(variables.iter().copied()).output().unwrap();
            (
                done.status.code(),
                String::from_utf8_lossy(&done.stdout).into_owned(),
            )
        };
        let alone = outcome(&[]);
        let preload = preload();
        let preload = preload.to_str().unwrap();
        for wanted in ["PERFLAB_PROBES", "PERFLAB_RECORD", "NONE"] {
            let traced = outcome(&[("LD_PRELOAD", preload), (wanted, "*")]);
            assert_eq!(traced, alone, "{how} {wanted}");
        }
        let code = if how == "atexit" { 7 } else { 0 };
        assert_eq!(alone.0, Some(code), "{how}");
        assert!(alone.1.ends_with("other "), "{how}: {alone:?}");
    }
}
