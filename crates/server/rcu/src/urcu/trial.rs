//! Tries a library before it is used. Its words must be where soname 8 has them, and its grace periods must wait for
//! what this crate writes there. One thread joins, and another one waits.
//!
//! 1. Sections of the library and of this crate, one within the other, in both orders. With qsbr: offline and online.
//!    The reader's word must be what soname 8 says after each step, and `read_ongoing` must see it so.
//! 2. A section of this crate is open. The other thread waits for a grace period, which must not end, but sleep.
//! 3. The section ends. The grace period must end.
#![expect(
    unsafe_code,
    reason = "functions of the library are called by a thread that joined"
)]

use std::io;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::threads;
use crate::unavailable::Unavailable;

use super::inline::SLEEPS;
use super::library::{Kind, Library};
use super::load::Liburcu;
use super::words::{NEST, States};

/// How long a grace period may take to fall asleep, and to end.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long to wait between two looks.
const PAUSE: Duration = Duration::from_micros(100);

/// The fewest looks. On a busy machine both threads wait for a processor, and each look takes longer.
const LOOKS: u32 = 5000;

/// A fault of a library.
enum Wrong {
    /// A clause about the library.
    Found(String),
    /// It is no fault: why the library cannot be tried.
    Untried(io::Error),
    /// A grace period that never ends has the library's locks. It has lasted so long since its section ended.
    Hangs(Duration),
}

/// Looks until there is an answer.
///
/// # Errors
/// How long there was none, once patience is at an end.
fn wait<T>(mut look: impl FnMut() -> Option<T>) -> Result<T, Duration> {
    let begun = Instant::now();
    let mut looks = 0;
    loop {
        if let Some(answer) = look() {
            return Ok(answer);
        }
        let waited = begun.elapsed();
        if waited >= PATIENCE && looks >= LOOKS {
            return Err(waited);
        }
        looks += 1;
        thread::sleep(PAUSE);
    }
}

/// Whether the thread with the grace period has told its end. A disconnected channel is one that has told before.
fn has_ended(ended: &Receiver<()>) -> bool {
    ended.try_recv() != Err(TryRecvError::Empty)
}

/// Tries a library that is prepared, and that nobody uses yet.
pub fn trial<F: Liburcu>(library: &'static Library) -> Result<(), Unavailable> {
    // SAFETY: the library is prepared, and nobody could join before. The thread leaves below, or the library is
    // refused.
    let place = unsafe { F::join() }?;
    let trial = Trial::<F> { library, place };
    let tried = trial.sections().and_then(|()| trial.grace_period());
    if !matches!(tried, Err(Wrong::Hangs(_))) {
        // SAFETY: this thread joined, and all sections that it entered have ended.
        unsafe {
            F::end_forgotten(&trial.place);
            F::leave(trial.place);
        }
    }
    let (flavour, file) = (F::NAME, library.file());
    let refuse = |clause| {
        let file = file.display();
        Err(Unavailable::NotAsExpected(format!(
            "{flavour}: {file} {clause}"
        )))
    };
    let clause = match tried {
        Ok(()) => return Ok(()),
        Err(Wrong::Untried(error)) => {
            return refuse(format!("cannot be tried: no thread can be made: {error}"));
        }
        Err(Wrong::Found(clause)) => clause,
        Err(Wrong::Hangs(since)) => {
            let seconds = since.as_secs();
            format!("a grace period has not ended {seconds} s after the section that it waited for")
        }
    };
    let failed = F::counts().failed();
    if failed.is_empty() {
        return refuse(format!(
            "does not do what a library of soname 8 does: {clause}"
        ));
    }
    refuse(format!("cannot do its work here: {clause}{failed}"))
}

struct Trial<F: Liburcu> {
    library: &'static Library,
    place: F::Place,
}

impl<F: Liburcu> Trial<F> {
    /// The reader's word.
    fn word(&self) -> u64 {
        // SAFETY: this thread joined and got the place.
        unsafe { F::word(&self.place) }.load(Ordering::Relaxed)
    }

    fn gp(&self) -> u64 {
        self.library.shared.gp.ctr.load(Ordering::Relaxed)
    }

    /// Step 1.
    fn sections(&self) -> Result<(), Wrong> {
        match &self.library.functions.states {
            None => self.nested(),
            Some(states) => self.states(states),
        }
    }

    fn nested(&self) -> Result<(), Wrong> {
        let functions = &self.library.functions;
        // SAFETY, of these four: this thread joined, and each section that is opened below is ended there.
        let lock = || unsafe { (functions.read_lock)() };
        let unlock = || unsafe { (functions.read_unlock)() };
        let enter = || unsafe { F::enter(&self.place) };
        let exit = || unsafe { F::exit(&self.place) };
        let gp = self.gp();
        let (inner, rest) = (gp.wrapping_add(1), gp.wrapping_sub(1));
        let steps: [(&str, &dyn Fn(), u64); 9] = [
            ("register_thread", &|| {}, self.word() & !NEST),
            ("read_lock", &lock, gp),
            ("read_lock and an entry", &enter, inner),
            ("read_lock, an entry and read_unlock", &unlock, gp),
            ("read_lock, an entry, read_unlock and an exit", &exit, rest),
            ("an entry", &enter, gp),
            ("an entry and read_lock", &lock, inner),
            ("an entry, read_lock and an exit", &exit, gp),
            (
                "an entry, read_lock, an exit and read_unlock",
                &unlock,
                rest,
            ),
        ];
        self.follow(&steps)
    }

    fn states(&self, states: &States) -> Result<(), Wrong> {
        // SAFETY, of these five: this thread joined, and is in no section.
        let offline = || unsafe { (states.offline)() };
        let online = || unsafe { (states.online)() };
        let own_offline = || unsafe { F::offline(&self.place) };
        let own_online = || unsafe { F::online(&self.place) };
        let quiescent = || unsafe { F::quiescent(&self.place) };
        let gp = self.gp();
        let steps: [(&str, &dyn Fn(), u64); 6] = [
            ("register_thread", &|| {}, gp),
            ("thread_offline", &offline, 0),
            ("thread_online", &online, gp),
            ("going offline", &own_offline, 0),
            ("going online", &own_online, gp),
            ("a quiescent state", &quiescent, gp),
        ];
        self.follow(&steps)
    }

    fn follow(&self, steps: &[(&str, &dyn Fn(), u64)]) -> Result<(), Wrong> {
        for (step, act, expected) in steps {
            act();
            // SAFETY: this thread joined.
            let is_ongoing = unsafe { (self.library.functions.read_ongoing)() } != 0;
            let word = self.word();
            if word != *expected {
                return Err(Wrong::Found(format!(
                    "after {step} a reader's word is {word:#x}, expected {expected:#x}"
                )));
            }
            if is_ongoing != (word & NEST != 0) {
                return Err(Wrong::Found(format!(
                    "after {step} a reader's word is {word:#x}, and read_ongoing says {is_ongoing}"
                )));
            }
        }
        Ok(())
    }

    /// Steps 2 and 3.
    fn grace_period(&self) -> Result<(), Wrong> {
        let synchronize = self.library.functions.synchronize;
        let (tell, ended) = channel();
        let polls = self.polls();
        // SAFETY: this thread joined, and is in no section.
        unsafe { F::enter(&self.place) };
        let writer = threads::begin("rcu-trial".to_owned(), move || {
            // SAFETY: this other thread is no reader.
            unsafe { synchronize() };
            let _ = tell.send(());
        });
        let slept = match &writer {
            Ok(_) => self.await_sleep(&ended, polls),
            Err(_) => Ok(()),
        };
        // SAFETY: the section was entered above.
        unsafe {
            F::exit(&self.place);
            F::quiescent(&self.place);
        }
        let writer = writer.map_err(Wrong::Untried)?;
        wait(|| has_ended(&ended).then_some(())).map_err(Wrong::Hangs)?;
        let _ = writer.join();
        slept.map_err(Wrong::Found)
    }

    /// Waits until the grace period sleeps.
    fn await_sleep(&self, ended: &Receiver<()>, polls: u64) -> Result<(), String> {
        let seen = wait(|| {
            if has_ended(ended) {
                let clause = "a grace period did not wait for a section that was open";
                return Some(Err(clause.to_owned()));
            }
            self.sleeps(polls).then_some(Ok(()))
        });
        seen.unwrap_or_else(|waited| {
            let seconds = waited.as_secs();
            Err(format!("a grace period did not sleep within {seconds} s"))
        })
    }

    /// Whether a grace period sleeps: on the futex, or, of bp, in `poll`.
    fn sleeps(&self, polls: u64) -> bool {
        match F::KIND {
            Kind::Bp => self.polls() > polls,
            _ => self.library.shared.gp.futex.load(Ordering::Relaxed) == SLEEPS,
        }
    }

    fn polls(&self) -> u64 {
        F::domain().counters().polls.load(Ordering::Relaxed)
    }
}
