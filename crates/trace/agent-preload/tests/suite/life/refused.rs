//! What the agent does not understand: variables, sections, messages.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use perflab_control::{traced, variable};

use super::{built, does, hits, life};
use crate::support::{HEADER, Program, programs};

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
    // Some say nothing, some stop in the middle, some do not listen; others are still served, and soon.
    let silent: Vec<UnixStream> = (0..300)
        .map(|_| UnixStream::connect(&socket).unwrap())
        .collect();
    let mut half = UnixStream::connect(&socket).unwrap();
    half.write_all(b"PFLB\x01").unwrap();
    let soon = agent.clone().with_patience(Duration::from_secs(5));
    soon.switch("*", true).unwrap();
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
