//! What waits, and for whom. `tests/limbo.rs` has the interleavings.

use super::atomic::{AtomicU32, AtomicU64};
use super::limbo::{Limbo, Look};
use super::threads::{Entry, Thread, Threads};

/// Threads whose marks are numbers, and whether these can be read.
struct Told<'t> {
    threads: &'t Threads<2>,
    inside: &'t [u64],
    serialised: usize,
    looks: usize,
    is_blind: bool,
}

impl Look for Told<'_> {
    fn all(&mut self) -> Result<Vec<Thread>, String> {
        self.serialised += 1;
        Ok(self.threads.all().collect())
    }

    fn keep_inside(&mut self, threads: &mut Vec<Thread>) -> Result<(), String> {
        self.looks += 1;
        threads.retain(|thread| self.inside.contains(&thread.mark));
        if self.is_blind {
            Err("blind".to_owned())
        } else {
            Ok(())
        }
    }
}

#[test]
fn what_waits_and_for_whom() {
    let threads = Threads([(); 2].map(|()| Entry {
        number: AtomicU32::new(0),
        mark: AtomicU64::new(0),
    }));
    assert!(threads.enter(7, 70) && threads.enter(8, 80) && !threads.enter(9, 90));
    let looks = |inside: &'static [u64], is_blind| Told {
        threads: &threads,
        inside,
        serialised: 0,
        looks: 0,
        is_blind,
    };
    let mut limbo = Limbo::new();
    limbo.put("first");
    let mut look = looks(&[70], false);
    assert_eq!(limbo.look(&mut look, |_| true), Ok(Vec::new()));
    assert_eq!((limbo.threads(), look.serialised), (1, 1));
    // What comes later waits for others, and threads serialise again for it.
    limbo.put("second");
    let mut look = looks(&[80], false);
    assert_eq!(limbo.look(&mut look, |_| true), Ok(vec!["first"]));
    assert_eq!((limbo.len(), limbo.threads(), look.serialised), (1, 1, 1));
    assert_eq!(look.looks, 1, "one is enough for all that waits");
    let mut look = looks(&[], true);
    assert!(limbo.look(&mut look, |_| true).is_err());
    assert_eq!((limbo.len(), look.serialised), (1, 0));
    let mut look = looks(&[], false);
    assert_eq!(limbo.look(&mut look, |_| false), Ok(Vec::new()));
    limbo.look_again();
    assert_eq!(limbo.look(&mut look, |_| true), Ok(vec!["second"]));
    assert_eq!(look.serialised, 1, "a child looks at its own threads");
    // A thread that has ended makes room for another one, and an older look at it removes nothing.
    let ended = threads.all().next().unwrap();
    threads.remove(ended);
    assert!(threads.enter(9, 90));
    threads.remove(ended);
    let marks: Vec<u64> = threads.all().map(|thread| thread.mark).collect();
    assert_eq!(marks, [90, 80]);
    threads.clear();
    assert_eq!(threads.all().count(), 0);
}
