//! A server without file descriptors.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::{env, fs, io};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::support::{LONG, Running, ask, eventually, options};

/// Set in the process that lacks descriptors.
const CHILD: &str = "PERFLAB_NET_FEW_DESCRIPTORS";

/// So many clients come at the same time; the server has descriptors for some of them.
const CLIENTS: usize = 30;
const ROOM: u64 = 8;

#[test]
fn without_file_descriptors_accepting_pauses_and_goes_on() {
    if env::var_os(CHILD).is_some() {
        serve_with_few_descriptors();
        return;
    }
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "--nocapture"])
        .arg("descriptors::without_file_descriptors_accepting_pauses_and_goes_on")
        .env(CHILD, "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut says = |what: &str| loop {
        let line = lines.next().unwrap().unwrap();
        if let Some(said) = line.strip_prefix(what) {
            return said.to_owned();
        }
    };
    let address = says("it listens at ");
    let clients = (0..CLIENTS).map(|_| {
        let client = TcpStream::connect(&address).unwrap();
        client.set_read_timeout(Some(LONG)).unwrap();
        client
    });
    // The kernel takes their connections, also those that the server cannot accept yet.
    let clients = clients.collect::<Vec<_>>();
    std::thread::sleep(std::time::Duration::from_millis(500));
    // As they go, the others come in.
    for mut client in clients {
        assert_eq!(ask(&mut client, "hello"), "hello");
    }
    drop(child.stdin.take());
    let pauses = says("pauses: ").parse::<u64>().unwrap();
    let waits = says("waits: ").parse::<u64>().unwrap();
    assert!(pauses >= 1);
    // Some for each client, and some for each pause, of which there are ten in a second. One that spins has more than
    // 10 000 in the half second.
    assert!(
        waits <= 3 * (CLIENTS as u64 + pauses) + 10,
        "{waits} waits, {pauses} pauses"
    );
    assert!(child.wait().unwrap().success());
}

/// Says where it listens, and what it has counted until its input ends.
fn serve_with_few_descriptors() {
    let running = Running::start(&options(1));
    ask(&mut running.connect(), "hello");
    eventually(|| running.handles.clients() == 0);
    let open = fs::read_dir("/proc/self/fd").unwrap().count() as u64;
    let few = Rlimit {
        current: Some(open + ROOM),
        ..getrlimit(Resource::Nofile)
    };
    setrlimit(Resource::Nofile, few).unwrap();
    // The name of the test is on the line before.
    let mut output = io::stdout();
    writeln!(output, "\nit listens at {}", running.address()).unwrap();
    output.flush().unwrap();
    io::stdin().read_to_end(&mut Vec::new()).unwrap();
    let counters = running.handles.counters()[0];
    let (pauses, waits) = (counters.pauses, counters.waits);
    writeln!(output, "pauses: {pauses}\nwaits: {waits}").unwrap();
    running.stop();
}
