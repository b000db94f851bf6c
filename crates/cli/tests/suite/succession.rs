//! A laboratory that begins right after another one was killed: nothing of that one is left.

use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use perflab_machine::{LockFile, LockFileError};
use perflab_testing::needs;
use rustix::process::Signal;

use crate::support::{Laboratory, RUN, signal, wait_until};

/// A server that takes some tenths of a second to die, as the kernel gives back the memory of each of its processes, and
/// whose port is taken until the last of them has ended.
const SERVER: &str = "\
import mmap, os, signal, socket, sys
memory = mmap.mmap(-1, 128 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
memory.madvise(mmap.MADV_NOHUGEPAGE)
for page in range(0, len(memory), mmap.PAGESIZE):
    memory[page] = 1
server = socket.create_server(('127.0.0.1', int(sys.argv[1])))
for _ in range(60):
    if os.fork() == 0:
        signal.pause()
print('up', flush=True)
signal.pause()
";

/// A laboratory that was killed while it measured the server, a moment ago; and the server's port.
fn killed() -> (Laboratory, u16) {
    needs("python3", "python3");
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let laboratory = Laboratory::new();
    laboratory.write("server.py", SERVER);
    laboratory.write(
        "exp.toml",
        format!(
            "[design]\nruns = 1\nblock = 1\n[variants.a]\nstart = ['python3', '{{experiment}}/server.py', '{port}']\n\
             ready = {{ line = 'up' }}\n[workloads.w]\ndriver = 'command'\nshell = true\n\
             command = 'cd {{experiment}}; [ -e begun ] || {{{{ touch begun; sleep 3600; }}}}'\n"
        ),
    );
    let running = laboratory.start(&RUN);
    laboratory.await_file("begun");
    signal(running.pid(), Signal::KILL);
    assert_eq!(running.end().code, -1);
    (laboratory, port)
}

#[test]
fn a_server_finds_its_port_free() {
    let (laboratory, _) = killed();
    laboratory.resume().code(0);
    laboratory.assert_complete(1);
}

#[test]
fn the_lock_is_free_when_nothing_is_left() {
    let (laboratory, port) = killed();
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
    laboratory.await_nothing_runs();
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
