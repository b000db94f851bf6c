//! Own domains: one protocol, whose steps and argument are in `domain`, with three kinds of fences.
#![expect(unsafe_code, reason = "a flavour's promise, which the protocol keeps")]

pub mod atomic;
mod domain;
mod fence;
pub mod membarrier;
pub mod slots;

use std::marker::PhantomData;
use std::sync::atomic::{Ordering, compiler_fence, fence};
use std::sync::{LazyLock, OnceLock};

use crate::counts::{Counters, Counts, count};
use crate::flavour::Flavour;
use crate::readers::DomainState;
use crate::unavailable::{NotAtWork, Unavailable};
use domain::Domain;
use fence::Fences;
use membarrier::Command;

/// An own domain, by its policy.
#[derive(Debug)]
pub struct Own<P>(PhantomData<P>);

/// Own domain with quiescent states: sections cost nothing, and a reader says between them that it has none open.
pub type OwnQsbr = Own<Quiescent>;

/// Own domain with an expedited membarrier in each grace period, and no barrier in readers.
pub type OwnMembarrier = Own<Expedited>;

/// The same with a membarrier that is not expedited: it takes milliseconds, and interrupts nobody.
pub type OwnMembarrierGlobal = Own<Global>;

/// What makes an own domain a flavour.
pub trait Policy: Sized + 'static {
    /// The flavour's name.
    const NAME: &'static str;

    /// The membarrier that is its heavy fence. Without one, both fences are full barriers. Then each section would cost
    /// one, so readers announce quiescent states instead of sections.
    const COMMAND: Option<Command>;

    /// What there is one of in a process.
    fn statics() -> &'static Statics<Self>;
}

/// What there is one of in a process for each own domain.
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
        if let Err(error) = command.call() {
            // Without it the grace period would be too short, so it must not end.
            panic!(
                "{}: the kernel offered it, and refuses it now: {error}",
                command.name()
            );
        }
        count(match command {
            Command::PrivateExpedited => &counters::<P>().membarrier_expedited,
            Command::Global => &counters::<P>().membarrier_global,
            Command::GlobalExpedited => &counters::<P>().membarrier_other,
        });
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
    command.register()
}

// SAFETY: `domain` has the argument. Readers of a domain with quiescent states are between `begin` and `end` while they
// are online; others between `enter` and `exit`.
unsafe impl<P: Policy> Flavour for Own<P> {
    const NAME: &'static str = P::NAME;

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
        if P::COMMAND.is_none() && place.pass::<P>() {
            count(&counters::<P>().quiescent_states);
        }
    }

    unsafe fn offline(place: &Self::Place) {
        if P::COMMAND.is_none() {
            place.end::<P>();
            count(&counters::<P>().quiescent_states);
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

    fn counts() -> Counts {
        Counts {
            word: P::statics().domain.epoch(),
            ..counters::<P>().snapshot()
        }
    }

    fn mechanism(before: &Counts, after: &Counts, _: u64) -> Result<(), NotAtWork> {
        let counted = after.since(before);
        let epochs = after.word.wrapping_sub(before.word);
        let barriers = [
            (Command::PrivateExpedited, counted.membarrier_expedited),
            (Command::Global, counted.membarrier_global),
            (Command::GlobalExpedited, counted.membarrier_other),
        ];
        // A writer that sleeps has more than one barrier.
        let is_right =
            |(command, count): &(Command, u64)| (Some(*command) == P::COMMAND) == (*count > 0);
        if epochs == 1 && barriers.iter().all(is_right) {
            return Ok(());
        }
        let barriers = barriers.map(|(command, count)| format!("{count} {}", command.name()));
        Err(NotAtWork(format!(
            "{}: in 1 grace period the domain counted {epochs}, with {}",
            P::NAME,
            barriers.join(", ")
        )))
    }
}
