//! A thread that holds a grace period up is named.
#![expect(
    unsafe_code,
    reason = "threads end and block signals as no safe code can"
)]

use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread::{self, Builder};
use std::time::{Duration, Instant};

use perflab_rcu::{
    Activity, Cause, Flavour, Holder, OwnMembarrier, OwnQsbr, Stall, as_reader, on_stall,
    synchronize, with_flavour,
};

use crate::each::{FLAVOURS, loaded};

/// A report takes a second and a quarter.
const PATIENCE: Duration = Duration::from_secs(30);

/// The reports from now on.
fn reports() -> Receiver<Stall> {
    let (tell, told) = mpsc::channel();
    on_stall(move |stall| {
        let _ = tell.send(stall.clone());
    });
    told
}

/// A reader of this name that holds grace periods up by what it does in a section; from then on.
fn hold_up<F: Flavour>(name: &str, how: impl FnOnce() + Send + 'static) {
    let (enter, entered) = mpsc::channel();
    let holder = Builder::new().name(name.to_owned());
    let holder = holder.spawn(move || {
        as_reader::<F, _>(|reader| {
            let _section = reader.enter();
            enter.send(()).unwrap();
            how();
        })
    });
    // A thread that ends by a system call of its own cannot be joined.
    drop(holder.unwrap());
    entered.recv().unwrap();
}

#[test]
fn a_sleeper_is_named_once_for_each_grace_period() {
    let told = reports();
    hold_up::<OwnQsbr>("sleeper", || thread::sleep(Duration::from_secs(3)));
    let begin = Instant::now();
    synchronize::<OwnQsbr>().unwrap();
    assert!(begin.elapsed() > Duration::from_secs(2));
    let stall = told.recv_timeout(PATIENCE).unwrap();
    assert_eq!(
        (stall.flavour, stall.cause),
        ("own-qsbr", Cause::Reads(Holder::Online))
    );
    assert!(stall.waited >= Duration::from_secs(1) && stall.waited < Duration::from_secs(3));
    assert_eq!(stall.reader.name, "sleeper");
    assert_eq!(stall.reader.activity, Activity::Sleeps, "{stall}");
    let said = stall.to_string();
    let tid = stall.reader.tid;
    assert!(
        said.starts_with("rcu: own-qsbr: a grace period has waited 1.")
            && said.contains(&format!(" s for thread {tid} `sleeper` (sleeping"))
            && said.ends_with(" does so in `while_offline`."),
        "{said}"
    );
    let in_section = Stall {
        cause: Cause::Reads(Holder::InSection),
        ..stall
    };
    assert!(
        in_section
            .to_string()
            .ends_with(" leaves its section before."),
        "{in_section}"
    );
    assert!(told.try_recv().is_err());
}

#[test]
fn a_section_that_never_ends_is_named_under_every_flavour() {
    for name in FLAVOURS {
        let Some(choice) = loaded(name) else { continue };
        with_flavour!(choice, F => never_ending_is_named::<F>(name));
    }
}

fn never_ending_is_named<F: Flavour>(flavour: &str) {
    static IS_OVER: AtomicBool = AtomicBool::new(false);
    IS_OVER.store(false, Ordering::Relaxed);
    let told = reports();
    hold_up::<F>("never-ending", || {
        while !IS_OVER.load(Ordering::Relaxed) {
            std::hint::spin_loop();
        }
    });
    let waits = thread::spawn(synchronize::<F>);
    let stall = told.recv_timeout(PATIENCE).unwrap();
    let holder = match flavour {
        "qsbr" | "own-qsbr" => Holder::Online,
        _ => Holder::InSection,
    };
    assert_eq!(
        (stall.flavour, stall.cause),
        (flavour, Cause::Reads(holder))
    );
    assert_eq!(stall.reader.name, "never-ending", "{stall}");
    assert_eq!(stall.reader.activity, Activity::Runnable, "{stall}");
    let said = stall.to_string();
    assert!(said.contains("` (runnable): it is "), "{said}");
    assert!(
        said.ends_with(" It runs, or waits for a processor."),
        "{said}"
    );
    IS_OVER.store(true, Ordering::Relaxed);
    waits.join().unwrap().unwrap();
}

/// Ends the calling thread, and nothing else happens in it.
fn vanish() {
    // SAFETY: the thread's stack and what is on it stay, as nobody joins it.
    unsafe { libc::syscall(libc::SYS_exit, 0) };
}

#[test]
fn what_a_thread_had_that_ended_without_leaving_is_given_back() {
    let told = reports();
    given_back::<OwnQsbr>(&told);
    given_back::<OwnMembarrier>(&told);
}

fn given_back<F: Flavour>(told: &Receiver<Stall>) {
    hold_up::<F>("dies", vanish);
    synchronize::<F>().unwrap();
    let stall = told.recv_timeout(PATIENCE).unwrap();
    assert_eq!((stall.flavour, stall.cause), (F::NAME, Cause::Buried));
    assert!(
        stall.to_string().contains(" ended without leaving"),
        "{stall}"
    );
    // It is waited for no more.
    let begin = Instant::now();
    synchronize::<F>().unwrap();
    assert!(begin.elapsed() < Duration::from_secs(1));
}

#[test]
fn a_library_waits_for_ever_for_a_thread_that_ended_without_leaving() {
    let Some(choice) = loaded("memb") else { return };
    with_flavour!(choice, F => {
        let told = reports();
        hold_up::<F>("dies", vanish);
        // It never ends, and the process does.
        let waits = thread::spawn(synchronize::<F>);
        let stall = told.recv_timeout(PATIENCE).unwrap();
        assert_eq!((stall.flavour, stall.cause), ("memb", Cause::Lost));
        assert!(stall.to_string().contains("this library waits for it for ever"), "{stall}");
        assert!(!waits.is_finished());
    });
}

/// The function that gets reports may do what it wants, but for waiting.
#[test]
fn a_report_that_panics_or_is_replaced_meanwhile_stops_no_other() {
    static IS_OVER: AtomicBool = AtomicBool::new(false);
    let (tell, told) = mpsc::channel();
    on_stall(move |_| {
        let later = tell.clone();
        on_stall(move |_| {
            later.send("the second function").unwrap();
            panic!("planted");
        });
        tell.send("the first function").unwrap();
        panic!("planted");
    });
    for expected in [
        "the first function",
        "the second function",
        "the second function",
    ] {
        IS_OVER.store(false, Ordering::Relaxed);
        hold_up::<OwnQsbr>("sleeper", || {
            while !IS_OVER.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(10));
            }
        });
        let waits = thread::spawn(synchronize::<OwnQsbr>);
        assert_eq!(told.recv_timeout(PATIENCE), Ok(expected));
        IS_OVER.store(true, Ordering::Relaxed);
        waits.join().unwrap().unwrap();
    }
}

/// Blocks the signal of `signal`, or lets it through again.
fn mask(how: libc::c_int) {
    let mut set = MaybeUninit::uninit();
    // SAFETY: the first call writes the set.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), libc::SIGUSR1);
        libc::pthread_sigmask(how, set.as_ptr(), null_mut());
    }
}

#[test]
fn a_grace_period_that_waits_for_no_section_is_reported_as_well() {
    let Some(choice) = loaded("signal") else {
        return;
    };
    with_flavour!(choice, F => {
        let told = reports();
        as_reader::<F, _>(|_| {
            mask(libc::SIG_BLOCK);
            let waits = thread::spawn(synchronize::<F>);
            let stall = told.recv_timeout(PATIENCE);
            // Before a failure: the thread could not leave otherwise.
            mask(libc::SIG_UNBLOCK);
            let stall = stall.unwrap();
            assert_eq!((stall.cause, stall.reader.tid), (Cause::Unknown, 0));
            assert!(stall.to_string().contains("blocks SIGUSR1"), "{stall}");
            waits.join().unwrap().unwrap();
        })
        .unwrap();
    });
}
