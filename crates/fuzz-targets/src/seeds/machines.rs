//! What the kernel, systemd and ethtool say of a machine, and programs on it.

use std::env;
use std::fs::File;
use std::io::Read;

use super::collection::{Collection, name};

/// Header, segments and notes of a program are at its beginning.
const HEAD_OF_PROGRAM: u64 = 4096;

pub fn collect(all: &mut Collection<'_>) {
    settings(all);
    machines(all);
    all.add("executable", "program", head_of_env());
    all.add("executable", "script", "#! /usr/bin/env  python3\n");
}

fn settings(all: &mut Collection<'_>) {
    let target = "settings";
    let offloads = "crates/lab/machine/tests/fixtures/ethtool/loopback.txt";
    all.add_file(target, "ethtool", "", offloads);
    all.add(
        target,
        "journal",
        r#"{"schema":1,"boot":"b","command":"c","kept":false,"entries":[{"target":{"file":"proc/sys/x"},"before":"1","after":"2"}]}"#,
    );
    all.add(target, "lock", "pid 1\nperflab run x.toml\n");
    all.add(
        target,
        "timers",
        r#"[{"next":1763725800000000,"unit":"fstrim.timer"}]"#,
    );
}

/// The recording of a machine is one file, in which a line `== path` is before the content of each file.
fn machines(all: &mut Collection<'_>) {
    for file in all.files("crates/lab/machine/tests/machines", ".txt") {
        let machine = name(&file).trim_end_matches(".txt");
        let mut parts: Vec<Vec<u8>> = Vec::new();
        for line in all.read(&file).split_inclusive(|&byte| byte == b'\n') {
            if let Some(path) = line.strip_prefix(b"== ") {
                parts.push(path.to_vec());
            } else if let Some(part) = parts.last_mut() {
                part.extend_from_slice(line);
            }
        }
        for (part, number) in parts.into_iter().zip(1..) {
            all.add("machine", format!("{machine}-{number}"), part);
        }
    }
}

/// The beginning of a real program, which every machine has.
fn head_of_env() -> Vec<u8> {
    let path = env::var_os("PATH").expect("PATH is set");
    let program = env::split_paths(&path)
        .find_map(|directory| File::open(directory.join("env")).ok())
        .expect("the program env is on PATH");
    let mut head = Vec::new();
    program
        .take(HEAD_OF_PROGRAM)
        .read_to_end(&mut head)
        .expect("the program env can be read");
    head
}
