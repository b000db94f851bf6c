//! Connections are spread over threads.

use crate::support::{Running, ask, eventually, options, visit};

#[test]
fn each_thread_has_as_many_connections_but_for_one() {
    for threads in 1..=4 {
        let running = Running::start(&options(threads));
        let mut clients = (0..50).map(|_| running.connect()).collect::<Vec<_>>();
        let mut served = vec![0; threads];
        for client in &mut clients {
            served[ask(client, ":thread").parse::<usize>().unwrap()] += 1;
        }
        let (least, most) = (served.iter().min(), served.iter().max());
        assert!(most.unwrap() - least.unwrap() <= 1, "{served:?}");
        assert_eq!(running.handles.connections(), served);
        assert_eq!(running.handles.clients(), 50);
        for (thread, &count) in served.iter().enumerate() {
            assert_eq!(
                visit(&running, thread, |connections| connections.len()),
                count
            );
        }
    }
}

#[test]
fn a_new_connection_goes_where_others_have_left() {
    let running = Running::start(&options(3));
    let mut clients = (0..9).map(|_| running.connect()).collect::<Vec<_>>();
    clients.retain_mut(|client| ask(client, ":thread") != "1");
    eventually(|| running.handles.connections() == [3, 0, 3]);
    for _ in 0..3 {
        let mut client = running.connect();
        assert_eq!(ask(&mut client, ":thread"), "1");
        clients.push(client);
    }
}

#[test]
fn ids_are_in_the_order_of_coming() {
    let running = Running::start(&options(2));
    for id in 1..=20 {
        assert_eq!(ask(&mut running.connect(), ":id"), id.to_string());
    }
}

#[test]
fn all_connections_of_all_threads_can_be_visited() {
    let running = Running::start(&options(4));
    let mut clients = (0..10).map(|_| running.connect()).collect::<Vec<_>>();
    for client in &mut clients {
        ask(client, "hello");
    }
    let mut ids = Vec::new();
    for thread in 0..running.handles.threads() {
        ids.extend(visit(&running, thread, move |connections| {
            assert!(connections.iter().all(|one| one.about().thread == thread));
            let states = connections.states_mut().map(|(about, client)| {
                assert_eq!(about.id, client.id);
                client.id
            });
            states.collect::<Vec<_>>()
        }));
    }
    ids.sort_unstable();
    assert_eq!(ids, (1..=10).collect::<Vec<_>>());
}
