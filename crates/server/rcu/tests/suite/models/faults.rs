//! Each model with a fault in it, which it must find: so it would find the like in the protocol.

use std::cell::Cell;

use super::atomic::Fault;
use super::fence::Fences;
use super::{Asleep, Awake, World, play_bounded, play_tickets, play_with};
use super::{reads, reads_once, writes, writes_too};

/// Readers have no fence.
struct NoLight;

impl Fences for NoLight {
    const LOOKS: u32 = u32::MAX;

    fn light() {}

    fn heavy() {
        Awake::heavy();
    }
}

/// Writers have no fence.
struct NoHeavy;

impl Fences for NoHeavy {
    const LOOKS: u32 = u32::MAX;

    fn light() {
        Awake::light();
    }

    fn heavy() {}
}

/// A writer has a fence before it looks at readers, and none before it sleeps. Its second look may be as old as the
/// first then, as if it did not look again.
struct NoHeavyBeforeSleep;

thread_local! {
    static HAS_FENCED: Cell<bool> = const { Cell::new(false) };
}

impl Fences for NoHeavyBeforeSleep {
    const LOOKS: u32 = 0;

    fn light() {
        Awake::light();
    }

    fn heavy() {
        if !HAS_FENCED.replace(true) {
            Awake::heavy();
        }
    }
}

#[test]
#[should_panic(expected = "Causality violation")]
fn a_reader_has_no_fence() {
    play_bounded::<NoLight, _>(3, [reads, writes]);
}

#[test]
#[should_panic(expected = "Causality violation")]
fn a_writer_has_no_fence() {
    play_bounded::<NoHeavy, _>(3, [reads, writes]);
}

#[test]
#[should_panic(expected = "Causality violation")]
fn a_reader_reads_after_its_section() {
    let reads = |world: &World<Awake>| {
        let place = world.domain.join();
        place.begin::<Awake>();
        place.end::<Awake>();
        world.read();
        place.leave();
    };
    play_bounded::<Awake, _>(3, [reads, writes]);
}

#[test]
#[should_panic(expected = "Causality violation")]
fn a_writer_unlinks_after_the_grace_period_began() {
    let writes = |world: &World<Awake>| {
        let new = world.domain.start();
        let old = world.unlink(1);
        world.domain.finish(new);
        world.objects[old].free();
    };
    play_bounded::<Awake, _>(3, [reads_once, writes]);
}

#[test]
#[should_panic(expected = "Causality violation")]
fn a_writer_shares_by_a_plain_load() {
    play_with::<Awake, _>(
        Some(Fault::AddsNothing),
        Some(3),
        [reads_once, writes, writes_too],
    );
}

#[test]
#[should_panic(expected = "deadlock")]
fn a_writer_sleeps_without_a_fence() {
    let writes = |world: &World<NoHeavyBeforeSleep>| {
        HAS_FENCED.set(false);
        world.replace(1);
    };
    play_bounded::<NoHeavyBeforeSleep, _>(3, [reads_once, writes]);
}

#[test]
#[should_panic(expected = "deadlock")]
fn a_kernel_does_not_compare() {
    play_with::<Asleep, _>(Some(Fault::SleepsUnseen), Some(3), [reads_once, writes]);
}

#[test]
#[should_panic(expected = "deadlock")]
fn a_turn_ends_and_wakes_nobody() {
    play_with::<Asleep, _>(Some(Fault::WakesNobody), Some(3), [writes, writes_too]);
}

#[test]
#[should_panic(expected = "Causality violation")]
fn a_ticket_is_taken_by_a_plain_load() {
    play_tickets(Some(Fault::AddsNothing));
}
