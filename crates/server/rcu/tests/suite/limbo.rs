//! Retired objects are freed once, and not early.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use perflab_rcu::{
    Flavour, Guarded, Limbo, Limits, NotRelieved, OwnMembarrier, OwnQsbr, Reclaim, Refused,
    as_reader, waiting, with_flavour,
};

use crate::each::{FLAVOURS, loaded};

/// Longest wait for what is expected to come.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Waits until something is so.
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < PATIENCE, "{what}");
        thread::sleep(Duration::from_millis(1));
    }
}

/// Says that it was dropped.
pub struct Counted(pub Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// A pointer to an object whose drop is counted, with the count.
fn counted<F: Flavour>() -> (Guarded<Counted, F>, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    (Guarded::new(Box::new(Counted(Arc::clone(&count)))), count)
}

fn retire<F: Flavour>(
    pointer: &Guarded<Counted, F>,
    count: &Arc<AtomicUsize>,
    limbo: &mut Limbo<F>,
) {
    let new = Box::new(Counted(Arc::clone(count)));
    limbo.retire(pointer.swap(Some(new)).unwrap());
}

/// Closes a batch with each object.
pub const SINGLE: Limits = Limits {
    batch_bytes: 1,
    batch_objects: 1,
    most_bytes: 64 << 20,
    patience: Duration::from_secs(1),
};

#[test]
fn the_limits_are_those_of_the_documentation() {
    let limits = Limits::default();
    assert_eq!((limits.batch_bytes, limits.batch_objects), (65_536, 256));
    assert_eq!(
        (limits.most_bytes, limits.patience),
        (67_108_864, Duration::from_secs(1))
    );
}

#[test]
fn each_object_is_dropped_once() {
    for name in FLAVOURS {
        let Some(choice) = loaded(name) else { continue };
        with_flavour!(choice, F => {
            dropped_once_by_a_reader::<F>();
            dropped_once_by_a_thread_that_is_none::<F>();
        });
    }
}

fn dropped_once_by_a_reader<F: Flavour>() {
    let (pointer, count) = counted::<F>();
    let mut limbo = Limbo::new(Limits::default());
    as_reader::<F, _>(|reader| {
        for _ in 0..1000 {
            // Also inside of a section.
            let section = reader.enter();
            retire(&pointer, &count, &mut limbo);
            drop(section);
            limbo.relieve(reader).unwrap();
        }
        // Without more objects: a small batch is closed when nobody waits.
        wait_until("all are freed", || {
            reader.quiescent();
            limbo.relieve(reader).unwrap().objects == 0 && count.load(Ordering::Relaxed) == 1000
        });
    })
    .unwrap();
    drop(pointer);
    assert_eq!(count.load(Ordering::Relaxed), 1001);
}

fn dropped_once_by_a_thread_that_is_none<F: Flavour>() {
    let (pointer, count) = counted::<F>();
    let mut limbo = Limbo::new(SINGLE);
    for _ in 0..100 {
        retire(&pointer, &count, &mut limbo);
        limbo.relieve_alone().unwrap();
    }
    // The thread of the flavour frees the rest.
    drop(limbo);
    wait_until("all are freed", || count.load(Ordering::Relaxed) == 100);
    wait_until("nothing waits", || waiting::<F>().objects == 0);
}

/// The drop of this takes a while.
struct Slow(Arc<AtomicUsize>);

impl Drop for Slow {
    fn drop(&mut self) {
        thread::sleep(Duration::from_millis(50));
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn what_is_drained_has_been_freed_whoever_frees_it() {
    let count = Arc::new(AtomicUsize::new(0));
    let retire = |limbo: &mut Limbo<OwnQsbr>| {
        let object = Guarded::new(Box::new(Slow(Arc::clone(&count))));
        limbo.retire(object.swap(None).unwrap());
    };
    let mut handed = Limbo::new(Limits::default());
    for _ in 0..3 {
        retire(&mut handed);
    }
    // The thread of the flavour is about to free these.
    drop(handed);
    thread::sleep(Duration::from_millis(10));
    let mut own = Limbo::new(Limits::default());
    own.drain().unwrap();
    assert_eq!(count.load(Ordering::Relaxed), 3);
    // Also its own.
    retire(&mut own);
    own.drain().unwrap();
    assert_eq!(count.load(Ordering::Relaxed), 4);
    assert_eq!(waiting::<OwnQsbr>().objects, 0);
    let is_reader = as_reader::<OwnQsbr, _>(|_| own.drain()).unwrap();
    assert_eq!(is_reader, Err(NotRelieved::Refused(Refused::IsReader)));
}

#[test]
fn nothing_is_freed_while_a_section_is_open() {
    for name in FLAVOURS {
        let Some(choice) = loaded(name) else { continue };
        with_flavour!(choice, F => not_freed_while_a_section_is_open::<F>());
    }
}

fn not_freed_while_a_section_is_open<F: Flavour>() {
    let (pointer, count) = counted::<F>();
    let mut limbo = Limbo::new(SINGLE);
    as_reader::<F, _>(|reader| {
        let section = reader.enter();
        retire(&pointer, &count, &mut limbo);
        limbo.hand_over();
        thread::sleep(Duration::from_millis(100));
        assert_eq!(count.load(Ordering::Relaxed), 0);
        assert_eq!(waiting::<F>().objects, 1);
        drop(section);
        wait_until("it is freed", || {
            reader.quiescent();
            count.load(Ordering::Relaxed) == 1
        });
    })
    .unwrap();
}

#[test]
fn a_reader_cannot_wait_for_itself() {
    let mut limbo = Limbo::<OwnQsbr>::new(SINGLE);
    let relieved = as_reader::<OwnQsbr, _>(|_| limbo.relieve_alone()).unwrap();
    assert_eq!(relieved, Err(NotRelieved::Refused(Refused::IsReader)));
    assert_eq!(limbo.relieve_alone().unwrap().objects, 0);
}

/// Keeps what it gets, and counts more than its size.
struct Kept;

static KEPT: Mutex<Vec<u32>> = Mutex::new(Vec::new());

impl Reclaim<u32> for Kept {
    fn bytes(_: &u32) -> usize {
        1_000_000
    }

    fn reclaim(object: Box<u32>) {
        KEPT.lock().unwrap().push(*object);
    }
}

#[test]
fn an_object_goes_where_its_owner_wants_it() {
    let pointer: Guarded<u32, OwnMembarrier> = Guarded::new(Box::new(7));
    let mut limbo = Limbo::new(SINGLE);
    as_reader::<OwnMembarrier, _>(|reader| {
        let _section = reader.enter();
        limbo.retire_to::<u32, Kept>(pointer.swap(None).unwrap());
        assert_eq!(waiting::<OwnMembarrier>().bytes, 1_000_000);
        assert!(KEPT.lock().unwrap().is_empty());
    })
    .unwrap();
    drop(limbo);
    wait_until("it comes back", || *KEPT.lock().unwrap() == [7]);
}

/// Its drop panics.
struct Panics;

impl Drop for Panics {
    fn drop(&mut self) {
        panic!("planted");
    }
}

#[test]
fn an_object_whose_drop_panics_stops_nobody() {
    let bad: Guarded<Panics, OwnQsbr> = Guarded::new(Box::new(Panics));
    let (good, count) = counted::<OwnQsbr>();
    let mut limbo = Limbo::new(SINGLE);
    limbo.retire(bad.swap(None).unwrap());
    limbo.hand_over();
    retire(&good, &count, &mut limbo);
    limbo.hand_over();
    wait_until("the other is freed", || count.load(Ordering::Relaxed) == 1);
    wait_until("nothing waits", || waiting::<OwnQsbr>().objects == 0);
}
