//! Writers: each replaces nodes, and retires the old ones.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use perflab_rcu::{Flavour, Limbo, NotRelieved, Reclaim, Retired, Waiting, as_reader};

use super::super::nodes::{Node, Quarantine, next_word};
use super::{BETWEEN, LIMITS, NODES, Outcome, Shared, Stopped};

/// The writer frees one node in this number itself, after a grace period of its own.
const ALONE: u64 = 512;

/// Time for which a writer waits that must not write.
const PAUSE: Duration = Duration::from_millis(10);

/// Replaces a node, of which readers may still see the old one.
fn replace<F: Flavour>(shared: &Shared<F>, state: &mut u64) -> Option<Retired<Node, F>> {
    let number = shared.next.fetch_add(1, Ordering::Relaxed);
    let which = next_word(state) as usize % NODES;
    let old = shared.nodes[which].swap(Some(Node::new(number)))?;
    shared.retired.fetch_add(1, Ordering::Relaxed);
    Some(old)
}

/// Counts a stall: too much waits to be freed, and the writer must write nothing until less does.
fn pause<F: Flavour>(shared: &Shared<F>, relieved: Result<Waiting, NotRelieved>) -> Outcome {
    // `relieve` closes batches.
    shared.sample();
    match relieved {
        Ok(_) => Ok(()),
        Err(NotRelieved::Stalled(_)) => {
            shared.stalls.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }
        Err(other) => Err(Stopped::Failed(other.to_string())),
    }
}

/// Retires a node.
fn retire<F: Flavour>(shared: &Shared<F>, limbo: &mut Limbo<F>, old: Retired<Node, F>) {
    limbo.retire_to::<Node, Quarantine>(old);
    shared.sample();
}

/// A writer that is a reader, too, and retires inside of sections.
pub fn reads<F: Flavour>(shared: &Shared<F>) -> Outcome {
    let mut state = 1;
    as_reader::<F, _>(|reader| -> Outcome {
        let mut limbo = Limbo::<F>::new(LIMITS);
        while !shared.has_ended() {
            for _ in 0..BETWEEN {
                let _section = reader.enter();
                if let Some(old) = replace(shared, &mut state) {
                    retire(shared, &mut limbo, old);
                }
            }
            reader.quiescent();
            while !shared.has_ended() {
                let relieved = limbo.relieve(reader);
                let is_stalled = relieved.is_err();
                pause(shared, relieved)?;
                if !is_stalled {
                    break;
                }
                reader.while_offline(|| thread::sleep(PAUSE));
            }
        }
        Ok(())
    })?
}

/// A writer that is no reader.
pub fn alone<F: Flavour>(shared: &Shared<F>) -> Outcome {
    write_alone(shared, |limbo, old| {
        retire(shared, limbo, old);
        Ok(())
    })
}

/// A writer that is no reader, and sometimes waits for a grace period itself.
pub fn alone_and_waits<F: Flavour>(shared: &Shared<F>) -> Outcome {
    let mut count = 0_u64;
    write_alone(shared, move |limbo, old| {
        count += 1;
        if count.is_multiple_of(ALONE) {
            let node = old.after_grace_period().map_err(|(refused, _)| refused)?;
            Quarantine::reclaim(node);
        } else {
            retire(shared, limbo, old);
        }
        Ok(())
    })
}

fn write_alone<F: Flavour>(
    shared: &Shared<F>,
    mut free: impl FnMut(&mut Limbo<F>, Retired<Node, F>) -> Outcome,
) -> Outcome {
    let mut state = 2;
    let mut limbo = Limbo::<F>::new(LIMITS);
    while !shared.has_ended() {
        for _ in 0..BETWEEN {
            if let Some(old) = replace(shared, &mut state) {
                free(&mut limbo, old)?;
            }
        }
        while !shared.has_ended() {
            let relieved = limbo.relieve_alone();
            let is_stalled = relieved.is_err();
            pause(shared, relieved)?;
            if !is_stalled {
                break;
            }
            thread::sleep(PAUSE);
        }
    }
    Ok(())
}
