//! Many connections at the same time.

use perflab_net::{Connection, Options};

use crate::support::{Running, ask, eventually, options, visit};

#[test]
fn two_thousand_connections_are_served_and_keep_no_buffers() {
    const MANY: usize = 2000;
    // Both ends are in this process, so that it needs two descriptors for each.
    let running = Running::start(&Options {
        max_clients: MANY,
        other_descriptors: MANY + 1000,
        ..options(2)
    });
    let mut clients = (0..MANY).map(|_| running.connect()).collect::<Vec<_>>();
    for (place, client) in clients.iter_mut().enumerate() {
        let line = format!("client {place}");
        assert_eq!(ask(client, &line), line);
    }
    assert_eq!(running.handles.connections(), [MANY / 2, MANY / 2]);
    for thread in 0..2 {
        let buffers = visit(&running, thread, |connections| {
            let buffers = connections.iter().map(Connection::buffer_bytes);
            buffers.sum::<usize>()
        });
        assert_eq!(buffers, 0);
    }
    drop(clients);
    eventually(|| running.handles.clients() == 0);
    assert_eq!(ask(&mut running.connect(), "again"), "again");
}
