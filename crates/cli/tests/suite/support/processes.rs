//! The processes of this machine, as `/proc` shows them.

use std::fs;

use rustix::process::{Pid, Signal, kill_process};

/// The processes that have a word in their command line or working directory, this one excluded.
pub fn processes(word: &str) -> Vec<String> {
    let own = std::process::id().to_string();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let pid = entry.file_name().to_string_lossy().into_owned();
        if !pid.bytes().all(|byte| byte.is_ascii_digit()) || pid == own {
            continue;
        }
        let bytes = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        // One without memory has ended: the kernel is clearing it away.
        if bytes.is_empty() {
            continue;
        }
        let command = String::from_utf8_lossy(&bytes).replace('\0', " ");
        let directory = fs::read_link(entry.path().join("cwd")).unwrap_or_default();
        if command.contains(word) || directory.to_string_lossy().contains(word) {
            found.push(format!("{pid} {command} in {}", directory.display()));
        }
    }
    found
}

/// Sends a signal.
pub fn signal(pid: u32, signal: Signal) {
    kill_process(Pid::from_raw(pid.try_into().unwrap()).unwrap(), signal).unwrap();
}
