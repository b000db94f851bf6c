//! A child of a fork has none of its parent's other threads: it can read, and is refused what would wait for them.
#![expect(unsafe_code, reason = "the process forks, and its child goes on")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use perflab_rcu::{
    Flavour, Guarded, Limbo, Limits, NotRelieved, OwnQsbr, Reader, Refused, as_reader, synchronize,
    with_flavour,
};

use crate::each::{FLAVOURS, loaded};

/// The exit code of a child in which all was as it should be.
const FINE: i32 = 33;

/// Forks, and has the child do something and end. Returns what it ended with.
fn in_child(work: impl FnOnce()) -> i32 {
    // SAFETY: the child does what is tested here, and then ends without anything else of the parent's.
    let child = unsafe { libc::fork() };
    assert!(child >= 0);
    if child == 0 {
        // One that waits for what never comes is ended by the signal.
        // SAFETY: it takes a number.
        unsafe { libc::alarm(30) };
        let code = match catch_unwind(AssertUnwindSafe(work)) {
            Ok(()) => FINE,
            Err(_) => 1,
        };
        // SAFETY: it ends this process at once.
        unsafe { libc::_exit(code) };
    }
    let mut status = 0;
    // SAFETY: the status is written.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    assert!(libc::WIFEXITED(status), "{status:#x}");
    libc::WEXITSTATUS(status)
}

/// The view of a child that was forked inside of a reader's scope.
fn look<F: Flavour>(reader: &mut Reader<F>, object: &Guarded<u32, F>, limbo: &mut Limbo<F>) {
    // Reading goes on.
    let section = reader.enter();
    assert_eq!(object.load(&section), Some(&7));
    drop(section);
    reader.quiescent();
    let old = object.swap(Some(Box::new(8))).unwrap();
    assert_eq!(reader.synchronize(), Err(Refused::Forked));
    assert_eq!(synchronize::<F>(), Err(Refused::Forked));
    let (refused, old) = old.after_grace_period().unwrap_err();
    assert_eq!(refused, Refused::Forked);
    assert_eq!(as_reader::<F, _>(|_| ()), Err(Refused::Forked));
    limbo.retire(old);
    let forked = Err(NotRelieved::Refused(Refused::Forked));
    assert_eq!(limbo.relieve(reader), forked);
    assert!(limbo.relieve_alone().is_err());
    limbo.hand_over();
}

#[test]
fn a_child_reads_and_is_refused_the_rest_under_every_flavour() {
    for name in FLAVOURS {
        let Some(choice) = loaded(name) else { continue };
        with_flavour!(choice, F => child_is_refused::<F>());
    }
}

fn child_is_refused<F: Flavour>() {
    let object: Guarded<u32, F> = Guarded::new(Box::new(7));
    let mut limbo = Limbo::new(Limits::default());
    let code = while_a_writer_waits::<F, _>(|| {
        as_reader::<F, _>(|reader| in_child(|| look(reader, &object, &mut limbo)))
    });
    assert_eq!(code.unwrap(), FINE);
    // The parent goes on as if nothing had been.
    let old = object.swap(Some(Box::new(9))).unwrap();
    assert_eq!(*old.after_grace_period().unwrap(), 7);
}

/// Does something while a writer waits for a reader in a section, with all that it holds meanwhile.
fn while_a_writer_waits<F: Flavour, R>(work: impl FnOnce() -> R) -> R {
    let (enter, entered) = mpsc::channel();
    let (end, ended) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            as_reader::<F, _>(|reader| {
                let _section = reader.enter();
                enter.send(()).unwrap();
                let _ = ended.recv();
            })
        });
        entered.recv().unwrap();
        scope.spawn(synchronize::<F>);
        thread::sleep(Duration::from_millis(100));
        let done = work();
        drop(end);
        done
    })
}

#[test]
fn a_child_leaves_the_scope_that_it_was_forked_in() {
    let mut is_child = false;
    let scope = as_reader::<OwnQsbr, _>(|_| {
        // SAFETY: the child ends below.
        let child = unsafe { libc::fork() };
        is_child = child == 0;
        child
    });
    if is_child {
        let is_refused = as_reader::<OwnQsbr, _>(|_| ()) == Err(Refused::Forked);
        // SAFETY: it ends this process at once.
        unsafe { libc::_exit(if is_refused { FINE } else { 1 }) };
    }
    let mut status = 0;
    // SAFETY: the status is written.
    unsafe { libc::waitpid(scope.unwrap(), &raw mut status, 0) };
    assert!(libc::WIFEXITED(status));
    assert_eq!(libc::WEXITSTATUS(status), FINE);
    synchronize::<OwnQsbr>().unwrap();
}

#[test]
fn a_child_that_executes_another_program_is_no_matter() {
    let ended = as_reader::<OwnQsbr, _>(|reader| {
        reader.while_offline(|| {
            thread::sleep(Duration::from_millis(1));
            Command::new("true").status()
        })
    });
    assert!(ended.unwrap().unwrap().success());
    synchronize::<OwnQsbr>().unwrap();
}

#[test]
fn a_child_forked_before_the_first_use_is_a_process_like_any_other() {
    for name in FLAVOURS {
        let Some(choice) = loaded(name) else { continue };
        let code = in_child(|| with_flavour!(choice, F => reads_and_waits::<F>()));
        assert_eq!(code, FINE, "{name}");
    }
    reads_and_waits::<OwnQsbr>();
}

fn reads_and_waits<F: Flavour>() {
    assert_eq!(as_reader::<F, _>(|_| 5), Ok(5));
    synchronize::<F>().unwrap();
}
