//! A disk that does not keep up.

use std::thread;
use std::time::Duration;

use super::{log, until};
use crate::policy::Policy;
use crate::shared::{MAX_PENDING_BYTES, MAX_SYNC};

#[test]
fn appending_waits_for_a_sync_that_takes_long() {
    let (log, fake) = log(Policy::EverySecond);
    log.append(b"a").expect("it has not failed");
    fake.tell(|inner| inner.sync_stalls = true);
    until("it syncs", || fake.lock().syncs == 1);
    log.append(b"b").expect("it does not wait yet");
    assert_eq!(log.facts().delayed_appends, 0);
    // Blocks are written meanwhile.
    until("it is written", || log.facts().pending_bytes == 0);
    thread::sleep(MAX_SYNC + Duration::from_millis(50));
    assert!(log.facts().behind > MAX_SYNC);
    thread::scope(|scope| {
        let waiting = scope.spawn(|| log.append(b"c").expect("it has not failed"));
        until("one waits", || log.facts().delayed_appends == 1);
        thread::sleep(Duration::from_millis(20));
        assert!(!waiting.is_finished());
        fake.tell(|inner| inner.sync_stalls = false);
        waiting.join().expect("it does not panic");
    });
    assert_eq!(log.facts().delayed_appends, 1);
    log.close().expect("it has not failed");
    assert_eq!(fake.durable_blocks(), ["a", "b", "c"]);
}

/// Without it, a server whose clients do not wait for their answers would fill the memory.
#[test]
fn memory_is_bounded_although_nobody_waits() {
    let payload = vec![b'a'; 4 << 20];
    let (log, fake) = log(Policy::Always);
    for _ in 0..MAX_PENDING_BYTES as usize / payload.len() {
        log.append(&payload).expect("it has not failed");
    }
    let pending = log.facts().pending_bytes;
    assert!(pending > MAX_PENDING_BYTES, "{pending}");
    assert_eq!(fake.lock().bytes.len(), 41);
    log.append(b"b").expect("it has not failed");
    assert_eq!(log.facts().pending_bytes, 36);
    assert_eq!(log.facts().delayed_appends, 1);
    assert_eq!(fake.lock().syncs, 0);
}
