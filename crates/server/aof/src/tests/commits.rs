//! Threads that wait share syncs, and are told the truth.

use std::thread;

use super::{log, until};
use crate::policy::Policy;

#[test]
fn those_who_wait_share_a_sync() {
    let (log, fake) = log(Policy::Always);
    let append = |number: u32| {
        let ticket = log
            .append(number.to_string().as_bytes())
            .expect("it has not failed");
        log.wait(ticket).expect("it has not failed");
        assert!(fake.durable_blocks().contains(&number.to_string()));
    };
    fake.tell(|inner| inner.sync_stalls = true);
    thread::scope(|scope| {
        scope.spawn(|| append(0));
        until("the first one syncs", || fake.lock().syncs == 1);
        for number in 1..8 {
            scope.spawn(move || append(number));
        }
        // Blocks of a digit.
        until("all have appended", || log.facts().pending_bytes == 7 * 36);
        assert_eq!(log.facts().unsynced_bytes, 8 * 36);
        fake.tell(|inner| inner.sync_stalls = false);
    });
    let facts = log.facts();
    assert_eq!((fake.lock().syncs, facts.syncs), (2, 2));
    assert_eq!((facts.unsynced_bytes, facts.behind.as_nanos()), (0, 0));
    assert!(facts.last_sync.is_some());
}

#[test]
fn nothing_is_synced_that_nobody_asked_for() {
    let (log, fake) = log(Policy::No);
    let ticket = log.append(b"a").expect("it has not failed");
    log.wait(ticket).expect("it has not failed");
    until("it is written", || log.facts().pending_bytes == 0);
    assert_eq!(log.facts().behind.as_nanos(), 0);
    assert_eq!(log.facts().size, fake.lock().bytes.len() as u64);
    log.close().expect("it has not failed");
    assert_eq!(fake.blocks(), ["a"]);
    assert_eq!(fake.lock().syncs, 0);
}

#[test]
fn who_asks_for_a_sync_gets_it() {
    let (log, fake) = log(Policy::No);
    log.append(b"a").expect("it has not failed");
    log.sync().expect("it has not failed");
    assert_eq!(fake.durable_blocks(), ["a"]);
    // There is nothing to be synced any more.
    log.sync().expect("it has not failed");
    assert_eq!(fake.lock().syncs, 1);
}

#[test]
fn each_second_is_synced_and_the_end() {
    let (log, fake) = log(Policy::EverySecond);
    let first = log.append(b"a").expect("it has not failed");
    let second = log.append(b"b").expect("it has not failed");
    assert!(first < second);
    until("it is written", || log.facts().pending_bytes == 0);
    assert!(log.facts().unsynced_bytes > 0);
    assert!(log.facts().behind.as_nanos() > 0);
    until("it is synced", || log.facts().unsynced_bytes == 0);
    assert_eq!(fake.durable_blocks(), ["a", "b"]);
    log.append(b"c").expect("it has not failed");
    drop(log);
    assert_eq!(fake.durable_blocks(), ["a", "b", "c"]);
}

/// It would wait for a block that does not come.
#[test]
fn a_ticket_of_another_log_keeps_nobody_waiting() {
    let (other, _) = log(Policy::Always);
    other.append(b"a").expect("it has not failed");
    let foreign = other.append(b"b").expect("it has not failed");
    let (log, fake) = log(Policy::Always);
    log.append(b"c").expect("it has not failed");
    log.wait(foreign).expect("it has not failed");
    assert_eq!(fake.durable_blocks(), ["c"]);
}
