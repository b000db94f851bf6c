//! A rewrite says the same as what was appended, or changes nothing.

use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use perflab_aof::{Policy, RewriteError};

use crate::fixture::{names, open, payloads, place, write};

#[test]
fn a_new_file_takes_the_place_of_the_old_one() {
    for policy in [Policy::Always, Policy::EverySecond, Policy::No] {
        let (directory, path) = place();
        let (log, _, _) = open(&path, policy);
        for _ in 0..100 {
            log.append(b"one of many").unwrap();
        }
        let mut rewrite = log.begin_rewrite().unwrap();
        assert!(log.facts().is_rewriting);
        assert!(matches!(log.begin_rewrite(), Err(RewriteError::InProgress)));
        rewrite.append(b"all of them").unwrap();
        log.append(b"meanwhile").unwrap();
        let rewritten = rewrite.finish().unwrap();
        assert_eq!(
            (rewritten.blocks, rewritten.bytes),
            (2, 41 + 2 * 35 + 11 + 9)
        );
        assert_eq!(rewritten.old_bytes, 41 + 100 * (35 + 11) + 35 + 9);
        let facts = log.facts();
        assert!(!facts.is_rewriting);
        assert_eq!(
            (facts.size, facts.base_size),
            (rewritten.bytes, rewritten.bytes)
        );
        assert_eq!((facts.pending_bytes, facts.unsynced_bytes), (0, 0));
        log.append(b"later").unwrap();
        log.close().unwrap();
        assert_eq!(
            payloads(&path),
            [b"all of them".as_slice(), b"meanwhile", b"later"]
        );
        assert_eq!(names(directory.path()), ["log.aof"]);
    }
}

#[test]
fn a_rewrite_that_is_dropped_leaves_nothing() {
    let (directory, path) = place();
    let (log, _, _) = open(&path, Policy::Always);
    let ticket = log.append(b"a").unwrap();
    let mut rewrite = log.begin_rewrite().unwrap();
    rewrite.append(b"b").unwrap();
    assert_eq!(names(directory.path()), ["log.aof", "log.aof.rewriting"]);
    drop(rewrite);
    assert_eq!(names(directory.path()), ["log.aof"]);
    assert!(!log.facts().is_rewriting);
    log.wait(ticket).unwrap();
    assert_eq!(payloads(&path), [b"a"]);
    log.begin_rewrite().unwrap().finish().unwrap();
    assert_eq!(payloads(&path).len(), 0);
}

#[test]
fn what_a_killed_rewrite_has_left_is_removed() {
    let (directory, path) = place();
    write(&path, &[b"a"]);
    fs::write(directory.path().join("log.aof.rewriting"), "half of a f").unwrap();
    let (_log, _, blocks) = open(&path, Policy::Always);
    assert_eq!(blocks, [b"a"]);
    assert_eq!(names(directory.path()), ["log.aof"]);
}

#[test]
fn a_file_that_cannot_get_its_name_is_no_loss() {
    let (directory, path) = place();
    let (log, _, _) = open(&path, Policy::Always);
    let append = |payload: &[u8]| log.wait(log.append(payload).unwrap()).unwrap();
    append(b"a");
    let rewrite = log.begin_rewrite().unwrap();
    // Somebody removes it: it cannot be renamed.
    fs::remove_file(directory.path().join("log.aof.rewriting")).unwrap();
    let error = rewrite.finish().unwrap_err();
    assert!(matches!(error, RewriteError::System { .. }), "{error}");
    assert!(error.to_string().contains("log.aof.rewriting"), "{error}");
    append(b"b");
    assert!(log.facts().failure.is_none());
    assert_eq!(payloads(&path), [b"a", b"b"]);
}

/// A disk that lost what was written is found by the checksums, and the old file stays as evidence.
#[test]
fn damage_of_the_old_file_ends_a_rewrite() {
    let (directory, path) = place();
    let (log, _, _) = open(&path, Policy::Always);
    let rewrite = log.begin_rewrite().unwrap();
    log.wait(log.append(b"abc").unwrap()).unwrap();
    let mut bytes = fs::read(&path).unwrap();
    let end = bytes.len();
    bytes[end - 2] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let error = rewrite.finish().unwrap_err();
    assert!(
        matches!(error, RewriteError::Damaged { offset: 41, .. }),
        "{error}"
    );
    assert_eq!(names(directory.path()), ["log.aof"]);
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

/// Threads append numbers while the file is rewritten over and over: none is lost, doubled or out of order.
#[test]
fn no_block_is_lost_while_others_append() {
    // Without an end, a rewriter that panics would let the others go on forever.
    const AT_MOST: u32 = 100_000;
    for policy in [Policy::Always, Policy::No] {
        let (_directory, path) = place();
        let (log, _, _) = open(&path, policy);
        let data = Mutex::new(Vec::new());
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            let (log, data, is_over) = (&log, &data, &is_over);
            for name in 0..2 {
                scope.spawn(move || {
                    for number in 0..AT_MOST {
                        let payload = format!("{name} {number}").into_bytes();
                        let mut all = data.lock().unwrap();
                        let ticket = log.append(&payload).unwrap();
                        all.push(payload);
                        drop(all);
                        log.wait(ticket).unwrap();
                        if is_over.load(Ordering::Relaxed) {
                            break;
                        }
                        // A policy that never waits would fill the memory meanwhile.
                        thread::sleep(Duration::from_micros(20));
                    }
                });
            }
            for _ in 0..8 {
                let guard = data.lock().unwrap();
                let mut rewrite = log.begin_rewrite().unwrap();
                let all: Vec<Vec<u8>> = guard.clone();
                drop(guard);
                for payload in &all {
                    rewrite.append(payload).unwrap();
                }
                // Something is appended between the two ends of the rewrite.
                while data.lock().unwrap().len() == all.len() {
                    thread::yield_now();
                }
                rewrite.finish().unwrap();
            }
            is_over.store(true, Ordering::Relaxed);
        });
        log.close().unwrap();
        let data = data.into_inner().unwrap();
        assert!(payloads(&path) == data, "{} blocks", data.len());
    }
}

/// More than one round of copying, and blocks that are larger than what is read at once.
#[test]
fn much_is_copied() {
    let (_directory, path) = place();
    let (log, _, _) = open(&path, Policy::No);
    let rewrite = log.begin_rewrite().unwrap();
    let expected: Vec<Vec<u8>> = (0..30)
        .map(|number| vec![number; 100_000 * usize::from(number)])
        .collect();
    for payload in &expected {
        log.append(payload).unwrap();
    }
    let rewritten = rewrite.finish().unwrap();
    assert_eq!(
        (rewritten.blocks, rewritten.bytes),
        (30, rewritten.old_bytes)
    );
    drop(log);
    assert!(payloads(&path) == expected);
}
