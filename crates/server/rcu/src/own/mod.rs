//! Own domains: one protocol, whose steps and argument are in `domain`, with three kinds of fences.
#![expect(unsafe_code, reason = "a flavour's promise, which the protocol keeps")]

pub mod atomic;
mod domain;
mod fence;
pub mod membarrier;
pub mod slots;
mod turn;

use std::marker::PhantomData;
use std::sync::atomic::{Ordering, compiler_fence, fence};
use std::sync::{LazyLock, OnceLock};
use std::thread;
use std::time::Duration;

use crate::counts::{Counters, Counts, count};
use crate::evidence::{Facts, Sign};
use crate::flavour::Flavour;
use crate::readers::DomainState;
use crate::unavailable::{NotAtWork, Unavailable};
use domain::Domain;
use fence::Fences;
use membarrier::Command;

/// How long to wait until the kernel may have memory again.
const PAUSE: Duration = Duration::from_millis(1);

/// An own domain, by its policy.
#[derive(Debug)]
pub struct Own<P>(PhantomData<P>);

/// Own domain with quiescent states: sections cost nothing, and a reader says between them that it has none open.
pub type OwnQsbr = Own<Quiescent>;

/// Own domain with an expedited membarrier in each grace period, and no barrier in readers.
pub type OwnMembarrier = Own<Expedited>;

/// The same with a membarrier that is not expedited: it takes milliseconds, and interrupts nobody.
pub type OwnMembarrierGlobal = Own<Global>;

/// The difference between own domains.
pub trait Policy: Sized + 'static {
    /// The flavour's name.
    const NAME: &'static str;

    /// The membarrier that is its heavy fence. Without one, both fences are full barriers. Then each section would cost
    /// one, so readers announce quiescent states instead of sections.
    const COMMAND: Option<Command>;

    /// The parts of which a process has one each.
    fn statics() -> &'static Statics<Self>;
}

/// The parts of which a process has one for each own domain.
pub struct Statics<P> {
    domain: LazyLock<Domain<P>>,
    state: DomainState,
    loaded: OnceLock<Result<(), Unavailable>>,
}

impl<P: Policy> Statics<P> {
    const fn new() -> Self {
        Self {
            domain: LazyLock::new(Domain::new),
            state: DomainState::new(P::NAME),
            loaded: OnceLock::new(),
        }
    }
}

/// Policy of [`OwnQsbr`].
#[derive(Debug)]
pub struct Quiescent;

impl Policy for Quiescent {
    const NAME: &'static str = "own-qsbr";
    const COMMAND: Option<Command> = None;

    fn statics() -> &'static Statics<Self> {
        static STATICS: Statics<Quiescent> = Statics::new();
        &STATICS
    }
}

/// Policy of [`OwnMembarrier`].
#[derive(Debug)]
pub struct Expedited;

impl Policy for Expedited {
    const NAME: &'static str = "own-membarrier";
    const COMMAND: Option<Command> = Some(Command::PrivateExpedited);

    fn statics() -> &'static Statics<Self> {
        static STATICS: Statics<Expedited> = Statics::new();
        &STATICS
    }
}

/// Policy of [`OwnMembarrierGlobal`].
#[derive(Debug)]
pub struct Global;

impl Policy for Global {
    const NAME: &'static str = "own-membarrier-global";
    const COMMAND: Option<Command> = Some(Command::Global);

    fn statics() -> &'static Statics<Self> {
        static STATICS: Statics<Global> = Statics::new();
        &STATICS
    }
}

impl<P: Policy> Fences for P {
    #[inline(always)]
    fn light() {
        match P::COMMAND {
            None => fence(Ordering::SeqCst),
            Some(_) => compiler_fence(Ordering::SeqCst),
        }
    }

    fn heavy() {
        let Some(command) = P::COMMAND else {
            fence(Ordering::SeqCst);
            return;
        };
        while let Err(error) = command.call() {
            // The kernel allocates for it. Without it the grace period would be too short, so it must not end.
            assert!(
                error.raw_os_error() == Some(libc::ENOMEM),
                "{}: the kernel offered it, and refuses it now: {error}",
                command.name()
            );
            thread::sleep(PAUSE);
        }
        count(match command {
            Command::PrivateExpedited => &counters::<P>().membarrier_expedited,
            Command::Global => &counters::<P>().membarrier_global,
            Command::GlobalExpedited => &counters::<P>().membarrier_other,
        });
    }

    #[inline(always)]
    fn passes() {
        // Before it is announced: who sees the end of the grace period sees the count.
        count(&counters::<P>().quiescent_states);
    }

    fn slept() {
        count(&counters::<P>().futex_waits);
    }

    fn woke() {
        count(&counters::<P>().futex_wakes);
    }
}

fn counters<P: Policy>() -> &'static Counters {
    P::statics().state.counters()
}

fn prepare<P: Policy>() -> Result<(), Unavailable> {
    let Some(command) = P::COMMAND else {
        return Ok(());
    };
    if !cfg!(target_arch = "x86_64") {
        return Err(Unavailable::Architecture(P::NAME));
    }
    command.available(membarrier::offered(), membarrier::processors())?;
    command.register()?;
    // A filter of system calls may refuse what the kernel offers.
    command.call().map_err(|error| command.refused(&error))
}

// SAFETY: `domain` has the argument. Readers of a domain with quiescent states are between `begin` and `end` while they
// are online; others between `enter` and `exit`.
unsafe impl<P: Policy> Flavour for Own<P> {
    const NAME: &'static str = P::NAME;

    const SIGN: Sign = match P::COMMAND {
        None => Sign::States,
        Some(Command::PrivateExpedited) => Sign::Expedited,
        Some(Command::Global | Command::GlobalExpedited) => Sign::Global,
    };

    const TIMES: u64 = 1;

    const STEP: u64 = 1;

    type Place = domain::Place<'static>;

    fn load() -> Result<(), Unavailable> {
        P::statics().loaded.get_or_init(prepare::<P>).clone()
    }

    unsafe fn join() -> Result<Self::Place, Unavailable> {
        let place = P::statics().domain.join();
        if P::COMMAND.is_none() {
            place.begin::<P>();
        }
        Ok(place)
    }

    unsafe fn leave(place: Self::Place) {
        if P::COMMAND.is_none() {
            place.end::<P>();
        }
        place.leave();
    }

    #[inline(always)]
    unsafe fn enter(place: &Self::Place) {
        if P::COMMAND.is_some() {
            place.begin::<P>();
        }
    }

    #[inline(always)]
    unsafe fn exit(place: &Self::Place) {
        if P::COMMAND.is_some() {
            place.end::<P>();
        }
    }

    unsafe fn end_forgotten(place: &Self::Place) {
        if P::COMMAND.is_some() {
            place.end::<P>();
        }
    }

    #[inline(always)]
    unsafe fn quiescent(place: &Self::Place) {
        if P::COMMAND.is_none() {
            place.pass::<P>();
        }
    }

    unsafe fn offline(place: &Self::Place) {
        if P::COMMAND.is_none() {
            P::passes();
            place.end::<P>();
        }
    }

    unsafe fn online(place: &Self::Place) {
        if P::COMMAND.is_none() {
            place.begin::<P>();
        }
    }

    unsafe fn synchronize() {
        P::statics().domain.synchronize();
    }

    unsafe fn holds_up(place: &Self::Place) -> bool {
        place.holds_up()
    }

    unsafe fn bury(place: &Self::Place) -> bool {
        // The thread runs no more, so its words can be written by this one.
        place.end::<P>();
        place.leave();
        true
    }

    fn domain() -> &'static DomainState {
        &P::statics().state
    }

    fn facts() -> Facts {
        Facts {
            membarrier_query: P::COMMAND.map(|_| membarrier::offered()),
            ..Facts::default()
        }
    }

    fn counts() -> Counts {
        Counts {
            word: P::statics().domain.epoch(),
            ..counters::<P>().snapshot()
        }
    }

    fn mechanism(before: &Counts, after: &Counts, readers: u64) -> Result<(), NotAtWork> {
        let counted = after.since(before);
        let epochs = counted.word;
        let barriers = [
            (Command::PrivateExpedited, counted.membarrier_expedited),
            (Command::Global, counted.membarrier_global),
            (Command::GlobalExpedited, counted.membarrier_other),
        ];
        // A writer that sleeps has more than one barrier.
        let is_right =
            |(command, count): &(Command, u64)| (Some(*command) == P::COMMAND) == (*count > 0);
        let states = counted.quiescent_states;
        let have_announced = P::COMMAND.is_some() || states >= readers;
        if epochs == 1 && barriers.iter().all(is_right) && have_announced {
            return Ok(());
        }
        let barriers = barriers.map(|(command, count)| format!("{count} {}", command.name()));
        Err(NotAtWork(format!(
            "{}: in 1 grace period with {readers} readers the domain counted {epochs}, with {states} quiescent states, \
             {}",
            P::NAME,
            barriers.join(", ")
        )))
    }
}
