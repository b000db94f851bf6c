//! A medium without room, or with a sync that fails.

use std::io::ErrorKind;
use std::thread;

use super::{log, until};
use crate::failure::AppendError;
use crate::policy::Policy;

/// Length of a block with a payload of one byte.
const BLOCK: usize = 36;

#[test]
fn blocks_without_room_wait_in_memory_and_keep_their_order() {
    let (log, fake) = log(Policy::Always);
    let room = fake.lock().bytes.len() + BLOCK + BLOCK / 2;
    fake.tell(|inner| inner.room = room);
    let tickets = ["a", "b", "c"].map(|payload| log.append(payload.as_bytes()).expect("not yet"));
    let failure = log.wait(tickets[2]).expect_err("there is no room");
    assert_eq!(failure.kind(), ErrorKind::StorageFull);
    assert!(!failure.is_final());
    assert!(failure.to_string().contains("/no-such-log: "), "{failure}");
    assert!(failure.to_string().contains("make room"), "{failure}");
    // The block that did not fit was cut off.
    assert_eq!(fake.blocks(), ["a"]);
    assert_eq!(log.facts().pending_bytes, 2 * BLOCK as u64);
    assert_eq!(log.append(b"d"), Err(AppendError::Failed(failure.clone())));
    assert_eq!(log.retry(), Err(failure.clone()));

    fake.tell(|inner| inner.room = usize::MAX);
    log.retry().expect("there is room");
    assert_eq!(fake.durable_blocks(), ["a", "b", "c"]);
    for ticket in tickets {
        log.wait(ticket).expect("it is synced");
    }
    let facts = log.facts();
    assert_eq!((facts.failure, facts.last_failure), (None, Some(failure)));
    let ticket = log.append(b"e").expect("it has recovered");
    log.wait(ticket).expect("it has recovered");
    assert_eq!(fake.durable_blocks(), ["a", "b", "c", "e"]);
}

/// Every place within four blocks where the room may end.
#[test]
fn wherever_the_room_ends_no_block_is_torn() {
    for room in 0..=4 * BLOCK {
        let (log, fake) = log(Policy::Always);
        let base = fake.lock().bytes.len();
        fake.tell(|inner| inner.room = base + room);
        let mut expected = Vec::new();
        for payload in ["a", "b", "c", "d"] {
            let Ok(ticket) = log.append(payload.as_bytes()) else {
                break;
            };
            expected.push(payload);
            assert_eq!(log.wait(ticket).is_ok(), room >= expected.len() * BLOCK);
        }
        assert_eq!(fake.blocks(), expected[..room / BLOCK]);
        fake.tell(|inner| inner.room = usize::MAX);
        log.close().expect("there is room");
        assert_eq!(fake.durable_blocks(), expected, "{room}");
    }
}

#[test]
fn a_log_with_a_thread_recovers_by_itself() {
    let (log, fake) = log(Policy::No);
    fake.tell(|inner| inner.room = 0);
    let ticket = log.append(b"a").expect("not yet");
    until("it fails", || log.facts().failure.is_some());
    assert!(log.wait(ticket).is_err());
    assert!(log.append(b"b").is_err());
    fake.tell(|inner| inner.room = usize::MAX);
    until("it recovers", || log.facts().failure.is_none());
    log.wait(ticket).expect("it is written");
    assert_eq!(fake.blocks(), ["a"]);
}

#[test]
fn a_sync_that_failed_is_final() {
    for policy in [Policy::Always, Policy::EverySecond] {
        let (log, fake) = log(policy);
        let ticket = log.append(b"a").expect("not yet");
        log.sync().expect("not yet");
        fake.tell(|inner| inner.sync_fails = true);
        let lost = log.append(b"b").expect("not yet");
        let failure = log.sync().expect_err("it fails");
        assert!(failure.is_final());
        assert!(
            failure.to_string().contains("restart the server"),
            "{failure}"
        );

        // The next sync would succeed, and must not be believed.
        fake.tell(|inner| inner.sync_fails = false);
        assert_eq!(log.retry(), Err(failure.clone()));
        assert_eq!(log.sync(), Err(failure.clone()));
        assert_eq!(log.append(b"c"), Err(failure.clone().into()));
        log.wait(ticket).expect("it was synced before");
        // It was written, which is all that the other policy promises.
        assert_eq!(log.wait(lost).is_err(), policy == Policy::Always);
        assert!(log.begin_rewrite().is_err());
        assert_eq!(log.close(), Err(failure));
        assert_eq!(fake.durable_blocks(), ["a"]);
    }
}

#[test]
fn all_who_wait_learn_of_a_failure() {
    let (log, fake) = log(Policy::Always);
    fake.tell(|inner| (inner.sync_fails, inner.sync_stalls) = (true, true));
    thread::scope(|scope| {
        let waiting: Vec<_> = (0..4)
            .map(|_| {
                let ticket = log.append(b"a").expect("not yet");
                let log = &log;
                scope.spawn(move || log.wait(ticket))
            })
            .collect();
        until("one syncs", || fake.lock().syncs == 1);
        fake.tell(|inner| inner.sync_stalls = false);
        for thread in waiting {
            let result = thread.join().expect("it does not panic");
            assert!(result.is_err_and(|failure| failure.is_final()));
        }
    });
    assert_eq!(fake.lock().syncs, 1);
}
