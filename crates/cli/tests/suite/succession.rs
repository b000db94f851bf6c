//! A laboratory that begins right after another one was killed: nothing of that one is left.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use perflab_machine::{LockFile, LockFileError};
use perflab_testing::needs;
use rustix::process::Signal;

use crate::support::{Laboratory, RUN, signal, wait_until};

/// A server that anybody may trace.
const SERVER: &str = "\
import ctypes, os, signal, socket, sys
server = socket.create_server(('127.0.0.1', int(sys.argv[1])))
ctypes.CDLL(None).prctl(0x59616d61, ctypes.c_ulong(-1))
open(sys.argv[2], 'w').write(str(os.getpid()))
print('up', flush=True)
signal.pause()
";

/// Traces a process so that it stops in the middle of its end, with all its files open, and lets it go on after some time.
const TRACER: &str = "\
import ctypes, os, sys, time
SEIZE, CONT, TRACE_EXIT, WALL = 0x4206, 7, 0x40, 0x40000000
ptrace, pid = ctypes.CDLL(None).ptrace, int(sys.argv[1])
if ptrace(SEIZE, pid, None, ctypes.c_void_p(TRACE_EXIT)) != 0:
    sys.exit('the server cannot be traced')
print('traced', flush=True)
os.waitpid(pid, WALL)
time.sleep(float(sys.argv[2]))
ptrace(CONT, pid, None, None)
";

/// Longer than the next laboratory takes to start its server.
const DEATH_S: &str = "4";

/// A laboratory that was killed a moment ago while it measured a server that takes long to die; the server's port,
/// and who delays its death.
fn killed() -> (Laboratory, u16, Child) {
    needs("python3", "python3");
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let laboratory = Laboratory::new();
    laboratory.write("server.py", SERVER);
    laboratory.write(
        "exp.toml",
        format!(
            "[design]\nruns = 1\nblock = 1\n[variants.a]\n\
             start = ['python3', '{{experiment}}/server.py', '{port}', '{{experiment}}/pid']\n\
             ready = {{ line = 'up' }}\n[workloads.w]\ndriver = 'command'\nshell = true\n\
             command = 'cd {{experiment}}; [ -e begun ] || {{{{ touch begun; sleep 3600; }}}}'\n"
        ),
    );
    let running = laboratory.start(&RUN);
    laboratory.await_file("begun");
    let mut tracer = Command::new("python3");
    tracer.args(["-c", TRACER, &laboratory.read("pid"), DEATH_S]);
    let mut tracer = tracer.stdout(Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    let mut output = BufReader::new(tracer.stdout.take().unwrap());
    output.read_line(&mut said).unwrap();
    assert_eq!(said, "traced\n");
    signal(running.pid(), Signal::KILL);
    assert_eq!(running.end().code, -1);
    (laboratory, port, tracer)
}

#[test]
fn a_server_finds_its_port_free() {
    let (laboratory, _, mut tracer) = killed();
    laboratory.resume().code(0);
    laboratory.assert_complete(1);
    tracer.wait().unwrap();
}

#[test]
fn the_lock_is_free_when_nothing_is_left() {
    let (laboratory, port, mut tracer) = killed();
    let mut was_held = false;
    wait_until("the lock", || {
        match LockFile::try_unsigned(&laboratory.path("lock")) {
            Ok(_) => true,
            Err(LockFileError::Held { holder, .. }) => {
                was_held = true;
                assert_eq!(holder, None, "the one who is named is dead");
                false
            }
            Err(error) => panic!("{error}"),
        }
    });
    assert!(was_held);
    TcpListener::bind(("127.0.0.1", port)).unwrap();
    laboratory.assert_nothing_runs();
    tracer.wait().unwrap();
}

#[test]
fn a_lock_that_names_nobody_is_waited_for() {
    let laboratory = Laboratory::new();
    let lock = LockFile::try_unsigned(&laboratory.path("lock")).unwrap();
    let mut bench = laboratory.start(&["bench", "-N", "-r", "2", "true"]);
    thread::sleep(Duration::from_secs(2));
    assert!(bench.is_running());
    drop(lock);
    bench.end().code(0).says(&["waiting until"]);
}

#[test]
fn nothing_that_is_measured_inherits_the_lock() {
    let laboratory = Laboratory::new();
    let files = |name| format!("ls -l /proc/self/fd > {{experiment}}/{name}");
    laboratory
        .run(&format!(
            "[design]\nruns = 1\nblock = 1\n[variants.a]\nshell = true\nstart = '{}; echo up; sleep 3600'\n\
             ready = {{ line = 'up' }}\n[workloads.w]\ndriver = 'command'\nshell = true\ncommand = '{}'\n",
            files("of-server"),
            files("of-load")
        ))
        .code(0);
    for name in ["of-server", "of-load"] {
        let files = laboratory.read(name);
        assert!(files.contains("/dev/null"), "{files}");
        assert!(!files.contains("lock"), "{files}");
    }
}

/// An experiment whose load is a laboratory of its own, the command of which leaves processes behind.
fn nested(timeout: &str) -> String {
    format!(
        "[design]\nruns = 1\nblock = 1\ntimeout = '{timeout}'\n[variants.a]\n[workloads.w]\ndriver = 'command'\n\
         shell = true\ncommand = 'PERFLAB_LOCK={{experiment}}/inner-lock exec {} bench -q {{experiment}}/leave'\n",
        env!("CARGO_BIN_EXE_perflab")
    )
}

const LEAVE: &str =
    "for i in 1 2 3 4 5 6 7 8; do setsid sleep 3600 & done; touch \"${0%/*}/begun\"; sleep 3600\n";

#[test]
fn nothing_is_left_of_a_laboratory_within_one_that_was_killed() {
    let laboratory = Laboratory::new();
    laboratory.program("leave", LEAVE);
    laboratory.write("exp.toml", nested("1m"));
    for _ in 0..3 {
        let running = laboratory.start(&RUN);
        laboratory.await_file("begun");
        signal(running.pid(), Signal::KILL);
        assert_eq!(running.end().code, -1);
        laboratory.await_nothing_runs();
        std::fs::remove_file(laboratory.path("begun")).unwrap();
        std::fs::remove_dir_all(laboratory.path("result")).unwrap();
    }
}

#[test]
fn nothing_is_left_of_a_laboratory_whose_time_ran_out() {
    let laboratory = Laboratory::new();
    laboratory.program("leave", LEAVE);
    laboratory.run(&nested("5s")).code(4);
    assert!(laboratory.path("begun").exists());
    laboratory.assert_nothing_runs();
}
