//! How many clients there may be.

use perflab_net::{Listen, Options, Server};

use crate::support::{Client, Running, ask, eventually, is_at_end, options, read_line};

#[test]
fn further_clients_are_refused_with_a_text() {
    let running = Running::start(&Options {
        max_clients: 2,
        ..options(2)
    });
    let mut clients = [running.connect(), running.connect()];
    for client in &mut clients {
        ask(client, "hello");
    }
    for _ in 0..3 {
        let mut refused = running.connect();
        assert_eq!(read_line(&mut refused).unwrap(), "too many");
        assert!(is_at_end(&mut refused));
    }
    assert_eq!(running.handles.counters()[0].refused, 3);
    assert_eq!(running.handles.clients(), 2);
    let [first, mut second] = clients;
    drop(first);
    eventually(|| running.handles.clients() == 1);
    let mut third = running.connect();
    // A client that is refused uses no id.
    assert_eq!(ask(&mut third, ":id"), "3");
    assert_eq!(ask(&mut second, "still here"), "still here");
}

#[test]
fn the_limit_can_be_changed() {
    let running = Running::start(&Options {
        max_clients: 1,
        ..options(1)
    });
    let mut first = running.connect();
    ask(&mut first, "hello");
    assert_eq!(running.handles.set_max_clients(2), 2);
    let mut second = running.connect();
    assert_eq!(ask(&mut second, "hello"), "hello");
    assert_eq!(running.handles.set_max_clients(1), 1);
    assert_eq!(running.handles.max_clients(), 1);
    assert_eq!(ask(&mut second, "still here"), "still here");
    assert_eq!(read_line(&mut running.connect()).unwrap(), "too many");
}

#[test]
fn without_enough_descriptors_fewer_may_come() {
    // No kernel allows one process so many.
    let asked = 1 << 40;
    let server = Server::<Client>::open(
        &[Listen::loopback(0)],
        &Options {
            max_clients: asked,
            ..options(1)
        },
    )
    .unwrap();
    let lowered = server.lowered().unwrap();
    assert_eq!(lowered.asked, asked);
    assert!(lowered.granted > 0 && lowered.granted < asked);
    assert_eq!(server.handles().max_clients(), lowered.granted);
    assert!(lowered.to_string().contains("ulimit -n"));
}

#[test]
fn without_any_descriptor_for_clients_it_does_not_begin() {
    let failed = Server::<Client>::open(
        &[Listen::loopback(0)],
        &Options {
            other_descriptors: 1 << 40,
            ..options(1)
        },
    );
    let error = failed.err().unwrap().to_string();
    assert!(
        error.contains("no file descriptor is left for clients"),
        "{error}"
    );
}
