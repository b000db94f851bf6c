//! A flavour is proven by its mechanism, and by no other.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use perflab_rcu::urcu::{Bp, Checked, Global, Mb, Memb, Qsbr, Signal};
use perflab_rcu::{
    Counts, Flavour, Lock, NotAtWork, OwnMembarrier, OwnQsbr, as_reader, facts, prove, synchronize,
    was_at_work, with_flavour,
};

use crate::each::{a_test_for_each_flavour, found};

/// Says that it is over, also if its scope ends by a panic.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Executes something while this number of threads read.
pub fn while_threads_read<F: Flavour, R>(readers: u64, work: impl FnOnce() -> R) -> R {
    let (begun, is_over) = (AtomicU64::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        let _over = Over(&is_over);
        for _ in 0..readers {
            scope.spawn(|| {
                as_reader::<F, _>(|reader| {
                    begun.fetch_add(1, Ordering::Relaxed);
                    while !is_over.load(Ordering::Relaxed) {
                        drop(reader.enter());
                        reader.quiescent();
                    }
                })
                .unwrap();
            });
        }
        while begun.load(Ordering::Relaxed) < readers {
            thread::yield_now();
        }
        work()
    })
}

/// Proves a flavour, with two readers.
pub fn proven<F: Flavour>() -> Result<Counts, NotAtWork> {
    while_threads_read::<F, _>(2, || prove::<F>(2))
}

fn play(name: &str) {
    if let Some(choice) = found(name) {
        with_flavour!(choice, F => {
            its_mechanism_is_seen_at_work::<F>();
            it_is_made_of_what_its_name_says::<F>(name);
        });
    }
}

a_test_for_each_flavour!(play);

fn its_mechanism_is_seen_at_work<F: Flavour>() {
    let proven = proven::<F>().unwrap();
    // Nothing has happened between a time and itself.
    let nothing = F::mechanism(&proven, &proven, 2).unwrap_err();
    assert!(nothing.0.starts_with(F::NAME), "{nothing}");

    let run = while_threads_read::<F, _>(2, || {
        let before = F::counts();
        for _ in 0..5 {
            synchronize::<F>().unwrap();
        }
        F::counts().since(&before)
    });
    assert_eq!(run.waits, 5);
    assert_eq!(was_at_work::<F>(&run, 2, 1, 5), Ok(()));

    let other = if F::NAME == "signal" {
        "memb"
    } else {
        "signal"
    };
    let mut false_run = run;
    if other == "memb" {
        (false_run.signals_handled, false_run.membarrier_expedited) = (0, 10);
    } else {
        false_run.signals_handled = 10;
    }
    works_as::<F>(&false_run, other);
    let unknown_run = Counts {
        membarrier_other: 1,
        ..run
    };
    works_as::<F>(&unknown_run, "another flavour");
}

/// A run of one writer with two readers that the evidence refuses, as that of another flavour.
fn works_as<F: Flavour>(run: &Counts, other: &str) {
    let refused = was_at_work::<F>(run, 2, 1, 5).unwrap_err();
    let verdict = format!(": {} works as {other} here", F::NAME);
    assert!(refused.0.ends_with(&verdict), "{refused}");
}

fn it_is_made_of_what_its_name_says<F: Flavour>(name: &str) {
    assert_eq!(F::NAME, name);
    let facts = facts::<F>();
    let is_ours = name.starts_with("own-") || name == "rwlock";
    assert_eq!(facts.library.is_none(), is_ours, "{facts:?}");
    assert_eq!(facts.generation.is_none(), is_ours, "{facts:?}");
    let uses_membarrier = name.contains("memb") || name == "bp";
    assert_eq!(
        facts.membarrier_query.is_some(),
        uses_membarrier,
        "{facts:?}"
    );
    if let Some(file) = &facts.library {
        let library = name.split('-').next().unwrap();
        assert!(
            file.contains(&format!("liburcu-{library}.so.8")),
            "{facts:?}"
        );
    }
    let has_barriers = !is_ours && !matches!(name, "signal" | "qsbr");
    assert_eq!(facts.barrier.is_some(), has_barriers, "{facts:?}");
    assert_eq!(
        facts.each().count() > 0,
        !matches!(name, "own-qsbr" | "rwlock")
    );
}

#[test]
fn a_run_without_a_grace_period_says_nothing() {
    let idle = Counts::default();
    assert_eq!(was_at_work::<OwnQsbr>(&idle, 2, 2, 0), Ok(()));
    assert_eq!(
        was_at_work::<OwnQsbr>(&idle, 2, 1, 1).unwrap_err().0,
        "own-qsbr: in 1 wait of 1 writer with 2 readers, quiescent states: 0, expected at least 2; growth of the word \
         of grace periods: 0, expected at least 1"
    );
}

/// One of the counts.
type Count = fn(&mut Counts) -> &mut u64;

/// Five waits of two threads with three readers: at least three grace periods where these are shared.
#[test]
fn counts_fit_the_number_of_waits() {
    let expedited: Count = |counts| &mut counts.membarrier_expedited;
    let global: Count = |counts| &mut counts.membarrier_global;
    let signals: Count = |counts| &mut counts.signals_handled;
    let states: Count = |counts| &mut counts.quiescent_states;
    let locks: Count = |counts| &mut counts.write_locks;
    let word: Count = |counts| &mut counts.word;
    fits::<Memb<Checked>>(&[(expedited, 6)]);
    fits::<Memb<Global>>(&[(global, 6)]);
    fits::<Bp>(&[(expedited, 10)]);
    fits::<Mb>(&[]);
    fits::<Signal>(&[(signals, 18)]);
    fits::<Qsbr>(&[(states, 9), (word, 6)]);
    fits::<OwnQsbr>(&[(states, 9), (word, 3)]);
    fits::<OwnMembarrier>(&[(expedited, 3), (word, 3)]);
    fits::<Lock>(&[(locks, 5)]);
}

fn fits<F: Flavour>(least: &[(Count, u64)]) {
    let judge = |run: &Counts| was_at_work::<F>(run, 3, 2, 5);
    let mut run = Counts::default();
    for (count, least) in least {
        *count(&mut run) = *least;
    }
    assert_eq!(judge(&run), Ok(()));
    for (count, least) in least {
        let mut less = run;
        *count(&mut less) -= 1;
        let refused = judge(&less).unwrap_err().0;
        let words = format!(": {}, expected at least {least}", least - 1);
        assert!(refused.ends_with(&words), "{refused}");
    }
}

#[test]
fn each_reader_of_own_qsbr_announces_a_quiescent_state() {
    let before = Counts::default();
    let after = |quiescent_states| Counts {
        word: 1,
        quiescent_states,
        ..before
    };
    assert_eq!(OwnQsbr::mechanism(&before, &after(2), 2), Ok(()));
    let refused = OwnQsbr::mechanism(&before, &after(1), 2).unwrap_err();
    assert!(refused.0.contains(" 1 quiescent state"), "{refused}");
}
