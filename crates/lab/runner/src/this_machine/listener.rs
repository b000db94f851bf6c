//! Who listens on a TCP port.
//!
//! A server that could not bind because another one has its port would else be "ready": a
//! connection succeeds, to the wrong server. So the listening socket must belong to the process
//! group that was started.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use rustix::process::Pid;

use crate::host::Listener;

/// Looks up who listens on a TCP port of this machine, below `proc` (`/proc`).
pub(super) fn listener(proc: &Path, port: u16, group: Pid) -> Listener {
    let sockets: BTreeSet<u64> = ["net/tcp", "net/tcp6"]
        .iter()
        .filter_map(|table| fs::read_to_string(proc.join(table)).ok())
        .flat_map(|table| listening(&table, port))
        .collect();
    if sockets.is_empty() {
        return Listener::Nobody;
    }
    let mut all_read = true;
    for process in members(proc, group) {
        let Ok(descriptors) = fs::read_dir(proc.join(process.to_string()).join("fd")) else {
            all_read = false;
            continue;
        };
        for descriptor in descriptors.flatten() {
            let Ok(target) = fs::read_link(descriptor.path()) else {
                continue;
            };
            let inode = target
                .to_str()
                .and_then(|text| text.strip_prefix("socket:["))
                .and_then(|text| text.strip_suffix(']'))
                .and_then(|text| text.parse().ok());
            if inode.is_some_and(|inode: u64| sockets.contains(&inode)) {
                return Listener::Ours;
            }
        }
    }
    if all_read {
        Listener::Other
    } else {
        Listener::Unknown
    }
}

/// The inodes of the sockets in state LISTEN (0A) on a port, from the text of /proc/net/tcp.
fn listening(table: &str, port: u16) -> Vec<u64> {
    table
        .lines()
        .skip(1)
        .filter_map(|line| {
            let fields: Vec<&str> = line.split_ascii_whitespace().collect();
            let local = fields.get(1)?.rsplit_once(':')?.1;
            let matches = u16::from_str_radix(local, 16).ok()? == port && *fields.get(3)? == "0A";
            if matches {
                fields.get(9)?.parse().ok()
            } else {
                None
            }
        })
        .collect()
}

/// The processes of a group, from the fifth field of each /proc/PID/stat.
fn members(proc: &Path, group: Pid) -> Vec<i32> {
    let Ok(processes) = fs::read_dir(proc) else {
        return Vec::new();
    };
    processes
        .flatten()
        .filter_map(|process| process.file_name().to_str()?.parse::<i32>().ok())
        .filter(|pid| {
            fs::read_to_string(proc.join(pid.to_string()).join("stat")).is_ok_and(|stat| {
                // The name in parentheses may hold anything, so count from the last one.
                stat.rsplit_once(')')
                    .and_then(|(_, rest)| rest.split_ascii_whitespace().nth(2)?.parse::<i32>().ok())
                    == Some(group.as_raw_nonzero().get())
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn tells_our_listener_from_another() {
        let socket = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = socket.local_addr().unwrap().port();
        let proc = Path::new("/proc");
        let own_group = rustix::process::getpgrp();
        assert_eq!(listener(proc, port, own_group), Listener::Ours);
        let nobody = Pid::from_raw(i32::MAX).unwrap();
        assert_eq!(listener(proc, port, nobody), Listener::Other);
        drop(socket);
        assert_eq!(listener(proc, port, own_group), Listener::Nobody);
    }

    #[test]
    fn odd_tables_are_survived() {
        for table in [
            "",
            "x",
            "h\n a b c",
            "h\n 0: :zz 0 0A",
            "h\n0: 0:1F90 0 0A 0 0 0 0 0 77",
        ] {
            let found = listening(table, 8080);
            assert_eq!(
                found,
                if table.ends_with("77") {
                    vec![77]
                } else {
                    vec![]
                }
            );
        }
    }
}
