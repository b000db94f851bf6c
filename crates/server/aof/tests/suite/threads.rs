//! Blocks of several threads are replayed in the order of their tickets.

use std::fs;
use std::thread;

use perflab_aof::{Policy, Ticket};
use proptest::prelude::*;

use crate::fixture::{open, place, try_open};

fn policy() -> impl Strategy<Value = Policy> {
    prop::sample::select(vec![Policy::Always, Policy::EverySecond, Policy::No])
}

/// Any bytes, some of which look like the file.
fn payload() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => prop::collection::vec(any::<u8>(), 0..200),
        1 => prop::collection::vec(any::<u8>(), 10_000..100_000),
        1 => Just(b"#block 00000000 00000000 ".to_vec()),
        1 => Just(b"\n#perflab-aof 1 ".to_vec()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_is_appended_is_replayed_in_order(
        policy in policy(),
        payloads in prop::collection::vec(prop::collection::vec(payload(), 0..20), 1..5),
        cut in any::<prop::sample::Index>(),
    ) {
        let (_directory, path) = place();
        let (log, _, _) = open(&path, policy);
        let mut expected: Vec<(Ticket, Vec<u8>)> = thread::scope(|scope| {
            let threads: Vec<_> = payloads
                .into_iter()
                .map(|payloads| {
                    let log = &log;
                    scope.spawn(move || {
                        let append = |payload: Vec<u8>| {
                            let ticket = log.append(&payload).unwrap();
                            log.wait(ticket).unwrap();
                            (ticket, payload)
                        };
                        payloads.into_iter().map(append).collect::<Vec<_>>()
                    })
                })
                .collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        expected.sort();
        let facts = log.facts();
        prop_assert!(policy != Policy::Always || facts.unsynced_bytes == 0);
        log.close().unwrap();
        let expected: Vec<Vec<u8>> = expected.into_iter().map(|(_, payload)| payload).collect();
        let (log, opened, blocks) = open(&path, policy);
        prop_assert_eq!(&blocks, &expected);
        prop_assert_eq!(opened.bytes, fs::metadata(&path).unwrap().len());
        drop(log);

        // Cut anywhere, it is a prefix.
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..cut.index(bytes.len())]).unwrap();
        let (_log, _, blocks) = try_open(&path, policy).unwrap();
        prop_assert!(expected.starts_with(&blocks));
    }
}
