//! What is retired is freed once, not early, and never more than the limits waits for it.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use perflab_rcu::{
    Choice, Flavour, Guarded, Limbo, Limits, NotRelieved, OwnMembarrier, OwnQsbr, Reclaim, Refused,
    Unavailable, as_reader, waiting, with_flavour,
};
use perflab_testing::{needs_found, not_checked, test_name};

/// Longest wait for what is expected to come.
const PATIENCE: Duration = Duration::from_secs(30);

/// Each library's flavour, the own domains that are fast, and the lock.
pub const FLAVOURS: [&str; 8] = [
    "memb",
    "qsbr",
    "bp",
    "mb",
    "signal",
    "own-qsbr",
    "own-membarrier",
    "rwlock",
];

/// A flavour that can be used here. One that cannot be had is written down.
pub fn loaded(name: &str) -> Option<Choice> {
    let loaded = Choice::new(name).and_then(|choice| {
        with_flavour!(choice, F => F::load())?;
        Ok(choice)
    });
    match loaded {
        Ok(choice) => Some(choice),
        // It is in no Debian behind 12.
        Err(Unavailable::Library(_)) if name != "signal" => {
            needs_found("liburcu", None, "liburcu-dev")
        }
        Err(reason) => {
            not_checked(&format!("{}, {name}", test_name()), &reason.to_string());
            None
        }
    }
}

/// Waits until something is so.
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < PATIENCE, "{what}");
        thread::sleep(Duration::from_millis(1));
    }
}

/// Says that it was dropped.
struct Counted(Arc<AtomicUsize>);

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
const SINGLE: Limits = Limits {
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
    for name in ["qsbr", "memb", "own-qsbr", "own-membarrier", "rwlock"] {
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

#[test]
fn nothing_is_freed_while_a_section_is_open() {
    let (pointer, count) = counted::<OwnMembarrier>();
    let mut limbo = Limbo::new(SINGLE);
    as_reader::<OwnMembarrier, _>(|reader| {
        let section = reader.enter();
        retire(&pointer, &count, &mut limbo);
        limbo.hand_over();
        thread::sleep(Duration::from_millis(100));
        assert_eq!(count.load(Ordering::Relaxed), 0);
        assert_eq!(waiting::<OwnMembarrier>().objects, 1);
        drop(section);
        wait_until("it is freed", || count.load(Ordering::Relaxed) == 1);
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

#[test]
fn beyond_the_bound_a_writer_waits_and_is_told_for_whom() {
    let limits = Limits {
        most_bytes: 10_000,
        patience: Duration::from_millis(300),
        ..SINGLE
    };
    let pointer: Guarded<[u8; 1000], OwnMembarrier> = Guarded::new(Box::new([0; 1000]));
    let mut limbo = Limbo::new(limits);
    let (end, ended) = mpsc::channel::<()>();
    let (enter, entered) = mpsc::channel();
    let holder = thread::Builder::new().name("holder".to_owned());
    let holder = holder.spawn(move || {
        as_reader::<OwnMembarrier, _>(|reader| {
            let _section = reader.enter();
            enter.send(()).unwrap();
            let _ = ended.recv();
        })
    });
    entered.recv().unwrap();
    let mut retire_and_relieve = || {
        limbo.retire(pointer.swap(Some(Box::new([1; 1000]))).unwrap());
        limbo.relieve_alone()
    };
    let stalled = loop {
        match retire_and_relieve() {
            Ok(waiting) => assert!(waiting.bytes <= 10_000),
            Err(NotRelieved::Stalled(stalled)) => break stalled,
            Err(other) => panic!("{other}"),
        }
    };
    assert_eq!(stalled.waiting.bytes, 11_000);
    assert!(stalled.waited >= Duration::from_millis(250), "{stalled}");
    assert_eq!(stalled.readers.len(), 1);
    assert_eq!(stalled.readers[0].name, "holder");
    assert!(
        stalled.to_string().contains("`holder` (sleeping"),
        "{stalled}"
    );
    // The grace period has had all the patience there is.
    let begin = Instant::now();
    let again = retire_and_relieve().unwrap_err();
    assert!(matches!(again, NotRelieved::Stalled(_)), "{again}");
    assert!(begin.elapsed() < Duration::from_millis(250));
    drop(end);
    holder.unwrap().join().unwrap().unwrap();
    wait_until("it goes on", || {
        retire_and_relieve().is_ok_and(|waiting| waiting.bytes <= 10_000)
    });
}

#[test]
fn what_waits_stays_below_its_bound() {
    const WRITERS: u64 = 3;
    const OBJECT: u64 = 1000;
    let limits = Limits {
        batch_bytes: 8000,
        batch_objects: 100,
        most_bytes: 100_000,
        patience: PATIENCE,
    };
    let pointers: [Guarded<[u8; OBJECT as usize], OwnQsbr>; WRITERS as usize] =
        std::array::from_fn(|_| Guarded::new(Box::new([0; OBJECT as usize])));
    let (is_over, most) = (&AtomicBool::new(false), &AtomicU64::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            as_reader::<OwnQsbr, _>(|reader| {
                while !is_over.load(Ordering::Relaxed) {
                    thread::sleep(Duration::from_millis(1));
                    reader.quiescent();
                }
            })
        });
        let writers = pointers.each_ref().map(|pointer| {
            scope.spawn(move || {
                let mut limbo = Limbo::new(limits);
                for _ in 0..5000 {
                    let new = Box::new([1; OBJECT as usize]);
                    limbo.retire(pointer.swap(Some(new)).unwrap());
                    most.fetch_max(waiting::<OwnQsbr>().bytes, Ordering::Relaxed);
                    limbo.relieve_alone().unwrap();
                }
            })
        });
        let outcomes = writers.map(thread::ScopedJoinHandle::join);
        is_over.store(true, Ordering::Relaxed);
        assert!(outcomes.iter().all(Result::is_ok));
    });
    let (most, bound) = (
        most.load(Ordering::Relaxed),
        100_000 + WRITERS * (8000 + OBJECT),
    );
    assert!(most <= bound, "{most} of {bound}");
    assert!(most > 100_000, "the bound was never reached: {most}");
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
    assert_eq!(waiting::<OwnQsbr>().objects, 0);
}
