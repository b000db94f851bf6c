//! Readers of every kind.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use perflab_rcu::{Flavour, Reader, Refused, Section, as_reader};

use super::super::nodes::{Damage, next_word};
use super::{NODES, Outcome, Shared, Stopped};

/// Sections between two looks at anything else.
const SECTIONS: u64 = 256;

/// Looks at a node twice, with something in between, in one section.
fn look<F: Flavour>(
    shared: &Shared<F>,
    section: &Section<'_, F>,
    which: u64,
    between: impl FnOnce(),
) -> Result<(), Damage> {
    let Some(node) = shared.nodes[which as usize % NODES].load(section) else {
        return Ok(());
    };
    let number = node.check()?;
    between();
    if node.check()? != number {
        return Err(Damage::Replaced);
    }
    Ok(())
}

/// Enters this number of sections, and looks at a node in each.
fn look_often<F: Flavour>(
    shared: &Shared<F>,
    reader: &mut Reader<F>,
    sections: u64,
    state: &mut u64,
) -> Result<(), Damage> {
    for _ in 0..sections {
        look(shared, &reader.enter(), next_word(state), || ())?;
    }
    reader.quiescent();
    shared.reads.fetch_add(sections, Ordering::Relaxed);
    Ok(())
}

/// A thread that reads in a way until the end.
fn until_the_end<F: Flavour>(
    shared: &Shared<F>,
    read: impl Fn(&mut Reader<F>, &mut u64) -> Result<(), Damage>,
) -> Outcome {
    let mut state = shared.next.fetch_add(1, Ordering::Relaxed);
    flat(as_reader::<F, _>(|reader| -> Result<(), Damage> {
        while !shared.has_ended() {
            read(reader, &mut state)?;
        }
        Ok(())
    }))
}

fn flat(outcome: Result<Result<(), Damage>, Refused>) -> Outcome {
    outcome?.map_err(Stopped::from)
}

/// Many short sections.
pub fn fast<F: Flavour>(shared: &Shared<F>) -> Outcome {
    until_the_end(shared, |reader, state| {
        look_often(shared, reader, SECTIONS, state)
    })
}

/// Sections in which the reader sleeps.
pub fn sleeping<F: Flavour>(shared: &Shared<F>) -> Outcome {
    until_the_end(shared, |reader, state| {
        let (which, time) = (next_word(state), next_word(state) % 2000);
        let sleep = || thread::sleep(Duration::from_micros(time));
        look(shared, &reader.enter(), which, sleep)?;
        reader.quiescent();
        shared.reads.fetch_add(1, Ordering::Relaxed);
        Ok(())
    })
}

/// A reader that joins, reads a little, and leaves, again and again.
pub fn churning<F: Flavour>(shared: &Shared<F>) -> Outcome {
    let mut state = shared.next.fetch_add(1, Ordering::Relaxed);
    while !shared.has_ended() {
        flat(as_reader::<F, _>(|reader| {
            look_often(shared, reader, 1000, &mut state)
        }))?;
    }
    Ok(())
}

/// A reader that is offline most of the time.
pub fn offline<F: Flavour>(shared: &Shared<F>) -> Outcome {
    until_the_end(shared, |reader, state| {
        let time = next_word(state) % 3000;
        reader.while_offline(|| thread::sleep(Duration::from_micros(time)));
        look_often(shared, reader, SECTIONS, state)
    })
}

/// One section, in which the reader looks at one node until the end.
pub fn never_ending<F: Flavour>(shared: &Shared<F>) -> Outcome {
    flat(as_reader::<F, _>(|reader| {
        look(shared, &reader.enter(), 0, || {
            while !shared.has_ended() {
                thread::sleep(Duration::from_millis(10));
            }
        })
    }))
}
