use std::sync::{Mutex, PoisonError};

use super::*;

/// Cells and words of threads are the process's, so these tests take turns.
static TURN: Mutex<()> = Mutex::new(());

/// Does what needs cells, when no other test does.
pub fn in_turn<R>(test: impl FnOnce() -> R) -> R {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    test()
}

/// Which of so many events are taken.
fn taken(acting: &Acting, events: u32) -> Vec<u32> {
    (0..events).filter(|_| acting.takes(Role::Judge)).collect()
}

#[test]
fn one_of_so_many_events_of_each_thread() {
    in_turn(|| {
        let acting = Acting::new(3, 0).unwrap();
        assert_eq!(taken(&acting, 8), [0, 3, 6]);
        assert_eq!(taken(&acting, 3), [1]);
        std::thread::scope(|scope| {
            let other = scope.spawn(|| taken(&acting, 5));
            assert_eq!(other.join().unwrap(), [0, 3]);
        });
        // What a thread has counted for another filter means nothing.
        drop(acting);
        let acting = Acting::new(1000, 0).unwrap();
        assert_eq!(taken(&acting, 1), [0]);
        drop(acting);
        let acting = Acting::new(2, 0).unwrap();
        assert_eq!(taken(&acting, 3), [0, 2]);
    });
}

#[test]
fn so_many_in_a_second() {
    in_turn(|| {
        let acting = Acting::new(0, 2).unwrap();
        assert!(!acting.was_over());
        assert_eq!(taken(&acting, 2), [0, 1]);
        assert!(!acting.was_over());
        assert_eq!(taken(&acting, 2), []);
        assert!(acting.was_over() && !acting.was_over());
        let (at_most, credit) = acting.credit().unwrap();
        assert_eq!((at_most, credit.fetch_add(1, Ordering::Relaxed)), (2, 0));
        assert_eq!(taken(&acting, 2), [0]);
        drop(acting);
        assert!(Acting::new(0, 0).unwrap().credit().is_none());
        // First one of so many, then as many as there may be.
        let acting = Acting::new(2, 1).unwrap();
        assert_eq!(taken(&acting, 4), [0]);
        assert!(acting.was_over());
    });
}

#[test]
fn a_recording_that_begins_and_ends_with_events() {
    in_turn(|| {
        let acting = Acting::new(0, 0).unwrap();
        assert!(!acting.may_stop() && acting.takes(Role::Judge));
        acting.wait_for_stop(0);
        acting.wait_for_start();
        assert!(acting.may_stop() && !acting.takes(Role::Judge));
        // It has not begun yet.
        assert!(!acting.takes(Role::Stop) && !acting.has_stopped());
        assert!(acting.takes(Role::Start) && acting.takes(Role::Judge));
        assert!(!acting.has_stopped());
        assert!(acting.takes(Role::Stop) && acting.has_stopped());
        for role in [Role::Start, Role::Stop, Role::Judge] {
            assert!(acting.takes(role), "{role:?}");
        }
        drop(acting);
        // In whichever order they are asked for; and without a begin.
        let acting = Acting::new(0, 0).unwrap();
        acting.wait_for_start();
        acting.wait_for_stop(0);
        assert!(!acting.takes(Role::Stop));
        drop(acting);
        let acting = Acting::new(0, 0).unwrap();
        acting.wait_for_stop(0);
        assert!(acting.takes(Role::Judge) && acting.takes(Role::Stop));
        assert!(acting.has_stopped());
    });
}

/// The state of the event changes last, as its thread may go no further.
#[test]
fn a_recording_has_begun_once_its_event_came() {
    in_turn(|| {
        for _ in 0..2000 {
            let acting = Acting::new(0, 0).unwrap();
            acting.wait_for_start();
            acting.wait_for_stop(0);
            let cell = acting.cell();
            std::thread::scope(|scope| {
                scope.spawn(|| cell.starts());
                while cell.start.load(Ordering::Acquire) != CAME {
                    std::hint::spin_loop();
                }
                let seen = [&cell.closed, &cell.stop].map(|word| word.load(Ordering::Acquire));
                assert_eq!(seen, [0, WAITS]);
            });
        }
    });
}

#[test]
fn cells_are_given_and_given_back() {
    in_turn(|| {
        let all: Vec<Acting> = (0..CELLS).map(|_| Acting::new(0, 0).unwrap()).collect();
        let reason = Acting::new(0, 0).unwrap_err();
        assert!(reason.contains("128 filters"), "{reason}");
        let mut ways: Vec<usize> = all
            .iter()
            .flat_map(|one| {
                let [a, b, c] = [Role::Judge, Role::Start, Role::Stop].map(|role| one.way(role));
                [a, b, c, one.way_if_begun()]
            })
            .collect();
        ways.sort_unstable();
        assert!(ways.windows(2).all(|pair| pair[1] - pair[0] == 16));
        drop(all);
        let four: Vec<Acting> = (0..4).map(|_| Acting::new(2, 0).unwrap()).collect();
        let reason = Acting::new(2, 0).unwrap_err();
        assert!(reason.contains("4 filters"), "{reason}");
        // That took no cell.
        let others: Vec<Acting> = (4..CELLS).map(|_| Acting::new(0, 0).unwrap()).collect();
        drop(four);
        assert_eq!(taken(&Acting::new(2, 0).unwrap(), 2), [0]);
        drop(others);
    });
}
