//! Unix sockets and their files.

use std::fs;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;

use perflab_net::{Ended, Listen, OpenError, Peer, Server};
use tempfile::tempdir;

use crate::support::{Client, LONG, Running, ask, options, visit};

fn connect(path: &Path) -> UnixStream {
    let stream = UnixStream::connect(path).unwrap();
    stream.set_read_timeout(Some(LONG)).unwrap();
    stream
}

fn open(at: &[Listen]) -> Result<Server<Client>, OpenError> {
    Server::open(at, &options(1))
}

fn start(at: &[Listen]) -> Running {
    Running::serve(open(at).unwrap(), None)
}

#[test]
fn it_serves_both_kinds_of_sockets() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("socket");
    let running = start(&[Listen::loopback(0), Listen::unix(&path)]);
    assert_eq!(ask(&mut connect(&path), ":id"), "1");
    assert_eq!(running.end_of(1), Ended::Peer);
    assert_eq!(ask(&mut running.connect(), ":id"), "2");
    let mut client = connect(&path);
    assert_eq!(ask(&mut client, ":id"), "3");
    let about = visit(&running, 0, |connections| {
        *connections.get(3).unwrap().about()
    });
    assert_eq!((about.peer, about.listener), (Peer::Unix, 1));
    assert_eq!(about.peer.to_string(), "unix");
    running.stop();
    assert!(!path.exists());
}

#[test]
fn the_file_has_the_mode_that_was_asked_for() {
    let directory = tempdir().unwrap();
    let (private, public) = (
        directory.path().join("private"),
        directory.path().join("public"),
    );
    let server = open(&[
        Listen::unix(&private),
        Listen::Unix {
            path: public.clone(),
            mode: 0o666,
        },
    ])
    .unwrap();
    let mode = |path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&private), mode(&public)), (0o600, 0o666));
    drop(server);
    assert!(!private.exists() && !public.exists());
}

#[test]
fn the_socket_of_a_dead_server_is_replaced() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("socket");
    drop(UnixListener::bind(&path).unwrap());
    assert!(path.exists());
    let _running = start(&[Listen::unix(&path)]);
    assert_eq!(ask(&mut connect(&path), "hello"), "hello");
}

#[test]
fn the_socket_of_a_living_server_is_left_to_it() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("socket");
    let _running = start(&[Listen::unix(&path)]);
    let error = open(&[Listen::unix(&path)]).err().unwrap();
    assert!(matches!(error, OpenError::Alive(_)), "{error}");
    assert!(error.to_string().contains(&*path.to_string_lossy()));
    assert_eq!(ask(&mut connect(&path), "hello"), "hello");
}

#[test]
fn a_file_that_is_no_socket_is_left_alone() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("data");
    fs::write(&path, "precious").unwrap();
    let error = open(&[Listen::unix(&path)]).err().unwrap();
    assert!(matches!(error, OpenError::NoSocket(_)), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
}

#[test]
fn the_file_of_another_server_is_not_removed_at_the_end() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("socket");
    let running = start(&[Listen::unix(&path)]);
    fs::rename(&path, directory.path().join("moved")).unwrap();
    let _other = start(&[Listen::unix(&path)]);
    running.stop();
    assert!(fs::metadata(&path).unwrap().file_type().is_socket());
    assert_eq!(ask(&mut connect(&path), "hello"), "hello");
}

#[test]
fn of_servers_that_begin_at_the_same_time_one_gets_the_path() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("socket");
    for _ in 0..20 {
        drop(UnixListener::bind(&path).unwrap());
        let servers = std::thread::scope(|scope| {
            let opens = [(); 3].map(|()| scope.spawn(|| open(&[Listen::unix(&path)])));
            opens.map(|opens| opens.join().unwrap())
        });
        assert_eq!(servers.iter().filter(|server| server.is_ok()).count(), 1);
        assert!(UnixStream::connect(&path).is_ok());
        drop(servers);
        assert!(!path.exists());
    }
}

#[test]
fn a_path_that_is_too_long_is_named() {
    let path = format!("/tmp/{}", "long".repeat(50));
    let error = open(&[Listen::unix(&path)]).err().unwrap();
    assert!(error.to_string().contains(&path), "{error}");
}
