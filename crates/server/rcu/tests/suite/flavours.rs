//! Every flavour that is here, by one list of cases.

use std::hint::black_box;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Barrier, mpsc};
use std::thread;
use std::time::Duration;

use perflab_rcu::{
    Flavour, Guarded, Refused, as_reader, synchronize, synchronize_unwatched, with_flavour,
};

use crate::each::{a_test_for_each_flavour, loaded};

/// The content of memory that was given back.
const POISON: u64 = 0xdead_dead_dead_dead;

fn play(name: &str) {
    if let Some(choice) = loaded(name) {
        with_flavour!(choice, F => cases::<F>());
    }
}

a_test_for_each_flavour!(play);

fn cases<F: Flavour>() {
    readers_see_what_was_published_and_nothing_that_was_freed::<F>();
    a_grace_period_waits_for_a_section::<F>();
    a_reader_that_is_offline_is_not_waited_for::<F>();
    a_panic_ends_section_and_scope::<F>();
    a_forgotten_section_ends_with_its_scope::<F>();
    a_reader_is_refused_what_would_wait_for_itself::<F>();
    a_reader_waits_by_itself::<F>();
    more_readers_than_a_block_has_slots::<F>();
    grace_periods_are_counted_and_timed::<F>();
    assert_eq!(F::domain().readers(), 0);
}

fn readers_see_what_was_published_and_nothing_that_was_freed<F: Flavour>() {
    let object: Guarded<[u64; 8], F> = Guarded::new(Box::new([0; 8]));
    let is_over = AtomicBool::new(false);
    let begun = Barrier::new(3);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                begun.wait();
                as_reader::<F, _>(|reader| {
                    let mut latest = 0;
                    while !is_over.load(Ordering::Relaxed) {
                        let section = reader.enter();
                        let words = object.load(&section).unwrap();
                        let first = black_box(words)[0];
                        assert!(
                            first != POISON && first >= latest,
                            "{first:#x} behind {latest}"
                        );
                        // Most writes come while a section is open.
                        for _ in 0..1000 {
                            let is_whole = black_box(words).iter().all(|word| *word == first);
                            assert!(is_whole, "{words:x?}");
                        }
                        latest = first;
                        drop(section);
                        reader.quiescent();
                    }
                })
                .unwrap();
            });
        }
        // Freed memory is not used again: it would soon look like an object.
        let mut freed = Vec::new();
        begun.wait();
        for number in 1..=20 {
            let old = object.swap(Some(Box::new([number; 8]))).unwrap();
            assert_eq!(old.get(), &[number - 1; 8]);
            let mut old = old.after_grace_period().unwrap();
            old.fill(POISON);
            freed.push(black_box(old));
        }
        is_over.store(true, Ordering::Relaxed);
    });
    let last = object.swap(None).unwrap();
    assert_eq!(*last.after_grace_period().unwrap(), [20; 8]);
    assert!(as_reader::<F, _>(|reader| object.load(&reader.enter()).is_none()).unwrap());
}

fn a_grace_period_waits_for_a_section<F: Flavour>() {
    let (enter, entered) = mpsc::channel();
    let has_ended = &AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(move || {
            as_reader::<F, _>(|reader| {
                let section = reader.enter();
                enter.send(()).unwrap();
                thread::sleep(Duration::from_millis(50));
                has_ended.store(true, Ordering::Relaxed);
                drop(section);
            })
            .unwrap();
        });
        entered.recv().unwrap();
        synchronize::<F>().unwrap();
        assert!(has_ended.load(Ordering::Relaxed));
    });
}

fn a_reader_that_is_offline_is_not_waited_for<F: Flavour>() {
    let (enter, entered) = mpsc::channel();
    let (end, ended) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            as_reader::<F, _>(|reader| {
                reader.while_offline(|| {
                    enter.send(()).unwrap();
                    ended.recv().unwrap();
                });
                drop(reader.enter());
            })
            .unwrap();
        });
        entered.recv().unwrap();
        synchronize::<F>().unwrap();
        end.send(()).unwrap();
    });
}

fn a_panic_ends_section_and_scope<F: Flavour>() {
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        as_reader::<F, ()>(|reader| {
            let _section = reader.enter();
            panic!("planted");
        })
    }));
    assert!(outcome.is_err());
    synchronize::<F>().unwrap();
    as_reader::<F, _>(|reader| drop(reader.enter())).unwrap();
}

fn a_forgotten_section_ends_with_its_scope<F: Flavour>() {
    as_reader::<F, _>(|reader| {
        mem::forget(reader.enter());
        drop(reader.enter());
        mem::forget(reader.enter());
    })
    .unwrap();
    synchronize::<F>().unwrap();
}

fn a_reader_is_refused_what_would_wait_for_itself<F: Flavour>() {
    as_reader::<F, _>(|_| {
        assert_eq!(synchronize::<F>(), Err(Refused::IsReader));
        assert_eq!(synchronize_unwatched::<F>(), Err(Refused::IsReader));
        assert_eq!(as_reader::<F, _>(|_| ()), Err(Refused::IsReader));
    })
    .unwrap();
    synchronize_unwatched::<F>().unwrap();
}

fn a_reader_waits_by_itself<F: Flavour>() {
    let object: Guarded<u64, F> = Guarded::new(Box::new(1));
    as_reader::<F, _>(|reader| {
        mem::forget(reader.enter());
        reader.synchronize().unwrap();
        let old = object.swap(Some(Box::new(2))).unwrap();
        assert_eq!(*old.after_grace_period_of(reader).unwrap(), 1);
        let section = reader.enter();
        assert_eq!(object.load(&section), Some(&2));
    })
    .unwrap();
}

fn more_readers_than_a_block_has_slots<F: Flavour>() {
    const READERS: usize = 70;
    let object: Guarded<u64, F> = Guarded::new(Box::new(5));
    let all = Barrier::new(READERS);
    let sum = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..READERS {
            scope.spawn(|| {
                as_reader::<F, _>(|reader| {
                    reader.while_offline(|| all.wait());
                    let section = reader.enter();
                    let number = object.load(&section).map_or(0, |number| *number as usize);
                    sum.fetch_add(number, Ordering::Relaxed);
                })
                .unwrap();
            });
        }
        synchronize::<F>().unwrap();
    });
    assert_eq!(sum.load(Ordering::Relaxed), 5 * READERS);
}

fn grace_periods_are_counted_and_timed<F: Flavour>() {
    let (counts, durations) = (F::counts(), F::domain().durations());
    synchronize::<F>().unwrap();
    synchronize_unwatched::<F>().unwrap();
    assert_eq!(F::counts().since(&counts).waits, 2);
    let since = F::domain().durations().since(&durations);
    assert_eq!(since.count(), 1);
    assert!(since.total_ns > 0 && since.quantile_ns(0.5).is_some());
}
