//! Memory that waits to be freed stays below its bound, and a writer waits only as long as it must.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use perflab_rcu::{
    Flavour, Guarded, Limbo, Limits, NotRelieved, OwnMembarrier, OwnQsbr, as_reader, waiting,
    with_flavour,
};

use crate::each::{FLAVOURS, loaded};
use crate::limbo::{Counted, PATIENCE, SINGLE, wait_until};

/// The size of an object, in bytes.
const OBJECT: usize = 1000;

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
fn what_waits_stays_below_its_bound_under_every_flavour() {
    for name in FLAVOURS {
        let Some(choice) = loaded(name) else { continue };
        with_flavour!(choice, F => what_waits_stays_below_its_bound::<F>());
    }
}

fn what_waits_stays_below_its_bound<F: Flavour>() {
    const WRITERS: usize = 3;
    let limits = Limits {
        batch_bytes: 8000,
        batch_objects: 100,
        most_bytes: 100_000,
        patience: PATIENCE,
    };
    let pointers: [Guarded<[u8; OBJECT], F>; WRITERS] =
        std::array::from_fn(|_| Guarded::new(Box::new([0; OBJECT])));
    let (is_over, most) = (&AtomicBool::new(false), &AtomicU64::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            as_reader::<F, _>(|reader| {
                while !is_over.load(Ordering::Relaxed) {
                    let section = reader.enter();
                    thread::sleep(Duration::from_millis(1));
                    drop(section);
                    reader.quiescent();
                }
            })
        });
        let writers = pointers.each_ref().map(|pointer| {
            scope.spawn(move || {
                let mut limbo = Limbo::new(limits);
                for _ in 0..1000 {
                    limbo.retire(pointer.swap(Some(Box::new([1; OBJECT]))).unwrap());
                    most.fetch_max(waiting::<F>().bytes, Ordering::Relaxed);
                    limbo.relieve_alone().unwrap();
                }
            })
        });
        let outcomes = writers.map(thread::ScopedJoinHandle::join);
        is_over.store(true, Ordering::Relaxed);
        assert!(outcomes.iter().all(Result::is_ok));
    });
    let most = most.load(Ordering::Relaxed);
    let bound = 100_000 + WRITERS as u64 * (8000 + OBJECT as u64);
    assert!(most <= bound, "{}: {most} of {bound}", F::NAME);
    assert!(
        most > 100_000,
        "{}: the bound was never reached: {most}",
        F::NAME
    );
}

/// A thread that has retired much and does nothing does not keep others from writing.
#[test]
fn a_writer_frees_what_others_have_left() {
    const LEFT: usize = 200;
    let limits = Limits {
        most_bytes: 100 * OBJECT,
        ..SINGLE
    };
    let freed = Arc::new(AtomicUsize::new(0));
    let (retire, retired) = mpsc::channel();
    let (end, ended) = mpsc::channel::<()>();
    let hoarder = thread::spawn({
        let freed = Arc::clone(&freed);
        move || {
            let mut limbo = Limbo::<OwnQsbr>::new(limits);
            for _ in 0..LEFT {
                let object = Guarded::new(Box::new(([0; OBJECT], Counted(Arc::clone(&freed)))));
                limbo.retire(object.swap(None).unwrap());
            }
            retire.send(()).unwrap();
            let _ = ended.recv();
        }
    });
    retired.recv().unwrap();
    let left = waiting::<OwnQsbr>();
    assert_eq!(
        (left.objects, freed.load(Ordering::Relaxed)),
        (LEFT as u64, 0)
    );
    let pointer: Guarded<[u8; OBJECT], OwnQsbr> = Guarded::new(Box::new([0; OBJECT]));
    let mut limbo = Limbo::new(limits);
    for _ in 0..1000 {
        limbo.retire(pointer.swap(Some(Box::new([1; OBJECT]))).unwrap());
        let waiting = limbo.relieve_alone().unwrap();
        assert!(waiting.bytes <= limits.most_bytes as u64, "{waiting:?}");
    }
    let freed = freed.load(Ordering::Relaxed);
    assert!(freed >= LEFT / 2, "{freed} of what was left were freed");
    drop(end);
    hoarder.join().unwrap();
}

/// Each grace period takes less than the patience, and two of them more.
#[test]
fn grace_periods_that_are_long_are_no_stall() {
    const READERS: u32 = 4;
    let limits = Limits {
        most_bytes: 0,
        ..SINGLE
    };
    // At any time a section is open that has just begun.
    let section = limits.patience.mul_f64(0.6);
    let is_over = &AtomicBool::new(false);
    thread::scope(|scope| {
        for number in 0..READERS {
            scope.spawn(move || {
                thread::sleep(section * number / READERS);
                as_reader::<OwnMembarrier, _>(|reader| {
                    while !is_over.load(Ordering::Relaxed) {
                        let _section = reader.enter();
                        thread::sleep(section);
                    }
                })
            });
        }
        thread::sleep(section);
        let writers: [_; 3] = std::array::from_fn(|number| {
            scope.spawn(move || {
                let pointer: Guarded<u64, OwnMembarrier> = Guarded::new(Box::new(0));
                let mut limbo = Limbo::new(limits);
                let begin = Instant::now();
                while begin.elapsed() < 3 * limits.patience {
                    // The others have begun a grace period by now.
                    thread::sleep(limits.patience * number as u32 / 20);
                    limbo.retire(pointer.swap(Some(Box::new(1))).unwrap());
                    limbo.relieve_alone()?;
                }
                Ok::<(), NotRelieved>(())
            })
        });
        let outcomes = writers.map(thread::ScopedJoinHandle::join);
        is_over.store(true, Ordering::Relaxed);
        for outcome in outcomes {
            assert_eq!(outcome.unwrap(), Ok(()));
        }
    });
}
