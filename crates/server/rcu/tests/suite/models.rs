//! Interleavings of readers and writers of an own domain, with the protocol's own code. loom plays all of them for one
//! reader and one writer that waits awake. It plays larger models with at most 2 or 3 preemptions, as each test says:
//! switches from a thread that could go on. Each model is also played with a fault in it, which it must find.
//!
//! Light and heavy fences are full ones here. So readers order with each other too, which light fences do not: but each
//! pair of fences that the argument uses has a heavy one. An object is freed by a write to its cell, so that loom sees
//! a read that nothing orders before it.
#![expect(dead_code, reason = "a part of the crate is included for it")]

mod atomic;
mod faults;

#[path = "../../src/own/domain.rs"]
mod domain;
#[path = "../../src/own/fence.rs"]
mod fence;
#[path = "../../src/own/slots.rs"]
mod slots;
#[path = "../../src/tickets.rs"]
mod tickets;
#[path = "../../src/own/turn.rs"]
mod turn;

/// Where the tickets look for it.
mod own {
    pub(super) use super::atomic;
}

use std::cell::Cell;
use std::rc::Rc;

use atomic::{AtomicU64, FAULT, Fault};
use domain::{Domain, Place};
use fence::Fences;
use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;
use tickets::Tickets;

/// Full fences, and a writer that waits for readers awake.
struct Awake;

impl Fences for Awake {
    const LOOKS: u32 = u32::MAX;
    const LOOKS_AT_TURN: u32 = 0;

    fn light() {
        loom::sync::atomic::fence(Ordering::SeqCst);
    }

    fn heavy() {
        loom::sync::atomic::fence(Ordering::SeqCst);
    }
}

/// A writer that sleeps at once.
struct Asleep;

impl Fences for Asleep {
    const LOOKS: u32 = 0;
    const LOOKS_AT_TURN: u32 = 0;

    fn light() {
        Awake::light();
    }

    fn heavy() {
        Awake::heavy();
    }
}

/// The state that readers and writers share: a domain, and a pointer to one of three objects.
struct World<F> {
    domain: Domain<F>,
    pointer: AtomicUsize,
    objects: [Object; 3],
}

struct Object {
    cell: UnsafeCell<()>,
    is_freed: Cell<bool>,
}

impl Object {
    fn new() -> Self {
        Self {
            cell: UnsafeCell::new(()),
            is_freed: Cell::new(false),
        }
    }

    fn read(&self) {
        self.cell.with(|_| ());
        assert!(!self.is_freed.get(), "Causality violation: it was freed");
    }

    fn free(&self) {
        self.cell.with_mut(|_| ());
        self.is_freed.set(true);
    }
}

impl<F: Fences> World<F> {
    fn new() -> Self {
        Self {
            domain: Domain::new(),
            pointer: AtomicUsize::new(0),
            objects: std::array::from_fn(|_| Object::new()),
        }
    }

    fn read(&self) {
        self.objects[self.pointer.load(Ordering::Acquire)].read();
    }

    fn section(&self, place: &Place<'_>) {
        place.begin::<F>();
        self.read();
        place.end::<F>();
    }

    /// Puts in the object of this number, and returns that of the one before.
    fn unlink(&self, new: usize) -> usize {
        self.pointer.swap(new, Ordering::AcqRel)
    }

    fn replace(&self, new: usize) {
        let old = self.unlink(new);
        self.domain.synchronize();
        self.objects[old].free();
    }
}

type Work<F> = fn(&World<F>);

/// Plays threads that do this in every order.
fn play<F: Fences, const THREADS: usize>(threads: [Work<F>; THREADS]) {
    play_with(None, None, threads);
}

/// Plays them in every order with at most this number of preemptions.
fn play_bounded<F: Fences, const THREADS: usize>(preemptions: usize, threads: [Work<F>; THREADS]) {
    play_with(None, Some(preemptions), threads);
}

fn play_with<F: Fences, const THREADS: usize>(
    fault: Option<Fault>,
    preemptions: Option<usize>,
    threads: [Work<F>; THREADS],
) {
    FAULT.set(fault);
    let mut model = loom::model::Builder::new();
    model.preemption_bound = preemptions;
    model.check(move || {
        // Its threads are executed by one real thread, so a count of references needs to be no atomic one.
        let world = Rc::new(World::<F>::new());
        let begun = threads.map(|work| {
            let world = Rc::clone(&world);
            thread::spawn(move || work(&world))
        });
        for thread in begun {
            thread.join().unwrap();
        }
    });
}

/// A reader of a domain without quiescent states.
fn reads<F: Fences>(world: &World<F>) {
    let place = world.domain.join();
    world.section(&place);
    world.section(&place);
    place.leave();
}

fn reads_once<F: Fences>(world: &World<F>) {
    let place = world.domain.join();
    world.section(&place);
    place.leave();
}

/// A reader of a domain with quiescent states.
fn passes<F: Fences>(world: &World<F>) {
    let place = world.domain.join();
    place.begin::<F>();
    world.read();
    place.pass::<F>();
    world.read();
    place.end::<F>();
    place.leave();
}

/// A reader that comes online while a grace period may run.
fn comes_online<F: Fences>(world: &World<F>) {
    let place = world.domain.join();
    place.begin::<F>();
    place.end::<F>();
    place.begin::<F>();
    world.read();
    place.end::<F>();
    place.leave();
}

fn joins_twice<F: Fences>(world: &World<F>) {
    reads_once(world);
    reads_once(world);
}

/// A reader whose slot is in a block that is linked for it.
fn joins_behind_others<F: Fences>(world: &World<F>) {
    world.domain.join();
    world.domain.join();
    reads_once(world);
}

fn writes<F: Fences>(world: &World<F>) {
    world.replace(1);
}

fn writes_too<F: Fences>(world: &World<F>) {
    world.replace(2);
}

#[test]
fn one_writer() {
    play::<Awake, _>([reads, writes]);
}

#[test]
fn one_writer_with_quiescent_states() {
    play::<Awake, _>([passes, writes]);
    play::<Awake, _>([comes_online, writes]);
}

#[test]
fn writers_share_a_grace_period() {
    play_bounded::<Awake, _>(2, [reads_once, writes, writes_too]);
}

#[test]
fn writers_share_a_grace_period_with_quiescent_states() {
    play_bounded::<Awake, _>(2, [passes, writes, writes_too]);
}

#[test]
fn writers_sleep_until_a_turn_ends() {
    play_bounded::<Asleep, _>(3, [writes, writes_too]);
    play_bounded::<Asleep, _>(2, [reads_once, writes, writes_too]);
}

#[test]
fn a_slot_is_given_back_and_taken_again() {
    play_bounded::<Awake, _>(3, [joins_twice, writes]);
    play_bounded::<Awake, _>(2, [reads_once, reads_once, writes]);
}

#[test]
fn a_slot_is_in_a_new_block() {
    play::<Awake, _>([joins_behind_others, writes]);
}

#[test]
fn a_writer_sleeps_and_is_woken() {
    play_bounded::<Asleep, _>(3, [reads, writes]);
    play_bounded::<Asleep, _>(3, [passes, writes]);
}

/// Grace periods that the thread of tickets makes.
const GRACE_PERIODS: u64 = 2;

/// A thread that retires an object and frees it by its ticket, one that makes grace periods, and a reader.
fn play_tickets(fault: Option<Fault>) {
    FAULT.set(fault);
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(|| {
        let word = || AtomicU64::new(0);
        let tickets = Rc::new(Tickets::new(word(), word(), word()));
        let world = Rc::new(World::<Awake>::new());
        let reader = {
            let world = Rc::clone(&world);
            thread::spawn(move || reads_once(&world))
        };
        let grace = {
            let (world, tickets) = (Rc::clone(&world), Rc::clone(&tickets));
            thread::spawn(move || {
                for _ in 0..GRACE_PERIODS {
                    let new = tickets.begin();
                    world.domain.synchronize();
                    tickets.end(new);
                }
            })
        };
        let old = world.unlink(1);
        let ticket = tickets.take();
        // It looks once, at any moment: in each order in which the grace period is over by then, it frees.
        if tickets.is_over(ticket) {
            world.objects[old].free();
        }
        reader.join().unwrap();
        grace.join().unwrap();
    });
}

#[test]
fn what_has_a_ticket_is_freed_after_its_grace_period() {
    play_tickets(None);
}
